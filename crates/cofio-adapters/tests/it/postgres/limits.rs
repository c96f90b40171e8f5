//! Servers without room: no space on the disk, no place for another connection, others in the way.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use cofio::ErrorKind;
use cofio::model::Patch;
use cofio::store::Store as _;
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use pollster::block_on;

use super::place::{Admin, Place, url};
use super::world::{engine, keeper, remember, search};
use crate::servers::disk::Disk;
use crate::servers::postgres::Server;
use crate::shelves::faults::wait_until;

#[test]
fn a_full_disk_is_told_and_nothing_acknowledged_is_lost() {
    let Some(disk) = Disk::new(160) else { return };
    let Some(server) = Server::on(&disk) else { return };
    let store = Arc::new(PostgresStore::open(&PostgresOptions::new(server.url())).unwrap());
    let engine = engine(&store);
    let first = remember(&engine, "alice", "the first zebra").unwrap().memory.id;
    disk.fill(64 * 1024);
    let mut kept = vec!["the first zebra".to_owned()];
    let error = loop {
        assert!(kept.len() < 2_000, "it is never full");
        let text = format!("the zebra {} {}", kept.len(), "runs far ".repeat(600));
        match remember(&engine, "alice", &text) {
            Ok(_) => kept.push(text),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::Provider);
    assert_eq!(error.to_string(), "the disk of PostgreSQL is full; make room on it");
    assert!(!format!("{error:?}").contains("zebra"), "{error:?}");

    // Whoever reads needs no room.
    assert_eq!(search(&engine, "alice", "first").unwrap(), ["the first zebra"]);
    let read = block_on(engine.get(&keeper(), &first)).unwrap();
    assert_eq!(read.content.as_str(), "the first zebra");

    disk.clear();
    remember(&engine, "alice", "the last zebra").unwrap();
    kept.push("the last zebra".to_owned());
    server.kill();
    server.start();
    let admin = Admin::new(&server.url());
    let mut found = admin.ask("SELECT document::json ->> 'content' FROM cofio.memories");
    found.sort();
    kept.sort();
    assert!(found == kept, "{} are there, and {} were acknowledged", found.len(), kept.len());
    remember(&engine, "alice", "the zebra after all").unwrap();
    block_on(engine.forget(&keeper(), &[first])).unwrap();
    assert!(block_on(store.verify_audit()).is_ok());
}

#[test]
fn a_server_without_another_connection_is_told_until_there_is_one() {
    let settings = "-c max_connections=6 -c superuser_reserved_connections=0 \
                    -c reserved_connections=0 -c autovacuum=off";
    let Some(server) = Server::with(settings) else { return };
    let store = Arc::new(PostgresStore::open(&PostgresOptions::new(server.url())).unwrap());
    let working = engine(&store);
    remember(&working, "alice", "the first zebra").unwrap();
    let admin = Admin::new(&server.url());
    let mut others: Vec<Admin> = Vec::new();
    while let Some(other) = Admin::try_new(&server.url()) {
        others.push(other);
        assert!(others.len() < 10, "it is never full");
    }
    let error = PostgresStore::open(&PostgresOptions::new(server.url())).unwrap_err();
    assert!(error.kind().retryable(), "{error:?}");
    assert!(error.to_string().contains("too many connections"), "{error}");

    // A store keeps the connections that it has, and loses its place with them.
    // While another task of its own has one of them, it may want one more and be told.
    let second = || remember(&working, "alice", "the second zebra").is_ok();
    wait_until("it works with the connections that it has", second);
    admin.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cofio'",
    );
    while let Some(other) = Admin::try_new(&server.url()) {
        others.push(other);
    }
    let error = remember(&working, "alice", "the third zebra").unwrap_err();
    assert!(error.to_string().contains("too many connections"), "{error:?}");
    drop(others);
    let again = || remember(&working, "alice", "the fourth zebra").is_ok();
    wait_until("there is a place again", again);
    let mut found = search(&working, "alice", "zebra").unwrap();
    found.sort();
    assert_eq!(found, ["the first zebra", "the fourth zebra", "the second zebra"]);
}

#[test]
fn a_commit_that_others_get_in_the_way_of_is_made_again() {
    let Some(place) = Place::new() else { return };
    let store = Arc::new(place.open());
    let engine = engine(&store);
    let id = remember(&engine, "alice", "the zebra walks").unwrap().memory.id;
    // Whoever waits longer is not the one that is given up.
    place.run("SET deadlock_timeout = '60s'; BEGIN; SELECT * FROM memories FOR UPDATE");
    let watch = Admin::new(&url().unwrap());
    let updated = thread::scope(|threads| {
        let patch = Patch { content: Some("the zebra runs".to_owned()), ..Patch::default() };
        let updating = threads.spawn(|| block_on(engine.update(&keeper(), &id, patch)));
        wait_until("it waits for the memory", || super::outages::waits_for_a_lock(&watch, &place));
        place.run("SELECT * FROM head FOR UPDATE; COMMIT");
        updating.join().unwrap()
    });
    assert_eq!(updated.unwrap().memory.content.as_str(), "the zebra runs");
    assert_eq!(search(&engine, "alice", "zebra").unwrap(), ["the zebra runs"]);
    let deadlocks =
        || watch.ask("SELECT deadlocks > 0 FROM pg_stat_database WHERE datname = 'postgres'");
    wait_until("it is counted", || deadlocks() == ["t"]);
}

