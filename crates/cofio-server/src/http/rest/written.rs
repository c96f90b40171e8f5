use cofio::model::{Doubt, Draft, Kind, Lifetime, MemoryId, Triple};
use cofio::{Error, Result, wire};
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Names, Origin};
use crate::http::visit::Visit;

/// Something to remember.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewMemory {
    /// The text; a statement without one is its own text.
    pub(crate) content: Option<String>,
    /// Whose it is: agent, user, session, project, team, org or company.
    pub(crate) layer: String,
    /// The names that the layer needs, as far as the key is not bound to them.
    #[serde(default)]
    pub(crate) identifiers: Names,
    /// What it is: fact (the default), episode, context, working, procedure or reflection.
    pub(crate) kind: Option<String>,
    /// What is known about it: title, description, tags, language, author, confidence, importance,
    /// relevance, knowledgePointer; any other name is a custom field.
    #[serde(default)]
    pub(crate) metadata: Map<String, Value>,
    /// Where it comes from.
    #[serde(default)]
    pub(crate) source: Origin,
    /// How widely it is meant to be seen: private, restricted, shared, organization or public.
    pub(crate) access_policy: Option<String>,
    /// When it happened; now, if nothing is said.
    pub(crate) event_at: Option<String>,
    /// When it ends; when its kind does, if nothing is said.
    pub(crate) expires_at: Option<String>,
    /// In how many seconds it ends.
    pub(crate) ttl_seconds: Option<u32>,
    /// A statement, which is a procedure.
    pub(crate) fact: Option<Statement>,
    /// The key to keep it under: at most one memory of its kind and scope has it.
    pub(crate) context_key: Option<String>,
    /// The memories it was concluded from; it is trusted no further than any of them.
    #[serde(default)]
    pub(crate) derived_from: Vec<String>,
    /// What becomes of what may be a secret: ask (the default: nothing is kept), keep or redact.
    pub(crate) on_possible_secret: Option<OnPossibleSecret>,
}

/// A statement in three parts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Statement {
    /// What kind of statement.
    fact_type: String,
    /// What it is about.
    subject: String,
    /// What is said of it.
    predicate: String,
    /// With respect to what.
    object: String,
}

/// What becomes of what may be a secret and may be something harmless.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnPossibleSecret {
    /// Nothing is kept, and the answer says so.
    Ask,
    /// It is kept.
    Keep,
    /// It is taken out.
    Redact,
}

impl NewMemory {
    /// Makes the draft.
    pub(crate) fn draft(self, visit: &Visit) -> Result<Draft> {
        let scope = visit.scope(&self.layer, &self.identifiers)?;
        let triple = self.fact.map(Triple::from);
        let kind = self.kind.map(|kind| kind.parse()).transpose()?;
        let content = self.content.or_else(|| triple.as_ref().map(Triple::sentence));
        let content = content.ok_or_else(|| Error::invalid("content is missing"))?;
        let source = self.source.source(&content)?;
        let policy = self.access_policy.map(|policy| policy.parse()).transpose()?;
        let derived_from = self.derived_from.iter().map(|id| id.parse::<MemoryId>());
        let kind = of_statement(kind, triple.is_some())?;
        Ok(Draft {
            metadata: wire::metadata(self.metadata)?,
            access_policy: policy.unwrap_or_default(),
            event_at: self.event_at.as_deref().map(wire::moment).transpose()?,
            lifetime: lifetime(self.expires_at.as_deref(), self.ttl_seconds)?.unwrap_or_default(),
            triple,
            key: self.context_key,
            derived_from: derived_from.collect::<Result<_>>()?,
            doubt: doubt(self.on_possible_secret),
            ..Draft::new(scope, kind, content, source)
        })
    }
}

/// Returns what becomes of what may be a secret.
pub(crate) fn doubt(said: Option<OnPossibleSecret>) -> Doubt {
    match said {
        None | Some(OnPossibleSecret::Ask) => Doubt::Ask,
        Some(OnPossibleSecret::Keep) => Doubt::Keep,
        Some(OnPossibleSecret::Redact) => Doubt::Redact,
    }
}

/// Returns how long a memory lives, if anything is said of it.
pub(crate) fn lifetime(until: Option<&str>, seconds: Option<u32>) -> Result<Option<Lifetime>> {
    match (until, seconds) {
        (Some(_), Some(_)) => Err(Error::invalid("give expiresAt or ttlSeconds, not both")),
        (Some("by-kind"), None) => Ok(Some(Lifetime::ByKind)),
        (Some(until), None) => Ok(Some(Lifetime::Until(wire::moment(until)?))),
        (None, Some(seconds)) => Ok(Some(Lifetime::For(SignedDuration::from_secs(seconds.into())))),
        (None, None) => Ok(None),
    }
}

/// Returns the kind: statements are procedures, and procedures are statements.
pub(crate) fn of_statement(kind: Option<Kind>, is_statement: bool) -> Result<Kind> {
    match (kind, is_statement) {
        (None | Some(Kind::Procedure), true) => Ok(Kind::Procedure),
        (Some(kind), true) => {
            Err(Error::invalid(format!("a statement is a procedure, not of kind {kind}")))
        }
        (Some(Kind::Procedure), false) => {
            Err(Error::invalid("a procedure needs a fact with its four parts"))
        }
        (kind, false) => Ok(kind.unwrap_or(Kind::Fact)),
    }
}

impl From<Statement> for Triple {
    fn from(statement: Statement) -> Self {
        let Statement { fact_type, subject, predicate, object } = statement;
        Self { fact_type, subject, predicate, object }
    }
}
