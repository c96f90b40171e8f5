//! Files and folders, with errors that say what to do.

use std::fs;
use std::io;
use std::path::Path;

use cofio::{Error, ErrorKind, Result};

/// Makes a folder that only its owner can open, and those above it.
pub fn make_folder(path: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path).map_err(|cause| error("make the folder", path, cause))
}

/// Removes a folder and what is in it, if it is there.
pub fn remove_folder(path: &Path) -> Result<()> {
    absent_is_fine(fs::remove_dir_all(path)).map_err(|cause| error("remove", path, cause))
}

/// Removes a file, if it is there.
pub fn remove_if_present(path: &Path) -> Result<()> {
    absent_is_fine(fs::remove_file(path)).map_err(|cause| error("remove", path, cause))
}

fn absent_is_fine(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Returns how many bytes a file has.
pub fn size(path: &Path) -> Result<u64> {
    let found = fs::metadata(path).map_err(|cause| error("read", path, cause))?;
    Ok(found.len())
}

/// Gives a finished file its name, such that it is whole even after a power cut.
pub fn publish(unfinished: &Path, path: &Path) -> Result<()> {
    let synced = fs::File::options().append(true).open(unfinished).and_then(|file| file.sync_all());
    let renamed = synced.and_then(|()| fs::rename(unfinished, path));
    renamed.map_err(|cause| error("write", path, cause))
}

/// Turns an error of the file system into ours.
pub fn error(action: &str, path: &Path, cause: io::Error) -> Error {
    let (kind, advice) = match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
            ErrorKind::Configuration,
            "no space is left there: make some, or choose another folder for models",
        ),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => (
            ErrorKind::Configuration,
            "that is not allowed: change who may write there, or choose another folder for models",
        ),
        io::ErrorKind::NotFound => {
            let message = format!("cannot {action} {}: it is not there", path.display());
            return Error::new(ErrorKind::NotFound, message);
        }
        _ => {
            let message = format!("cannot {action} {}: {cause}", path.display());
            return Error::new(ErrorKind::Configuration, message).caused_by(cause);
        }
    };
    Error::new(kind, format!("cannot {action} {}: {advice}", path.display())).caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_to_do() {
        let check = |kind: io::ErrorKind, expected: ErrorKind, message: &str| {
            let error = error("write", Path::new("/m"), kind.into());
            assert_eq!(error.kind(), expected);
            assert!(error.to_string().starts_with(message), "{error}");
        };
        let full = "cannot write /m: no space is left there: make some";
        check(io::ErrorKind::StorageFull, ErrorKind::Configuration, full);
        check(io::ErrorKind::QuotaExceeded, ErrorKind::Configuration, full);
        let denied = "cannot write /m: that is not allowed: change who";
        check(io::ErrorKind::PermissionDenied, ErrorKind::Configuration, denied);
        check(io::ErrorKind::NotFound, ErrorKind::NotFound, "cannot write /m: it is not there");
        check(io::ErrorKind::IsADirectory, ErrorKind::Configuration, "cannot write /m: ");
    }
}
