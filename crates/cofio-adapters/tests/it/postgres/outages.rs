//! Servers that are killed, frozen or cut off while somebody writes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use cofio::model::{Identifier, MemoryId, Scope, Timestamp};
use cofio::shelf::{MemoryShelf, Shelf as _};
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::Store as _;
use cofio::{Engine, Error};
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use pollster::block_on;

use super::place::{Admin, Place, url};
use super::world::{engine, keeper, remember, search};
use crate::servers::postgres::Server;
use crate::servers::proxy::{Cut, Manner, Proxy};

/// Waits until something is so.
fn wait_until(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain until {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Loses patience soon.
fn impatient(url: String) -> PostgresOptions {
    let (connect_timeout, statement_timeout) =
        (Duration::from_millis(700), Duration::from_millis(800));
    PostgresOptions { connect_timeout, statement_timeout, ..PostgresOptions::new(url) }
}

fn impatiently(place: &Place, proxy: &Proxy) -> PostgresOptions {
    let PostgresOptions { url, schema, .. } = place.by(proxy);
    PostgresOptions { schema, ..impatient(url) }
}

fn check_told(error: &Error) {
    assert!(error.kind().retryable(), "{error:?}");
    assert!(error.to_string().contains("PostgreSQL"), "{error}");
    assert!(!format!("{error:?}").contains("zebra"), "{error:?}");
}

/// What was told to writers.
#[derive(Default)]
struct Ledger {
    kept: Mutex<HashMap<MemoryId, String>>,
    failed: Mutex<Vec<String>>,
    /// Those of which nobody knew what became.
    undecided: Mutex<Vec<String>>,
}

impl Ledger {
    fn kept(&self) -> usize {
        self.kept.lock().unwrap().len()
    }

    fn write(&self, engine: &Engine, text: String) {
        match remember(engine, "alice", &text) {
            Ok(told) => {
                assert!(!told.existing, "{text} was there before it was told");
                self.kept.lock().unwrap().insert(told.memory.id, text);
            }
            Err(error) => {
                check_told(&error);
                let list = if error.is_undecided() { &self.undecided } else { &self.failed };
                list.lock().unwrap().push(text);
            }
        }
    }
}

#[test]
fn a_server_killed_in_the_middle_of_commits_loses_none_that_was_acknowledged() {
    let Some(server) = Server::new() else { return };
    let store = Arc::new(PostgresStore::open(&PostgresOptions::new(server.url())).unwrap());
    let (ledger, over) = (Ledger::default(), AtomicBool::new(false));
    thread::scope(|threads| {
        for writer in 0..4 {
            let (engine, ledger, over) = (engine(&store), &ledger, &over);
            threads.spawn(move || {
                for place in 0.. {
                    if over.load(Ordering::SeqCst) {
                        return;
                    }
                    ledger.write(&engine, format!("zebra {writer} {place}"));
                }
            });
        }
        for _ in 0..3 {
            let before = ledger.kept();
            wait_until("somebody writes", || ledger.kept() > before + 20);
            server.kill();
            thread::sleep(Duration::from_millis(300));
            server.start();
        }
        let before = ledger.kept();
        wait_until("writing goes on by itself", || ledger.kept() > before + 20);
        over.store(true, Ordering::SeqCst);
    });
    let admin = Admin::new(&server.url());
    let texts = admin.ask("SELECT document::json ->> 'content' FROM cofio.memories");
    let kept = ledger.kept.lock().unwrap();
    let lost = kept.values().filter(|text| !texts.contains(text)).count();
    assert_eq!(lost, 0, "of {} that were acknowledged", kept.len());
    let failed = ledger.failed.lock().unwrap();
    let half: Vec<_> = failed.iter().filter(|text| texts.contains(text)).collect();
    assert!(half.is_empty(), "they failed and are there: {half:?}");
    assert_eq!(admin.ask("SELECT count(*) FROM cofio.changes"), [texts.len().to_string()]);
    assert_eq!(admin.ask("SELECT max(sequence) FROM cofio.changes"), [texts.len().to_string()]);
    assert_eq!(block_on(store.verify_audit()).unwrap(), texts.len() as u64);
}

#[test]
fn a_name_that_a_crash_gives_to_another_is_not_taken_for_ours() {
    // What is written ahead stays in memory until somebody commits.
    let Some(server) = Server::with("-c wal_writer_delay=10s") else { return };
    let server = Arc::new(server);
    let proxy = Proxy::to(&format!("127.0.0.1:{}", server.port));
    let options = PostgresOptions::new(Server::url_by(proxy.port));
    let store = Arc::new(PostgresStore::open(&options).unwrap());
    let engine = engine(&store);
    remember(&engine, "alice", "the first zebra").unwrap();
    block_on(store.settle()).unwrap();
    let crashing = Arc::clone(&server);
    proxy.cut_then(Cut::Before, move |_| {
        crashing.kill();
        crashing.start();
        let admin = Admin::new(&crashing.url());
        for _ in 0..50 {
            admin.ask("SELECT pg_current_xact_id()");
        }
    });
    let told = remember(&engine, "alice", "the second zebra").unwrap();
    assert!(proxy.has_cut());
    let read = block_on(engine.get(&keeper(), &told.memory.id)).unwrap();
    assert_eq!(read.content.as_str(), "the second zebra", "what was acknowledged is there");
    assert_eq!(search(&engine, "alice", "zebra").unwrap().len(), 2);
    assert!(block_on(store.verify_audit()).is_ok());
}

#[test]
fn a_frozen_server_holds_nobody_up_for_longer_than_agreed() {
    let Some(server) = Server::new() else { return };
    let store = Arc::new(PostgresStore::open(&impatient(server.url())).unwrap());
    let engine = engine(&store);
    let first = remember(&engine, "alice", "the first zebra").unwrap();
    server.freeze();
    let begun = Instant::now();
    check_told(&remember(&engine, "alice", "the second zebra").unwrap_err());
    check_told(&search(&engine, "alice", "zebra").unwrap_err());
    check_told(&block_on(engine.get(&keeper(), &first.memory.id)).unwrap_err());
    let checkup = store.health(&Timestamp::now).remove(0);
    check_told(&block_on(checkup.health).unwrap_err());
    check_told(&PostgresStore::open(&impatient(server.url())).unwrap_err());
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    server.thaw();
    wait_until("it goes on", || remember(&engine, "alice", "the third zebra").is_ok());
    let mut found = search(&engine, "alice", "first third zebra").unwrap();
    found.retain(|text| !text.contains("second"));
    found.sort();
    assert_eq!(found, ["the first zebra", "the third zebra"]);
    assert!(block_on(store.verify_audit()).is_ok());
}

#[test]
fn a_way_on_which_nothing_arrives_is_given_up() {
    let Some(place) = Place::new() else { return };
    let proxy = Proxy::to(&place.server());
    let store = PostgresStore::open(&impatiently(&place, &proxy)).unwrap();
    let store = Arc::new(store);
    let engine = engine(&store);
    remember(&engine, "alice", "the first zebra").unwrap();
    for manner in [Manner::Silent, Manner::Halves, Manner::Spoils] {
        proxy.set(manner);
        let harmed = proxy.harmed();
        check_told(&remember(&engine, "alice", "the lost zebra").unwrap_err());
        check_told(&search(&engine, "alice", "zebra").unwrap_err());
        assert!(proxy.harmed() > harmed, "{manner:?}");
        proxy.set(Manner::Passes);
        proxy.cut_all();
        wait_until("it is found again", || search(&engine, "alice", "zebra").is_ok());
    }
    proxy.set(Manner::Slow(Duration::from_millis(10)));
    remember(&engine, "alice", "the slow zebra").unwrap();
    assert!(search(&engine, "alice", "slow").unwrap().contains(&"the slow zebra".to_owned()));
    assert!(block_on(store.verify_audit()).is_ok());
}

#[test]
fn whoever_was_left_without_an_answer_is_answered_on_another_connection() {
    let Some(place) = Place::new() else { return };
    let proxy = Proxy::to(&place.server());
    // Nobody waits as long for a connection as for an answer.
    let (connect_timeout, statement_timeout) = (Duration::from_secs(3), Duration::from_secs(1));
    let (lock_timeout, options) = (Duration::from_secs(1), place.by(&proxy));
    let options = PostgresOptions {
        connections: READERS,
        connect_timeout,
        statement_timeout,
        lock_timeout,
        ..options
    };
    let store = Arc::new(PostgresStore::open(&options).unwrap());
    let engine = engine(&store);
    remember(&engine, "alice", "the first zebra").unwrap();
    block_on(store.settle()).unwrap();
    let read_all = || {
        let together = Barrier::new(READERS);
        thread::scope(|threads| {
            let read = || {
                together.wait();
                assert_eq!(search(&engine, "alice", "zebra").unwrap(), ["the first zebra"]);
            };
            let reading: Vec<_> = (0..READERS).map(|_| threads.spawn(read)).collect();
            for one in reading {
                one.join().unwrap();
            }
        });
        // What was read is recorded on a connection as well.
        block_on(store.settle()).unwrap();
    };
    let connected = format!(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{}'",
        place.options.schema
    );
    proxy.set(Manner::Slow(Duration::from_millis(40)));
    wait_until("every reader has a connection", || {
        read_all();
        place.ask(&connected) == [READERS.to_string()]
    });
    proxy.set(Manner::Passes);
    proxy.strand_all();
    read_all();
}

const READERS: usize = 8;

#[test]
fn a_commit_of_which_nobody_knows_keeps_what_it_may_have_named() {
    let Some(place) = Place::new() else { return };
    let proxy = Proxy::to(&place.server());
    let home = PostgresStore::open(&impatiently(&place, &proxy)).unwrap();
    let attic = Arc::new(MemoryShelf::new(Timestamp::now));
    let name = Identifier::new("attic").unwrap();
    let shelves = HashMap::from([(name.clone(), attic.clone() as _)]);
    let rules = Rules(vec![Rule::everything(name)]);
    let shelved = Arc::new(Shelved::new(Arc::new(home), shelves, rules, Timestamp::now).unwrap());
    let engine = engine(&shelved);
    remember(&engine, "alice", "the first zebra").unwrap();

    let check = |cut: Cut, text: &str, made: bool| {
        // What was read is recorded by a commit as well.
        block_on(shelved.settle()).unwrap();
        proxy.cut_then(cut, |proxy| proxy.set(Manner::Refuses));
        let error = remember(&engine, "alice", text).unwrap_err();
        check_told(&error);
        assert!(error.is_undecided() && proxy.has_cut(), "{error:?}");
        proxy.set(Manner::Passes);
        wait_until("it is found again", || search(&engine, "alice", "zebra").is_ok());
        let found = search(&engine, "alice", "zebra").unwrap();
        assert_eq!(found.contains(&text.to_owned()), made, "{found:?}");
    };
    check(Cut::After, "the second zebra", true);
    check(Cut::Before, "the third zebra", false);
    let alice = Scope::user(Identifier::new("alice").unwrap());
    let slots = || block_on(attic.slots(&alice, None, 10)).unwrap().len();
    assert_eq!(slots(), 3);
    let now = Timestamp::now();
    let sweep = |now| block_on(shelved.sweep(std::slice::from_ref(&alice), now)).unwrap();
    assert_eq!((sweep(now), sweep(now + Duration::from_secs(1_000)), slots()), (0, 1, 2));
    // Whoever repeats what failed is told that it is there, or makes it.
    assert!(remember(&engine, "alice", "the second zebra").unwrap().existing);
    assert!(!remember(&engine, "alice", "the third zebra").unwrap().existing);
}

#[test]
fn several_commits_of_which_nobody_knows_are_not_made_twice() {
    let Some(place) = Place::new() else { return };
    let proxy = Proxy::to(&place.server());
    let statement_timeout = Duration::from_secs(4);
    let options = PostgresOptions { statement_timeout, ..impatiently(&place, &proxy) };
    let store = Arc::new(PostgresStore::open(&options).unwrap());
    let first = engine(&store);
    remember(&first, "alice", "the first zebra").unwrap();
    let watch = Admin::new(&url().unwrap());
    // While the head is locked, whatever comes is put into one group.
    place.run("BEGIN; SELECT * FROM head FOR UPDATE");
    let told: Vec<_> = thread::scope(|threads| {
        let begin = |number: usize| {
            let engine = engine(&store);
            threads.spawn(move || remember(&engine, "alice", &format!("zebra {number}")))
        };
        let mut writing = vec![begin(0)];
        wait_until("one waits for the lock", || waits_for_a_lock(&watch, &place));
        writing.extend((1..6).map(begin));
        wait_until("the others wait for it", || store.backlog().writes >= 5);
        proxy.cut(Cut::After);
        let again = proxy.clone();
        place.run("COMMIT");
        wait_until("the first is cut", || proxy.has_cut());
        proxy.cut_then(Cut::After, |proxy| proxy.set(Manner::Refuses));
        wait_until("the group is cut", || again.has_cut());
        writing.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(told[0].is_ok(), "{:?}", told[0]);
    for error in told[1..].iter().map(|told| told.as_ref().unwrap_err()) {
        assert!(error.is_undecided(), "{error:?}");
    }
    proxy.set(Manner::Passes);
    wait_until("it is found again", || search(&first, "alice", "zebra").is_ok());
    assert_eq!(place.ask("SELECT count(*) FROM memories"), ["7"]);
    assert_eq!(place.ask("SELECT count(*) FROM changes"), ["7"]);
}

/// Asks on another connection than that of the lock, which sees what was when it took it.
pub fn waits_for_a_lock(watch: &Admin, place: &Place) -> bool {
    let sql = format!(
        "SELECT count(*) FROM pg_stat_activity
         WHERE application_name = '{}' AND wait_event_type = 'Lock'",
        place.options.schema
    );
    watch.ask(&sql) == ["1"]
}
