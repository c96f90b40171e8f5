//! What cases are made of: fixed times, names, scopes, memories and changes.

use jiff::SignedDuration;

use crate::model::{
    Access, AccessPolicy, Accesses, AuditAction, AuditEvent, Caller, Change, Channel, CleanText,
    Commit, Cues, Embedding, EntityType, Filter, Fingerprint, Identifier, Identifiers, Kind, Layer,
    Memory, MemoryId, Mention, Metadata, PassageHash, PassageVector, Provenance, Scope, Source,
    State, Timestamp, Vectors,
};
use crate::store::{Order, Page};
use crate::text;

/// Returns the time so many seconds after the fixed start of 2060.
///
/// That is later than any clock: a shelf that lets go of what has ended by its own time keeps
/// everything, and the store alone decides.
pub(crate) fn moment(seconds: i64) -> Timestamp {
    let start = Timestamp::from_second(2_840_140_800).expect("2060 is a year");
    start + SignedDuration::from_secs(seconds)
}

/// Returns the moment at which cases look, after everything they keep.
pub(super) fn now() -> Timestamp {
    moment(1_000_000)
}

pub(crate) fn named(name: &str) -> Identifier {
    Identifier::new(name).expect("cases use valid names")
}

pub(crate) fn user(name: &str) -> Scope {
    Scope::user(named(name))
}

/// Returns the scope of a layer whose every identifier is the same name.
pub(crate) fn layered(layer: Layer, name: &str) -> Scope {
    scope(layer, &[(Layer::User, name), (layer, name)])
}

pub(crate) fn scope(layer: Layer, names: &[(Layer, &str)]) -> Scope {
    let with = |all: Identifiers, (layer, name): &(Layer, &str)| all.with(*layer, named(name));
    let identifiers = names.iter().fold(Identifiers::default(), with);
    Scope::new(layer, &identifiers).expect("cases name what the layer requires")
}

/// Returns the access of a caller who has no more than the identifiers of one scope.
pub(super) fn access_to(scope: &Scope) -> Access {
    Caller::bound(named("tester"), scope.identifiers()).access().clone()
}

/// Returns the access to everything.
pub(super) fn keeper() -> Access {
    Caller::keeper(named("keeper")).access().clone()
}

pub(crate) fn id(number: u64) -> MemoryId {
    format!("fact_{number:032x}").parse().expect("cases use valid ids")
}

pub(super) fn ids(numbers: &[u64]) -> Vec<MemoryId> {
    numbers.iter().copied().map(id).collect()
}

/// Returns the digest that stands for what a memory says.
pub(super) fn digest(byte: u8) -> [u8; 32] {
    [byte; 32]
}

pub(crate) fn content(text: &str) -> CleanText {
    CleanText::redacted(text.to_owned())
}

/// Returns a fact that was learnt, and happened, so many seconds into 2060 as its number says.
pub(super) fn memory(scope: &Scope, number: u64, text: &str) -> Memory {
    let at = moment(i64::try_from(number).expect("cases use small numbers"));
    Memory {
        id: id(number),
        scope: scope.clone(),
        kind: Kind::Fact,
        instructs: false,
        state: State::Active,
        content: content(text),
        metadata: Metadata::default(),
        source: Source::through(Channel::OwnerMessage),
        access_policy: AccessPolicy::default(),
        event_at: at,
        created_at: at,
        updated_at: at,
        expires_at: None,
        valid_until: None,
        decay_rate: 0.0,
        accesses: Accesses::default(),
        provenance: Provenance::default(),
        triple: None,
        key: None,
        entities: Vec::new(),
        version: 1,
        embedding: Embedding::Pending,
    }
}

/// Returns a memory that the word and the entity `canary` find.
pub(super) fn canary(scope: &Scope, number: u64) -> Memory {
    let entities = vec![mention("Canary", "canary")];
    Memory { entities, ..memory(scope, number, "the canary sings") }
}

/// Returns the cues that find every canary, by words and by name.
pub(super) fn canary_cues() -> Cues {
    Cues { names: vec![text::fold("canary")], ..words("canary") }
}

