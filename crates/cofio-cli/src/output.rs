//! Where answers go: text for people or JSON for programs to standard output, and notes to standard error.

mod page;
mod plain;

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use cofio::model::Scope;
use serde::Serialize;

use crate::settings::Color;
pub use page::Page;
pub use plain::plain;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Text,
    Json,
}

/// Gives answers in the form that was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    form: Form,
    color: Color,
}

impl Output {
    /// Makes the output for a form.
    pub fn new(form: Form, color: Color) -> Self {
        Self { form, color }
    }

    /// Gives an answer.
    pub fn answer<T: Serialize>(
        self,
        json: impl FnOnce() -> T,
        text: impl FnOnce(&mut Page),
    ) -> Result<()> {
        let text = match self.form {
            Form::Json => as_json(&json()),
            Form::Text => {
                let mut page = Page::new(self.color.applies(io::stdout().is_terminal()));
                text(&mut page);
                page.into_text()
            }
        };
        // Whoever reads this must not do everything once more.
        print(&text).context("done, but the answer could not be written")
    }

    /// Tells people something that a program finds in the answer.
    pub fn note(self, text: &str) {
        if self.form == Form::Json {
            return;
        }
        let mut page = Page::new(self.color.applies(io::stderr().is_terminal()));
        page.faint(text);
        // Nobody may be listening, and the answer does not depend on it.
        let _ = io::stderr().write_all(page.into_text().as_bytes());
    }

    /// Tells people which scopes an answer is from.
    pub fn note_scopes(self, scopes: &[Scope]) {
        if !scopes.is_empty() {
            self.note(&format!("in {}", listed(scopes)));
        }
    }
}

/// Writes to standard output what is the same in every form.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a value as JSON, for people to read too.
pub fn as_json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("every answer has a JSON form");
    text.push('\n');
    text
}

/// Writes a path out; what is not Unicode in it is replaced.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Returns scopes as people read them.
pub fn listed(scopes: &[Scope]) -> String {
    let names: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    names.join(", ")
}
