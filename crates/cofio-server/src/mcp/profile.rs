use std::str::FromStr;

use cofio::Error;

use super::tool::Entry;
use super::tools::core;

/// A set of tools under the names that somebody expects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// Six tools for everything.
    #[default]
    Core,
}

impl Profile {
    /// Every profile.
    pub const ALL: &'static [Self] = &[Self::Core];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
        }
    }

    /// Returns its tools, in the order in which they are listed.
    pub(super) fn tools(self) -> Vec<Entry> {
        match self {
            Self::Core => core::TOOLS.to_vec(),
        }
    }

    /// Returns what a model is told about using the tools.
    pub(super) fn instructions(self) -> &'static str {
        match self {
            Self::Core => core::INSTRUCTIONS,
        }
    }
}

impl FromStr for Profile {
    type Err = Error;

    fn from_str(raw: &str) -> Result<Self, Error> {
        let found = Self::ALL.iter().find(|profile| profile.as_str() == raw);
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|profile| profile.as_str()).collect();
            Error::invalid(format!("unknown profile; known: {}", known.join(", ")))
        })
    }
}
