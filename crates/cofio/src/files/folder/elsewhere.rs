//! A folder where there is no opening of one file from another: each name on the way is looked at,
//! and refused if it is a link.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::stamp::Seen;

/// A folder.
#[derive(Debug)]
pub(super) struct Directory(PathBuf);

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

impl Directory {
    /// Opens the folder that everything else is reached from.
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self(path.canonicalize()?))
    }

    /// Opens the same folder once more.
    pub(super) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.clone()))
    }

    /// Opens a folder in this one.
    pub(super) fn folder(&self, name: &str) -> io::Result<Self> {
        let path = self.0.join(name);
        let kind = fs::symlink_metadata(&path)?.file_type();
        if kind.is_dir() { Ok(Self(path)) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    /// Makes a folder in this one, unless it is there.
    pub(super) fn make_folder(&self, name: &str) -> io::Result<()> {
        match fs::create_dir(self.0.join(name)) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Opens a file for reading.
    pub(super) fn open(&self, name: &str) -> io::Result<File> {
        File::open(self.unlinked(name)?)
    }

    /// Opens a file for adding to it, and makes it if it is not there.
    pub(super) fn open_or_make(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().read(true).append(true).create(true).open(self.unlinked(name)?)
    }

    /// Makes a file that was not there.
    pub(super) fn make(&self, name: &str) -> io::Result<File> {
        OpenOptions::new().write(true).create_new(true).open(self.0.join(name))
    }

    fn unlinked(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.0.join(name);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => Err(LINK.into()),
            _ => Ok(path),
        }
    }

    /// Gives a file another name, in the place of whatever has that name.
    pub(super) fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Does nothing: folders cannot be synchronised here.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Looks at something without opening it, or following it.
    pub(super) fn look(&self, name: &str) -> io::Result<Seen> {
        Ok(Seen::from(&fs::symlink_metadata(self.0.join(name))?))
    }

    /// Returns everything in it.
    pub(super) fn found(&self) -> io::Result<Vec<Found>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let kind = match entry.file_type()? {
                _ if entry.file_name().to_str().is_none() => FoundKind::Nameless,
                kind if kind.is_symlink() => FoundKind::Link,
                kind if kind.is_dir() => FoundKind::Folder,
                kind if kind.is_file() => FoundKind::File,
                _ => FoundKind::Other,
            };
            found.push(Found { name: entry.file_name().to_string_lossy().into_owned(), kind });
        }
        Ok(found)
    }
}

/// Does nothing: who may open a file is the folder's to say here.
pub(super) fn same_mode(_: &File, _: &File) -> io::Result<()> {
    Ok(())
}
