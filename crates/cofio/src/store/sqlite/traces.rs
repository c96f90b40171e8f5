//! Looking for what is left of memories that were forgotten, wherever it could be.
//!
//! Ids may stay in records of what was done; content may stay nowhere. Content can only be looked
//! for by somebody who still knows it: nothing is kept that it could be guessed by.

mod files;
mod needles;
mod tables;

use std::path::PathBuf;

use super::SqliteStore;
use crate::error::Result;
use crate::model::MemoryId;
use needles::Needles;

/// What to look for.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The memories that were forgotten.
    pub ids: Vec<MemoryId>,
    /// What they said, as far as the caller still knows it.
    pub texts: Vec<String>,
    /// Other files to look into, such as exports.
    pub also: Vec<PathBuf>,
}

/// What was found in one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Where it was looked.
    pub place: String,
    /// How much was found there.
    pub found: u64,
    /// What that means.
    pub verdict: Verdict,
}

/// What it means that something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was found.
    Clean,
    /// Only ids were found, which stay on record.
    Reference,
    /// Something is left that should be gone.
    Left,
    /// The memory is still there.
    Alive,
}

impl Verdict {
    /// Returns the name that answers use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Reference => "reference",
            Self::Left => "left",
            Self::Alive => "alive",
        }
    }
}

impl Trace {
    /// Reports a place, with what it means if something was found there.
    fn new(place: impl Into<String>, found: u64, meaning: Verdict) -> Self {
        let verdict = if found == 0 { Verdict::Clean } else { meaning };
        Self { place: place.into(), found, verdict }
    }
}

impl SqliteStore {
    /// Looks for memories that were forgotten in every table, in the bytes of the store's files and
    /// in the copies beside it, and reports each place.
    ///
    /// `progress` is told the number of bytes so far.
    pub async fn traces(
        &self,
        wanted: Wanted,
        mut progress: impl FnMut(u64) + Send + 'static,
    ) -> Result<Vec<Trace>> {
        let path = self.path.clone();
        self.threads
            .read(move |connection| {
                let (mut traces, said) = tables::look(connection, &wanted)?;
                traces.extend(files::look(&path, &wanted, &said, &mut progress)?);
                Ok(traces)
            })
            .await
    }

    /// Returns how many bytes `traces` would read.
    pub fn traceable_bytes(&self, wanted: &Wanted) -> u64 {
        files::all(&self.path, &wanted.also).iter().map(files::Found::bytes).sum()
    }

    /// Returns the copies beside the store that were made before it was brought to a newer version.
    pub fn migration_backups(&self) -> Vec<PathBuf> {
        files::migration_backups(&self.path)
    }
}
