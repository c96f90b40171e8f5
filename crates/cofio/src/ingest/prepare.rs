//! From what somebody said to what is kept.

use serde_json::{Map, Value};

use super::redact::{Level, Redaction, findings, redact};
use super::{entities, identity, limits};
use crate::config::Config;
use crate::error::{Error, Result};
use crate::lifecycle::expiry;
use crate::model::{
    Accesses, CleanText, Draft, Embedding, KnowledgePointer, Memory, MemoryId, Metadata, Patch,
    Provenance, Scope, Source, State, Timestamp, Triple, microseconds,
};

/// How fast facts and procedures fade, per day, if nothing is said.
const DECAY_RATE: f64 = 0.1;

/// What is at least so sure is taken out.
const LEAST: Level = Level::Probable;

/// A memory that may be kept.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The memory.
    pub memory: Memory,
    /// What it has in common with its duplicates.
    pub identity: Option<[u8; 32]>,
    /// What was taken out of it.
    pub redactions: Vec<Redaction>,
}

/// The next version of a memory.
#[derive(Debug, Clone)]
pub struct Revised {
    /// The next version.
    pub memory: Memory,
    /// What it has in common with its duplicates.
    pub identity: Option<[u8; 32]>,
    /// What was taken out of it.
    pub redactions: Vec<Redaction>,
    /// Whether the text is another.
    pub content_changed: bool,
}

impl Revised {
    /// Returns whether the next version says nothing that the one before did not.
    pub fn changes_nothing(&self, before: &Memory) -> bool {
        let (version, updated_at) = (before.version, before.updated_at);
        Memory { updated_at, version, ..self.memory.clone() } == *before
    }
}

/// Checks a draft, takes the secrets out of every field, and finds what it names.
pub fn prepare(draft: Draft, id: MemoryId, config: &Config, now: Timestamp) -> Result<Prepared> {
    limits::check_content(&draft.content, &config.limits)?;
    limits::check_metadata(&draft.metadata, &config.limits)?;
    limits::check_parts(draft.kind, &draft.source, draft.triple.as_ref(), &config.limits)?;
    limits::check_links(&draft.derived_from, draft.key.as_deref(), &config.limits)?;
    refuse_secret_names(&draft.scope, &draft.source)?;
    let expires_at = expiry::expires_at(draft.kind, draft.lifetime, &config.expiry, now)?;
    let mut redactor = Redactor::new(config);
    let content = redactor.text(&draft.content);
    let memory = Memory {
        id,
        scope: draft.scope,
        kind: draft.kind,
        state: State::Active,
        metadata: redactor.metadata(draft.metadata),
        source: redactor.source(draft.source),
        access_policy: draft.access_policy,
        event_at: microseconds(draft.event_at.unwrap_or(now)),
        created_at: now,
        updated_at: now,
        expires_at,
        valid_until: None,
        decay_rate: if draft.kind.decays() { DECAY_RATE } else { 0.0 },
        accesses: Accesses::default(),
        provenance: Provenance { derived_from: draft.derived_from, ..Provenance::default() },
        triple: draft.triple.map(|triple| redactor.triple(&triple)),
        key: draft.key.map(|key| redactor.string(&key)),
        entities: entities::mentions(content.as_str()),
        version: 1,
        embedding: Embedding::Pending,
        content,
    };
    let identity = identity::identity(&memory, draft.event_at);
    Ok(Prepared { memory, identity, redactions: redactor.redactions })
}

/// Applies a patch to a memory under the same rules.
pub fn revise(memory: &Memory, patch: Patch, config: &Config, now: Timestamp) -> Result<Revised> {
    let mut redactor = Redactor::new(config);
    let mut revised = memory.clone();
    let mut content_changed = false;
    if let Some(content) = patch.content {
        limits::check_content(&content, &config.limits)?;
        let content = redactor.text(&content);
        content_changed = content != memory.content;
        revised.entities = entities::mentions(content.as_str());
        revised.content = content;
        if let Some(source) = patch.source.filter(|_| content_changed) {
            limits::check_parts(memory.kind, &source, None, &config.limits)?;
            refuse_secret_names(&memory.scope, &source)?;
            revised.source = redactor.source(source);
        }
    }
    revised.metadata.apply(patch.metadata);
    limits::check_metadata(&revised.metadata, &config.limits)?;
    revised.metadata = redactor.metadata(revised.metadata);
    if content_changed {
        revised.embedding = Embedding::Pending;
    }
    revised.version += 1;
    revised.updated_at = now;
    let identity = identity::identity(&revised, told_time(&revised));
    Ok(Revised { memory: revised, identity, redactions: redactor.redactions, content_changed })
}

