//! Files as memories.

use cofio::engine::Remembered;
use cofio::model::{Doubt, Draft, Edit, Kind, Memory, MemoryId, MetadataPatch, Patch};
use cofio::{Result, text};
use serde_json::{Map, Value};

use super::path::MemoryPath;
use crate::dialects::writer::WAITS;
use crate::dialects::{ToolError, Writer};

/// What the content of a file says in which there is nothing to read.
const NOTHING: &str = "(a file without text)";

/// The field with the text of such a file.
const BLANK: &str = "blank";

/// The files of somebody.
#[derive(Debug, Clone)]
pub(super) struct Files {
    writer: Writer,
}

/// A file as it is kept.
pub(super) struct File {
    id: MemoryId,
    version: u64,
    pub(super) path: MemoryPath,
    pub(super) text: String,
}

impl Files {
    pub(super) fn new(writer: Writer) -> Self {
        Self { writer }
    }

    /// Returns the file at a place.
    pub(super) async fn find(&self, path: &MemoryPath) -> Result<Option<File>> {
        let memory = self.writer.under(Kind::Fact, &path.key()).await?;
        Ok(memory.and_then(|memory| File::of(&memory)))
    }

    /// Returns every file in a folder, at any depth.
    pub(super) async fn below(&self, folder: &MemoryPath) -> Result<Vec<File>> {
        let memories = self.writer.under_all(Kind::Fact, &format!("{}/", folder.key())).await?;
        Ok(memories.iter().filter_map(File::of).collect())
    }

    /// Keeps a new file, unless one is there already, and returns the one that is there now.
    pub(super) async fn create(
        &self,
        path: &MemoryPath,
        text: &str,
    ) -> std::result::Result<Remembered, ToolError> {
        path.refuse_secrets()?;
        let (content, blank) = content(text);
        let mut draft = self.writer.draft(Kind::Fact, content);
        draft.metadata.title = Some(path.key());
        draft.metadata.custom = blank.into_iter().filter(|(_, text)| !text.is_null()).collect();
        let draft = Draft { key: Some(path.key()), ..draft };
        Ok(self.writer.engine.remember(&self.writer.caller, draft).await?)
    }

    /// Gives a file another text, and returns it as it is kept.
    pub(super) async fn write(&self, file: &File, text: &str) -> Result<Memory> {
        let (content, custom) = content(text);
        let patch = Patch {
            content: Some(content.to_owned()),
            source: Some(self.writer.source(content)),
            metadata: MetadataPatch { custom, ..MetadataPatch::default() },
            doubt: Doubt::Redact,
            expected_version: Some(file.version),
            ..Patch::default()
        };
        let updated = self.writer.engine.update(&self.writer.caller, &file.id, patch).await?;
        Ok(updated.memory)
    }

    /// Adds to an answer about a file that nobody reads it yet, if that is so.
    pub(super) fn told(&self, answer: String, file: &Memory) -> String {
        if self.writer.hides(file) { format!("{answer}\n{WAITS}") } else { answer }
    }

    /// Forgets files.
    pub(super) async fn remove(&self, files: &[File]) -> Result<()> {
        let ids: Vec<MemoryId> = files.iter().map(|file| file.id.clone()).collect();
        self.writer.engine.forget(&self.writer.caller, &ids).await.map(drop)
    }

    /// Gives files other paths, all of them or none.
    pub(super) async fn rename(
        &self,
        moves: Vec<(&File, MemoryPath)>,
    ) -> std::result::Result<(), ToolError> {
        let mut patches = Vec::with_capacity(moves.len());
        for (file, path) in moves {
            path.refuse_secrets()?;
            let metadata =
                MetadataPatch { title: Edit::Set(path.key()), ..MetadataPatch::default() };
            let (key, doubt) = (Some(path.key()), Doubt::Redact);
            patches.push((file.id.clone(), Patch { key, metadata, doubt, ..Patch::default() }));
        }
        self.writer.engine.update_all(&self.writer.caller, patches).await?;
        Ok(())
    }
}

impl File {
    fn of(memory: &Memory) -> Option<Self> {
        let path = MemoryPath::parse(memory.key.as_deref()?).ok()?;
        let (id, version) = (memory.id.clone(), memory.version);
        Some(Self { id, version, path, text: text_of(memory) })
    }
}

/// Returns what to keep as the content of a file, and what to change in its custom fields.
///
/// A memory has something to read in it, and a file need not.
fn content(text: &str) -> (&str, Map<String, Value>) {
    let readable = !text::fold(text).trim().is_empty();
    let (content, blank) = if readable { (text, Value::Null) } else { (NOTHING, text.into()) };
    (content, Map::from_iter([(BLANK.to_owned(), blank)]))
}

/// Returns the text of a file.
pub(super) fn text_of(memory: &Memory) -> String {
    match memory.metadata.custom.get(BLANK) {
        Some(Value::String(text)) => text.clone(),
        _ => memory.content.as_str().to_owned(),
    }
}
