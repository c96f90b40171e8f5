//! Anthropic's memory tool, `memory_20250818`: files below `/memories` that a model keeps itself.
//!
//! A file is a fact under the key of its path, with its text as content and its path as title, so
//! that every search finds it and every change is in its history.
//! A folder is there as long as a file is in it. The answers are those of the tool that Anthropic's
//! own library brings, word for word.
//!
//! What is different: secrets are taken out of what is written, a password is refused, a text has
//! the size that the engine accepts, and a path has at most 256 bytes, no control character and
//! nothing that looks like a secret. Where others read too, nobody reads a file that waits for
//! review, and whoever wrote it is told so.

mod files;
mod input;
mod lines;
mod listing;
mod path;

pub use input::{CommandName, MemoryInput};

use cofio::engine::Remembered;

use files::{File, Files, text_of};
use input::Command;
use path::MemoryPath;

use super::{ToolError, Writer};

/// What a model keeps for itself in files.
#[derive(Debug, Clone)]
pub struct MemoryTool {
    files: Files,
}

impl MemoryTool {
    /// Makes the tool of somebody.
    pub fn new(writer: Writer) -> Self {
        Self { files: Files::new(writer) }
    }

    /// Does what a command says, and returns what the model is told.
    pub async fn run(&self, input: MemoryInput) -> Result<String, ToolError> {
        match Command::try_from(input)? {
            Command::View { path, range } => self.view(&path, &range).await,
            Command::Create { path, text } => self.create(&path, &text).await,
            Command::StrReplace { path, old, new } => self.str_replace(&path, &old, &new).await,
            Command::Insert { path, line, text } => self.insert(&path, line, &text).await,
            Command::Delete { path } => self.delete(&path).await,
            Command::Rename { from, to } => self.rename(&from, &to).await,
        }
    }

    async fn view(&self, path: &str, range: &[i64]) -> Result<String, ToolError> {
        let place = MemoryPath::parse(path)?;
        if let Some(file) = self.files.find(&place).await? {
            return lines::numbered(path, &file.text, range);
        }
        let files = self.files.below(&place).await?;
        if files.is_empty() && !place.is_root() {
            return Err(not_there(path));
        }
        Ok(listing::listing(path, &place, &files))
    }

    async fn create(&self, path: &str, text: &str) -> Result<String, ToolError> {
        let place = MemoryPath::parse(path)?;
        let exists = format!("File {path} already exists");
        if self.is_taken(&place).await? {
            return Err(ToolError::Said(exists));
        }
        self.refuse_below_file(path, &place).await?;
        let Remembered { memory, existing, .. } = self.files.create(&place, text).await?;
        if existing {
            return Err(ToolError::Said(self.files.told(exists, &memory)));
        }
        Ok(self.files.told(format!("File created successfully at: {path}"), &memory))
    }

    async fn str_replace(&self, path: &str, old: &str, new: &str) -> Result<String, ToolError> {
        let file = self.file(path).await?;
        let (line, text) = lines::replaced(path, &file.text, old, new)?;
        let kept = self.files.write(&file, &text).await?;
        Ok(self.files.told(lines::snippet(&text_of(&kept), line), &kept))
    }

    async fn insert(&self, path: &str, line: i64, inserted: &str) -> Result<String, ToolError> {
        let file = self.file(path).await?;
        let text = lines::inserted(&file.text, line, inserted)?;
        let kept = self.files.write(&file, &text).await?;
        Ok(self.files.told(format!("The file {path} has been edited."), &kept))
    }

    async fn delete(&self, path: &str) -> Result<String, ToolError> {
        let place = MemoryPath::parse(path)?;
        if place.is_root() {
            return Err(ToolError::said("Cannot delete the /memories directory itself"));
        }
        let files = self.at_or_below(&place).await?;
        if files.is_empty() {
            return Err(ToolError::said(format!("The path {path} does not exist")));
        }
        self.files.remove(&files).await?;
        Ok(format!("Successfully deleted {path}"))
    }

    async fn rename(&self, from: &str, to: &str) -> Result<String, ToolError> {
        let (old, new) = (MemoryPath::parse(from)?, MemoryPath::parse(to)?);
        if old.is_root() {
            return Err(ToolError::said("Cannot rename the /memories directory itself"));
        }
        if new.is_root() || self.is_taken(&new).await? {
            return Err(ToolError::said(format!("The destination {to} already exists")));
        }
        let files = self.at_or_below(&old).await?;
        if files.is_empty() {
            return Err(ToolError::said(format!("The path {from} does not exist")));
        }
        if new.is_below(&old) {
            return Err(ToolError::said(format!("Cannot move {from} into itself")));
        }
        self.refuse_below_file(to, &new).await?;
        let moves = files.iter().map(|file| (file, file.path.moved(&old, &new))).collect();
        self.files.rename(moves).await?;
        Ok(format!("Successfully renamed {from} to {to}"))
    }

    /// Returns the file at a path, which has to be there and not to be a folder.
    async fn file(&self, path: &str) -> Result<File, ToolError> {
        let place = MemoryPath::parse(path)?;
        match self.files.find(&place).await? {
            Some(file) => Ok(file),
            None if place.is_root() || !self.files.below(&place).await?.is_empty() => {
                Err(ToolError::said(format!("The path {path} is not a file.")))
            }
            None => Err(not_there(path)),
        }
    }

    async fn at_or_below(&self, place: &MemoryPath) -> Result<Vec<File>, ToolError> {
        match self.files.find(place).await? {
            Some(file) => Ok(vec![file]),
            None => Ok(self.files.below(place).await?),
        }
    }

    /// Returns whether a file or a folder is at a place.
    async fn is_taken(&self, place: &MemoryPath) -> Result<bool, ToolError> {
        Ok(place.is_root() || !self.at_or_below(place).await?.is_empty())
    }

    /// Refuses a place whose folder would be a file.
    async fn refuse_below_file(&self, path: &str, place: &MemoryPath) -> Result<(), ToolError> {
        for folder in place.folders() {
            if self.files.find(&folder).await?.is_some() {
                return Err(ToolError::said(format!("The path {path} is below a file.")));
            }
        }
        Ok(())
    }
}

fn not_there(path: &str) -> ToolError {
    ToolError::said(format!("The path {path} does not exist. Please provide a valid path."))
}
