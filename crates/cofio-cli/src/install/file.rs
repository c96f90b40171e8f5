//! The files of others: read whole, replaced whole, with a copy beside them.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use tempfile::NamedTempFile;

use super::Scope;

/// What stands behind the name of a copy.
const BACKUP: &str = ".cofio-backup";

/// The most bytes of a file of settings; Claude Code keeps much else in its own.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The file whose permissions a new one gets, if it is there.
#[derive(Clone, Copy)]
pub struct Like<'a>(pub &'a Path);

/// Reads a file, if it is there.
pub fn read(path: &Path) -> Result<Option<String>> {
    let text = match fs::metadata(path) {
        // A link that leads nowhere would be replaced, and is somebody's.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            return Ok(None);
        }
        Err(error) => Err(error),
        // Opening a pipe would wait for somebody to write into it.
        Ok(file) if !file.is_file() => Err(io::Error::other("it is not a file")),
        Ok(file) if file.len() > MOST_BYTES => Err(io::Error::other("it is too large")),
        Ok(_) => fs::read_to_string(path),
    };
    text.map(Some).with_context(|| format!("nothing was changed: cannot read {}", path.display()))
}

/// Reads the copy beside a file, if there is one.
pub fn backup(path: &Path) -> Result<Option<String>> {
    read(&backup_path(path))
}

/// Returns where the copy of a file is.
pub fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(BACKUP);
    PathBuf::from(name)
}

/// Replaces what a file has, or removes it, if it still has what was read from it.
pub fn replace(path: &Path, before: Option<&str>, after: Option<&str>, scope: Scope) -> Result<()> {
    if read(path)?.as_deref() != before {
        bail!("{} was changed by somebody else meanwhile: try again", path.display());
    }
    match after {
        Some(after) => write(path, after, Like(path), scope),
        None => remove(path),
    }
}

/// Writes a file, whole or not at all.
pub fn write(path: &Path, text: &str, like: Like<'_>, scope: Scope) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    // A link stays a link, and what it leads to is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().with_context(cannot)?;
    fs::create_dir_all(folder).with_context(cannot)?;
    let mut file = NamedTempFile::new_in(folder).with_context(cannot)?;
    file.write_all(text.as_bytes()).with_context(cannot)?;
    set_permissions(file.as_file(), like, scope).with_context(cannot)?;
    file.as_file().sync_all().with_context(cannot)?;
    file.persist(&path).with_context(cannot)?;
    Ok(())
}

/// Removes a file, if it is there.
pub fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Gives a file the permissions of another; without one, a user's is private and a project's not.
#[cfg(unix)]
fn set_permissions(file: &fs::File, like: Like<'_>, scope: Scope) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let usual = fs::Permissions::from_mode(if scope == Scope::User { 0o600 } else { 0o644 });
    file.set_permissions(fs::metadata(like.0).map_or(usual, |file| file.permissions()))
}

#[cfg(not(unix))]
fn set_permissions(_: &fs::File, _: Like<'_>, _: Scope) -> io::Result<()> {
    Ok(())
}
