//! A folder that is open, and what is in it: by names, never by paths.

use std::borrow::Cow;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::stamp::Seen;

/// A folder, which stays the same one when something else is put in its place.
#[derive(Debug)]
pub(super) struct Directory(File);

/// Something that a folder has.
#[derive(Debug)]
pub(super) struct Found {
    /// What it is called, as far as that is text.
    pub(super) name: String,
    pub(super) kind: FoundKind,
}

/// What something in a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FoundKind {
    File,
    Folder,
    Link,
    Other,
    /// Anything that cannot be named, as its name is no text.
    Nameless,
}

/// What an error is if there is a link where there should be a file.
pub(super) const LINK: io::ErrorKind = io::ErrorKind::InvalidFilename;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

impl Directory {
    /// Opens the folder that everything else is reached from.
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        if !path.is_dir() {
            DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        }
        Ok(Self(File::from(rustix::fs::open(path, FOLDER, Mode::empty())?)))
    }

    /// Opens the same folder once more.
    pub(super) fn again(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Opens a folder in this one.
    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        let opened = rustix::fs::openat(&self.0, name, FOLDER | OFlags::NOFOLLOW, Mode::empty());
        Ok(Self(File::from(opened?)))
    }

    /// Makes a folder in this one, unless it is there.
    pub(super) fn make_folder(&self, name: &str) -> io::Result<()> {
        match rustix::fs::mkdirat(&self.0, name, Mode::RWXU) {
            Err(Errno::EXIST) => Ok(()),
            made => Ok(made?),
        }
    }

    /// Opens a file for reading; what is no file is opened without waiting for anybody.
    pub(super) fn open(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::RDONLY)
    }

    /// Opens a file for adding to it, and makes it if it is not there.
    pub(super) fn open_or_make(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)
    }

    /// Makes a file that was not there.
    pub(super) fn make(&self, name: &str) -> io::Result<File> {
        self.file(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
    }

    fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let mode = Mode::RUSR | Mode::WUSR;
        match rustix::fs::openat(&self.0, name, flags | FILE, mode) {
            Err(Errno::LOOP | Errno::MLINK) => Err(io::Error::new(LINK, "a symbolic link")),
            opened => Ok(File::from(opened?)),
        }
    }

    /// Gives a file another name, in the place of whatever has that name.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Makes sure that names survive a loss of power.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }

    /// Looks at something without opening it, or following it.
    pub(super) fn look(&self, name: &str) -> io::Result<Seen> {
        let stat = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(Seen {
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            modified: i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec),
            inode: stat.st_ino,
        })
    }

    /// Returns everything in it.
    pub(super) fn found(&self) -> io::Result<Vec<Found>> {
        let mut found = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            if name == "." || name == ".." {
                continue;
            }
            if matches!(name, Cow::Owned(_)) {
                found.push(Found { name: name.into_owned(), kind: FoundKind::Nameless });
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let stat =
                        rustix::fs::statat(&self.0, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
                    FileType::from_raw_mode(stat.st_mode)
                }
                kind => kind,
            };
            found.push(Found { name: name.into_owned(), kind: FoundKind::from(kind) });
        }
        Ok(found)
    }
}

impl From<FileType> for FoundKind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// Lets the same people read and write a file as another one.
pub(super) fn same_mode(file: &File, as_seen: &File) -> io::Result<()> {
    file.set_permissions(as_seen.metadata()?.permissions())
}
