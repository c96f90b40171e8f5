//! Who waits for changes is told of them by the server, whichever process made them.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use cofio::store::Store as _;
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use pollster::block_on;

use super::place::Place;
use super::world::{engine, remember};
use crate::servers::proxy::{Manner, Proxy};
use crate::shelves::faults::wait_until;

const PATIENCE: Duration = Duration::from_secs(60);

/// Begins to wait for what comes after a place.
fn waiting(store: &Arc<PostgresStore>, after: u64) -> mpsc::Receiver<()> {
    let (told, telling) = mpsc::channel();
    let store = Arc::clone(store);
    thread::spawn(move || {
        block_on(store.stirred(after));
        let _ = told.send(());
    });
    telling
}

#[test]
fn what_another_store_changes_is_told() {
    let Some(place) = Place::new() else { return };
    let (one, two) = (Arc::new(place.open()), Arc::new(place.open()));
    for number in 0..5 {
        let telling = waiting(&one, number);
        remember(&engine(&two), "alice", &format!("zebra {number}")).unwrap();
        telling.recv_timeout(PATIENCE).expect("it is told");
    }
}

#[test]
fn what_happens_while_nobody_listens_is_told_afterwards() {
    let Some(place) = Place::new() else { return };
    let (one, two) = (Arc::new(place.open()), Arc::new(place.open()));
    let mut last = 0;
    for round in 0..3 {
        let telling = waiting(&one, last);
        remember(&engine(&two), "alice", &format!("zebra {round}")).unwrap();
        telling.recv_timeout(PATIENCE).expect("it is told");
        assert_eq!(end_listening(&place), 1, "one connection listens");
        let telling = waiting(&one, last + 1);
        remember(&engine(&two), "alice", &format!("lion {round}")).unwrap();
        telling.recv_timeout(PATIENCE).expect("it is told by another connection");
        last += 2;
    }
}

/// Ends the connections that listen, and returns how many they were.
pub fn end_listening(place: &Place) -> usize {
    // Nothing else is asked on them after that.
    let ended = place.ask(&format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = '{}' AND query LIKE '%LISTEN %'",
        place.options.schema
    ));
    ended.len()
}

#[test]
fn nobody_is_told_of_another_schema() {
    let (Some(place), Some(other)) = (Place::new(), Place::new()) else { return };
    let (one, two) = (Arc::new(place.open()), Arc::new(other.open()));
    let telling = waiting(&one, 0);
    remember(&engine(&two), "alice", "zebra").unwrap();
    let heard = waiting(&two, 0);
    heard.recv_timeout(PATIENCE).expect("it is told");
    assert_eq!(telling.try_recv(), Err(mpsc::TryRecvError::Empty));
    remember(&engine(&one), "alice", "lion").unwrap();
    telling.recv_timeout(PATIENCE).expect("it is told");
}

#[test]
fn a_way_on_which_nobody_answers_at_first_is_tried_again() {
    let Some(place) = Place::new() else { return };
    let proxy = Proxy::to(&place.server());
    let connect_timeout = Duration::from_secs(2);
    let options = PostgresOptions { connect_timeout, ..place.by(&proxy) };
    let store = PostgresStore::open(&options).unwrap();
    proxy.set(Manner::Deaf);
    assert!(store.news(0).is_none(), "nobody listens yet");
    wait_until("somebody tries to listen", || proxy.harmed() > 0);
    proxy.set(Manner::Passes);
    wait_until("somebody listens", || store.news(0).is_some());
}
