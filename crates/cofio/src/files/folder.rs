//! The folder that files of markdown are in, shared with whoever else writes there.
//!
//! Nothing below the root is reached through a symbolic link: each folder on the way is opened from
//! the one above it, so that a folder that is swapped for a link leads nowhere. Whoever writes holds
//! the [`Locked`] folder; editors do not, so a file is compared with what was read right before it
//! is replaced, and replaced whole.

#[cfg_attr(not(unix), path = "folder/elsewhere.rs")]
mod directory;
mod failure;
mod listing;
mod locked;
mod relative;
mod stamp;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use listing::{Listing, Skipped};
pub use locked::Locked;
pub use relative::Relative;
pub(super) use relative::folded;
pub use stamp::{Content, Seen, Stamp};

use self::directory::Directory;
use self::failure::{failed, refused};
use crate::error::{Error, ErrorKind, Result};

/// How often a file is read again that changes while it is read.
const READINGS: usize = 10;

/// A folder of markdown.
#[derive(Debug)]
pub struct Folder {
    root: Directory,
    path: PathBuf,
    /// The most bytes that a file may have.
    pub limit: u64,
    /// How long to wait for others who write.
    pub patience: Duration,
}

impl Folder {
    /// The most bytes that a file may have, unless said otherwise.
    pub const LIMIT: u64 = 16 * 1024 * 1024;

    /// How long others are waited for, unless said otherwise.
    pub const PATIENCE: Duration = Duration::from_secs(30);

    /// Opens a folder, and makes it first if it is not there: for its owner only.
    pub fn open(root: &Path) -> Result<Self> {
        let cannot = |cause| failed("open", &root.display().to_string(), cause);
        let directory = Directory::root(root).map_err(cannot)?;
        Ok(Self {
            root: directory,
            path: root.to_owned(),
            limit: Self::LIMIT,
            patience: Self::PATIENCE,
        })
    }

    /// Returns where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns what a file says, or nothing if there is none.
    ///
    /// Fails for links and other things that are no files, and for what is no text.
    pub fn read(&self, path: &Relative) -> Result<Option<Content>> {
        let Some((bytes, seen)) = self.bytes(path)? else { return Ok(None) };
        let stamp = Stamp::new(seen, &bytes);
        let text = String::from_utf8(bytes)
            .map_err(|cause| no_text(path, cause.utf8_error().valid_up_to(), "no UTF-8"))?;
        match text.find('\0') {
            Some(at) => Err(no_text(path, at, "the sign of a binary file")),
            None => Ok(Some(Content { text, stamp })),
        }
    }

    /// Returns what the operating system says of a file, if there is one.
    pub fn seen(&self, path: &Relative) -> Result<Option<Seen>> {
        match self.parent(path).and_then(|folder| folder.look(path.name())) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(None),
            seen => Ok(Some(seen.map_err(|cause| failed("look at", path.as_str(), cause))?)),
        }
    }

    /// Returns every file of markdown, and what was left out.
    pub fn list(&self) -> Result<Listing> {
        self.listed(Relative::new)
    }

    /// Returns every file of markdown, also those whose names not every system can have, and what
    /// was left out; for folders that nothing is written to.
    pub fn list_foreign(&self) -> Result<Listing> {
        self.listed(Relative::foreign)
    }

    fn listed(&self, check: fn(&str) -> Result<Relative>) -> Result<Listing> {
        listing::list(&self.root, check)
            .map_err(|cause| failed("list", &self.path.display().to_string(), cause))
    }

    /// Waits until nobody else writes, and keeps others from writing.
    ///
    /// The lock is the operating system's: it holds among threads and processes, and ends with the
    /// process whatever ends that.
    pub fn lock(&self) -> Result<Locked<'_>> {
        Locked::new(self)
    }

    /// Replaces a file as [`Locked::replace`] does, and lets others write again.
    pub fn replace(&self, path: &Relative, text: &str, expected: Option<&Stamp>) -> Result<Stamp> {
        self.lock()?.replace(path, text, expected)
    }

    /// Adds to a file as [`Locked::append`] does, and lets others write again.
    pub fn append(&self, path: &Relative, header: &str, text: &str) -> Result<()> {
        self.lock()?.append(path, header, text)
    }

    /// Returns the bytes of a file, all of them as they were at one moment.
    fn bytes(&self, path: &Relative) -> Result<Option<(Vec<u8>, Seen)>> {
        let cannot = |cause| failed("read", path.as_str(), cause);
        let opened = self.parent(path).and_then(|folder| folder.open(path.name()));
        let mut file = match opened {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(cannot)?,
        };
        regular(&file, path)?;
        for _ in 0..READINGS {
            let before = Seen::of(&file).map_err(cannot)?;
            let bytes = self.all(&mut file, path)?;
            if Seen::of(&file).map_err(cannot)? == before {
                return Ok(Some((bytes, before)));
            }
        }
        let message = format!("cannot read {:?}: it changes all the time", path.as_str());
        Err(Error::new(ErrorKind::Provider, message))
    }

    /// Returns the bytes of a file, unless there are too many.
    fn all(&self, file: &mut File, path: &Relative) -> Result<Vec<u8>> {
        let cannot = |cause| failed("read", path.as_str(), cause);
        let mut bytes = Vec::new();
        io::Seek::rewind(file).map_err(cannot)?;
        file.take(self.limit.saturating_add(1)).read_to_end(&mut bytes).map_err(cannot)?;
        if bytes.len() as u64 > self.limit {
            let message = format!("{:?} has more than {} bytes", path.as_str(), self.limit);
            return Err(Error::new(ErrorKind::ContentTooLong, message));
        }
        Ok(bytes)
    }

    /// Opens the folder that a file is in.
    fn parent(&self, path: &Relative) -> io::Result<Directory> {
        let mut folder = self.root.again()?;
        for name in path.folders() {
            folder = folder.folder(name)?;
        }
        Ok(folder)
    }
}

/// Makes sure that what was opened is a file: not a folder, a pipe or a device.
fn regular(file: &File, path: &Relative) -> Result<()> {
    let metadata = file.metadata().map_err(|cause| failed("read", path.as_str(), cause))?;
    if metadata.is_file() { Ok(()) } else { Err(refused(path.as_str(), "is no regular file")) }
}

fn no_text(path: &Relative, at: usize, what: &str) -> Error {
    let message = format!("{:?} is no text: byte {at} is {what}", path.as_str());
    Error::invalid(message).with("byte", at)
}

#[cfg(test)]
mod tests;
