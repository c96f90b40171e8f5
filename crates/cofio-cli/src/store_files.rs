//! The files of a store: its own, those that SQLite keeps beside it, and what killed commands left.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tempfile::TempDir;

use crate::failure::Refusal;

/// What stands behind a store's name: the head of its audit, the companions that SQLite gives it, and
/// nothing for itself.
///
/// The companions come first, as a new store must not find those of another.
const ENDINGS: [&str; 5] = [".audit-head", "-wal", "-shm", "-journal", ""];

/// Returns a store's file and the companions that it may have.
pub fn own(store: &Path) -> Vec<PathBuf> {
    ENDINGS.iter().map(|ending| beside(store, ending)).collect()
}

/// Refuses a file that is the store itself or a companion of it, under whatever name.
pub fn refuse_own(file: &Path, store: &Path) -> Result<()> {
    let mut all = places(store).into_iter().flat_map(|place| own(&place));
    if all.any(|own| is_same(file, &own)) {
        let message = format!(
            "{} belongs to the store {}: give another file",
            file.display(),
            store.display()
        );
        return Err(Refusal::Usage(message).into());
    }
    Ok(())
}

/// Moves a store and its companions out of the way, and returns where its file is then.
pub fn move_aside(store: &Path) -> io::Result<PathBuf> {
    let free = |aside: &PathBuf| own(aside).iter().all(|file| file.symlink_metadata().is_err());
    let names = (1..).map(|number| match number {
        1 => beside(store, ".damaged"),
        number => beside(store, &format!(".damaged-{number}")),
    });
    let aside = names.into_iter().find(free).expect("there is always another number");
    for ending in ENDINGS {
        match fs::rename(beside(store, ending), beside(&aside, ending)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !ending.is_empty() => {}
            moved => moved?,
        }
    }
    Ok(aside)
}

/// Makes a folder beside a store, gone when dropped.
pub fn folder_beside(store: &Path, purpose: &str) -> Result<TempDir> {
    let folder = store.parent().unwrap_or(Path::new("."));
    let mut name = store.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{purpose}-"));
    let made = tempfile::Builder::new().prefix(&name).tempdir_in(folder);
    made.with_context(|| format!("cannot make a folder in {}", folder.display()))
}

/// Returns what lies beside a store that commands made and did not remove, in order.
pub fn left_over(store: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for place in places(store) {
        let Some((folder, name)) = place.parent().zip(place.file_name()) else { continue };
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let names = entries.flatten().map(|entry| entry.file_name());
        let left = names.filter(|found| is_left_over(found, name));
        files.extend(left.map(|name| folder.join(name)));
    }
    files.sort();
    files
}

/// Returns where a store is, and where it really is if a link leads to it.
///
/// SQLite keeps the companions in the second place, and commands work in the first.
fn places(store: &Path) -> Vec<PathBuf> {
    let linked = store.is_symlink().then(|| store.canonicalize().ok()).flatten();
    linked.into_iter().chain([store.to_owned()]).collect()
}

fn is_left_over(found: &OsStr, store: &OsStr) -> bool {
    let rest = found.as_encoded_bytes().strip_prefix(store.as_encoded_bytes());
    let rest = String::from_utf8_lossy(rest.unwrap_or_default());
    [".restore-", ".damaged"].iter().any(|purpose| rest.starts_with(purpose))
        || (rest.starts_with('.') && rest.contains(".partial-"))
}

/// Returns the file whose name is that of a path with something behind it.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Returns whether two paths lead to one file, or would.
fn is_same(a: &Path, b: &Path) -> bool {
    resolved(a).is_some_and(|a| resolved(b) == Some(a)) || is_one_file(a, b)
}

/// Follows the links of a path whose file need not be there.
fn resolved(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

#[cfg(unix)]
fn is_one_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let identity = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
    identity(a).is_some_and(|a| identity(b) == Some(a))
}

#[cfg(not(unix))]
fn is_one_file(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companions_move_with_their_store_and_never_onto_another() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        let check = |expected: &str| {
            for store in own(&file("cofio.db")) {
                fs::write(&store, store.to_str().unwrap()).unwrap();
            }
            let aside = move_aside(&file("cofio.db")).unwrap();
            assert_eq!(aside, file(expected));
            for (from, to) in own(&file("cofio.db")).iter().zip(own(&aside)) {
                assert!(!from.exists());
                assert_eq!(fs::read_to_string(to).unwrap(), from.to_str().unwrap());
            }
        };
        check("cofio.db.damaged");
        fs::write(file("cofio.db.damaged-2-wal"), "").unwrap();
        check("cofio.db.damaged-3");
    }

    #[test]
    fn a_store_without_companions_moves_too() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("cofio.db");
        assert!(move_aside(&store).is_err());
        fs::write(&store, "").unwrap();
        assert!(move_aside(&store).unwrap().exists());
    }
}
