//! From what somebody said to what is kept.

use super::cleaner::Cleaner;
use super::redact::{Level, Redaction, findings, redact};
use super::{identity, instructs, limits};
use crate::config::Config;
use crate::error::{Error, ErrorKind, Result};
use crate::lifecycle::{decay, expiry};
use crate::model::{
    Accesses, CleanText, Doubt, Draft, Embedding, Identifier, Kind, Memory, MemoryId, Patch,
    Provenance, Scope, Source, SourceType, State, Timestamp, Triple, Trust, microseconds,
};
use crate::recognise;

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
    let mut cleaner = Cleaner::new(config, trust, draft.doubt);
    let content = cleaner.content(&draft.content, draft.kind);
    refuse_credentials(draft.kind, draft.triple.as_ref(), cleaner.redactions())?;
    let memory = Memory {
        id,
        scope: draft.scope,
        kind: draft.kind,
        state: first_state(draft.kind, &draft.source),
        instructs: instructs_wrongly(&content, trust),
        metadata: cleaner.metadata(draft.metadata),
        source: cleaner.source(draft.source),
        access_policy: draft.access_policy,
        event_at: microseconds(draft.event_at.unwrap_or(now)),
        created_at: now,
        updated_at: now,
        expires_at,
        valid_until: None,
        decay_rate: decay::rate(draft.kind, draft.triple.as_ref()),
        accesses: Accesses::default(),
        provenance: Provenance { derived_from: draft.derived_from, ..Provenance::default() },
        triple: draft.triple.map(|triple| cleaner.triple(&triple)),
        key: cleaner.key(draft.key),
        entities: recognise::mentions(content.as_str()),
        version: 1,
        embedding: Embedding::Pending,
        content,
    };
    let identity = identity::identity(&memory, draft.event_at);
    Ok(Prepared { memory, identity, redactions: cleaner.finish()? })
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
        let statement = format!("{} {}: {}", triple.subject, triple.predicate, triple.object);
        redact(&statement, "", Level::Probable).redactions
    });
    let mut all = redactions.iter().chain(stated.iter().flatten());
    if kind.needs_confirmation() && all.any(Redaction::is_named_credential) {
        let message = "a password or another credential is not learnt as a fact";
        return Err(Error::new(ErrorKind::Refused, message).with("reason", "credential"));
    }
    Ok(())
}

/// Refuses to let what is trusted less change what a more trusted source said.
pub fn refuse_lower_trust(memory: &Memory, trust: Trust) -> Result<()> {
    if trust < memory.source.trust() {
        let message = format!(
            "what has {trust} trust cannot change what has {} trust",
            memory.source.trust()
        );
        return Err(Error::new(ErrorKind::Refused, message).with("reason", "trust"));
    }
    Ok(())
}

/// Applies a patch to a memory under the same rules.
pub fn revise(memory: &Memory, patch: Patch, config: &Config, now: Timestamp) -> Result<Revised> {
    if let Some(source) = &patch.source {
        refuse_lower_trust(memory, source.trust())?;
    }
    let trust = patch.source.as_ref().map_or(memory.source.trust(), Source::trust);
    let mut cleaner = Cleaner::new(config, trust, patch.doubt);
    let mut revised = memory.clone();
    let mut content_changed = false;
    if let Some(content) = patch.content {
        limits::check_content(&content, &config.limits)?;
        let content = cleaner.content(&content, memory.kind);
        content_changed = content != memory.content;
        refuse_credentials(memory.kind, None, cleaner.redactions())?;
        revised.entities = recognise::mentions(content.as_str());
        revised.content = content;
        if let Some(source) = patch.source.filter(|_| content_changed) {
            limits::check_parts(memory.kind, &source, None, &config.limits)?;
            refuse_secret_names(&memory.scope, &source)?;
            revised.source = cleaner.source(source);
        }
    }
    revised.metadata.apply(patch.metadata);
    if revised.metadata != memory.metadata {
        limits::check_metadata(&revised.metadata, &config.limits)?;
        revised.metadata = cleaner.metadata(revised.metadata);
    }
    revised.access_policy = patch.access_policy.unwrap_or(memory.access_policy);
    if let Some(key) = patch.key {
        limits::check_key(&key)?;
        revised.key = cleaner.key(Some(key));
    }
    if let Some(lifetime) = patch.lifetime {
        revised.expires_at = expiry::expires_at(memory.kind, lifetime, &config.expiry, now)?;
    }
    if content_changed {
        revised.embedding = Embedding::Pending;
        revised.instructs = instructs_wrongly(&revised.content, trust);
        // What a fact states was read from the text that is no longer there.
        revised.triple = revised.triple.filter(|_| memory.kind != Kind::Fact);
        if matches!(memory.state, State::Active | State::Pending) {
            revised.state = first_state(memory.kind, &revised.source);
        }
    }
    revised.version += 1;
    revised.updated_at = now;
    let identity = identity_of(&revised);
    Ok(Revised { memory: revised, identity, redactions: cleaner.finish()?, content_changed })
}

