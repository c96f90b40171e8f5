use std::str::FromStr;

use cofio::Error;

use super::tool::Entry;
use super::tools::{consolidator, core, files, longterm, memory, server_memory, simple};

/// A set of tools under the names that somebody expects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// Six tools for everything.
    #[default]
    Core,
    /// Three tools: search, store and forget.
    Simple,
    /// Facts and what they name.
    Longterm,
    /// Turning sessions into facts.
    Consolidator,
    /// The workspace of markdown files.
    Files,
    /// The graph of the reference server.
    ServerMemory,
    /// Anthropic's memory tool.
    Memory,
    /// Every tool of every profile.
    All,
}

/// Every profile but [`Profile::All`], with its tools and what a model is told about using them.
const PROFILES: [(Profile, &[Entry], &str); 7] = [
    (Profile::Core, core::TOOLS, core::INSTRUCTIONS),
    (Profile::Simple, simple::TOOLS, simple::INSTRUCTIONS),
    (Profile::Longterm, longterm::TOOLS, longterm::INSTRUCTIONS),
    (Profile::Consolidator, consolidator::TOOLS, consolidator::INSTRUCTIONS),
    (Profile::Files, files::TOOLS, files::INSTRUCTIONS),
    (Profile::ServerMemory, server_memory::TOOLS, server_memory::INSTRUCTIONS),
    (Profile::Memory, memory::TOOLS, memory::INSTRUCTIONS),
];

impl Profile {
    /// Every profile.
    pub const ALL: &'static [Self] = &[
        Self::Core,
        Self::Simple,
        Self::Longterm,
        Self::Consolidator,
        Self::Files,
        Self::ServerMemory,
        Self::Memory,
        Self::All,
    ];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Simple => "simple",
            Self::Longterm => "longterm",
            Self::Consolidator => "consolidator",
            Self::Files => "files",
            Self::ServerMemory => "server-memory",
            Self::Memory => "memory",
            Self::All => "all",
        }
    }

    /// Returns its tools, in the order in which they are listed.
    ///
    /// Of several tools with the same name, all profiles together have the first one.
    pub(super) fn tools(self) -> Vec<Entry> {
        let mut tools: Vec<Entry> = Vec::new();
        for (profile, entries, _) in PROFILES {
            if self == profile || self == Self::All {
                let new = |entry: &&Entry| tools.iter().all(|known| known.name != entry.name);
                let new: Vec<Entry> = entries.iter().filter(new).copied().collect();
                tools.extend(new);
            }
        }
        tools
    }

    /// Returns what a model is told about using the tools.
    pub(super) fn instructions(self) -> &'static str {
        let own = PROFILES.into_iter().find(|(profile, ..)| *profile == self);
        own.map_or(core::INSTRUCTIONS, |(.., instructions)| instructions)
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