/// Puts a memory that was exported earlier under today's rules.
pub fn readmit(memory: Memory, config: &Config) -> Result<Prepared> {
    limits::check_content(memory.content.as_str(), &config.limits)?;
    limits::check_metadata(&memory.metadata, &config.limits)?;
    limits::check_parts(memory.kind, &memory.source, memory.triple.as_ref(), &config.limits)?;
    let parents = &memory.provenance.derived_from;
    limits::check_links(parents, memory.key.as_deref(), &config.limits)?;
    refuse_secret_names(&memory.scope, &memory.source)?;
    let mut redactor = Redactor::new(config);
    let content = redactor.text(memory.content.as_str());
    let memory = Memory {
        metadata: redactor.metadata(memory.metadata),
        source: redactor.source(memory.source),
        triple: memory.triple.map(|triple| redactor.triple(&triple)),
        key: memory.key.map(|key| redactor.string(&key)),
        entities: entities::mentions(content.as_str()),
        embedding: Embedding::Pending,
        content,
        ..memory
    };
    let identity = identity::identity(&memory, told_time(&memory));
    Ok(Prepared { memory, identity, redactions: redactor.redactions })
}

/// Returns when something happened, if somebody said so when it was remembered.
fn told_time(memory: &Memory) -> Option<Timestamp> {
    (memory.event_at != memory.created_at).then_some(memory.event_at)
}

/// Refuses identifiers that are secrets: they cannot be redacted without becoming another's.
fn refuse_secret_names(scope: &Scope, source: &Source) -> Result<()> {
    let names = scope.identifiers().iter().map(|(_, name)| name).chain(&source.session);
    for name in names {
        if findings(name.as_str()).iter().any(|finding| finding.level >= LEAST) {
            return Err(Error::invalid("an identifier looks like a secret"));
        }
    }
    Ok(())
}

/// Takes secrets out of field after field, and remembers which.
struct Redactor<'a> {
    replacement: &'a str,
    redactions: Vec<Redaction>,
}

impl<'a> Redactor<'a> {
    fn new(config: &'a Config) -> Self {
        Self { replacement: &config.secret_replacement, redactions: Vec::new() }
    }

    fn text(&mut self, text: &str) -> CleanText {
        let redacted = redact(text, self.replacement, LEAST);
        self.redactions.extend(redacted.redactions);
        redacted.text
    }

    fn string(&mut self, text: &str) -> String {
        self.text(text).as_str().to_owned()
    }

    fn optional(&mut self, text: Option<String>) -> Option<String> {
        text.map(|text| self.string(&text))
    }

    fn metadata(&mut self, metadata: Metadata) -> Metadata {
        Metadata {
            title: self.optional(metadata.title),
            description: self.optional(metadata.description),
            tags: metadata.tags.into_iter().map(|tag| self.string(&tag)).collect(),
            language: self.optional(metadata.language),
            author: self.optional(metadata.author),
            knowledge: metadata.knowledge.map(|pointer| KnowledgePointer {
                source_id: self.string(&pointer.source_id),
                content_hash: self.string(&pointer.content_hash),
                ..pointer
            }),
            custom: self.fields(metadata.custom),
            ..metadata
        }
    }

    fn fields(&mut self, fields: Map<String, Value>) -> Map<String, Value> {
        fields
            .into_iter()
            .map(|(name, value)| (self.string(&name), self.field(&name, value)))
            .collect()
    }

    /// Cleans a value together with its name, which may be what makes it a secret.
    fn field(&mut self, name: &str, value: Value) -> Value {
        let Value::String(text) = &value else { return self.value(value) };
        let named = redact(&format!("{name}: {text}"), self.replacement, LEAST);
        let alone = || redact(text, self.replacement, LEAST);
        if named.redactions.is_empty() || !alone().redactions.is_empty() {
            return self.value(value);
        }
        self.redactions.extend(named.redactions);
        Value::String(self.replacement.to_owned())
    }

    fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.string(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => Value::Object(self.fields(fields)),
            other => other,
        }
    }

    fn source(&mut self, mut source: Source) -> Source {
        source.message = self.optional(source.message);
        source.tool = self.optional(source.tool);
        source.reference = self.optional(source.reference);
        source.role = self.optional(source.role);
        source
    }

    fn triple(&mut self, triple: &Triple) -> Triple {
        Triple {
            fact_type: self.string(&triple.fact_type),
            subject: self.string(&triple.subject),
            predicate: self.string(&triple.predicate),
            object: self.string(&triple.object),
        }
    }
}
