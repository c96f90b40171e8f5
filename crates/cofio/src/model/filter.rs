use serde_json::{Map, Value};

use super::names::names;
use super::{
    AccessPolicy, Identifier, Kind, Memory, Scope, SourceType, State, Timestamp, Triple, Trust,
};
use crate::text::fold;

/// Which memories are meant: those in one of the scopes that meet every criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Whose they are; none means no memory at all.
    pub scopes: Vec<Scope>,
    /// The moment by which expiry is judged.
    pub now: Timestamp,
    /// What else must hold.
    pub criteria: Criteria,
}

impl Filter {
    /// Means every active memory in the scopes.
    pub fn new(scopes: Vec<Scope>, now: Timestamp) -> Self {
        Self { scopes, now, criteria: Criteria::default() }
    }

    /// Returns a memory as it is meant, if it is: as it is now, or was at an earlier moment.
    ///
    /// `earlier` are the versions before the current one, the oldest first; only those that count
    /// at the moment are needed.
    pub fn meant<'a>(&self, current: &'a Memory, earlier: &'a [Memory]) -> Option<&'a Memory> {
        let version = self.version(current, earlier)?;
        // What has ended since is as good as forgotten, whenever it is swept.
        (!current.expired(self.now) && self.admits(version)).then_some(version)
    }

    /// Returns the version of a memory that counts, if there was one at the moment in question.
    pub fn version<'a>(&self, current: &'a Memory, earlier: &'a [Memory]) -> Option<&'a Memory> {
        let mut latest_first = earlier.iter().chain([current]).rev();
        let counts = |version: &&Memory| {
            self.criteria.as_of.is_none_or(|moment| version.written_at() <= moment)
        };
        latest_first.find(counts)
    }

    /// Returns whether a version is meant, if it is the one that counts.
    pub fn admits(&self, version: &Memory) -> bool {
        self.objections(version).next().is_none()
    }

    /// Returns everything for which a version is not meant, if it is the one that counts.
    pub fn objections(&self, version: &Memory) -> impl Iterator<Item = Objection> {
        let outside = (!self.scopes.contains(&version.scope)).then_some(Objection::Scope);
        let moment = self.criteria.as_of.unwrap_or(self.now);
        let ended = version.expired(moment).then_some(Objection::Expiry);
        outside.into_iter().chain(ended).chain(self.criteria.objections(version))
    }
}

/// Why a memory is not meant by a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Objection {
    /// It is in another scope.
    Scope,
    /// It has ended by itself.
    Expiry,
    /// It is at another point of its life.
    State,
    /// It is something else.
    Kind,
    /// It has none of the labels.
    Tags,
    /// Another kind of event produced it.
    SourceType,
    /// It stands for a document, or for none.
    KnowledgePointer,
    /// A custom field is missing or has another value.
    Custom,
    /// It happened at another time.
    Time,
    /// It was learnt earlier or later.
    Learnt,
    /// Somebody else wrote or said it.
    Author,
    /// It is meant to be seen by others.
    AccessPolicy,
    /// It is to be trusted less.
    Trust,
    /// It comes from the conversation that is left out.
    Session,
    /// It says something else.
    Triple,
    /// It is kept under another key.
    Key,
    /// It comes from somewhere else.
    Origin,
    /// It was learnt after the moment whose knowledge counts.
    NotKnown,
    /// It did not hold at the moment in question.
    NotTrue,
}

names!(Objection, "objection", Invalid, {
    Scope => "scope",
    Expiry => "expiry",
    State => "state",
    Kind => "kind",
    Tags => "tags",
    SourceType => "source-type",
    KnowledgePointer => "knowledge-pointer",
    Custom => "custom",
    Time => "time",
    Learnt => "learnt",
    Author => "author",
    AccessPolicy => "access-policy",
    Trust => "trust",
    Session => "session",
    Triple => "triple",
    Key => "key",
    Origin => "origin",
    NotKnown => "not-known",
    NotTrue => "not-true",
});

impl Objection {
    /// Says it in words.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Scope => "it is in a scope that was not searched",
            Self::Expiry => "it has ended by itself",
            Self::State => "it is no longer active",
            Self::Kind => "it is of another kind",
            Self::Tags => "it has none of the tags",
            Self::SourceType => "another type of source produced it",
            Self::KnowledgePointer => "whether it stands for a document was asked for",
            Self::Custom => "a custom field is missing or has another value",
            Self::Time => "it happened at another time",
            Self::Learnt => "it was learnt at another time than was asked for",
            Self::Author => "somebody else wrote or said it",
            Self::AccessPolicy => "it is meant to be seen more or less widely",
            Self::Trust => "it is trusted less than was asked for",
            Self::Session => "it comes from the conversation that was left out",
            Self::Triple => "it states something else",
            Self::Key => "it is kept under another key",
            Self::Origin => "it comes from somewhere else",
            Self::NotKnown => "it was not known yet at that moment",
            Self::NotTrue => "it did not hold at that moment",
        }
    }
}

