//! What is written into a file, and how it is taken out again.

use anyhow::Result;

use super::{json, toml};

/// What says that a text is UTF-8 to programs that would take it for something else.
const MARK: char = '\u{feff}';

/// A change to the text of a file; making it twice is making it once.
#[derive(Debug, Clone)]
pub enum Edit {
    /// The server, in an object of servers.
    Server(json::Server),
    /// The server, in Codex's table of servers.
    TomlServer { program: String },
    /// A command for each of some events.
    Hooks(json::Hooks),
}

impl Edit {
    /// Returns the text with the edit made.
    pub fn make(&self, text: &str) -> Result<String> {
        behind_mark(text, |text| match self {
            Self::Server(server) => server.add(text),
            Self::TomlServer { program } => toml::add(text, program),
            Self::Hooks(hooks) => hooks.add(text),
        })
    }

    /// Returns the text without what the edit adds, whatever has become of the rest.
    pub fn remove(&self, text: &str) -> Result<String> {
        behind_mark(text, |text| match self {
            Self::Server(server) => server.remove(text),
            Self::TomlServer { .. } => toml::remove(text),
            Self::Hooks(hooks) => hooks.remove(text),
        })
    }

    /// Returns whether it is about hooks.
    pub fn is_hooks(&self) -> bool {
        matches!(self, Self::Hooks(_))
    }

    /// Says what it is about.
    pub fn holds(&self) -> &'static str {
        if self.is_hooks() { "the hooks" } else { "the server cofio" }
    }
}

/// Edits what stands behind the mark that some editors on Windows begin a file with.
fn behind_mark(text: &str, edit: impl FnOnce(&str) -> Result<String>) -> Result<String> {
    match text.strip_prefix(MARK) {
        Some(text) => Ok(format!("{MARK}{}", edit(text)?)),
        None => edit(text),
    }
}

/// Returns whether a command runs Cofio to do something: its first word is a path to it, its
/// second what it does.
pub fn runs_cofio(program: &str, argument: Option<&str>, to_do: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    // Somebody may keep several versions apart by their names.
    name.starts_with("cofio") && argument == Some(to_do)
}
