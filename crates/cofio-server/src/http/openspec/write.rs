//! What is sent to be kept or changed, and what is said of it afterwards.

use cofio::model::{
    AccessPolicy, Draft, Kind, Lifetime, Memory, MemoryId, Patch, Source, State, Triple, Trust,
};
use cofio::{Error, ErrorKind, Result, wire};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::entry::{Claim, Entry};
use super::layer::Target;
use super::source::SourceInput;
use crate::http::rest::{Names, OnPossibleSecret, doubt, of_statement};
use crate::http::visit::{Visit, version_of};

/// Something to keep, or to change.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Write {
    /// The entry.
    pub(super) entry: EntryInput,
    /// How to keep it.
    #[serde(default)]
    pub(super) options: WriteOptions,
    /// Who has to agree.
    #[serde(default)]
    pub(super) governance: Governance,
}

/// An entry as it is sent; what an answer says of an entry may be sent back as it is.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EntryInput {
    /// Which entry, in a batch.
    pub(super) id: Option<String>,
    /// The text; a statement without one is its own text.
    content: Option<String>,
    /// Not used: vectors of two models cannot be compared, so all are made here.
    embedding: Option<Vec<f64>>,
    /// What is known about it: title, description, tags, language, author, confidence, importance,
    /// relevance, custom; any other name is a custom field. In a change, null removes a field.
    metadata: Map<String, Value>,
    /// Where it comes from; in a change, without it the entry keeps its source, and so its trust.
    source: Option<SourceInput>,
    /// How widely it is meant to be seen: private, restricted, shared, organization or public.
    access_policy: Option<String>,
    /// Whose it is, unless the options say so; stays as it is in a change.
    layer: Option<String>,
    /// The names that the layer needs, unless the options say so; they stay in a change.
    identifiers: Names,
    /// What it is: fact (the default), episode, context, working, procedure or reflection; stays as
    /// it is in a change.
    kind: Option<String>,
    /// A statement, which is a procedure; stays as it is in a change.
    fact: Option<Claim>,
    /// When it happened; stays as it is in a change.
    event_at: Option<String>,
    /// When it ends; when its kind does, if nothing is said. Stays as it is in a change.
    expires_at: Option<String>,
    /// The `ETag` that it must still have, in a batch.
    etag: Option<String>,
    /// Not taken over.
    state: Option<Value>,
    /// Not taken over.
    trust: Option<Value>,
    /// Not taken over.
    version: Option<Value>,
    /// Not taken over.
    created_at: Option<Value>,
    /// Not taken over.
    updated_at: Option<Value>,
    /// Not taken over.
    valid_until: Option<Value>,
    /// Not taken over.
    embedding_model: Option<Value>,
}

/// How to keep an entry.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WriteOptions {
    /// Makes no difference: a vector follows soon where there is an embedder, and none otherwise.
    generate_embedding: Option<bool>,
    /// How widely it is meant to be seen, before what the entry says.
    access_policy: Option<Policy>,
    /// Makes no difference: earlier versions are always kept.
    version: Option<bool>,
    /// Where to keep it; stays as it is in a change.
    layer: Target,
    /// What becomes of what may be a secret: ask (the default: nothing is kept), keep or redact.
    on_possible_secret: Option<OnPossibleSecret>,
}

/// How widely an entry is meant to be seen.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Policy {
    /// By its name.
    Named(String),
    /// With those who are meant, who are not kept.
    With {
        /// Its name.
        policy: String,
        /// Not kept.
        approved_users: Option<Vec<String>>,
        /// Not kept.
        allowed_teams: Option<Vec<String>>,
    },
}

/// Who has to agree.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Governance {
    /// Keeps a new fact or procedure aside until somebody approves it.
    require_approval: bool,
    /// The same.
    verification_required: bool,
    /// Makes no difference: everything is on record.
    audit_log: Option<bool>,
}

