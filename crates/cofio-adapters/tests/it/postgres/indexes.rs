//! What an index is made for is found by it, though PostgreSQL asks of every row whose it is.

use std::sync::Arc;

use cofio::model::{Criteria, Cues, Filter, TimeRange, Timestamp, TriplePattern};
use cofio::store::{Order, Page, Store as _};
use cofio_adapters::postgres::PostgresStore;
use pollster::block_on;

use super::large::{MANY, crowded, embedded, everything, evidence};
use super::place::Place;
use crate::shelves::faults::wait_until;

/// How many memories are somebody else's.
const OTHERS: usize = 500;

/// Makes memories of two people that differ in everything that an index has.
fn varied(place: &Place) {
    drop(crowded(place));
    let first_of_others = MANY - OTHERS + 1;
    place.run(&format!(
        "INSERT INTO scopes (scope, text, layer, names, memories, passages)
         SELECT 2, replace(text, 'alice', 'bob'), layer, array_replace(names, 'alice', 'bob'),
                {OTHERS}, {OTHERS} FROM scopes;
         UPDATE memories SET scope = CASE WHEN memory < {first_of_others} THEN 1 ELSE 2 END,
             created_at = memory, event_at = memory, confidence = memory % 1000,
             key = 'key ' || memory, fact_type = 'type ' || memory % 50,
             subject = 'subject ' || memory % 1000, predicate = 'predicate ' || memory % 7;
         DELETE FROM passages;
         INSERT INTO passages SELECT m.memory, 0, m.scope, concat_ws(' ',
             format('''%s:saw'':1A', m.scope),
             CASE WHEN m.memory % 1000 < 2 THEN format('''%s:heron'':2A', m.scope) END)::tsvector
         FROM memories AS m"
    ));
}

/// Asks a store that is closed then, and expects that an index was looked into.
fn check(place: &Place, index: &str, ask: impl FnOnce(&PostgresStore)) {
    let scans = || -> u64 {
        let scans = place.ask(&format!(
            "SELECT idx_scan FROM pg_stat_user_indexes
             WHERE schemaname = '{}' AND indexrelname = '{index}'",
            place.options.schema
        ));
        scans[0].parse().unwrap()
    };
    let before = scans();
    let store = Arc::new(place.open());
    ask(&store);
    // A server counts what a connection has done when it ends.
    drop(store);
    wait_until(&format!("{index} is used"), || scans() > before);
}

#[test]
fn what_an_index_is_made_for_is_found_by_it() {
    let Some(place) = Place::new() else { return };
    varied(&place);
    let meaning = embedded(&place);
    place.run(&format!(
        "UPDATE vectors SET scope = 2 WHERE memory > {}; ANALYZE memories, passages, vectors",
        MANY - OTHERS
    ));

    let listed = |index: &str, order: Order, criteria: Criteria, expected: usize| {
        check(&place, index, |store| {
            let filter = Filter { criteria, ..everything() };
            let page = Page { limit: 10, order, after: None, counted: false };
            let listing = block_on(store.list(&filter, &page)).unwrap();
            assert_eq!(listing.memories.len(), expected, "{index}");
        });
    };
    let at = |microsecond| Some(Timestamp::from_microsecond(microsecond).unwrap());
    let learnt = Criteria { learnt_from: at(4_000), learnt_by: at(4_005), ..Criteria::default() };
    listed("memories_by_creation", Order::Newest, learnt, 6);
    let time = TimeRange { from: at(4_000), to: at(4_005) };
    let happened = Criteria { time, ..Criteria::default() };
    listed("memories_by_event", Order::LatestEvent, happened, 6);
    let triple = TriplePattern {
        subject: Some("subject 7".to_owned()),
        predicate: Some("predicate 0".to_owned()),
        ..TriplePattern::default()
    };
    // Of those that leave 7 by 1,000 and 0 by 7.
    let said = Criteria { triple, ..Criteria::default() };
    listed("memories_by_subject", Order::Newest, said, 3);
    let triple = TriplePattern { fact_type: Some("type 7".to_owned()), ..TriplePattern::default() };
    let surest = Criteria { triple, ..Criteria::default() };
    listed("memories_by_fact_type", Order::Confidence, surest, 10);
    let kept = Criteria { key: Some("key 4000".to_owned()), ..Criteria::default() };
    listed("memories_by_key", Order::Newest, kept, 1);

    check(&place, "passages_by_term", |store| {
        let words = vec![vec!["heron".to_owned()]];
        assert_eq!(evidence(store, Cues { words, ..Cues::default() }).turns.len(), 41);
    });
    check(&place, "vectors_near_1", |store| {
        let cues = Cues { meaning: Some(meaning), ..Cues::default() };
        assert!(evidence(store, cues).turns.iter().any(|turn| turn.cosine.is_some()));
    });
}
