//! Texts of memories in PostgreSQL that stand on a shelf.

use std::collections::HashMap;
use std::sync::Arc;

use cofio::engine::Assignment;
use cofio::model::{
    AuditEvent, Change, Channel, Commit, Draft, Fingerprint, Identifier, JobState, Kind, Lifetime,
    Memory, MemoryId, Metadata, PassageVector, Patch, Scope, Source, Task, Timestamp, Unshelved,
    Vectors,
};
use cofio::shelf::{MemoryShelf, Shelf as _};
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::Store;
use cofio::{Config, Engine};
use cofio_adapters::postgres::PostgresStore;
use jiff::SignedDuration;
use pollster::block_on;
use serde_json::json;

use super::place::Place;
use super::world::{engine, keeper, remember, search};

fn named(name: &str) -> Identifier {
    Identifier::new(name).unwrap()
}

fn forgetting(ids: &[MemoryId]) -> Commit {
    let forget = |id: &MemoryId| Change::Forget {
        id: id.clone(),
        scope: Scope::user(named("alice")),
        version: None,
    };
    committing(ids.iter().map(forget).collect())
}

fn committing(changes: Vec<Change>) -> Commit {
    Commit {
        actor: named("alice"),
        at: Timestamp::now(),
        changes,
        audit: Vec::<AuditEvent>::new(),
        idempotency: None,
        work: None,
    }
}

#[test]
fn a_text_stands_on_its_shelf_alone_until_its_memory_is_forgotten() {
    let Some(place) = Place::new() else { return };
    let (home, attic) = (Arc::new(place.open()), Arc::new(MemoryShelf::new(Timestamp::now)));
    let shelves = HashMap::from([(named("attic"), attic.clone() as _)]);
    let rules = Rules(vec![Rule::everything(named("attic"))]);
    let shelved = Arc::new(Shelved::new(home.clone(), shelves, rules, Timestamp::now).unwrap());
    let engine = engine(&shelved);
    let slots = || block_on(attic.slots(&Scope::user(named("alice")), None, 10)).unwrap();

    let bees = remember(&engine, "alice", "Alice keeps bees in Cardiff").unwrap().memory.id;
    let patch = Patch { content: Some("Alice keeps hens".to_owned()), ..Patch::default() };
    block_on(engine.update(&keeper(), &bees, patch)).unwrap();
    assert_eq!(search(&engine, "alice", "hens").unwrap(), ["Alice keeps hens"]);
    assert!(search(&engine, "alice", "bees").unwrap().is_empty());
    assert!(!place.ask("SELECT document FROM memories")[0].contains("Alice keeps hens"));
    assert!(!place.ask("SELECT document FROM versions")[0].contains("Alice keeps bees"));
    assert_eq!(slots().len(), 2);

    // Whoever forgets without the shelf leaves a note of both texts.
    block_on(home.commit(forgetting(std::slice::from_ref(&bees)))).unwrap();
    let noted: Vec<Unshelved> = block_on(home.unshelved(&named("attic"), 10)).unwrap();
    assert_eq!(noted.len(), 2);
    assert!(noted.iter().all(|one| slots().contains(&one.slot) && one.shelf == named("attic")));
    assert_eq!(block_on(shelved.tidy()).unwrap(), 2);
    assert!(
        slots().is_empty() && block_on(home.unshelved(&named("attic"), 10)).unwrap().is_empty()
    );

    let tea = remember(&engine, "alice", "Alice drinks tea").unwrap().memory.id;
    block_on(engine.forget(&keeper(), &[tea])).unwrap();
    assert!(
        slots().is_empty() && block_on(home.unshelved(&named("attic"), 10)).unwrap().is_empty()
    );
}

/// A home, and a store of which every text stands in an attic.
fn with_attic(place: &Place) -> (Arc<PostgresStore>, Arc<MemoryShelf>, Arc<Shelved>) {
    let (home, attic) = (Arc::new(place.open()), Arc::new(MemoryShelf::new(Timestamp::now)));
    let shelves = HashMap::from([(named("attic"), attic.clone() as _)]);
    let rules = Rules(vec![Rule::everything(named("attic"))]);
    let shelved = Arc::new(Shelved::new(home.clone(), shelves, rules, Timestamp::now).unwrap());
    (home, attic, shelved)
}

