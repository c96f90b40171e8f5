use super::names::names;
use super::{MemoryId, Timestamp};

/// Something named in a memory's text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mention {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub entity_type: EntityType,
    /// How it was written.
    pub alias: String,
}

/// What kind of thing an entity is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntityType {
    /// A person.
    Person,
    /// A project.
    Project,
    /// An organisation.
    Organization,
    /// A place.
    Location,
    /// An e-mail address.
    Email,
    /// An address on the web.
    Url,
    /// A topic, a date or anything else.
    Other,
}

names!(EntityType, "entity type", Invalid, {
    Person => "person",
    Project => "project",
    Organization => "organization",
    Location => "location",
    Email => "email",
    Url => "url",
    Other => "other",
});

/// What is known of one thing that memories name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub entity_type: EntityType,
    /// How it was written, each spelling once.
    pub aliases: Vec<String>,
    /// How many memories name it.
    pub mention_count: u64,
    /// When the first memory naming it happened.
    pub first_at: Timestamp,
    /// When the last one did.
    pub last_at: Timestamp,
    /// The memories that name it, the latest first; a bounded number.
    pub memories: Vec<MemoryId>,
}
