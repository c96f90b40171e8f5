//! What hooks of one conversation have to know of each other: what the agent was told, and what
//! was heard of it. Ids and digests, never content.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use cofio::model::{Identifiers, Layer, MemoryId, Scope};
use cofio::retrieval::ContextBlock;
use cofio::text;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::said::{Role, Said};
use crate::digest::digest;

/// The folder of these files, in the state folder.
const FOLDER: &str = "hooks";

/// How long a conversation may rest before it is taken to be over.
const REST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How much is known of one conversation at most.
const MOST_BYTES: u64 = 1024 * 1024;

/// What is known of a conversation.
#[derive(Debug, Default)]
pub struct Session {
    /// Where it is written down; without a name for the conversation nowhere.
    path: Option<PathBuf>,
    /// The memories that the agent was told of.
    pub told: BTreeSet<MemoryId>,
    /// Digests of what they say.
    lines: BTreeSet<String>,
    /// Digests of the turns that are kept.
    heard: BTreeSet<String>,
    /// How many bytes of its transcript were read to the end.
    read: u64,
    /// How many of them will have been read when everything in them is kept.
    reading: Option<u64>,
}

/// The form in which it is written down.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Written {
    told: BTreeSet<String>,
    lines: BTreeSet<String>,
    heard: BTreeSet<String>,
    read: u64,
}

impl Session {
    /// Reads what is known of the conversation that the identifiers name, if anything is.
    pub fn load(state: Option<&Path>, identifiers: &Identifiers) -> Self {
        let Some(state) = state else { return Self::default() };
        let Ok(scope) = Scope::new(Layer::Session, identifiers) else { return Self::default() };
        let path = state.join(FOLDER).join(digest(&scope.to_string()) + ".json");
        // What is lost or broken is told again, and heard again without being kept twice.
        let written: Written =
            read(&path).and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self {
            path: Some(path),
            told: written.told.iter().filter_map(|id| id.parse().ok()).collect(),
            lines: written.lines,
            heard: written.heard,
            read: written.read,
            reading: None,
        }
    }

    /// Takes down what the agent was told.
    pub fn tells(&mut self, block: &ContextBlock) {
        self.told.extend(block.memories.iter().cloned());
        self.lines
            .extend(block.markdown().lines().filter_map(|line| said_in(line.strip_prefix("- ")?)));
    }

    /// Returns whether a turn is kept already, or is the agent's saying what it was told.
    pub fn knows(&self, said: &Said) -> bool {
        let repeats = |text: &String| self.lines.contains(text);
        self.heard.contains(&said.digest())
            || (said.role == Role::Assistant
                && said_in(&said.text).is_some_and(|text| repeats(&text)))
    }

    /// Takes down that a turn is kept.
    pub fn heard(&mut self, said: &Said) {
        self.heard.insert(said.digest());
    }

    /// Returns how many bytes of the transcript need not be read again.
    pub fn read(&self) -> u64 {
        self.read
    }

    /// Takes down that a transcript is being read up to here.
    pub fn reading(&mut self, end: u64) {
        self.reading = Some(end);
    }

    /// Takes down that everything in the part that was read is kept.
    pub fn read_all(&mut self) {
        self.read = self.reading.take().unwrap_or(self.read);
    }

    /// Writes it down, whole or not at all, and forgets conversations that are over.
    pub fn save(&self) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        let written = Written {
            told: self.told.iter().map(ToString::to_string).collect(),
            lines: self.lines.clone(),
            heard: self.heard.clone(),
            read: self.read,
        };
        let folder = path.parent().expect("it is in a folder");
        make_private(folder)?;
        let mut file = NamedTempFile::new_in(folder).context("cannot write the hooks' state")?;
        file.write_all(&serde_json::to_vec(&written)?)?;
        let is_new = !path.exists();
        file.persist(path).context("cannot write the hooks' state")?;
        if is_new {
            forget_old(folder);
        }
        Ok(())
    }
}

/// Returns a digest of what a text says, however its words are spaced; nothing if it has none.
fn said_in(text: &str) -> Option<String> {
    let text = text::fold(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| digest(&words.join(" ")))
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let file = fs::metadata(path).ok()?;
    (file.is_file() && file.len() <= MOST_BYTES).then(|| fs::read(path).ok()).flatten()
}

/// Makes a folder that only its owner can open.
pub fn make_private(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).with_context(|| format!("cannot make {}", folder.display()))
}

/// Removes what nobody has changed for long.
fn forget_old(folder: &Path) {
    let Some(oldest) = SystemTime::now().checked_sub(REST) else { return };
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let changed = entry.metadata().and_then(|file| file.modified());
        if changed.is_ok_and(|changed| changed < oldest) {
            // Another hook may have been faster.
            let _ = fs::remove_file(entry.path());
        }
    }
}