/// What became of an entry.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Written {
    entry: Entry,
    status: Status,
    /// What it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_required: Option<Approval>,
    /// Whether it was there already.
    existing: bool,
    /// What was sent and made no difference.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<&'static str>,
}

/// What was done with an entry.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    /// It is kept.
    Created,
    /// It was changed.
    Updated,
    /// It is kept aside until somebody approves it.
    PendingApproval,
}

/// What an entry waits for.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Approval {
    /// What to approve or to reject: the id of the entry.
    request_id: String,
    /// Who asked for it to be kept.
    requested_by: String,
    requested_at: String,
}

impl Write {
    /// Makes the draft of a new entry, and names what made no difference.
    pub(super) fn draft(self, visit: &Visit) -> Result<(Draft, Vec<&'static str>)> {
        let ignored = [self.entry.ignored(), self.options.ignored(), self.governance.ignored()];
        let Self { entry, options, governance } = self;
        let target = options.layer.or(entry.layer.as_deref(), &entry.identifiers);
        let (scope, place_kind) = target.place(visit)?;
        let triple = entry.fact.map(Claim::triple);
        let kind = same(place_kind, entry.kind.map(|kind| kind.parse()).transpose()?)?;
        let kind = of_statement(kind, triple.is_some())?;
        let content = entry.content.or_else(|| triple.as_ref().map(Triple::sentence));
        let content = content.ok_or_else(|| Error::invalid("entry.content is missing"))?;
        let (origin, custom) = entry.source.unwrap_or_default().split();
        let mut source = origin.source(&content)?;
        if governance.wants_approval() {
            source = waiting(kind, source)?;
        }
        let mut metadata = wire::metadata(entry.metadata)?;
        metadata.custom.extend(custom);
        let policy = policy(options.access_policy, entry.access_policy)?;
        let expires_at = entry.expires_at.as_deref().map(wire::moment).transpose()?;
        let draft = Draft {
            metadata,
            access_policy: policy.unwrap_or_default(),
            event_at: entry.event_at.as_deref().map(wire::moment).transpose()?,
            lifetime: expires_at.map_or(Lifetime::ByKind, Lifetime::Until),
            triple,
            doubt: doubt(options.on_possible_secret),
            ..Draft::new(scope, kind, content, source)
        };
        Ok((draft, ignored.concat()))
    }

    /// Makes the patch of an entry that is there, and names what made no difference.
    pub(super) fn patch(self, expected: Option<u64>) -> Result<(Patch, Vec<&'static str>)> {
        if self.governance.wants_approval() {
            return Err(unsupported("a change cannot wait for approval; a new entry can"));
        }
        let kept = self.entry.kept_in_a_change();
        let ignored = [self.entry.ignored(), self.options.ignored(), self.governance.ignored()];
        let Self { entry, options, .. } = self;
        let named = entry.etag.as_deref().map(version_of).transpose()?.flatten();
        if let (Some(named), Some(expected)) = (named, expected)
            && named != expected
        {
            return Err(Error::invalid("If-Match and the etag of the entry name two versions"));
        }
        let expected = named.or(expected);
        let mut metadata = wire::metadata_patch(entry.metadata)?;
        let text = entry.content.as_deref().unwrap_or_default();
        let source = match entry.source.map(SourceInput::split) {
            Some((origin, custom)) => {
                metadata.custom.extend(custom);
                Some(origin.source(text)?)
            }
            None => None,
        };
        let patch = Patch {
            source,
            metadata,
            access_policy: policy(options.access_policy, entry.access_policy)?,
            doubt: doubt(options.on_possible_secret),
            expected_version: expected,
            content: entry.content,
            ..Patch::default()
        };
        Ok((patch, [kept, ignored.concat()].concat()))
    }

    /// Returns which entry is meant.
    pub(super) fn id(&self) -> Option<&str> {
        self.entry.id.as_deref()
    }
}

