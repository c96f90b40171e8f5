use std::collections::BTreeMap;

use cofio::model::{Embedding, Fraction, Memory, Triple};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::source::SourceOutput;
use crate::http::answer::tag;

/// A memory as the protocol writes it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Entry {
    id: String,
    /// The text, unless only the rest was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    metadata: Metadata,
    source: SourceOutput,
    /// How widely it is meant to be seen: private, restricted, shared, organization or public.
    access_policy: String,
    created_at: String,
    updated_at: String,
    version: u64,
    /// Whose it is: agent, user, session, project, team, org or company.
    layer: String,
    /// The names that say whose it is, such as `user_id`.
    identifiers: BTreeMap<String, String>,
    /// What it is: working, context, episode, fact, procedure or reflection.
    kind: String,
    /// Where it is in its life: active, pending, decayed, superseded or archived.
    state: String,
    /// How far it is trusted: low, medium or high.
    trust: String,
    /// When it happened.
    event_at: String,
    /// When it ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// Since when it is no longer held to be true.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<String>,
    /// The parts of a procedure.
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<Claim>,
    /// For If-Match.
    etag: String,
    /// The model that made its vector; null as long as it has none.
    embedding_model: Option<String>,
}

/// What is known about an entry besides its text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Metadata {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    importance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relevance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom: Option<Map<String, Value>>,
}

/// A statement in three parts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    /// What kind of statement.
    fact_type: String,
    /// What it is about.
    subject: String,
    /// What is said of it.
    predicate: String,
    /// With respect to what.
    object: String,
}

impl Entry {
    /// Returns the same entry without its text.
    #[must_use]
    pub(super) fn without_content(self) -> Self {
        Self { content: None, ..self }
    }
}

impl From<&Memory> for Entry {
    fn from(memory: &Memory) -> Self {
        let (metadata, source) = described(memory);
        let names = memory.scope.identifiers().iter();
        Self {
            id: memory.id.to_string(),
            content: Some(memory.content.as_str().to_owned()),
            metadata,
            source,
            access_policy: memory.access_policy.to_string(),
            created_at: memory.created_at.to_string(),
            updated_at: memory.updated_at.to_string(),
            version: memory.version,
            layer: memory.scope.layer().to_string(),
            identifiers: names
                .map(|(layer, name)| (format!("{layer}_id"), name.to_string()))
                .collect(),
            kind: memory.kind.to_string(),
            state: memory.state.to_string(),
            trust: memory.source.trust().to_string(),
            event_at: memory.event_at.to_string(),
            expires_at: memory.expires_at.as_ref().map(ToString::to_string),
            valid_until: memory.valid_until.as_ref().map(ToString::to_string),
            fact: memory.triple.as_ref().map(|triple| Claim {
                fact_type: triple.fact_type.clone(),
                subject: triple.subject.clone(),
                predicate: triple.predicate.clone(),
                object: triple.object.clone(),
            }),
            etag: tag(memory.version),
            embedding_model: match &memory.embedding {
                Embedding::Pending => None,
                Embedding::Ready(model) => Some(model.to_string()),
            },
        }
    }
}

impl Metadata {
    /// Returns the same without custom fields.
    #[must_use]
    pub(super) fn without_custom(self) -> Self {
        Self { custom: None, ..self }
    }
}

/// Returns what is known about a memory, and where it comes from.
pub(super) fn described(memory: &Memory) -> (Metadata, SourceOutput) {
    let metadata = &memory.metadata;
    let mut custom = metadata.custom.clone();
    let source = SourceOutput::new(memory, &mut custom);
    let metadata = Metadata {
        title: metadata.title.clone(),
        description: metadata.description.clone(),
        tags: metadata.tags.clone(),
        language: metadata.language.clone(),
        author: metadata.author.clone(),
        confidence: metadata.confidence.map(Fraction::get),
        importance: metadata.importance.map(Fraction::get),
        relevance: metadata.relevance.map(Fraction::get),
        custom: Some(custom),
    };
    (metadata, source)
}

impl Claim {
    /// Returns the statement.
    pub(super) fn triple(self) -> Triple {
        let Self { fact_type, subject, predicate, object } = self;
        Triple { fact_type, subject, predicate, object }
    }
}
