//! The persisted form of a memory, written out by hand so that renaming a field in the model
//! changes no file.
//!
//! Accesses and the state of the embedding change without a new version; stores keep them apart.
//! Of a text that stands elsewhere, only what it is found by is persisted.

mod standing;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use self::standing::StandingDocument;
use super::kit::Analysed;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Accesses, CleanText, Embedding, Fraction, Identifier, Identifiers, KnowledgePointer, Layer,
    Memory, MemoryId, Mention, Metadata, Provenance, Scope, Source, Timestamp, Triple,
};

/// Writes a memory as JSON.
pub fn encode(memory: &Memory) -> String {
    serde_json::to_string(&Document::from(memory)).expect("every field has a JSON form")
}

/// Reads a memory back.
pub fn decode(document: &str) -> Result<Memory> {
    let document: Document<'_> = serde_json::from_str(document).map_err(unreadable)?;
    Memory::try_from(document).map_err(unreadable)
}

/// Reads a memory back, with what words find it by.
pub fn decode_analysed(document: &str) -> Result<(Memory, Analysed)> {
    let mut document: Document<'_> = serde_json::from_str(document).map_err(unreadable)?;
    let standing = document.standing.take();
    let mut memory = Memory::try_from(document).map_err(unreadable)?;
    let analysed = match standing {
        None => Analysed::of(&memory),
        Some(standing) => {
            memory.content = standing.text()?;
            standing.analysed()
        }
    };
    Ok((memory, analysed))
}

fn unreadable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Damaged, "a stored memory cannot be read").caused_by(cause)
}

#[derive(Serialize, Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    layer: Cow<'a, str>,
    identifiers: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    state: Cow<'a, str>,
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    standing: Option<StandingDocument>,
    #[serde(default, skip_serializing_if = "MetadataDocument::is_empty")]
    metadata: MetadataDocument,
    #[serde(borrow)]
    source: SourceDocument<'a>,
    #[serde(borrow)]
    access_policy: Cow<'a, str>,
    event_at: i64,
    created_at: i64,
    updated_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    valid_until: Option<i64>,
    decay_rate: f64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    derived_from: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    supersedes: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    superseded_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    triple: Option<[String; 4]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    entities: Vec<[String; 3]>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    instructs: bool,
    version: u64,
}

#[derive(Serialize, Deserialize, Default, PartialEq)]
struct MetadataDocument {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    importance: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relevance: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    knowledge: Option<KnowledgeDocument>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    custom: Map<String, Value>,
}

impl MetadataDocument {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[derive(Serialize, Deserialize, PartialEq)]
struct KnowledgeDocument {
    source_type: String,
    source_id: String,
    content_hash: String,
    synced_at: i64,
}

#[derive(Serialize, Deserialize)]
struct SourceDocument<'a> {
    #[serde(rename = "type", borrow)]
    source_type: Cow<'a, str>,
    #[serde(borrow)]
    trust: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    external: bool,
}

impl<'a> From<&'a Memory> for Document<'a> {
    fn from(memory: &'a Memory) -> Self {
        let name = |(layer, identifier): (Layer, &'a Identifier)| {
            (layer.as_str().into(), identifier.as_str().into())
        };
        let mention = |mention: &Mention| {
            [mention.name.clone(), mention.entity_type.to_string(), mention.alias.clone()]
        };
        let provenance = &memory.provenance;
        Self {
            id: memory.id.as_str().into(),
            layer: memory.scope.layer().as_str().into(),
            identifiers: memory.scope.identifiers().iter().map(name).collect(),
            kind: memory.kind.as_str().into(),
            state: memory.state.as_str().into(),
            content: if memory.content.standing().is_none() { memory.content.as_str() } else { "" }
                .into(),
            standing: StandingDocument::of(memory),
            metadata: MetadataDocument::from(&memory.metadata),
            source: SourceDocument::from(&memory.source),
            access_policy: memory.access_policy.as_str().into(),
            event_at: memory.event_at.as_microsecond(),
            created_at: memory.created_at.as_microsecond(),
            updated_at: memory.updated_at.as_microsecond(),
            expires_at: memory.expires_at.map(Timestamp::as_microsecond),
            valid_until: memory.valid_until.map(Timestamp::as_microsecond),
            decay_rate: memory.decay_rate,
            derived_from: provenance.derived_from.iter().map(ToString::to_string).collect(),
            supersedes: provenance.supersedes.as_ref().map(ToString::to_string),
            superseded_by: provenance.superseded_by.as_ref().map(ToString::to_string),
            triple: memory
                .triple
                .clone()
                .map(|triple| [triple.fact_type, triple.subject, triple.predicate, triple.object]),
            key: memory.key.clone(),
            entities: memory.entities.iter().map(mention).collect(),
            instructs: memory.instructs,
            version: memory.version,
        }
    }
}

