//! Making every field of a memory fit to be kept.

use serde_json::{Map, Value};

use super::redact::{Level, Redaction, findings, redact};
use super::sanitise;
use crate::config::Config;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{CleanText, Doubt, Kind, KnowledgePointer, Metadata, Source, Triple, Trust};

/// Cleans field after field, and remembers what was found in which.
pub(super) struct Cleaner<'a> {
    config: &'a Config,
    trust: Trust,
    doubt: Doubt,
    redactions: Vec<Redaction>,
    possible: Vec<Redaction>,
}

impl<'a> Cleaner<'a> {
    pub(super) fn new(config: &'a Config, trust: Trust, doubt: Doubt) -> Self {
        Self { config, trust, doubt, redactions: Vec::new(), possible: Vec::new() }
    }

    /// Returns what was taken out.
    ///
    /// Fails if anything may be a secret and nobody was asked, or if secrets are refused.
    pub(super) fn finish(self) -> Result<Vec<Redaction>> {
        if self.config.fail_on_secret && !self.redactions.is_empty() {
            let message = "there is a secret in it, and secrets are refused";
            return Err(
                about(ErrorKind::Refused, message, &self.redactions).with("reason", "secret")
            );
        }
        if self.doubt == Doubt::Ask && !self.possible.is_empty() {
            let message = "there may be a secret in it";
            return Err(about(ErrorKind::ConfirmationRequired, message, &self.possible)
                .with("reason", "possible_secret"));
        }
        Ok(self.redactions)
    }

    /// Returns what was taken out so far.
    pub(super) fn redactions(&self) -> &[Redaction] {
        &self.redactions
    }

    /// Cleans the text of a memory, which is cut if it is too long.
    pub(super) fn content(&mut self, text: &str, kind: Kind) -> CleanText {
        self.clean("content", text, kind)
    }

    fn clean(&mut self, field: &'static str, text: &str, kind: Kind) -> CleanText {
        let least = if self.doubt == Doubt::Redact { Level::Possible } else { Level::Probable };
        let redacted = redact(text, &self.config.secret_replacement, least);
        let here = |found: Redaction| Redaction { field, ..found };
        self.redactions.extend(redacted.redactions.into_iter().map(here));
        self.possible.extend(redacted.possible.into_iter().map(here));
        redacted.text.sanitised(|text| sanitise(text, self.trust, kind))
    }

    fn string(&mut self, field: &'static str, text: &str) -> String {
        self.clean(field, text, Kind::Fact).as_str().to_owned()
    }

    fn optional(&mut self, field: &'static str, text: Option<String>) -> Option<String> {
        text.map(|text| self.string(field, &text))
    }

    /// Cleans a key.
    pub(super) fn key(&mut self, key: Option<String>) -> Option<String> {
        self.optional("key", key)
    }

    /// Cleans what people call a key that programs prove themselves by.
    pub(super) fn key_name(&mut self, name: &str) -> String {
        self.string("name", name)
    }

    /// Cleans everything known about a memory.
    pub(super) fn metadata(&mut self, metadata: Metadata) -> Metadata {
        Metadata {
            title: self.optional("title", metadata.title),
            description: self.optional("description", metadata.description),
            tags: metadata.tags.into_iter().map(|tag| self.string("tags", &tag)).collect(),
            language: self.optional("language", metadata.language),
            author: self.optional("author", metadata.author),
            knowledge: metadata.knowledge.map(|pointer| KnowledgePointer {
                source_id: self.string("knowledge", &pointer.source_id),
                // A hash says that it is one.
                content_hash: self.hash(pointer.content_hash),
                ..pointer
            }),
            custom: self.fields(metadata.custom),
            ..metadata
        }
    }

    /// Cleans what is said to be a hash, in which only what can be nothing else is a secret.
    fn hash(&mut self, hash: String) -> String {
        if findings(&hash).iter().all(|finding| finding.level == Level::Possible) {
            return hash;
        }
        self.string("knowledge", &hash)
    }

    fn fields(&mut self, fields: Map<String, Value>) -> Map<String, Value> {
        fields
            .into_iter()
            .map(|(name, value)| (self.string("custom", &name), self.field(&name, value)))
            .collect()
    }

    /// Cleans a value together with its name, which may be what makes it a secret.
    fn field(&mut self, name: &str, value: Value) -> Value {
        let Value::String(text) = &value else { return self.value(value) };
        let replacement = &self.config.secret_replacement;
        let named = redact(&format!("{name}: {text}"), replacement, Level::Probable).redactions;
        let alone = || redact(text, replacement, Level::Probable).redactions;
        if named.is_empty() || !alone().is_empty() {
            return self.value(value);
        }
        let value = Value::String(replacement.clone());
        self.redactions.extend(named.into_iter().map(|one| Redaction { field: "custom", ..one }));
        value
    }

    fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.string("custom", &text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => Value::Object(self.fields(fields)),
            other => other,
        }
    }

    /// Cleans where a memory came from.
    pub(super) fn source(&mut self, mut source: Source) -> Source {
        source.message = self.optional("source", source.message);
        source.tool = self.optional("source", source.tool);
        source.reference = self.optional("source", source.reference);
        source.role = self.optional("source", source.role);
        source
    }

    /// Cleans the parts of a statement.
    pub(super) fn triple(&mut self, triple: &Triple) -> Triple {
        Triple {
            fact_type: self.string("statement", &triple.fact_type),
            subject: self.string("statement", &triple.subject),
            predicate: self.string("statement", &triple.predicate),
            object: self.string("statement", &triple.object),
        }
    }
}

/// Makes an error that says what was found in which field, never its value.
fn about(kind: ErrorKind, message: &str, found: &[Redaction]) -> Error {
    let mut places: Vec<String> =
        found.iter().map(|one| format!("{} in {}", one.class, one.field)).collect();
    places.sort();
    places.dedup();
    Error::new(kind, format!("{message} ({})", places.join(", "))).with("found", places)
}
