//! What a file was when it was looked at.

use std::fmt;
use std::fs::File;
use std::io;

use sha2::{Digest as _, Sha256};

use crate::text::hex;

/// What the operating system says of a file: if any of it is different, the file may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seen {
    /// How many bytes it has.
    pub size: u64,
    /// When it was last written to, in nanoseconds since 1970.
    pub modified: i128,
    /// The number that the file system knows it by; zero where there is none.
    pub inode: u64,
}

impl Seen {
    /// Looks at a file that is open.
    pub(super) fn of(file: &File) -> io::Result<Self> {
        Ok(Self::from(&file.metadata()?))
    }
}

#[cfg(unix)]
impl From<&std::fs::Metadata> for Seen {
    fn from(metadata: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let modified =
            i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        Self { size: metadata.size(), modified, inode: metadata.ino() }
    }
}

#[cfg(not(unix))]
impl From<&std::fs::Metadata> for Seen {
    fn from(metadata: &std::fs::Metadata) -> Self {
        let since =
            metadata.modified().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let modified =
            since.and_then(|since| i128::try_from(since.as_nanos()).ok()).unwrap_or_default();
        Self { size: metadata.len(), modified, inode: 0 }
    }
}

/// What a file was when it was read; the bytes are the same if and only if the hash is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// What the operating system said of it.
    pub seen: Seen,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

impl Stamp {
    pub(super) fn new(seen: Seen, bytes: &[u8]) -> Self {
        Self { seen, sha256: hex(&Sha256::digest(bytes)) }
    }
}

/// What a file says.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    /// All of its text.
    pub text: String,
    /// What it was at that moment.
    pub stamp: Stamp,
}

/// Prints the stamp only: nobody has taken secrets out of a file.
impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}
