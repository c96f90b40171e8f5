use std::fmt;

use super::names::names;
use super::{
    CleanText, Identifier, Inherited, Kind, Layer, MemoryId, Mention, Metadata, Scope, Slot,
    Source, Timestamp,
};
use crate::error::{Error, ErrorKind, Result};
use crate::text;

/// Passages of an assistant's answer that are found by meaning.
const ANSWER_PASSAGES: usize = 4;

/// Passages of any other memory that are found by meaning.
const MAX_MEANINGS: usize = 256;

/// Something remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its id.
    pub id: MemoryId,
    /// Whose it is.
    pub scope: Scope,
    /// What it is.
    pub kind: Kind,
    /// Where it is in its life.
    pub state: State,
    /// The text.
    pub content: CleanText,
    /// What is known about it.
    pub metadata: Metadata,
    /// Where it came from.
    pub source: Source,
    /// How widely it is meant to be seen.
    pub access_policy: AccessPolicy,
    /// When it happened.
    pub event_at: Timestamp,
    /// When it was learnt.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// Since when it is no longer held to be true; of what never was, when it would have happened.
    pub valid_until: Option<Timestamp>,
    /// How fast it fades, per day; 0 never.
    pub decay_rate: f64,
    /// How often and when it was last read.
    pub accesses: Accesses,
    /// What it was made from and what it replaced.
    pub provenance: Provenance,
    /// Subject, predicate and object of a procedure.
    pub triple: Option<Triple>,
    /// The key it is kept under, if it is a value by key.
    pub key: Option<String>,
    /// What is named in it.
    pub entities: Vec<Mention>,
    /// Whether it tells an assistant what to do, though nobody who may do so said it.
    pub instructs: bool,
    /// How often it was written, from 1.
    pub version: u64,
    /// Whether it has a vector yet.
    pub embedding: Embedding,
}

impl Memory {
    /// Returns the text by which words find this memory.
    pub fn searchable(&self) -> String {
        let metadata = &self.metadata;
        let before = metadata.title.iter().chain(&metadata.description).map(String::as_str);
        let after = metadata.tags.iter().map(String::as_str);
        let fields: Vec<&str> = before.chain([self.content.as_str()]).chain(after).collect();
        fields.join("\n")
    }

    /// Returns the passages by whose meaning this memory is found, in order.
    ///
    /// An assistant's answer makes its point early, so of that only the first few count.
    pub fn passages(&self) -> Vec<CleanText> {
        let most = if self.said_by_assistant() { ANSWER_PASSAGES } else { MAX_MEANINGS };
        let passages = text::passages(self.content.as_str()).into_iter().take(most);
        passages.map(|passage| CleanText::stored(passage.to_owned())).collect()
    }

    /// Returns whether the vectors of another version would be those of this one too.
    pub fn shares_vectors_with(&self, other: &Self) -> bool {
        self.content.says_the_same_as(&other.content)
            && self.said_by_assistant() == other.said_by_assistant()
    }

    /// Returns what becomes of the vectors of the version before.
    pub fn inherits_vectors(&self, before: &Self) -> Inherited {
        let elsewhere = self.content.has_vectors_elsewhere();
        match &self.embedding {
            Embedding::Ready(by) if elsewhere => Inherited::Elsewhere(by.clone()),
            _ if elsewhere || before.content.has_vectors_elsewhere() => Inherited::Nothing,
            _ if self.shares_vectors_with(before) => Inherited::Same,
            _ => Inherited::Nothing,
        }
    }

    /// Returns where its text stands, unless a store keeps it beside the memory.
    pub fn slot(&self) -> Option<Slot> {
        let edition = self.content.standing()?.edition;
        Some(Slot { scope: self.scope.clone(), id: self.id.clone(), edition })
    }

    /// Returns the error of its text being lost by the shelf that it stands on.
    pub(crate) fn lost_text(&self) -> Error {
        let shelf = self.content.standing().map_or("", |standing| standing.shelf.as_str());
        let message = format!("the shelf {shelf:?} has lost the text of {}", self.id);
        Error::new(ErrorKind::Damaged, message).with("shelf", shelf)
    }

