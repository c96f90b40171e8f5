//! A scope so large that an index finds what is near, a sample says how cosines are spread, and rare
//! words lead the way.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc;

use cofio::model::{
    Cues, Evidence, Filter, Fingerprint, Identifier, Kind, Meaning, Place as At, Scope, Survey,
    Timestamp,
};
use cofio::store::{Cued, Inquiry, Store as _};
use cofio_adapters::postgres::PostgresStore;
use pollster::block_on;

use super::place::Place;
use super::world::{engine, remember};

/// How many memories there are: more than are compared one by one.
pub const MANY: usize = 21_000;
const NEAREST: usize = 10;

/// Looks by cues, and tells what it was told.
struct Asking {
    cues: Cues,
    heard: mpsc::Sender<Evidence>,
}

impl Inquiry for Asking {
    fn words(&self) -> Option<&[String]> {
        None
    }

    fn cues(&mut self, _: &Survey) -> Cued {
        Cued::By(std::mem::take(&mut self.cues))
    }

    fn choose(&mut self, evidence: &Evidence) -> Vec<At> {
        self.heard.send(evidence.clone()).unwrap();
        Vec::new()
    }
}

/// Makes a scope of many memories, which all say the same, and nothing to find them by.
pub fn crowded(place: &Place) -> Arc<PostgresStore> {
    let store = Arc::new(place.open());
    remember(&engine(&store), "alice", "Alice saw the zebra").unwrap();
    place.run(&format!(
        "CREATE TEMP TABLE many AS SELECT r.* FROM memories AS m, generate_series(2, {MANY}) AS n,
             LATERAL jsonb_populate_record(m, jsonb_build_object('memory', n, 'identity', NULL,
                 'id', 'fact_' || lpad(to_hex(n), 32, '0'))) AS r;
         ALTER TABLE many DROP key_hash, DROP fact_type_hash, DROP subject_hash, DROP predicate_hash;
         INSERT INTO memories SELECT * FROM many;
         UPDATE scopes SET passages = {MANY}"
    ));
    store
}

/// Means everything in the scope.
pub fn everything() -> Filter {
    let scope = Scope::user(Identifier::new("alice").unwrap());
    Filter::new(vec![scope], Timestamp::now())
}

/// Returns what speaks for memories of the scope.
pub fn evidence(store: &PostgresStore, cues: Cues) -> Evidence {
    evidence_of(store, &everything(), cues)
}

fn evidence_of(store: &PostgresStore, filter: &Filter, cues: Cues) -> Evidence {
    let (heard, hearing) = mpsc::channel();
    block_on(store.find(filter, NEAREST, Box::new(Asking { cues, heard }))).unwrap();
    hearing.recv().unwrap()
}

