//! Working memory in the process is what PostgreSQL has, whichever process changes it.

use std::sync::Arc;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use cofio::at_hand::{AtHand, Which};
use cofio::engine::ListRequest;
use cofio::model::{
    Caller, Channel, Draft, Identifier, Identifiers, Kind, Layer, MemoryId, Scope, Source,
};
use cofio::store::Store;
use cofio::{Engine, Selection};
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use pollster::block_on;

use super::listening::end_listening;
use super::place::{Admin, Place, url};
use super::world::engine;
use crate::shelves::faults::wait_until;

const PATIENCE: Duration = Duration::from_secs(60);

fn named(name: &str) -> Identifier {
    Identifier::new(name).unwrap()
}

fn alice() -> Caller {
    Caller::local(named("alice"))
}

fn ours() -> Identifiers {
    Identifiers::default().with(Layer::User, named("alice")).with(Layer::Session, named("s1"))
}

fn keep(engine: &Engine, text: &str) -> MemoryId {
    let scope = Scope::new(Layer::Session, &ours()).unwrap();
    let source = Source::through(Channel::ExplicitSave);
    let draft = Draft::new(scope, Kind::Working, text, source);
    block_on(engine.remember(&alice(), draft)).unwrap().memory.id
}

fn texts(engine: &Engine) -> Vec<String> {
    let mut selection = Selection::new(ours());
    selection.layers = Some(vec![Layer::Session]);
    selection.criteria.kinds = vec![Kind::Working];
    let listed = block_on(engine.list(&alice(), &ListRequest::new(selection))).unwrap();
    listed.memories.iter().map(|memory| memory.content.as_str().to_owned()).collect()
}

/// Waits until a store tells at once what is new.
fn follow(store: &dyn Store) {
    let begin = Instant::now();
    let place = block_on(store.last_change()).unwrap();
    while store.news(place).is_none() {
        assert!(begin.elapsed() < PATIENCE, "nobody listens");
        sleep(Duration::from_millis(5));
    }
}

/// Waits until a list has as many texts as it should.
fn settled(engine: &Engine, count: usize) -> Vec<String> {
    let begin = Instant::now();
    loop {
        let texts = texts(engine);
        if texts.len() == count || begin.elapsed() > PATIENCE {
            return texts;
        }
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_is_written_here_is_read_at_once_and_what_is_written_elsewhere_as_soon_as_it_is_told() {
    let Some(place) = Place::new() else { return };
    let home: Arc<dyn Store> = Arc::new(place.open());
    let here = engine(&Arc::new(AtHand::new(home.clone(), Which::default())));
    let there = engine(&Arc::new(place.open()));
    follow(&*home);
    keep(&here, "fetch the ledger");
    assert_eq!(texts(&here), ["fetch the ledger"]);

    for round in 0..5 {
        let other = keep(&there, &format!("count the pages of volume {round}"));
        assert_eq!(settled(&here, 2 + round).len(), 2 + round);
        keep(&here, &format!("bind volume {round}"));
        assert_eq!(texts(&here).len(), 3 + round);
        block_on(there.forget(&alice(), std::slice::from_ref(&other))).unwrap();
        assert!(!settled(&here, 2 + round).iter().any(|text| text.starts_with("count")));
    }
}

#[test]
fn what_happens_while_nobody_listens_is_read_all_the_same() {
    let Some(place) = Place::new() else { return };
    let home: Arc<dyn Store> = Arc::new(place.open());
    let here = engine(&Arc::new(AtHand::new(home.clone(), Which::default())));
    let there = engine(&Arc::new(place.open()));
    follow(&*home);
    let first = keep(&here, "fetch the ledger");
    assert_eq!(texts(&here).len(), 1);

    assert_eq!(end_listening(&place), 1);
    block_on(there.forget(&alice(), std::slice::from_ref(&first))).unwrap();
    keep(&there, "count the pages");
    let begin = Instant::now();
    while texts(&here) != ["count the pages"] {
        assert!(begin.elapsed() < PATIENCE, "it is behind for ever");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_is_told_and_cannot_be_read_is_not_kept_from_anybody_for_long() {
    let Some(place) = Place::new() else { return };
    // Whoever waits for a lock, or for a connection, does so for longer than this test.
    let (lock_timeout, statement_timeout) = (PATIENCE * 2, PATIENCE * 2);
    let options = place.options.clone();
    let options = PostgresOptions { connections: 2, lock_timeout, statement_timeout, ..options };
    let home: Arc<dyn Store> = Arc::new(PostgresStore::open(&options).unwrap());
    let here = engine(&Arc::new(AtHand::new(home.clone(), Which::default())));
    let there = engine(&Arc::new(place.open()));
    follow(&*home);
    let first = keep(&here, "fetch the ledger");
    assert_eq!(texts(&here), ["fetch the ledger"]);
    block_on(home.settle()).unwrap();
    let place_before = block_on(home.last_change()).unwrap();
    let watch = Admin::new(&url().unwrap());
    let waiting = format!(
        "SELECT count(*) FROM pg_stat_activity
         WHERE application_name = '{}' AND wait_event_type = 'Lock'",
        place.options.schema
    );

    // Nobody needs the keys to forget, so that only who asks for them waits.
    place.run("BEGIN; LOCK TABLE keys");
    thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| block_on(home.keys()).unwrap());
        }
        wait_until("no connection is free", || watch.ask(&waiting) == ["2"]);
        block_on(there.forget(&alice(), std::slice::from_ref(&first))).unwrap();
        wait_until("what is at hand is not believed", || home.news(place_before).is_none());
        let reading = threads.spawn(|| texts(&here));
        place.run("COMMIT");
        assert_eq!(reading.join().unwrap(), Vec::<String>::new());
    });
    follow(&*home);
    assert!(texts(&here).is_empty());
}