impl TryFrom<Document<'_>> for Memory {
    type Error = Error;

    fn try_from(document: Document<'_>) -> Result<Self> {
        let id = |text: String| text.parse::<MemoryId>();
        let triple = |[fact_type, subject, predicate, object]: [String; 4]| Triple {
            fact_type,
            subject,
            predicate,
            object,
        };
        let mention = |[name, entity_type, alias]: [String; 3]| {
            Ok(Mention { name, entity_type: entity_type.parse()?, alias })
        };
        Ok(Self {
            id: document.id.parse()?,
            scope: scope(&document.layer, &document.identifiers)?,
            kind: document.kind.parse()?,
            state: document.state.parse()?,
            content: match &document.standing {
                None => CleanText::stored(document.content.into_owned()),
                Some(standing) => standing.text()?,
            },
            metadata: document.metadata.try_into()?,
            source: document.source.try_into()?,
            access_policy: document.access_policy.parse()?,
            event_at: moment(document.event_at)?,
            created_at: moment(document.created_at)?,
            updated_at: moment(document.updated_at)?,
            expires_at: document.expires_at.map(moment).transpose()?,
            valid_until: document.valid_until.map(moment).transpose()?,
            decay_rate: document.decay_rate,
            accesses: Accesses::default(),
            provenance: Provenance {
                derived_from: document.derived_from.into_iter().map(id).collect::<Result<_>>()?,
                supersedes: document.supersedes.map(id).transpose()?,
                superseded_by: document.superseded_by.map(id).transpose()?,
            },
            triple: document.triple.map(triple),
            key: document.key,
            entities: document.entities.into_iter().map(mention).collect::<Result<_>>()?,
            instructs: document.instructs,
            version: document.version,
            embedding: Embedding::Pending,
        })
    }
}

fn scope(layer: &str, names: &BTreeMap<Cow<'_, str>, Cow<'_, str>>) -> Result<Scope> {
    let mut identifiers = Identifiers::default();
    for (name, identifier) in names {
        identifiers = identifiers.with(name.parse()?, Identifier::new(identifier)?);
    }
    Scope::new(layer.parse()?, &identifiers)
}

/// Reads a moment from microseconds since the epoch.
pub fn moment(microseconds: i64) -> Result<Timestamp> {
    Timestamp::from_microsecond(microseconds).map_err(unreadable)
}

impl From<&Metadata> for MetadataDocument {
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
            knowledge: metadata.knowledge.as_ref().map(|pointer| KnowledgeDocument {
                source_type: pointer.source_type.to_string(),
                source_id: pointer.source_id.clone(),
                content_hash: pointer.content_hash.clone(),
                synced_at: pointer.synced_at.as_microsecond(),
            }),
            custom: metadata.custom.clone(),
        }
    }
}

impl TryFrom<MetadataDocument> for Metadata {
    type Error = Error;

    fn try_from(document: MetadataDocument) -> Result<Self> {
        let pointer = |pointer: KnowledgeDocument| -> Result<KnowledgePointer> {
            Ok(KnowledgePointer {
                source_type: pointer.source_type.parse()?,
                source_id: pointer.source_id,
                content_hash: pointer.content_hash,
                synced_at: moment(pointer.synced_at)?,
            })
        };
        Ok(Self {
            title: document.title,
            description: document.description,
            tags: document.tags,
            language: document.language,
            author: document.author,
            confidence: document.confidence.map(Fraction::new).transpose()?,
            importance: document.importance.map(Fraction::new).transpose()?,
            relevance: document.relevance.map(Fraction::new).transpose()?,
            knowledge: document.knowledge.map(pointer).transpose()?,
            custom: document.custom,
        })
    }
}

impl<'a> From<&'a Source> for SourceDocument<'a> {
    fn from(source: &'a Source) -> Self {
        Self {
            source_type: source.source_type.as_str().into(),
            trust: source.trust().as_str().into(),
            session: source.session.as_ref().map(ToString::to_string),
            message: source.message.clone(),
            tool: source.tool.clone(),
            reference: source.reference.clone(),
            role: source.role.clone(),
            external: source.from_external_content,
        }
    }
}

impl TryFrom<SourceDocument<'_>> for Source {
    type Error = Error;

    fn try_from(document: SourceDocument<'_>) -> Result<Self> {
        let mut source = Source::restored(document.source_type.parse()?, document.trust.parse()?);
        source.session = document.session.as_deref().map(Identifier::new).transpose()?;
        source.message = document.message;
        source.tool = document.tool;
        source.reference = document.reference;
        source.role = document.role;
        source.from_external_content = document.external;
        Ok(source)
    }
}
