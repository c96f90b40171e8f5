//! The head of the audit once more, in a file of its own beside the store.
//!
//! An audit that was cut short together with its head, or a whole file that an older copy replaced,
//! is sound in itself; only something outside can tell. The file is written after commits were
//! acknowledged, never before, so it is never ahead of the store, and may be a little behind.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension as _};

use super::copy::Temporary;
use super::{Durability, SqliteOptions, audit, create_new, unexpected};
use crate::error::{Error, ErrorKind, Result};
use crate::store::GENESIS;

/// After how many transactions the head is kept anew while there is no pause.
const OFTEN: u32 = 256;

/// Keeps the head of the audit beside a store.
pub(super) struct HeadFile {
    /// Nowhere, for a store that is thrown away.
    path: Option<PathBuf>,
    /// How many transactions there were since.
    behind: u32,
}

impl HeadFile {
    pub(super) fn beside(store: &Path, options: SqliteOptions) -> Self {
        let lasting = options.durability == Durability::Full;
        Self { path: lasting.then(|| path(store)), behind: 0 }
    }

    /// Takes note of a transaction.
    pub(super) fn note(&mut self, connection: &Connection) {
        self.behind += 1;
        if self.behind >= OFTEN {
            self.keep(connection);
        }
    }

    /// Returns whether there were transactions since the head was kept.
    pub(super) fn is_behind(&self) -> bool {
        self.behind > 0 && self.path.is_some()
    }

    /// Keeps the head, if there were transactions since.
    pub(super) fn keep(&mut self, connection: &Connection) {
        if self.is_behind()
            && let Some(path) = &self.path
        {
            // A folder that cannot be written to stops nobody from remembering.
            let _ = keep(connection, path);
        }
        self.behind = 0;
    }
}

/// An entry of the audit, as the file names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) sequence: u64,
    hash: String,
}

/// Returns where the head of a store's audit is kept.
pub(super) fn path(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(".audit-head");
    PathBuf::from(name)
}

/// Reads a head that was kept; there may be none.
pub(super) fn read(path: &Path) -> Result<Option<Head>> {
    let Ok(bytes) = fs::read(path) else { return Ok(None) };
    // Power loss may leave the name of a file that was never filled.
    if bytes.is_empty() {
        return Ok(None);
    }
    let parsed = str::from_utf8(&bytes).ok().and_then(|text| {
        let (sequence, hash) = text.trim_end().split_once(' ')?;
        Some(Head { sequence: sequence.parse().ok()?, hash: hash.to_owned() })
    });
    parsed.map(Some).ok_or_else(|| contradiction(path, "is not what Cofio wrote there"))
}

/// Checks that the audit still has the entry that was its last when the head was kept.
pub(super) fn check(connection: &Connection, path: &Path, head: Option<&Head>) -> Result<()> {
    let Some(head) = head else { return Ok(()) };
    if agrees(connection, head)? {
        return Ok(());
    }
    let message = format!("names entry {} otherwise than the store", head.sequence);
    Err(contradiction(path, &message).with("sequence", head.sequence))
}

fn keep(connection: &Connection, path: &Path) -> Result<()> {
    let (sequence, hash) = audit::head(connection)?;
    if sequence == 0 {
        return Ok(());
    }
    // Another process may have been faster; and what contradicts this audit stays, to be noticed.
    if let Some(known) = read(path)?
        && (known.sequence >= sequence || !agrees(connection, &known)?)
    {
        return Ok(());
    }
    let partial = Temporary::beside(path, "partial");
    create_new(partial.path())
        .and_then(|()| fs::write(partial.path(), format!("{sequence} {hash}\n")))
        .and_then(|()| fs::rename(partial.path(), path))
        .map_err(|cause| {
            let message = format!("cannot write {}", path.display());
            Error::new(ErrorKind::Configuration, message).caused_by(cause)
        })
}

fn agrees(connection: &Connection, head: &Head) -> Result<bool> {
    // Every audit begins in the same way.
    if head.sequence == 0 {
        return Ok(head.hash == GENESIS);
    }
    let hash: Option<String> = connection
        .query_row("SELECT hash FROM audit WHERE sequence = ?", [head.sequence], |row| row.get(0))
        .optional()
        .map_err(unexpected)?;
    Ok(hash.as_ref() == Some(&head.hash))
}

fn contradiction(path: &Path, what: &str) -> Error {
    let message = format!(
        "the audit was tampered with: {} {what}; entries were changed or cut off, or an older copy \
         was put in the place of the store. If you did that yourself, delete this file",
        path.display()
    );
    Error::new(ErrorKind::Damaged, message)
}
