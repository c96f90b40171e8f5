//! A memory as JSON, whole: the form in which it leaves and enters the program.
//!
//! Written out by hand, so that renaming a field in the model changes no interface.

#![expect(missing_docs, reason = "the names are those of the model")]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::model::{
    Accesses, CleanText, Embedding, Fraction, Identifier, Identifiers, KnowledgePointer, Layer,
    Memory, MemoryId, Mention, Metadata, Provenance, Scope, Source, Timestamp, Triple,
    microseconds,
};

/// The largest count that every reader of JSON can hold, and that can still be counted up.
const LARGEST_COUNT: u64 = (1 << 53) - 1;

/// A memory, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryEntry {
    pub id: String,
    pub content: String,
    pub layer: String,
    pub identifiers: BTreeMap<String, String>,
    pub kind: String,
    pub state: String,
    #[serde(default)]
    pub metadata: EntryMetadata,
    pub source: EntrySource,
    pub access_policy: String,
    pub event_at: String,
    pub created_at: String,
    pub updated_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<String>,
    pub decay_rate: f64,
    pub access_count: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_accessed_at: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derived_from: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<EntryTriple>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_key: Option<String>,
    #[serde(default)]
    pub entities: Vec<EntryMention>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub instructs: bool,
    pub version: u64,
    pub embedding: EntryEmbedding,
}

/// What is known about a memory besides its text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct EntryMetadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub importance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge_pointer: Option<EntryPointer>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub custom: Map<String, Value>,
}

/// The document a memory stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntryPointer {
    pub source_type: String,
    pub source_id: String,
    pub content_hash: String,
    pub synced_at: String,
}

/// Where a memory came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntrySource {
    #[serde(rename = "type")]
    pub source_type: String,
    pub trust: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub from_external_content: bool,
}

/// A statement in three parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntryTriple {
    pub fact_type: String,
    pub subject: String,
    pub predicate: String,
    pub object: String,
}

/// Something named in a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntryMention {
    pub name: String,
    #[serde(rename = "type")]
    pub entity_type: String,
    pub alias: String,
}

/// Whether a memory has a vector yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EntryEmbedding {
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl From<&Memory> for MemoryEntry {
    fn from(memory: &Memory) -> Self {
        let provenance = &memory.provenance;
        Self {
            id: memory.id.to_string(),
            content: memory.content.as_str().to_owned(),
            layer: memory.scope.layer().to_string(),
            identifiers: identifiers_out(memory.scope.identifiers()),
            kind: memory.kind.to_string(),
            state: memory.state.to_string(),
            metadata: EntryMetadata::from(&memory.metadata),
            source: EntrySource::from(&memory.source),
            access_policy: memory.access_policy.to_string(),
            event_at: memory.event_at.to_string(),
            created_at: memory.created_at.to_string(),
            updated_at: memory.updated_at.to_string(),
            expires_at: memory.expires_at.as_ref().map(ToString::to_string),
            valid_until: memory.valid_until.as_ref().map(ToString::to_string),
            decay_rate: memory.decay_rate,
            access_count: memory.accesses.count,
            last_accessed_at: memory.accesses.last_at.as_ref().map(ToString::to_string),
            derived_from: provenance.derived_from.iter().map(ToString::to_string).collect(),
            supersedes: provenance.supersedes.as_ref().map(ToString::to_string),
            superseded_by: provenance.superseded_by.as_ref().map(ToString::to_string),
            fact: memory.triple.clone().map(EntryTriple::from),
            context_key: memory.key.clone(),
            entities: memory.entities.iter().map(EntryMention::from).collect(),
            instructs: memory.instructs,
            version: memory.version,
            embedding: EntryEmbedding::from(&memory.embedding),
        }
    }
}

impl TryFrom<MemoryEntry> for Memory {
    type Error = Error;

    /// Reads a memory back; its text still has to pass [`crate::ingest::readmit`].
    fn try_from(entry: MemoryEntry) -> Result<Self> {
        let id = |text: String| {
            text.parse::<MemoryId>().map_err(|_| Error::invalid("an id is malformed"))
        };
        let kind = entry.kind.parse()?;
        let own_id = id(entry.id)?;
        if own_id.kind() != Some(kind) {
            return Err(Error::invalid("the prefix of an id does not fit the kind"));
        }
        if !(1..=LARGEST_COUNT).contains(&entry.version) || entry.access_count > LARGEST_COUNT {
            return Err(Error::invalid("a version or a count is out of range"));
        }
        if !(0.0..=1.0).contains(&entry.decay_rate) {
            return Err(Error::invalid("a decay rate is a number from 0 to 1"));
        }
        Ok(Self {
            id: own_id,
            scope: Scope::new(entry.layer.parse()?, &identifiers_in(&entry.identifiers)?)?,
            kind,
            state: entry.state.parse()?,
            content: CleanText::stored(entry.content),
            metadata: entry.metadata.try_into()?,
            source: entry.source.try_into()?,
            access_policy: entry.access_policy.parse()?,
            event_at: moment(&entry.event_at)?,
            created_at: moment(&entry.created_at)?,
            updated_at: moment(&entry.updated_at)?,
            expires_at: entry.expires_at.as_deref().map(moment).transpose()?,
            valid_until: entry.valid_until.as_deref().map(moment).transpose()?,
            decay_rate: entry.decay_rate,
            accesses: Accesses {
                count: entry.access_count,
                last_at: entry.last_accessed_at.as_deref().map(moment).transpose()?,
            },
            provenance: Provenance {
                derived_from: entry.derived_from.into_iter().map(id).collect::<Result<_>>()?,
                supersedes: entry.supersedes.map(id).transpose()?,
                superseded_by: entry.superseded_by.map(id).transpose()?,
            },
            triple: entry.fact.map(Triple::from),
            key: entry.context_key,
            entities: Vec::new(),
            instructs: entry.instructs,
            version: entry.version,
            embedding: Embedding::Pending,
        })
    }
}

