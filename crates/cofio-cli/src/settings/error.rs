//! The error for settings that have to be put right before anything can run.

use std::fmt;

/// Says which setting is wrong, where it stands and what would be right.
///
/// A usage error: the command exits with 2.
#[derive(Debug)]
pub struct SettingsError(String);

impl SettingsError {
    /// Makes an error whose message is a lowercase fragment.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingsError {}