/// What must hold of a memory, whosever it is; by default that it is active.
#[derive(Debug, Clone, PartialEq)]
pub struct Criteria {
    /// What it is; none means any kind.
    pub kinds: Vec<Kind>,
    /// Where it is in its life.
    pub states: Vec<State>,
    /// Labels of which it has at least one; none means any.
    pub tags: Vec<String>,
    /// What kind of event produced it.
    pub source_type: Option<SourceType>,
    /// Whether it stands for a document.
    pub has_knowledge_pointer: Option<bool>,
    /// Custom fields and the values they have.
    pub custom: Map<String, Value>,
    /// When it happened.
    pub time: TimeRange,
    /// The first moment at which it was learnt.
    pub learnt_from: Option<Timestamp>,
    /// The last moment at which it was learnt.
    pub learnt_by: Option<Timestamp>,
    /// Who wrote or said it.
    pub author: Option<String>,
    /// How widely it is meant to be seen.
    pub access_policy: Option<AccessPolicy>,
    /// The least it is to be trusted.
    pub minimum_trust: Trust,
    /// The conversation it does not come from.
    pub excluded_session: Option<Identifier>,
    /// The parts of a statement.
    pub triple: TriplePattern,
    /// The key it is kept under.
    pub key: Option<String>,
    /// What the key it is kept under begins with.
    pub key_prefix: Option<String>,
    /// The page, file, call, conversation or tool it comes from.
    pub origin: Option<String>,
    /// The moment whose knowledge counts: every memory is taken as it was then, and what was learnt
    /// later is not meant.
    pub as_of: Option<Timestamp>,
    /// The moment at which it was true, as far as is known.
    ///
    /// What was replaced since is meant like what is active.
    pub valid_at: Option<Timestamp>,
}

impl Default for Criteria {
    fn default() -> Self {
        Self {
            kinds: Vec::new(),
            states: vec![State::Active],
            tags: Vec::new(),
            source_type: None,
            has_knowledge_pointer: None,
            custom: Map::new(),
            time: TimeRange::default(),
            learnt_from: None,
            learnt_by: None,
            author: None,
            access_policy: None,
            minimum_trust: Trust::Low,
            excluded_session: None,
            triple: TriplePattern::default(),
            key: None,
            key_prefix: None,
            origin: None,
            as_of: None,
            valid_at: None,
        }
    }
}

impl Criteria {
    /// Returns where memories that are meant are in their life.
    pub fn states_meant(&self) -> impl Iterator<Item = State> {
        let looks_back = self.valid_at.is_some() && self.states.contains(&State::Active);
        self.states.iter().copied().chain(looks_back.then_some(State::Superseded))
    }

    fn objections(&self, memory: &Memory) -> impl Iterator<Item = Objection> {
        let (metadata, source) = (&memory.metadata, &memory.source);
        let tagged =
            self.tags.is_empty() || self.tags.iter().any(|tag| metadata.tags.contains(tag));
        let pointer = metadata.knowledge.is_some();
        let mut custom = self.custom.iter();
        let begins = |prefix| memory.key.as_ref().is_some_and(|key| key.starts_with(prefix));
        let prefixed = self.key_prefix.as_deref().is_none_or(begins);
        let same_session = self
            .excluded_session
            .as_ref()
            .is_some_and(|session| memory.conversation() == Some(session.as_str()));
        [
            (self.states_meant().any(|state| state == memory.state), Objection::State),
            (self.kinds.is_empty() || self.kinds.contains(&memory.kind), Objection::Kind),
            (tagged, Objection::Tags),
            (
                self.source_type.is_none_or(|wanted| wanted == source.source_type),
                Objection::SourceType,
            ),
            (
                self.has_knowledge_pointer.is_none_or(|wanted| wanted == pointer),
                Objection::KnowledgePointer,
            ),
            (
                custom.all(|(name, value)| metadata.custom.get(name) == Some(value)),
                Objection::Custom,
            ),
            (self.time.contains(memory.event_at), Objection::Time),
            (self.learnt_from.is_none_or(|from| from <= memory.created_at), Objection::Learnt),
            (self.learnt_by.is_none_or(|by| memory.created_at <= by), Objection::Learnt),
            (self.author.is_none() || self.author == metadata.author, Objection::Author),
            (
                self.access_policy.is_none_or(|wanted| wanted == memory.access_policy),
                Objection::AccessPolicy,
            ),
            (source.trust() >= self.minimum_trust, Objection::Trust),
            (!same_session, Objection::Session),
            (self.triple.matches(memory.triple.as_ref()), Objection::Triple),
            (self.key.is_none() || self.key == memory.key, Objection::Key),
            (prefixed, Objection::Key),
            (self.origin.as_deref().is_none_or(|from| source.is_from(from)), Objection::Origin),
            (self.as_of.is_none_or(|moment| memory.created_at <= moment), Objection::NotKnown),
            (self.valid_at.is_none_or(|moment| memory.held_at(moment)), Objection::NotTrue),
        ]
        .into_iter()
        .filter_map(|(met, objection)| (!met).then_some(objection))
    }
}

/// A span of time, both ends included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeRange {
    /// Not before.
    pub from: Option<Timestamp>,
    /// Not after.
    pub to: Option<Timestamp>,
}

impl TimeRange {
    /// Returns whether a moment is in the span.
    pub fn contains(self, at: Timestamp) -> bool {
        self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at <= to)
    }
}

/// The parts of a statement that are known; all parts unknown means any memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TriplePattern {
    /// What kind of statement.
    pub fact_type: Option<String>,
    /// What it is about.
    pub subject: Option<String>,
    /// What is said of it.
    pub predicate: Option<String>,
    /// With respect to what.
    pub object: Option<String>,
}

impl TriplePattern {
    fn matches(&self, triple: Option<&Triple>) -> bool {
        let same = |wanted: &Option<String>, part: fn(&Triple) -> &String| {
            wanted.as_ref().is_none_or(|wanted| {
                triple.is_some_and(|triple| fold(wanted) == fold(part(triple)))
            })
        };
        same(&self.fact_type, |triple| &triple.fact_type)
            && same(&self.subject, |triple| &triple.subject)
            && same(&self.predicate, |triple| &triple.predicate)
            && same(&self.object, |triple| &triple.object)
    }
}