    /// Returns who wrote or said it, where that is more than a role.
    pub fn author(&self) -> Option<&str> {
        let role = self.source.role.as_deref().filter(|role| !is_generic(role));
        let author = self.metadata.author.as_deref().filter(|author| !is_generic(author));
        author.or(role)
    }

    /// Returns the conversation that it is part of.
    pub fn conversation(&self) -> Option<&str> {
        let own = self.scope.identifiers().get(Layer::Session);
        self.source.session.as_ref().or(own).map(Identifier::as_str)
    }

    /// Returns whether an assistant said it.
    pub fn said_by_assistant(&self) -> bool {
        let says = |name: &Option<String>| {
            name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("assistant"))
        };
        says(&self.source.role) || says(&self.metadata.author)
    }

    /// Returns whether it ends in a question mark.
    pub fn is_question(&self) -> bool {
        text::is_question(self.content.as_str())
    }

    /// Returns since when it has been as it is; of a first version, since it was learnt.
    pub fn written_at(&self) -> Timestamp {
        if self.version == 1 { self.created_at } else { self.updated_at }
    }

    /// Returns whether it was true at a moment, as far as it knows.
    pub fn held_at(&self, moment: Timestamp) -> bool {
        self.event_at <= moment && self.valid_until.is_none_or(|end| moment < end)
    }

    /// Returns whether it has ended by itself.
    pub fn expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

/// Tells whether a name says what somebody does rather than who it is.
fn is_generic(name: &str) -> bool {
    const ROLES: [&str; 7] = ["user", "assistant", "system", "tool", "human", "ai", "function"];
    name.trim().is_empty() || ROLES.iter().any(|role| name.trim().eq_ignore_ascii_case(role))
}

/// Where a memory is in its life; what is deleted is gone and has no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// In use.
    Active,
    /// Faded below use.
    Decayed,
    /// Put away; found on request only.
    Archived,
    /// No longer held to be true; kept for the history.
    Superseded,
    /// Waits for somebody to confirm it; found on request only.
    Pending,
}

names!(State, "state", Invalid, {
    Active => "active",
    Decayed => "decayed",
    Archived => "archived",
    Superseded => "superseded",
    Pending => "pending",
});

/// How widely a memory is meant to be seen, for other systems that ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum AccessPolicy {
    /// By its owner.
    #[default]
    Private,
    /// By those who are named.
    Restricted,
    /// By those it is shared with.
    Shared,
    /// By the organisation.
    Organization,
    /// By everyone.
    Public,
}

names!(AccessPolicy, "access policy", Invalid, {
    Private => "private",
    Restricted => "restricted",
    Shared => "shared",
    Organization => "organization",
    Public => "public",
});

/// How often a memory was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accesses {
    /// How many answers it was part of.
    pub count: u64,
    /// When it was last part of one.
    pub last_at: Option<Timestamp>,
}

/// What a memory was made from and what it replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Provenance {
    /// The memories it was concluded from.
    pub derived_from: Vec<MemoryId>,
    /// The memory it replaced.
    pub supersedes: Option<MemoryId>,
    /// The memory that replaced it.
    pub superseded_by: Option<MemoryId>,
}

/// A statement in three parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Triple {
    /// What kind of statement, such as `uses`.
    pub fact_type: String,
    /// What it is about.
    pub subject: String,
    /// What is said of it.
    pub predicate: String,
    /// With respect to what.
    pub object: String,
}

impl Triple {
    /// Returns the statement as a sentence.
    pub fn sentence(&self) -> String {
        format!("{} {} {}", self.subject, self.predicate, self.object)
    }
}

/// Whether a memory has a vector yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Embedding {
    /// Not yet, or no embedder is configured.
    #[default]
    Pending,
    /// Made by the model with this fingerprint.
    Ready(Fingerprint),
}

/// Tells one embedding model, with its settings, from every other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Takes the text that names a model and its settings.
    pub fn new(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        if text.is_empty() || text.len() > 200 || !text.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return Err(Error::invalid("a fingerprint is 1 to 200 visible ASCII characters"));
        }
        Ok(Self(text))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
