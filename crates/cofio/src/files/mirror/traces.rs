//! What files and notes still have of memories that were forgotten.

use std::collections::HashSet;
use std::fs;
use std::io;

use super::Mirror;
use crate::error::{Error, ErrorKind, Result};
use crate::files::Document;
use crate::model::MemoryId;

/// What stands behind the name of a database that has companions.
const COMPANIONS: [&str; 3] = ["", "-wal", "-shm"];

impl Mirror {
    /// Counts the files, and the notes, that name one of some memories as theirs or have one of some
    /// texts anywhere.
    pub fn traces(&self, ids: &[MemoryId], texts: &[String]) -> Result<u64> {
        let ids: HashSet<&MemoryId> = ids.iter().collect();
        let mut found = 0;
        for (path, _) in self.folder.list()?.files {
            // What cannot be read as text was not written by us.
            let Ok(Some(content)) = self.folder.read(&path) else { continue };
            let said = texts.iter().any(|text| content.text.contains(text.as_str()));
            let document = Document::parse(&content.text);
            let mut markers = document.entries().filter_map(|entry| entry.marker());
            found += u64::from(said || markers.any(|marker| ids.contains(&marker.id)));
        }
        Ok(found + u64::from(self.noted(&ids, texts)?))
    }

    /// Returns whether the notes have what one of some memories said.
    fn noted(&self, ids: &HashSet<&MemoryId>, texts: &[String]) -> Result<bool> {
        let Some(notes) = self.notes.reading()? else { return Ok(false) };
        for id in ids {
            if notes.path_of(id)?.is_some() {
                return Ok(true);
            }
        }
        for companion in COMPANIONS {
            let mut path = self.notes.path().as_os_str().to_owned();
            path.push(companion);
            let bytes = match fs::read(&path) {
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => continue,
                bytes => bytes.map_err(|cause| {
                    Error::new(ErrorKind::Provider, "cannot read the notes").caused_by(cause)
                })?,
            };
            let bytes = String::from_utf8_lossy(&bytes);
            if texts.iter().any(|text| bytes.contains(text.as_str())) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
