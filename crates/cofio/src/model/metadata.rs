use serde_json::{Map, Value};

use super::Timestamp;
use super::names::names;
use crate::error::{Error, Result};

/// What is known about a memory besides its text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// A short name.
    pub title: Option<String>,
    /// A sentence about it.
    pub description: Option<String>,
    /// Labels to find it by.
    pub tags: Vec<String>,
    /// The language of the text.
    pub language: Option<String>,
    /// Who wrote or said it.
    pub author: Option<String>,
    /// How certain it is.
    pub confidence: Option<Fraction>,
    /// How much it matters.
    pub importance: Option<Fraction>,
    /// How relevant it still is.
    pub relevance: Option<Fraction>,
    /// The document it stands for.
    pub knowledge: Option<KnowledgePointer>,
    /// Anything else.
    pub custom: Map<String, Value>,
}

/// The document that a memory stands for, as it was when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnowledgePointer {
    /// What kind of document.
    pub source_type: KnowledgeType,
    /// Which document.
    pub source_id: String,
    /// The hash of its content.
    pub content_hash: String,
    /// When it was read.
    pub synced_at: Timestamp,
}

/// What kind of document a memory can stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnowledgeType {
    /// A record of an architectural decision.
    Adr,
    /// A policy.
    Policy,
    /// A pattern.
    Pattern,
    /// A specification.
    Spec,
}

names!(KnowledgeType, "knowledge type", Invalid, {
    Adr => "adr", Policy => "policy", Pattern => "pattern", Spec => "spec",
});

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Fraction(f64);

impl Fraction {
    /// The whole.
    pub const ONE: Self = Self(1.0);

    /// Checks that a number is between 0 and 1.
    pub fn new(value: f64) -> Result<Self> {
        if (0.0..=1.0).contains(&value) {
            Ok(Self(value))
        } else {
            Err(Error::invalid(format!("{value} is not a number from 0 to 1")))
        }
    }

    /// Returns the number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// What to change in metadata; what is not named stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MetadataPatch {
    /// The short name.
    pub title: Edit<String>,
    /// The sentence about it.
    pub description: Edit<String>,
    /// The labels, all of them.
    pub tags: Edit<Vec<String>>,
    /// The language of the text.
    pub language: Edit<String>,
    /// Who wrote or said it.
    pub author: Edit<String>,
    /// How certain it is.
    pub confidence: Edit<Fraction>,
    /// How much it matters.
    pub importance: Edit<Fraction>,
    /// How relevant it still is.
    pub relevance: Edit<Fraction>,
    /// The document it stands for.
    pub knowledge: Edit<KnowledgePointer>,
    /// Custom fields to set; one that is null is removed.
    pub custom: Map<String, Value>,
}

/// What to do with one field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Edit<T> {
    /// Leave it as it is.
    #[default]
    Keep,
    /// Remove it.
    Clear,
    /// Replace it.
    Set(T),
}

impl<T> Edit<T> {
    fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }
}

impl Metadata {
    /// Merges a patch, one level deep.
    pub fn apply(&mut self, patch: MetadataPatch) {
        patch.title.apply(&mut self.title);
        patch.description.apply(&mut self.description);
        match patch.tags {
            Edit::Keep => {}
            Edit::Clear => self.tags.clear(),
            Edit::Set(tags) => self.tags = tags,
        }
        patch.language.apply(&mut self.language);
        patch.author.apply(&mut self.author);
        patch.confidence.apply(&mut self.confidence);
        patch.importance.apply(&mut self.importance);
        patch.relevance.apply(&mut self.relevance);
        patch.knowledge.apply(&mut self.knowledge);
        for (name, value) in patch.custom {
            match value {
                Value::Null => drop(self.custom.remove(&name)),
                value => drop(self.custom.insert(name, value)),
            }
        }
    }
}