/// Writes identifiers as `userId` and so on.
pub(crate) fn identifiers_out(identifiers: &Identifiers) -> BTreeMap<String, String> {
    let name = |(layer, identifier): (Layer, &Identifier)| {
        (format!("{layer}Id"), identifier.as_str().to_owned())
    };
    identifiers.iter().map(name).collect()
}

fn identifiers_in(names: &BTreeMap<String, String>) -> Result<Identifiers> {
    let mut identifiers = Identifiers::default();
    for (name, identifier) in names {
        let layer = name.strip_suffix("Id").unwrap_or(name).parse()?;
        identifiers = identifiers.with(layer, Identifier::new(identifier)?);
    }
    Ok(identifiers)
}

/// Reads a moment with its offset from UTC.
pub fn moment(text: &str) -> Result<Timestamp> {
    let parsed: Timestamp = text.parse().map_err(|_| {
        Error::invalid("a time needs the form 2026-01-31T12:00:00Z, with an offset from UTC")
    })?;
    Ok(microseconds(parsed))
}

impl From<&Metadata> for EntryMetadata {
    fn from(metadata: &Metadata) -> Self {
        Self {
            title: metadata.title.clone(),
            description: metadata.description.clone(),
            tags: metadata.tags.clone(),
            language: metadata.language.clone(),
            author: metadata.author.clone(),
            confidence: metadata.confidence.map(Fraction::get),
            importance: metadata.importance.map(Fraction::get),
            relevance: metadata.relevance.map(Fraction::get),
            knowledge_pointer: metadata.knowledge.as_ref().map(|pointer| EntryPointer {
                source_type: pointer.source_type.to_string(),
                source_id: pointer.source_id.clone(),
                content_hash: pointer.content_hash.clone(),
                synced_at: pointer.synced_at.to_string(),
            }),
            custom: metadata.custom.clone(),
        }
    }
}

impl TryFrom<EntryMetadata> for Metadata {
    type Error = Error;

    fn try_from(entry: EntryMetadata) -> Result<Self> {
        Ok(Self {
            title: entry.title,
            description: entry.description,
            tags: entry.tags,
            language: entry.language,
            author: entry.author,
            confidence: entry.confidence.map(Fraction::new).transpose()?,
            importance: entry.importance.map(Fraction::new).transpose()?,
            relevance: entry.relevance.map(Fraction::new).transpose()?,
            knowledge: entry.knowledge_pointer.map(KnowledgePointer::try_from).transpose()?,
            custom: entry.custom,
        })
    }
}

impl TryFrom<EntryPointer> for KnowledgePointer {
    type Error = Error;

    fn try_from(entry: EntryPointer) -> Result<Self> {
        Ok(Self {
            source_type: entry.source_type.parse()?,
            source_id: entry.source_id,
            content_hash: entry.content_hash,
            synced_at: moment(&entry.synced_at)?,
        })
    }
}

impl From<&Source> for EntrySource {
    fn from(source: &Source) -> Self {
        Self {
            source_type: source.source_type.to_string(),
            trust: source.trust().to_string(),
            session_id: source.session.as_ref().map(ToString::to_string),
            message_id: source.message.clone(),
            tool_name: source.tool.clone(),
            reference: source.reference.clone(),
            role: source.role.clone(),
            from_external_content: source.from_external_content,
        }
    }
}

impl TryFrom<EntrySource> for Source {
    type Error = Error;

    fn try_from(entry: EntrySource) -> Result<Self> {
        let mut source = Source::restored(entry.source_type.parse()?, entry.trust.parse()?);
        source.session = entry.session_id.as_deref().map(Identifier::new).transpose()?;
        source.message = entry.message_id;
        source.tool = entry.tool_name;
        source.reference = entry.reference;
        source.role = entry.role;
        source.from_external_content = entry.from_external_content;
        Ok(source)
    }
}

impl From<Triple> for EntryTriple {
    fn from(triple: Triple) -> Self {
        let Triple { fact_type, subject, predicate, object } = triple;
        Self { fact_type, subject, predicate, object }
    }
}

impl From<EntryTriple> for Triple {
    fn from(entry: EntryTriple) -> Self {
        let EntryTriple { fact_type, subject, predicate, object } = entry;
        Self { fact_type, subject, predicate, object }
    }
}

impl From<&Mention> for EntryMention {
    fn from(mention: &Mention) -> Self {
        Self {
            name: mention.name.clone(),
            entity_type: mention.entity_type.to_string(),
            alias: mention.alias.clone(),
        }
    }
}

impl From<&Embedding> for EntryEmbedding {
    fn from(embedding: &Embedding) -> Self {
        match embedding {
            Embedding::Pending => Self { state: "pending".to_owned(), model: None },
            Embedding::Ready(model) => {
                Self { state: "ready".to_owned(), model: Some(model.to_string()) }
            }
        }
    }
}