#[test]
fn whoever_keeps_the_head_locked_keeps_a_group_waiting_once() {
    let Some(place) = Place::new() else { return };
    let lock_timeout = Duration::from_millis(600);
    let store = PostgresStore::open(&PostgresOptions { lock_timeout, ..place.options.clone() });
    let store = Arc::new(store.unwrap());
    remember(&engine(&store), "alice", "the first zebra").unwrap();
    place.run("BEGIN; SELECT * FROM head FOR UPDATE");
    let begun = Instant::now();
    let told: Vec<_> = thread::scope(|threads| {
        let begin = |number: usize| {
            let engine = engine(&store);
            threads.spawn(move || remember(&engine, "alice", &format!("zebra {number}")))
        };
        let writing: Vec<_> = (0..WRITERS).map(begin).collect();
        writing.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let waited = begun.elapsed();
    for error in told.into_iter().map(|told| told.unwrap_err()) {
        assert!(error.kind().retryable() && error.to_string().contains("too long"), "{error:?}");
    }
    assert!(waited < lock_timeout * 6, "{WRITERS} writers waited for {waited:?}");
    place.run("ROLLBACK");
    remember(&engine(&store), "alice", "the last zebra").unwrap();
    assert_eq!(
        place.ask("SELECT count(*) FROM memories"),
        ["2"],
        "what was told as failed is not there"
    );
    assert!(block_on(store.verify_audit()).is_ok());
}

const WRITERS: usize = 24;

#[test]
fn what_the_database_does_not_take_fails_alone() {
    let Some(place) = Place::new() else { return };
    let store = Arc::new(place.open());
    remember(&engine(&store), "alice", "the first zebra").unwrap();
    place.run("ALTER TABLE memories ADD CHECK (document NOT LIKE '%unwanted%')");
    let watch = Admin::new(&url().unwrap());
    // While the head is locked, whatever comes is put into one group.
    place.run("BEGIN; SELECT * FROM head FOR UPDATE");
    let told: Vec<_> = thread::scope(|threads| {
        let begin = |text: String| {
            let engine = engine(&store);
            threads.spawn(move || remember(&engine, "alice", &text))
        };
        let mut writing = vec![begin("the second zebra".to_owned())];
        wait_until("one waits", || super::outages::waits_for_a_lock(&watch, &place));
        writing.extend((0..4).map(|number| begin(format!("zebra {number}"))));
        writing.push(begin("the unwanted zebra".to_owned()));
        wait_until("the others wait", || store.backlog().writes >= 5);
        place.run("ROLLBACK");
        writing.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let (unwanted, others) = told.split_last().unwrap();
    assert!(others.iter().all(Result::is_ok), "{others:?}");
    let error = unwanted.as_ref().unwrap_err();
    assert!(!format!("{error:?}").contains("unwanted"), "{error:?}");
    assert_eq!(place.ask("SELECT count(*) FROM memories"), ["6"]);
}

#[test]
fn a_server_that_takes_no_writes_is_told() {
    let Some(place) = Place::new() else { return };
    let store = Arc::new(place.open());
    remember(&engine(&store), "alice", "the first zebra").unwrap();
    let url = format!("{}&options=-c%20default_transaction_read_only%3Don", place.options.url);
    let standby = PostgresStore::open(&PostgresOptions { url, ..place.options.clone() });
    let error = standby
        .and_then(|store| remember(&engine(&Arc::new(store)), "alice", "the second zebra"))
        .unwrap_err();
    assert!(error.kind().retryable(), "a standby may become the primary");
    assert!(error.to_string().contains("read-only"), "{error:?}");
}

#[test]
fn a_server_that_lacks_something_is_told_what_it_lacks() {
    let Some(place) = Place::new() else { return };
    let store = Arc::new(place.open());
    let engine = engine(&store);
    let check = |code: &str, expected: &str| {
        place.run(&format!(
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN RAISE 'no room for %', NEW.document USING ERRCODE = '{code}'; END $$;
             CREATE OR REPLACE TRIGGER fail BEFORE INSERT ON memories
                 FOR EACH ROW EXECUTE FUNCTION fail()"
        ));
        let error = remember(&engine, "alice", "the zebra").unwrap_err();
        assert!(error.kind().retryable() && !error.is_undecided(), "{error:?}");
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.details()["sqlstate"], code);
        assert!(!format!("{error:?}").contains("zebra"), "{error:?}");
    };
    check("53100", "the disk of PostgreSQL is full; make room on it");
    check(
        "53200",
        "PostgreSQL has not enough memory; give its machine more, or let it use less (work_mem)",
    );
    check(
        "53400",
        "PostgreSQL has reached a limit that its settings set, such as temp_file_limit; raise it",
    );
    place.run("DROP TRIGGER fail ON memories");
    remember(&engine, "alice", "the zebra").unwrap();
    assert!(block_on(store.verify_audit()).is_ok());
}
