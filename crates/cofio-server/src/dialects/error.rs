use std::fmt;

use cofio::Error;

/// Why a tool has no answer, in words for the model that called it.
///
/// The words of a dialect may repeat what the model wrote, so they are no words for a log.
#[derive(Debug)]
pub enum ToolError {
    /// What the other system says in this case.
    Said(String),
    /// What the engine says, of which the other system knows nothing.
    Engine(Error),
}

impl ToolError {
    /// Makes the error for what a dialect says.
    pub(super) fn said(words: impl Into<String>) -> Self {
        Self::Said(words.into())
    }
}

impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said(words) => f.write_str(words),
            Self::Engine(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ToolError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Said(_) => None,
            Self::Engine(error) => Some(error),
        }
    }
}
