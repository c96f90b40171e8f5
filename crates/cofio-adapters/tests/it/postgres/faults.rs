//! Connections that are lost, servers that stop, and passwords that are wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cofio::store::Store as _;
use cofio::{Engine, ErrorKind};
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use pollster::block_on;

use super::place::Place;
use super::world::{engine, remember, search};
use crate::servers::postgres::Server;
use crate::servers::proxy::{Cut, Proxy};

/// Ends every connection of a store, as an administrator may.
fn end_connections(place: &Place) {
    place.ask(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{}'",
        place.options.schema
    ));
}

#[test]
fn connections_that_end_while_idle_are_replaced_unnoticed() {
    let Some(place) = Place::new() else { return };
    let store = Arc::new(place.open());
    let engine = engine(&store);
    for round in 0..5 {
        let text = format!("zebra number {round}");
        remember(&engine, "alice", &text).unwrap();
        end_connections(&place);
        assert_eq!(search(&engine, "alice", "zebra").unwrap().len(), round + 1);
    }
}

#[test]
fn connections_that_end_while_writing_lose_and_double_nothing() {
    let Some(place) = Place::new() else { return };
    let store = Arc::new(place.open());
    let writing = AtomicUsize::new(WRITERS);
    std::thread::scope(|threads| {
        for writer in 0..WRITERS {
            let (engine, writing) = (engine(&store), &writing);
            threads.spawn(move || {
                let _done = Leaving(writing);
                for place in 0..40 {
                    remember_at_last(&engine, &format!("writer {writer} place {place}"));
                }
            });
        }
        for _ in 0..15 {
            if writing.load(Ordering::SeqCst) > 0 {
                end_connections(&place);
                std::thread::sleep(Duration::from_millis(150));
            }
        }
    });
    let texts = |writer| (0..40).map(move |place| format!("writer {writer} place {place}"));
    let mut kept: Vec<String> = (0..WRITERS).flat_map(texts).collect();
    kept.sort();
    let mut found = place.ask("SELECT document::json ->> 'content' FROM memories");
    found.sort();
    assert_eq!(found, kept, "what was acknowledged is there, once");
    assert_eq!(place.ask("SELECT count(*) FROM changes"), [kept.len().to_string()]);
    assert_eq!(block_on(store.verify_audit()).unwrap(), kept.len() as u64);
}

const WRITERS: usize = 4;

/// Says that somebody has left, however that came.
struct Leaving<'a>(&'a AtomicUsize);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Keeps a text, asking again as long as nobody could be reached.
fn remember_at_last(engine: &Engine, text: &str) {
    for attempt in 0.. {
        match remember(engine, "alice", text) {
            // An error tells that nothing was kept.
            Ok(told) => return assert!(!told.existing, "{text} was kept by attempt {attempt}"),
            Err(error) => assert!(error.kind().retryable() && attempt < 50, "{error}"),
        }
    }
}

#[test]
fn a_connection_lost_during_a_commit_neither_loses_nor_doubles_it() {
    let Some(place) = Place::new() else { return };
    let proxy = Proxy::to(&place.server());
    let store = PostgresStore::open(&place.by(&proxy)).unwrap();
    let store = Arc::new(store);
    let engine = engine(&store);
    for (number, cut) in [Cut::Before, Cut::After, Cut::After, Cut::Before].into_iter().enumerate()
    {
        proxy.cut(cut);
        let told = remember(&engine, "alice", &format!("zebra {number}")).unwrap();
        assert!(proxy.has_cut());
        assert!(!told.existing, "it was made once, {cut:?}");
    }
    assert_eq!(place.ask("SELECT count(*) FROM memories"), ["4"]);
    assert_eq!(place.ask("SELECT count(*) FROM changes"), ["4"]);
    assert_eq!(block_on(store.verify_audit()).unwrap(), 4);
}

#[test]
fn a_server_that_stops_is_an_error_until_it_is_back() {
    let Some(server) = Server::new() else { return };
    let store = Arc::new(PostgresStore::open(&PostgresOptions::new(server.url())).unwrap());
    let engine = engine(&store);
    remember(&engine, "alice", "the first zebra").unwrap();
    server.crash();
    let begun = Instant::now();
    for error in [
        remember(&engine, "alice", "the second zebra").unwrap_err(),
        search(&engine, "alice", "zebra").unwrap_err(),
    ] {
        assert!(error.kind().retryable(), "{error}");
        assert!(!error.to_string().contains("zebra"), "{error}");
    }
    assert!(begun.elapsed() < Duration::from_secs(20));
    server.start();
    remember(&engine, "alice", "the third zebra").unwrap();
    let mut found = search(&engine, "alice", "zebra").unwrap();
    found.sort();
    assert_eq!(found, ["the first zebra", "the third zebra"]);
    assert!(block_on(store.verify_audit()).is_ok());
}

#[test]
fn a_wrong_password_is_named_and_not_repeated() {
    let Some(place) = Place::new() else { return };
    let check = |from: &str, to: &str, expected: &str| {
        let (before, after) = place.options.url.rsplit_once(from).unwrap();
        let url = format!("{before}{to}{after}");
        let options = PostgresOptions { url, ..place.options.clone() };
        let error = PostgresStore::open(&options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        let shown = format!("{error} {error:?} {options:?}");
        assert!(shown.contains(expected), "{shown}");
        assert!(!shown.contains("hunter2") && !shown.contains("only-for-tests"), "{shown}");
    };
    check("only-for-tests", "hunter2", "refuses this role or its password");
    check("/postgres", "/nowhere_hunter", "no such database");
    check("postgres://", "hunter2://", "no address");
    check("?", "?sslmode=hunter2&", "no address");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let options = PostgresOptions::new("postgres://alice:hunter2@127.0.0.1:1/postgres");
    let error = PostgresStore::open(&options).unwrap_err();
    assert!(error.kind().retryable());
    assert!(!format!("{error:?}").contains("hunter2"));
}

#[test]
fn a_server_that_must_encrypt_and_does_not_is_refused() {
    let Some(place) = Place::new() else { return };
    let url = format!("{}&sslmode=require", place.options.url);
    let error = PostgresStore::open(&PostgresOptions { url, ..place.options.clone() }).unwrap_err();
    assert!(error.to_string().contains("TLS"), "{error}");
}

#[test]
fn a_statement_that_takes_too_long_is_ended() {
    let Some(place) = Place::new() else { return };
    drop(place.open());
    let lock_timeout = Duration::from_millis(200);
    let store = PostgresStore::open(&PostgresOptions { lock_timeout, ..place.options.clone() });
    let store = Arc::new(store.unwrap());
    place.run("BEGIN; SELECT * FROM head FOR UPDATE");
    let error = remember(&engine(&store), "alice", "the zebra").unwrap_err();
    assert!(error.to_string().contains("too long") && error.kind().retryable(), "{error}");
    place.run("ROLLBACK");
    remember(&engine(&store), "alice", "the zebra").unwrap();
}
