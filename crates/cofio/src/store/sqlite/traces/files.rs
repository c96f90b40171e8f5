//! What the bytes of files still hold: those of the store, free pages included, and copies.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use super::super::unexpected;
use super::{Needles, Trace, Verdict, Wanted};
use crate::error::{Error, ErrorKind, Result};
use crate::model::MemoryId;

/// How a file of SQLite begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// A file, and what it is to the store.
pub(super) struct Found {
    path: PathBuf,
    /// Whether it belongs to the store itself, whose tables are looked at otherwise.
    own: bool,
}

impl Found {
    pub(super) fn bytes(&self) -> u64 {
        self.path.metadata().map_or(0, |file| file.len())
    }
}

/// Returns every file that is looked into.
pub(super) fn all(store: &Path, also: &[PathBuf]) -> Vec<Found> {
    let own = ["", "-wal", "-shm", "-journal", ".audit-head"].map(|ending| beside(store, ending));
    let own = own.into_iter().filter(|path| path.exists()).map(|path| Found { path, own: true });
    let others = copies(store).into_iter().chain(also.iter().cloned());
    own.chain(others.map(|path| Found { path, own: false })).collect()
}

/// Returns copies beside a store: of older versions, of damaged ones, and what was left unfinished.
fn copies(store: &Path) -> Vec<PathBuf> {
    others(store, |rest| rest.starts_with('.') && rest != ".audit-head")
}

/// Returns copies beside a store that were made before it was brought to a newer version.
pub(super) fn migration_backups(store: &Path) -> Vec<PathBuf> {
    others(store, |rest| {
        let version = rest.strip_prefix(".v").and_then(|rest| rest.split_once(".backup"));
        version.is_some_and(|(version, number)| {
            let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            is_number(version) && is_number(number.trim_start_matches('-'))
        })
    })
}

/// Returns the files whose names begin with that of a store and go on as is wanted.
fn others(store: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let folder = store.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let (Ok(entries), Some(name)) = (fs::read_dir(folder), store.file_name()) else {
        return Vec::new();
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let mut copies: Vec<PathBuf> = names
        .filter(|found| rest(found, name).is_some_and(|rest| wanted(&rest)))
        .map(|name| folder.join(name))
        .collect();
    copies.retain(|path| path.is_file());
    copies.sort();
    copies
}

fn rest(found: &OsStr, store: &OsStr) -> Option<String> {
    let rest = found.as_encoded_bytes().strip_prefix(store.as_encoded_bytes())?;
    Some(String::from_utf8_lossy(rest).into_owned())
}

fn beside(store: &Path, ending: &str) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Looks into every file; a copy must not hold the memories either.
pub(super) fn look(
    store: &Path,
    wanted: &Wanted,
    said: &Needles,
    progress: &mut impl FnMut(u64),
) -> Result<Vec<Trace>> {
    let ids: BTreeSet<String> = wanted.ids.iter().map(|id| id.as_str().to_owned()).collect();
    let ids = Needles::new(ids)?;
    let mut done = 0;
    let mut traces = Vec::new();
    for file in all(store, &wanted.also) {
        let path = &file.path;
        let mut count = |bytes| {
            done += bytes;
            progress(done);
        };
        if !file.own {
            let found = if is_sqlite(path)? {
                memories_in(path, &wanted.ids)?
            } else {
                scan(path, &ids, |_| {})?
            };
            traces.push(Trace::new(
                format!("memories in {}", path.display()),
                found,
                Verdict::Left,
            ));
        }
        if !said.is_empty() {
            let found = scan(path, said, &mut count)?;
            traces.push(Trace::new(format!("bytes of {}", path.display()), found, Verdict::Left));
        }
    }
    Ok(traces)
}

/// Counts how many of some texts stand in a file.
fn scan(path: &Path, needles: &Needles, progress: impl FnMut(u64)) -> Result<u64> {
    let found = File::open(path).and_then(|file| needles.found_by_reading(file, progress));
    Ok(found.map_err(|cause| cannot_read(path, cause))?.len() as u64)
}

fn is_sqlite(path: &Path) -> Result<bool> {
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(SQLITE.len() as u64).read_to_end(&mut start))
        .map_err(|cause| cannot_read(path, cause))?;
    Ok(start == SQLITE)
}

/// Counts memories in a copy of a store, which is left as it is.
fn memories_in(path: &Path, ids: &[MemoryId]) -> Result<u64> {
    let ids = json!(ids.iter().map(MemoryId::as_str).collect::<Vec<_>>()).to_string();
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let sql = "SELECT count(*) FROM memories WHERE id IN (SELECT value FROM json_each(?))";
    Connection::open_with_flags(path, flags)
        .and_then(|copy| copy.query_row(sql, [ids], |row| row.get(0)))
        .map_err(unexpected)
        .map_err(|cause| {
            let message = format!("cannot look into the copy {}", path.display());
            Error::new(ErrorKind::Damaged, message).caused_by(cause)
        })
}

fn cannot_read(path: &Path, cause: std::io::Error) -> Error {
    Error::new(ErrorKind::Configuration, format!("cannot read {}", path.display())).caused_by(cause)
}
