//! From what somebody said to what is kept.

use serde_json::{Map, Value};

use super::redact::{Redaction, redact};
use super::{entities, identity, instructs, limits, sanitise};
use crate::config::Config;
use crate::error::{Error, ErrorKind, Result};
use crate::lifecycle::expiry;
use crate::model::{
    Accesses, CleanText, Draft, Embedding, Kind, KnowledgePointer, Memory, MemoryId, Metadata,
    Patch, Provenance, Scope, Source, SourceType, State, Timestamp, Triple, Trust, microseconds,
};

/// How fast facts and procedures fade, per day, if nothing is said.
const DECAY_RATE: f64 = 0.1;

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
    let trust = draft.source.trust();
    let mut redactor = Redactor::new(config, trust);
    let content = redactor.content(&draft.content, draft.kind);
    refuse_credentials(draft.kind, draft.triple.as_ref(), &redactor.redactions)?;
    let memory = Memory {
        id,
        scope: draft.scope,
        kind: draft.kind,
        state: first_state(draft.kind, &draft.source),
        instructs: instructs_wrongly(&content, trust),
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

/// Returns where a memory begins: what is not trusted waits until somebody confirms it.
///
/// Drawing conclusions is for models; what anything else calls a conclusion is one more claim.
fn first_state(kind: Kind, source: &Source) -> State {
    let claimed = kind == Kind::Reflection && source.source_type != SourceType::Inference;
    let waits = kind.needs_confirmation() || claimed;
    if waits && source.trust() < Trust::High { State::Pending } else { State::Active }
}

/// Returns whether a text gives orders that its source may not give.
fn instructs_wrongly(content: &CleanText, trust: Trust) -> bool {
    trust < Trust::High && instructs(content.as_str())
}

/// Refuses to learn a credential as if it were a fact: what is left of it would only mislead.
fn refuse_credentials(kind: Kind, triple: Option<&Triple>, redactions: &[Redaction]) -> Result<()> {
    let stated = triple.map(|triple| {
        redact(&format!("{} {}: {}", triple.subject, triple.predicate, triple.object), "")
            .redactions
    });
    let mut all = redactions.iter().chain(stated.iter().flatten());
    if kind.needs_confirmation() && all.any(Redaction::is_named_credential) {
        let message = "a password or another credential is not learnt as a fact";
        return Err(Error::new(ErrorKind::Refused, message).with("reason", "credential"));
    }
    Ok(())
}

/// Refuses to let a source change what a more trusted one said.
pub fn refuse_lower_trust(memory: &Memory, source: &Source) -> Result<()> {
    if source.trust() < memory.source.trust() {
        let message = format!(
            "what has {} trust cannot change what has {} trust",
            source.trust(),
            memory.source.trust()
        );
        return Err(Error::new(ErrorKind::Refused, message).with("reason", "trust"));
    }
    Ok(())
}

/// Applies a patch to a memory under the same rules.
pub fn revise(memory: &Memory, patch: Patch, config: &Config, now: Timestamp) -> Result<Revised> {
    if let Some(source) = &patch.source {
        refuse_lower_trust(memory, source)?;
    }
    let trust = patch.source.as_ref().map_or(memory.source.trust(), Source::trust);
    let mut redactor = Redactor::new(config, trust);
    let mut revised = memory.clone();
    let mut content_changed = false;
    if let Some(content) = patch.content {
        limits::check_content(&content, &config.limits)?;
        let content = redactor.content(&content, memory.kind);
        content_changed = content != memory.content;
        refuse_credentials(memory.kind, None, &redactor.redactions)?;
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
        revised.instructs = instructs_wrongly(&revised.content, trust);
        if matches!(memory.state, State::Active | State::Pending) {
            revised.state = first_state(memory.kind, &revised.source);
        }
    }
    revised.version += 1;
    revised.updated_at = now;
    let identity = identity_of(&revised);
    Ok(Revised { memory: revised, identity, redactions: redactor.redactions, content_changed })
}

/// Puts a memory that was exported earlier under today's rules.
pub fn readmit(memory: Memory, config: &Config) -> Result<Prepared> {
    let named = redact(memory.content.as_str(), &config.secret_replacement).redactions;
    refuse_credentials(memory.kind, memory.triple.as_ref(), &named)?;
    readmit_version(memory, config)
}

/// Puts an earlier version of such a memory under today's rules, by which nothing is learnt.
pub fn readmit_version(memory: Memory, config: &Config) -> Result<Prepared> {
    limits::check_content(memory.content.as_str(), &config.limits)?;
    limits::check_metadata(&memory.metadata, &config.limits)?;
    limits::check_parts(memory.kind, &memory.source, memory.triple.as_ref(), &config.limits)?;
    let parents = &memory.provenance.derived_from;
    limits::check_links(parents, memory.key.as_deref(), &config.limits)?;
    refuse_secret_names(&memory.scope, &memory.source)?;
    let trust = memory.source.trust();
    let mut redactor = Redactor::new(config, trust);
    let content = redactor.content(memory.content.as_str(), memory.kind);
    let state = match memory.state {
        State::Active => first_state(memory.kind, &memory.source),
        other => other,
    };
    let memory = Memory {
        state,
        instructs: instructs_wrongly(&content, trust),
        metadata: redactor.metadata(memory.metadata),
        source: redactor.source(memory.source),
        triple: memory.triple.map(|triple| redactor.triple(&triple)),
        key: memory.key.map(|key| redactor.string(&key)),
        entities: entities::mentions(content.as_str()),
        embedding: Embedding::Pending,
        content,
        ..memory
    };
    let identity = identity_of(&memory);
    Ok(Prepared { memory, identity, redactions: redactor.redactions })
}

/// Returns what a memory that is kept has in common with its duplicates.
pub fn identity_of(memory: &Memory) -> Option<[u8; 32]> {
    identity::identity(memory, told_time(memory))
}

/// Returns when something happened, if somebody said so when it was remembered.
fn told_time(memory: &Memory) -> Option<Timestamp> {
    (memory.event_at != memory.created_at).then_some(memory.event_at)
}

/// Refuses identifiers that are secrets: they cannot be redacted without becoming another's.
fn refuse_secret_names(scope: &Scope, source: &Source) -> Result<()> {
    let names = scope.identifiers().iter().map(|(_, name)| name).chain(&source.session);
    for name in names {
        if !redact(name.as_str(), "").redactions.is_empty() {
            return Err(Error::invalid("an identifier looks like a secret"));
        }
    }
    Ok(())
}

/// Makes field after field fit to be kept, and remembers which secrets were taken out.
struct Redactor<'a> {
    replacement: &'a str,
    trust: Trust,
    redactions: Vec<Redaction>,
}

impl<'a> Redactor<'a> {
    fn new(config: &'a Config, trust: Trust) -> Self {
        Self { replacement: &config.secret_replacement, trust, redactions: Vec::new() }
    }

    /// Cleans the text of a memory.
    fn content(&mut self, text: &str, kind: Kind) -> CleanText {
        let redacted = redact(text, self.replacement);
        self.redactions.extend(redacted.redactions);
        redacted.text.sanitised(|text| sanitise(text, self.trust, kind))
    }

    /// Cleans any other text, which is never cut.
    fn string(&mut self, text: &str) -> String {
        self.content(text, Kind::Fact).as_str().to_owned()
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
        let named = redact(&format!("{name}: {text}"), self.replacement);
        if named.redactions.is_empty() || !redact(text, self.replacement).redactions.is_empty() {
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
