//! Writing to a folder while nobody else does.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::thread::sleep;
use std::time::Duration;

use uuid::{NoContext, Uuid};

use super::directory::{Directory, FoundKind, same_mode};
use super::failure::failed;
use super::stamp::{Seen, Stamp};
use super::{Folder, regular};
use super::{Relative, folded};
use crate::error::{Error, ErrorKind, Result};
use crate::model::Timestamp;

/// The hidden folder that is ours, and the file in it whose lock is held by whoever writes.
const OURS: &str = ".cofio";
const LOCK: &str = "lock";

/// The file that keeps what is ours out of git, and what it says.
const IGNORED: (&str, &str) = (".gitignore", "*\n");

/// How a file that is being written is called, with digits in between that nobody can guess.
const BEGINNING: &str = ".cofio-";
const END: &str = ".tmp";

/// How long to wait between two attempts to get the lock, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// How often something is added anew if an editor puts another file in place meanwhile.
const ATTEMPTS: usize = 10;

/// A folder that nobody else writes to, except those who do not ask.
#[derive(Debug)]
pub struct Locked<'a> {
    folder: &'a Folder,
    _lock: File,
    /// What is in some folders, by what is the same for names that some systems take for one.
    names: RefCell<HashMap<String, HashMap<String, String>>>,
}

