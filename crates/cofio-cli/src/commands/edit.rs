//! Changing a memory.

mod editor;

use anyhow::Result;
use clap::Args;
use cofio::engine::Updated;
use cofio::model::{self, Fraction, MemoryId, MetadataPatch, Patch};
use cofio::wire::{self, UpdateOutput};

use crate::app::App;
use crate::failure::Refusal;
use crate::input;
use crate::output::Page;
use crate::present;

const EXAMPLES: &str = "\
Examples:
  cofio edit fact_… --content 'Alice takes milk now'
  cofio edit fact_… --editor
  cofio edit fact_… --tag tea --metadata '{\"colour\": null}' --version 3";

/// Changes a memory; what is not named stays
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Edit {
    /// The memory
    id: String,
    /// The new text; - reads it from standard input
    #[arg(long, value_name = "TEXT", conflicts_with = "editor")]
    content: Option<String>,
    /// Opens the text in $VISUAL or $EDITOR
    #[arg(long)]
    editor: bool,
    /// The short name
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The labels, all of them; may be repeated
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Who wrote or said it
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// How much it matters, from 0 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = input::fraction)]
    importance: Option<Fraction>,
    /// How certain it is, from 0 to 1
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true, value_parser = input::fraction)]
    confidence: Option<Fraction>,
    /// What to change, as one JSON object; null removes a field
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,
    /// The version it must still have
    #[arg(long = "version", value_name = "NUMBER")]
    expected_version: Option<u64>,
}

impl Edit {
    pub async fn run(self, app: &App) -> Result<()> {
        let id = input::id(&self.id)?;
        let mut patch = self.patch(app)?;
        if self.editor {
            self.edit_text(app, &id, &mut patch).await?;
        }
        if patch.content.is_none() && patch.metadata == MetadataPatch::default() {
            return Err(self.nothing_to_change());
        }
        let updated = app
            .asking(async |doubt| {
                app.engine.update(&app.caller, &id, Patch { doubt, ..patch.clone() }).await
            })
            .await?;
        app.output.answer(|| UpdateOutput::from(&updated), |page| show(page, &updated))?;
        Ok(())
    }

    fn nothing_to_change(&self) -> anyhow::Error {
        let message = if self.editor {
            "the text is the same as before: nothing was changed"
        } else {
            "say what to change, such as --content, --editor, --title or --tag"
        };
        Refusal::Usage(message.to_owned()).into()
    }

    fn patch(&self, app: &App) -> Result<Patch> {
        let limit = app.engine.config().limits.content_bytes;
        let read = |text: &String| input::text(std::slice::from_ref(text), limit);
        Ok(Patch {
            content: self.content.as_ref().map(read).transpose()?,
            metadata: self.metadata_patch()?,
            expected_version: self.expected_version,
            ..Patch::default()
        })
    }

    fn metadata_patch(&self) -> Result<MetadataPatch> {
        let mut patch = match &self.metadata {
            Some(raw) => wire::metadata_patch(input::object("--metadata", raw)?)?,
            None => MetadataPatch::default(),
        };
        if let Some(title) = &self.title {
            patch.title = model::Edit::Set(title.clone());
        }
        if !self.tags.is_empty() {
            patch.tags = model::Edit::Set(self.tags.clone());
        }
        if let Some(author) = &self.author {
            patch.author = model::Edit::Set(author.clone());
        }
        if let Some(importance) = self.importance {
            patch.importance = model::Edit::Set(importance);
        }
        if let Some(confidence) = self.confidence {
            patch.confidence = model::Edit::Set(confidence);
        }
        Ok(patch)
    }

    /// Lets somebody change the text that is there, and refuses to overwrite what others wrote meanwhile.
    async fn edit_text(&self, app: &App, id: &MemoryId, patch: &mut Patch) -> Result<()> {
        let memory = app.engine.get(&app.caller, id).await?;
        let text = editor::edited(memory.content.as_str())?;
        if text != memory.content.as_str() {
            patch.content = Some(text);
        }
        patch.expected_version.get_or_insert(memory.version);
        Ok(())
    }
}

fn show(page: &mut Page, updated: &Updated) {
    let memory = &updated.memory;
    page.line(format!("changed {} in {}, now version {}", memory.id, memory.scope, memory.version));
    present::redactions(page, &updated.redactions);
}