impl EntryInput {
    /// Names what was sent and is never taken over.
    fn ignored(&self) -> Vec<&'static str> {
        let own = [
            ("entry.embedding", self.embedding.is_some()),
            ("entry.state", self.state.is_some()),
            ("entry.trust", self.trust.is_some()),
            ("entry.version", self.version.is_some()),
            ("entry.created_at", self.created_at.is_some()),
            ("entry.updated_at", self.updated_at.is_some()),
            ("entry.valid_until", self.valid_until.is_some()),
            ("entry.embedding_model", self.embedding_model.is_some()),
        ];
        named(&own)
    }

    /// Names what was sent and stays as it is in a change.
    fn kept_in_a_change(&self) -> Vec<&'static str> {
        named(&[
            ("entry.layer", self.layer.is_some()),
            ("entry.identifiers", self.identifiers.iter().next().is_some()),
            ("entry.kind", self.kind.is_some()),
            ("entry.fact", self.fact.is_some()),
            ("entry.event_at", self.event_at.is_some()),
            ("entry.expires_at", self.expires_at.is_some()),
        ])
    }
}

impl WriteOptions {
    fn ignored(&self) -> Vec<&'static str> {
        let (users, teams) = match &self.access_policy {
            Some(Policy::With { approved_users, allowed_teams, .. }) => {
                (approved_users.is_some(), allowed_teams.is_some())
            }
            _ => (false, false),
        };
        named(&[
            ("options.generate_embedding", self.generate_embedding == Some(false)),
            ("options.version", self.version == Some(false)),
            ("options.access_policy.approved_users", users),
            ("options.access_policy.allowed_teams", teams),
        ])
    }
}

impl Governance {
    fn wants_approval(&self) -> bool {
        self.require_approval || self.verification_required
    }

    fn ignored(&self) -> Vec<&'static str> {
        named(&[("governance.audit_log", self.audit_log == Some(false))])
    }
}

impl Written {
    /// Says what became of an entry.
    pub(super) fn new(
        visit: &Visit,
        memory: &Memory,
        done: Status,
        existing: bool,
        ignored: Vec<&'static str>,
    ) -> Self {
        let waits = memory.state == State::Pending;
        Self {
            entry: Entry::from(memory),
            status: if waits { Status::PendingApproval } else { done },
            approval_required: waits.then(|| Approval {
                request_id: memory.id.to_string(),
                requested_by: visit.caller().actor().to_string(),
                requested_at: memory.updated_at.to_string(),
            }),
            existing,
            ignored,
        }
    }
}

/// Makes the error for what the protocol knows and this provider does not do.
pub(super) fn unsupported(message: &str) -> Error {
    Error::new(ErrorKind::Unsupported, message)
}

/// Reads which memory is meant.
pub(super) fn memory_id(id: Option<&str>) -> Result<MemoryId> {
    id.ok_or_else(|| Error::invalid("the id of the entry is missing"))?.parse()
}

/// Returns a source of which nothing is used before somebody has approved it.
fn waiting(kind: Kind, source: Source) -> Result<Source> {
    if kind.needs_confirmation() {
        return Ok(source.trusted_at_most(Trust::Medium));
    }
    Err(unsupported("only facts and procedures can wait for approval"))
}

fn policy(option: Option<Policy>, own: Option<String>) -> Result<Option<AccessPolicy>> {
    let option = option.map(|policy| match policy {
        Policy::Named(policy) | Policy::With { policy, .. } => policy,
    });
    option.or(own).map(|policy| policy.parse()).transpose()
}

/// Returns the kind that was said in one of two places.
fn same(one: Option<Kind>, other: Option<Kind>) -> Result<Option<Kind>> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => {
            Err(Error::invalid(format!("an entry is of one kind, not {one} and {other}")))
        }
        _ => Ok(one.or(other)),
    }
}

fn named(all: &[(&'static str, bool)]) -> Vec<&'static str> {
    all.iter().filter(|(_, sent)| *sent).map(|(name, _)| *name).collect()
}