/// Puts a memory that was exported earlier under today's rules.
pub fn readmit(memory: Memory, doubt: Doubt, config: &Config) -> Result<Prepared> {
    let (text, replacement) = (memory.content.as_str(), &config.secret_replacement);
    let named = redact(text, replacement, Level::Probable).redactions;
    refuse_credentials(memory.kind, memory.triple.as_ref(), &named)?;
    readmit_version(memory, doubt, config)
}

/// Puts an earlier version of such a memory under today's rules, by which nothing is learnt.
pub fn readmit_version(memory: Memory, doubt: Doubt, config: &Config) -> Result<Prepared> {
    limits::check_content(memory.content.as_str(), &config.limits)?;
    limits::check_metadata(&memory.metadata, &config.limits)?;
    limits::check_parts(memory.kind, &memory.source, memory.triple.as_ref(), &config.limits)?;
    let parents = &memory.provenance.derived_from;
    limits::check_links(parents, memory.key.as_deref(), &config.limits)?;
    refuse_secret_names(&memory.scope, &memory.source)?;
    let trust = memory.source.trust();
    let mut cleaner = Cleaner::new(config, trust, doubt);
    let content = cleaner.content(memory.content.as_str(), memory.kind);
    let state = match memory.state {
        State::Active => first_state(memory.kind, &memory.source),
        other => other,
    };
    let memory = Memory {
        state,
        instructs: instructs_wrongly(&content, trust),
        metadata: cleaner.metadata(memory.metadata),
        source: cleaner.source(memory.source),
        triple: memory.triple.map(|triple| cleaner.triple(&triple)),
        key: cleaner.key(memory.key),
        entities: recognise::mentions(content.as_str()),
        embedding: Embedding::Pending,
        content,
        ..memory
    };
    let identity = identity_of(&memory);
    Ok(Prepared { memory, identity, redactions: cleaner.finish()? })
}

/// Returns what a memory that is kept has in common with its duplicates.
pub fn identity_of(memory: &Memory) -> Option<[u8; 32]> {
    identity::identity(memory, told_time(memory))
}

/// Returns when something happened, if somebody said so when it was remembered.
pub(super) fn told_time(memory: &Memory) -> Option<Timestamp> {
    (memory.event_at != memory.created_at).then_some(memory.event_at)
}

/// Refuses identifiers that are secrets: they cannot be redacted without becoming another's.
fn refuse_secret_names(scope: &Scope, source: &Source) -> Result<()> {
    let names = scope.identifiers().iter().map(|(_, name)| name).chain(&source.session);
    names.into_iter().try_for_each(refuse_secret_name)
}

/// Refuses an identifier that is a secret.
pub(super) fn refuse_secret_name(name: &Identifier) -> Result<()> {
    if findings(name.as_str()).iter().any(|finding| finding.level >= Level::Probable) {
        return Err(Error::invalid("an identifier looks like a secret"));
    }
    Ok(())
}