impl<'a> Locked<'a> {
    pub(super) fn new(folder: &'a Folder) -> Result<Self> {
        let cannot = |cause| failed("lock", LOCK, cause);
        let (mut waited, mut pause) = (Duration::ZERO, FIRST_PAUSE);
        loop {
            let ours = ours(&folder.root).map_err(cannot)?;
            let file = ours.open_or_make(LOCK).map_err(cannot)?;
            match file.try_lock() {
                Ok(()) if same_file(&ours, LOCK, &file) => {
                    return Ok(Self { folder, _lock: file, names: RefCell::default() });
                }
                // Somebody has removed the file, and others may hold the lock of another one.
                Ok(()) | Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(cause)) => return Err(cannot(cause)),
            }
            if waited >= folder.patience {
                return Err(busy(folder));
            }
            sleep(pause);
            waited += pause;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Replaces a file by a text, whole or not at all, and returns what it is then.
    ///
    /// Fails with [`ErrorKind::Conflict`] if the file is not as `expected` says, or if there is one
    /// though nothing was expected. Once this returns, the text survives a loss of power.
    pub fn replace(&self, path: &Relative, text: &str, expected: Option<&Stamp>) -> Result<Stamp> {
        let cannot = |cause| failed("write", path.as_str(), cause);
        self.check(path, expected)?;
        let folder = self.make_way(path)?;
        let beside = Beside::write(&folder, text).map_err(cannot)?;
        if let Ok(old) = folder.open(path.name()) {
            same_mode(&beside.file, &old).map_err(cannot)?;
        }
        beside.file.sync_all().map_err(cannot)?;
        // An editor may have written meanwhile, which took a while.
        self.check(path, expected)?;
        let seen = Seen::of(&beside.file).map_err(cannot)?;
        beside.take_the_place_of(path.name()).map_err(cannot)?;
        folder.sync().map_err(cannot)?;
        Ok(Stamp::new(seen, text.as_bytes()))
    }

    /// Adds a text at the end of a file, on a line of its own, behind a header if the file is new.
    ///
    /// Once this returns, the text survives a loss of power.
    pub fn append(&self, path: &Relative, header: &str, text: &str) -> Result<()> {
        let cannot = |cause| failed("write", path.as_str(), cause);
        let folder = self.make_way(path)?;
        for _ in 0..ATTEMPTS {
            let mut file = folder.open_or_make(path.name()).map_err(cannot)?;
            regular(&file, path)?;
            let (length, whole) = mended(&file).map_err(cannot)?;
            let added = match length {
                0 => format!("{header}{text}"),
                _ if whole => text.to_owned(),
                // Whoever wrote the last line did not come to its end.
                _ => format!("\n{text}"),
            };
            if let Err(cause) = file.write_all(added.as_bytes()).and_then(|()| file.sync_all()) {
                let _ = file.set_len(length);
                return Err(cannot(cause));
            }
            if length == 0 {
                folder.sync().map_err(cannot)?;
            }
            if same_file(&folder, path.name(), &file) {
                return Ok(());
            }
        }
        let message = format!("cannot write {:?}: it is replaced all the time", path.as_str());
        Err(Error::new(ErrorKind::Conflict, message))
    }

    /// Returns what a file is that has this text; nobody knows if somebody changed it since.
    pub(in crate::files) fn stamp(&self, path: &Relative, text: &str) -> Result<Option<Stamp>> {
        let found = self.folder.bytes(path)?;
        let same = found.filter(|(bytes, _)| bytes == text.as_bytes());
        Ok(same.map(|(bytes, seen)| Stamp::new(seen, &bytes)))
    }

    /// Removes a file if it is as `expected` says.
    pub fn remove(&self, path: &Relative, expected: &Stamp) -> Result<()> {
        let cannot = |cause| failed("remove", path.as_str(), cause);
        self.check(path, Some(expected))?;
        let folder = self.folder.parent(path).map_err(cannot)?;
        folder.remove(path.name()).and_then(|()| folder.sync()).map_err(cannot)
    }

    /// Removes what processes left behind that were ended while they wrote before a moment.
    ///
    /// Returns how many files that were.
    pub fn clean_up(&self, before: Timestamp) -> Result<usize> {
        let cannot = |cause| failed("clean up", &self.folder.path.display().to_string(), cause);
        clean_up(&self.folder.root, before.as_nanosecond(), 1).map_err(cannot)
    }

    /// Makes sure that a file is as somebody expects it.
    fn check(&self, path: &Relative, expected: Option<&Stamp>) -> Result<()> {
        let found = self.folder.bytes(path)?.map(|(bytes, seen)| Stamp::new(seen, &bytes).sha256);
        if found.as_ref() == expected.map(|expected| &expected.sha256) {
            return Ok(());
        }
        let message = format!("{:?} was changed since it was read", path.as_str());
        Err(Error::new(ErrorKind::Conflict, message))
    }

    /// Opens the folder of a file, and makes it if it is not there.
    fn make_way(&self, path: &Relative) -> Result<Directory> {
        let cannot = |cause| failed("write", path.as_str(), cause);
        let mut folder = self.folder.root.again().map_err(cannot)?;
        let mut above = String::new();
        for name in path.folders() {
            self.unmistakable(&folder, &above, name)?;
            folder = match folder.folder(name) {
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                    folder.make_folder(name).and_then(|()| folder.sync()).map_err(cannot)?;
                    folder.folder(name).map_err(cannot)?
                }
                opened => opened.map_err(cannot)?,
            };
            above.push_str(name);
            above.push('/');
        }
        self.unmistakable(&folder, &above, path.name())?;
        Ok(folder)
    }

    /// Refuses a new name that some systems would take for another one that is there.
    ///
    /// What is in a folder is looked up once, as we alone make files meanwhile.
    fn unmistakable(&self, folder: &Directory, above: &str, name: &str) -> Result<()> {
        // Where case counts, a name that is there is itself.
        if cfg!(target_os = "linux") && folder.look(name).is_ok() {
            return Ok(());
        }
        let mut names = self.names.borrow_mut();
        let names = match names.entry(above.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let found = folder.found().map_err(|cause| failed("list", above, cause))?;
                unknown.insert(found.into_iter().map(|one| (folded(&one.name), one.name)).collect())
            }
        };
        let other = names.entry(folded(name)).or_insert_with(|| name.to_owned());
        if other == name {
            return Ok(());
        }
        let message = format!(
            "{name:?} and {other:?}, which is there already, are one name on some systems: rename the latter"
        );
        Err(Error::new(ErrorKind::Refused, message))
    }
}

/// A file that is written beside the one whose place it will take.
struct Beside<'a> {
    folder: &'a Directory,
    name: String,
    file: File,
    placed: bool,
}

