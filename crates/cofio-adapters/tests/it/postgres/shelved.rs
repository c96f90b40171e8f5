//! Texts of memories in PostgreSQL that stand on a shelf.

use std::collections::HashMap;
use std::sync::Arc;

use cofio::model::{
    AuditEvent, Caller, Change, Commit, Identifier, MemoryId, Patch, Scope, Timestamp, Unshelved,
};
use cofio::shelf::{MemoryShelf, Shelf as _};
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::Store as _;
use pollster::block_on;

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
    Commit {
        actor: named("alice"),
        at: Timestamp::now(),
        changes: ids.iter().map(forget).collect(),
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

#[test]
fn a_scope_is_known_before_and_after_it_holds_something() {
    let Some(place) = Place::new() else { return };
    let home = place.open();
    let known = || {
        let mut known = block_on(home.known_scopes(keeper().access())).unwrap();
        known.sort_by_key(ToString::to_string);
        known
    };
    let [alice, bob] = ["alice", "bob"].map(|name| Scope::user(named(name)));
    for _ in 0..2 {
        block_on(home.know(&[bob.clone(), alice.clone()])).unwrap();
        assert_eq!(known(), [alice.clone(), bob.clone()]);
    }
    let own = Caller::local(named("bob"));
    assert_eq!(block_on(home.known_scopes(own.access())).unwrap(), std::slice::from_ref(&bob));

    let home = Arc::new(place.open());
    let engine = engine(&home);
    remember(&engine, "carol", "Carol keeps bees").unwrap();
    let kept = remember(&engine, "bob", "Bob keeps hens").unwrap().memory.id;
    block_on(engine.forget(&keeper(), &[kept])).unwrap();
    assert_eq!(known(), [alice, bob, Scope::user(named("carol"))]);
}