#[test]
fn frequent_words_count_where_rare_ones_lead_to() {
    let Some(place) = Place::new() else { return };
    let store = crowded(&place);
    place.run(&format!(
        "DELETE FROM passages;
         INSERT INTO passages SELECT n, 0, 1, concat_ws(' ', '''1:saw'':1A',
             CASE WHEN n % 2 = 0 THEN '''1:river'':1A' END,
             CASE WHEN n % 1000 < 2 THEN '''1:heron'':1A,2A' END)::tsvector
         FROM generate_series(1, {MANY}) AS n; ANALYZE memories, passages, vectors"
    ));
    let words = |words: &[&str]| {
        let words = words.iter().map(|word| vec![(*word).to_owned()]).collect();
        evidence(&store, Cues { words, ..Cues::default() })
    };
    let both = words(&["heron", "river"]);
    let [heron, river] = both.words.as_slice() else { panic!("{:?}", both.words) };
    assert_eq!((both.turns.len(), heron.found.len(), river.found.len()), (42, 42, 21));
    assert!(heron.found.iter().all(|found| found.told == 2) && heron.passages_having == 42);
    let about = river.passages_having;
    assert!((MANY as u64 / 3..=MANY as u64).contains(&about), "half of {MANY}: {about}");

    let frequent = words(&["river", "saw"]);
    let [river, saw] = frequent.words.as_slice() else { panic!("{:?}", frequent.words) };
    assert_eq!(river.passages_having, MANY as u64 / 2, "where nothing is rare, it leads");
    assert_eq!((river.found.len(), saw.found.len()), (frequent.turns.len(), frequent.turns.len()));
    assert_eq!(words(&["unicorn"]).turns, []);
}

/// Gives all of the scope vectors by chance, and returns what a question means.
pub fn embedded(place: &Place) -> Meaning {
    place.run(&format!(
        "SELECT setseed(0.5);
         SELECT add_model('model', 8);
         CREATE TEMP TABLE kept AS SELECT pg_get_indexdef('vectors_near_1'::regclass) AS made;
         DROP INDEX vectors_near_1;
         INSERT INTO vectors SELECT n, 1, 0, 1, n % 4 = 0, '', r.numbers::real[]::halfvec
         FROM generate_series(1, {MANY}) AS n, LATERAL (
             SELECT array_agg(random() - 0.3) AS numbers FROM generate_series(1, 8) WHERE n > 0) AS r;
         DO $$ BEGIN EXECUTE (SELECT made FROM kept); END $$;
         ANALYZE memories, passages, vectors"
    ));
    let vector: Vec<f32> =
        [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, -1.0].map(|x: f32| x / 1.581_139).into();
    let fingerprint = Fingerprint::new("model").unwrap();
    Meaning { fingerprint, vector }
}

#[test]
fn what_is_near_is_found_by_the_index_and_the_spread_by_a_sample() {
    let Some(place) = Place::new() else { return };
    let store = crowded(&place);
    let meaning = Some(embedded(&place));
    let evidence = evidence(&store, Cues { meaning, ..Cues::default() });

    let cosine = "1 - (vector <=> '[1, 0.5, 0, 0, 0, 0, 0.5, -1]')";
    let exact = place.ask(&format!(
        "SELECT memory || ' ' || round(({cosine})::numeric, 3) FROM vectors
         ORDER BY {cosine} DESC LIMIT {NEAREST}"
    ));
    let known: HashMap<u64, Option<f32>> =
        evidence.turns.iter().map(|turn| (turn.place.0, turn.cosine)).collect();
    let found = exact.iter().filter(|near| {
        let (memory, cosine) = near.split_once(' ').unwrap();
        let cosine: f32 = cosine.parse().unwrap();
        let known = known.get(&memory.parse().unwrap()).copied().flatten();
        known.is_some_and(|known| (known - cosine).abs() < 2e-3)
    });
    assert!(found.count() >= NEAREST - 1, "{exact:?}\n{known:?}");

    for (spread, condition) in
        [(evidence.cosines.assistant, "assistant"), (evidence.cosines.others, "NOT assistant")]
    {
        let number = |what: &str| -> f64 {
            place.ask(&format!("SELECT {what} FROM vectors WHERE {condition}"))[0].parse().unwrap()
        };
        assert!((100..2_049).contains(&spread.count), "measured on a sample: {spread:?}");
        assert!((spread.mean - number(&format!("avg({cosine})"))).abs() < 0.05, "{spread:?}");
        let deviation = number(&format!("stddev_pop({cosine})"));
        assert!((spread.deviation - deviation).abs() < 0.05, "{spread:?} {deviation}");
    }
}

#[test]
fn of_a_kind_that_is_rare_as_much_is_found_as_of_any_other() {
    let Some(place) = Place::new() else { return };
    let store = crowded(&place);
    let meaning = Some(embedded(&place));
    place.run("UPDATE memories SET kind = 'episode' WHERE memory % 500 = 7; ANALYZE memories");
    let mut filter = everything();
    filter.criteria.kinds = vec![Kind::Episode];
    let found = evidence_of(&store, &filter, Cues { meaning, alone: true, ..Cues::default() });
    let exact = place.ask(&format!(
        "SELECT memory FROM vectors WHERE memory % 500 = 7
         ORDER BY vector <=> '[1, 0.5, 0, 0, 0, 0, 0.5, -1]' LIMIT {NEAREST}"
    ));
    let places: HashSet<String> = found.turns.iter().map(|turn| turn.place.0.to_string()).collect();
    assert_eq!(places, exact.into_iter().collect());
    assert!(found.turns.iter().all(|turn| turn.cosine.is_some()), "{:?}", found.turns);
}