/// Returns the cues of a question, without names.
pub(super) fn words(question: &str) -> Cues {
    Cues { words: text::query_words(question), ..Cues::default() }
}

/// Returns the cues of some names, without words.
pub(super) fn names(names: &[&str]) -> Cues {
    Cues { names: names.iter().map(|name| text::fold(name)).collect(), ..Cues::default() }
}

pub(super) fn mention(name: &str, alias: &str) -> Mention {
    let (name, alias) = (name.to_owned(), alias.to_owned());
    Mention { name, entity_type: EntityType::Person, alias }
}

/// Returns the next version of a memory, with another text.
pub(super) fn next(memory: &Memory, text: &str) -> Memory {
    let content = content(text);
    let updated_at = memory.updated_at + SignedDuration::from_secs(1);
    Memory { content, updated_at, version: memory.version + 1, ..memory.clone() }
}

pub(super) fn create(memory: &Memory) -> Change {
    create_with(memory, None, Vec::new())
}

pub(super) fn create_as(memory: &Memory, identity: [u8; 32]) -> Change {
    create_with(memory, Some(identity), Vec::new())
}

/// Makes a memory that was kept elsewhere before.
pub(super) fn create_with(
    memory: &Memory,
    identity: Option<[u8; 32]>,
    history: Vec<Memory>,
) -> Change {
    Change::Create { memory: Box::new(memory.clone()), identity, history }
}

pub(super) fn update(memory: &Memory) -> Change {
    Change::Update { memory: Box::new(memory.clone()), identity: None }
}

pub(super) fn update_as(memory: &Memory, identity: [u8; 32]) -> Change {
    Change::Update { memory: Box::new(memory.clone()), identity: Some(identity) }
}

pub(super) fn forget(memory: &Memory) -> Change {
    Change::Forget { id: memory.id.clone(), scope: memory.scope.clone(), version: None }
}

pub(super) fn forget_version(memory: &Memory) -> Change {
    let (id, scope) = (memory.id.clone(), memory.scope.clone());
    Change::Forget { id, scope, version: Some(memory.version) }
}

pub(super) fn embed(memory: &Memory) -> Change {
    Change::Embed {
        id: memory.id.clone(),
        version: memory.version,
        fingerprint: fingerprint(),
        vectors: Vectors::Here(vectors(&[&[0.6, 0.8]])),
    }
}

/// How many dimensions the vectors of the cases have.
const DIMENSIONS: usize = 64;

/// Returns the vectors of passages whose texts are as different as the vectors.
///
/// What is not given of a vector is zero.
pub(super) fn vectors(vectors: &[&[f32]]) -> Vec<PassageVector> {
    let hash = |vector: &[f32]| {
        let mut hash = PassageHash::default();
        for (byte, number) in hash.iter_mut().zip(vector.iter().flat_map(|n| n.to_le_bytes())) {
            *byte = number;
        }
        hash
    };
    let whole = |vector: &[f32]| {
        let zeros = std::iter::repeat(0.0);
        vector.iter().copied().chain(zeros).take(DIMENSIONS).collect()
    };
    vectors.iter().map(|v| PassageVector { hash: hash(v), vector: whole(v) }).collect()
}

pub(super) fn fingerprint() -> Fingerprint {
    Fingerprint::new("model-1/2").expect("cases use valid fingerprints")
}

/// Returns a commit of these changes, with one audit event.
pub(super) fn commit(changes: Vec<Change>) -> Commit {
    Commit {
        actor: named("tester"),
        at: now(),
        changes,
        audit: vec![AuditEvent::new(AuditAction::Write)],
        idempotency: None,
        work: None,
    }
}

/// Returns the filter that means every active memory of one scope.
pub(super) fn all_of(scope: &Scope) -> Filter {
    Filter::new(vec![scope.clone()], now())
}

/// Returns the first page of a list, large enough for any case.
pub(super) fn whole(order: Order) -> Page {
    Page { limit: 100_000, order, after: None, counted: true }
}
