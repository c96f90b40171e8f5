//! The file that memories travel in: one JSON object per line.
//!
//! The first line says what it is, the last one how many records there are and the SHA-256 of
//! every line before it. Between them stands a memory per line, with its earlier versions.

use std::io::{BufRead, Read as _};
use std::mem;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::entry::MemoryEntry;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Memory, Timestamp};
use crate::text::hex;

/// What the first line calls itself.
pub const FORMAT: &str = "cofio-bundle";

/// The version of the form that is written; every earlier one is read.
pub const VERSION: u32 = 1;

/// How long a line may be.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// A memory with its earlier versions, the oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The memory as it is now.
    pub memory: Memory,
    /// What it was before.
    pub history: Vec<Memory>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
enum Line {
    #[serde(rename_all = "camelCase")]
    Manifest { format: String, version: u32, created_at: String },
    #[serde(rename_all = "camelCase")]
    Memory {
        memory: Box<MemoryEntry>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        history: Vec<MemoryEntry>,
    },
    #[serde(rename_all = "camelCase")]
    End { memories: u64, sha256: String },
}

/// Writes a bundle, piece by piece.
#[derive(Debug)]
pub struct Writer {
    out: Vec<u8>,
    hasher: Sha256,
    memories: u64,
}

impl Writer {
    /// Begins a bundle.
    pub fn new(now: Timestamp) -> Self {
        let mut writer = Self { out: Vec::new(), hasher: Sha256::new(), memories: 0 };
        writer.line(&Line::Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            created_at: now.to_string(),
        });
        writer
    }

    /// Adds a memory.
    pub fn add(&mut self, record: &Record) {
        self.memories += 1;
        self.line(&Line::Memory {
            memory: Box::new(MemoryEntry::from(&record.memory)),
            history: record.history.iter().map(MemoryEntry::from).collect(),
        });
    }

    /// Returns how many bytes were written since they were last taken.
    pub fn held(&self) -> usize {
        self.out.len()
    }

    /// Takes what was written.
    pub fn take(&mut self) -> Vec<u8> {
        mem::take(&mut self.out)
    }

    /// Ends the bundle, and returns the last of it.
    pub fn finish(mut self) -> Vec<u8> {
        let sha256 = hex(&self.hasher.clone().finalize());
        self.line(&Line::End { memories: self.memories, sha256 });
        self.out
    }

    fn line(&mut self, line: &Line) {
        let mut text = serde_json::to_string(line).expect("every field has a JSON form");
        text.push('\n');
        self.hasher.update(&text);
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// Reads a bundle record by record.
///
/// What it returned is to be trusted only when it has returned the end without an error.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    hasher: Sha256,
    line_number: u64,
    bytes: u64,
    memories: u64,
    ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads the first line and checks that this is a bundle.
    pub fn new(input: R) -> Result<Self> {
        let mut reader = Self {
            input,
            hasher: Sha256::new(),
            line_number: 0,
            bytes: 0,
            memories: 0,
            ended: false,
        };
        match reader.line()? {
            Some((Line::Manifest { format, version, .. }, _)) if format == FORMAT => {
                if version > VERSION {
                    let message =
                        format!("the bundle has version {version}: a newer Cofio wrote it");
                    return Err(Error::new(ErrorKind::Unsupported, message));
                }
                Ok(reader)
            }
            _ => Err(Error::invalid("this is no bundle: its first line names another format")),
        }
    }

    /// Returns the next memory, or nothing after the last one, when all checks have passed.
    pub fn read(&mut self) -> Result<Option<Record>> {
        if self.ended {
            return Ok(None);
        }
        match self.line()? {
            Some((Line::Memory { memory, history }, _)) => {
                self.memories += 1;
                record(*memory, history).map(Some).map_err(|error| self.at_line(&error))
            }
            Some((Line::End { memories, sha256 }, before)) => {
                self.end(memories, &sha256, &before)?;
                Ok(None)
            }
            Some((Line::Manifest { .. }, _)) => {
                Err(self.at_line(&Error::invalid("a second manifest")))
            }
            None => Err(Error::invalid("the bundle was cut off: it has no last line")),
        }
    }

    /// Returns how many bytes were read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads to the end, and returns how many memories there are.
    pub fn verify(mut self) -> Result<u64> {
        while self.read()?.is_some() {}
        Ok(self.memories)
    }

    fn end(&mut self, memories: u64, sha256: &str, before: &Sha256) -> Result<()> {
        if memories != self.memories || sha256 != hex(&before.clone().finalize()) {
            return Err(Error::invalid(
                "the bundle was changed or damaged: its checksum does not fit",
            ));
        }
        let mut rest = [0];
        let more = self.input.read(&mut rest).map_err(cannot_read)?;
        if more > 0 {
            return Err(Error::invalid("there is something after the end of the bundle"));
        }
        self.ended = true;
        Ok(())
    }

    /// Reads a line, with the hash of everything before it.
    fn line(&mut self) -> Result<Option<(Line, Sha256)>> {
        let mut text = Vec::new();
        let read = self
            .input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut text)
            .map_err(cannot_read)?;
        if read == 0 {
            return Ok(None);
        }
        self.line_number += 1;
        self.bytes += read as u64;
        let before = self.hasher.clone();
        self.hasher.update(&text);
        let line = serde_json::from_slice(&text)
            .map_err(|cause| self.at_line(&Error::invalid(describe(&cause))))?;
        Ok(Some((line, before)))
    }

    fn at_line(&self, error: &Error) -> Error {
        Error::new(error.kind(), format!("line {}: {error}", self.line_number))
            .with("line", self.line_number)
    }
}

/// Says what is wrong with a line without repeating what stands in it.
fn describe(cause: &serde_json::Error) -> String {
    match cause.classify() {
        serde_json::error::Category::Data => {
            "a field is missing, unknown or of the wrong form".to_owned()
        }
        _ => format!("this is no JSON (column {})", cause.column()),
    }
}

fn record(memory: MemoryEntry, history: Vec<MemoryEntry>) -> Result<Record> {
    let memory = Memory::try_from(memory)?;
    let history: Vec<Memory> = history.into_iter().map(Memory::try_from).collect::<Result<_>>()?;
    let all = history.iter().chain([&memory]);
    let fits = all.zip(1..).all(|(version, number)| {
        version.version == number && version.id == memory.id && version.scope == memory.scope
    });
    if fits || history.is_empty() {
        return Ok(Record { memory, history });
    }
    Err(Error::invalid(
        "earlier versions need the same id and scope, and numbers from 1 without a gap",
    ))
}

fn cannot_read(cause: std::io::Error) -> Error {
    Error::new(ErrorKind::Provider, "cannot read the bundle").caused_by(cause)
}