impl<'a> Beside<'a> {
    fn write(folder: &'a Directory, text: &str) -> io::Result<Self> {
        let digits = Uuid::new_v7(uuid::Timestamp::from_unix(NoContext, 0, 0)).simple();
        let name = format!("{BEGINNING}{digits}{END}");
        let file = folder.make(&name)?;
        let mut beside = Self { folder, name, file, placed: false };
        beside.file.write_all(text.as_bytes())?;
        Ok(beside)
    }

    fn take_the_place_of(mut self, name: &str) -> io::Result<()> {
        self.folder.rename(&self.name, name)?;
        self.placed = true;
        Ok(())
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        if !self.placed {
            let _ = self.folder.remove(&self.name);
        }
    }
}

fn clean_up(folder: &Directory, before: i128, depth: usize) -> io::Result<usize> {
    let mut removed = 0;
    for found in folder.found()? {
        let left = found.name.starts_with(BEGINNING) && found.name.ends_with(END);
        if found.kind == FoundKind::File && left && folder.look(&found.name)?.modified < before {
            folder.remove(&found.name)?;
            removed += 1;
        } else if found.kind == FoundKind::Folder
            && !found.name.starts_with('.')
            && depth < Relative::DEEPEST
        {
            removed += folder
                .folder(&found.name)
                .map_or(Ok(0), |below| clean_up(&below, before, depth + 1))?;
        }
    }
    Ok(removed)
}

/// Takes a piece of a character off the end of a file, and returns how long the file is and whether
/// its last line has an end.
fn mended(mut file: &File) -> io::Result<(u64, bool)> {
    use io::{Read as _, Seek as _};
    let length = file.metadata()?.len();
    let mut last = Vec::new();
    file.seek(io::SeekFrom::Start(length.saturating_sub(4)))?;
    file.take(4).read_to_end(&mut last)?;
    let piece = piece_of_a_character(&last);
    if piece > 0 {
        file.set_len(length - piece)?;
    }
    Ok((length - piece, last.ends_with(b"\n")))
}

/// Returns how many bytes at the end are the beginning of a character that does not come to its end.
fn piece_of_a_character(bytes: &[u8]) -> u64 {
    let start =
        bytes.iter().rposition(|byte| byte & 0b1100_0000 != 0b1000_0000).unwrap_or_default();
    let cut = str::from_utf8(&bytes[start..]).is_err_and(|error| error.error_len().is_none());
    if cut { (bytes.len() - start) as u64 } else { 0 }
}

/// Opens the hidden folder that is ours, and makes it if it is not there.
fn ours(root: &Directory) -> io::Result<Directory> {
    let ours = match root.folder(OURS) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            root.make_folder(OURS)?;
            root.folder(OURS)?
        }
        opened => opened?,
    };
    let (name, text) = IGNORED;
    if ours.look(name).is_err() {
        // Somebody else may have just made it.
        let _ = ours.make(name).and_then(|mut file| file.write_all(text.as_bytes()));
    }
    Ok(ours)
}

/// Returns whether a name still means a file that is open.
fn same_file(folder: &Directory, name: &str, file: &File) -> bool {
    let inode = |seen: io::Result<Seen>| seen.ok().map(|seen| seen.inode);
    inode(folder.look(name)).is_some_and(|there| inode(Seen::of(file)) == Some(there))
}

fn busy(folder: &Folder) -> Error {
    let seconds = folder.patience.as_secs();
    let path = folder.path.display();
    let message = format!("another process has been writing to {path} for {seconds} seconds");
    Error::new(ErrorKind::Provider, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_counts_only_if_others_ask_for_the_same_one() {
        let place = tempfile::tempdir().unwrap();
        let root = Directory::root(place.path()).unwrap();
        let first = root.open_or_make(LOCK).unwrap();
        assert!(same_file(&root, LOCK, &first));
        root.remove(LOCK).unwrap();
        assert!(!same_file(&root, LOCK, &first));
        let second = root.open_or_make(LOCK).unwrap();
        assert!(same_file(&root, LOCK, &second) && !same_file(&root, LOCK, &first));
        // Both can be held at once: only one of them keeps anybody out.
        first.try_lock().unwrap();
        second.try_lock().unwrap();
    }
}