/// What is hard to read in a document: zero bytes, what looks like one, and what looks like a text
/// that stands elsewhere.
fn odd(text: &str) -> Draft {
    let source = Source::through(Channel::ExplicitSave);
    let mut draft = Draft::new(Scope::user(named("alice")), Kind::Fact, text, source);
    draft.metadata.title = Some("a\0b".to_owned());
    draft.metadata.description = Some("\\u0000 \\\0\0 \\\\u0000\\".to_owned());
    let standing = json!({"shelf": "cellar", "edition": 7, "vectors": true, "a\0": "\0"});
    draft.metadata.custom.insert("standing".to_owned(), standing);
    draft.metadata.custom.insert("b\0".to_owned(), json!("\0"));
    draft
}

fn keep(store: &Arc<impl Store + 'static>, draft: Draft) -> Memory {
    block_on(engine(store).remember(&keeper(), draft)).unwrap().memory
}

#[test]
fn whatever_stands_in_a_memory_it_can_be_forgotten() {
    let Some(place) = Place::new() else { return };
    let (home, attic, shelved) = with_attic(&place);
    let slots = || block_on(attic.slots(&Scope::user(named("alice")), None, 10)).unwrap();
    let noted = |shelf: &str| block_on(home.unshelved(&named(shelf), 10)).unwrap();
    let shelf = keep(&shelved, odd("Alice keeps bees\0"));
    let patch = Patch { content: Some("Alice keeps hens\0".to_owned()), ..Patch::default() };
    block_on(engine(&shelved).update(&keeper(), &shelf.id, patch)).unwrap();
    let at_home = keep(&home, odd("Alice keeps \\u0000 cows\0"));
    let ids = [shelf.id, at_home.id];

    block_on(home.commit(forgetting(&ids))).unwrap();
    assert_eq!(place.ask("SELECT count(*) FROM memories"), ["0"]);
    assert_eq!((noted("attic").len(), noted("cellar").len()), (2, 0));
    assert_eq!((block_on(shelved.tidy()).unwrap(), slots().len()), (2, 0));

    let short = Lifetime::For(SignedDuration::from_mins(5));
    keep(&shelved, Draft { lifetime: short, ..odd("Alice is away") });
    keep(&shelved, Draft { lifetime: short, metadata: Metadata::default(), ..odd("brb") });
    let tomorrow = || Timestamp::now() + SignedDuration::from_hours(24);
    let engine = Engine::shared(shelved.clone() as _, tomorrow, Config::default());
    let job = block_on(engine.maintain(&keeper(), &Assignment::of(Task::Expire), &|_, _| {}));
    let job = job.unwrap();
    assert_eq!((job.state, job.counts.forgotten), (JobState::Completed, 2));
    assert!(slots().is_empty() && noted("attic").is_empty());
}

#[test]
fn whatever_stands_in_a_memory_another_model_may_come_and_go() {
    let Some(place) = Place::new() else { return };
    let (home, _, shelved) = with_attic(&place);
    let [first, second] = ["one", "two"].map(|name| Fingerprint::new(name).unwrap());
    let pending = || block_on(home.embedding_state()).unwrap().pending;
    block_on(shelved.adopt(&first)).unwrap();
    let shelf = keep(&shelved, odd("Alice keeps bees\0"));
    let at_home = keep(&home, odd("Alice keeps \\u0000 cows\0"));
    assert_eq!(pending(), 2);
    for (store, memory) in [(&*shelved as &dyn Store, &shelf), (&*home, &at_home)] {
        let vector = PassageVector { hash: [7; 16], vector: vec![1.0, 0.0] };
        let embed = Change::Embed {
            id: memory.id.clone(),
            version: memory.version,
            fingerprint: first.clone(),
            vectors: Vectors::Here(vec![vector]),
        };
        block_on(store.commit(committing(vec![embed]))).unwrap();
    }
    assert_eq!(pending(), 0);
    assert!(block_on(home.adopt(&second)).unwrap());
    assert_eq!(pending(), 2);
    assert!(block_on(home.adopt(&first)).unwrap());
    assert_eq!(pending(), 0);

    // Where vectors stand is said by the memory, and not by what somebody calls so.
    place.run("DELETE FROM vectors");
    block_on(home.adopt(&second)).unwrap();
    block_on(home.adopt(&first)).unwrap();
    let waiting = place.ask("SELECT m.id FROM pending JOIN memories AS m USING (memory)");
    assert_eq!(waiting, [at_home.id.to_string()]);
}
