use schemars::JsonSchema;
use serde::Deserialize;

/// What `recall` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Recall {
    /// How many days of the log to read, today included
    #[serde(default = "three")]
    pub days: u16,
}

/// What `remember` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Remember {
    /// What to add to today's log
    pub content: String,
}

/// What `reflect` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Reflect {
    /// All of the new MEMORY.md; leave it out to read the one that is there
    #[serde(default)]
    #[schemars(with = "String")]
    pub content: Option<String>,
}

/// What `learn_fact` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct LearnFact {
    /// What it is about in a word or two, such as people or systems
    pub topic: String,
    /// Everything that is known about it, which replaces what is there
    pub content: String,
}

/// What `search_memory` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct Search {
    /// What to look for
    pub query: String,
    /// Only from this day on, such as 2026-03-01
    #[serde(default)]
    #[schemars(with = "String")]
    pub from: Option<String>,
    /// Only up to this day, such as 2026-03-31
    #[serde(default)]
    #[schemars(with = "String")]
    pub to: Option<String>,
    /// How many at most
    #[serde(default = "ten")]
    pub limit: usize,
}

fn ten() -> usize {
    10
}

fn three() -> u16 {
    3
}
