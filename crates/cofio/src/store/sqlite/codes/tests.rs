use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use rusqlite::Connection;
use tempfile::TempDir;

use super::*;
use crate::model::{Fingerprint, Spread};

const TABLES: [&str; 2] =
    [include_str!("../schema/001.sql"), include_str!("../schema/002-vectors.sql")];

/// Opens tables with memories 1 to 40, the odd ones in scope 1 and the even ones in scope 2.
fn tables(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL").unwrap();
    for sql in TABLES {
        connection.execute_batch(sql).unwrap();
    }
    connection
        .execute_batch("INSERT INTO scopes (text, layer) VALUES ('one', 'user'), ('two', 'user')")
        .unwrap();
    for memory in 1..=40 {
        add_memory(&connection, memory, 2 - memory % 2);
    }
    connection
}

fn add_memory(connection: &Connection, memory: i64, scope: i64) {
    connection
        .execute(
            "INSERT INTO memories (memory, id, scope, kind, state, trust, confidence, event_at,
                                   created_at, version, bytes, document)
             VALUES (?1, ?1, ?2, 'fact', 'active', 0, 0, 0, 0, 1, 0, '')",
            (memory, scope),
        )
        .unwrap();
}

fn in_memory() -> Connection {
    tables(Path::new(":memory:"))
}

fn on_disk() -> (TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let connection = tables(&folder.path().join("cofio.db"));
    (folder, connection)
}

fn another(folder: &TempDir) -> Connection {
    Connection::open(folder.path().join("cofio.db")).unwrap()
}

fn model(connection: &Connection, name: &str, dimensions: usize) -> i64 {
    model_number(connection, &Fingerprint::new(name).unwrap(), dimensions).unwrap()
}

/// Returns a vector of length one, always the same for the same seed.
fn vector(seed: u64, dimensions: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32
    };
    // The sum of several is close to a normal distribution.
    let numbers: Vec<f32> =
        (0..dimensions).map(|_| (0..6).map(|_| next()).sum::<f32>() - 3.0).collect();
    direction(&numbers, dimensions).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn hash(seed: u64) -> TextHash {
    let mut hash = [7; 16];
    hash[..8].copy_from_slice(&seed.to_le_bytes());
    hash
}

fn insert_one(connection: &Connection, scope: i64, model: i64, memory: i64, vector: &[f32]) {
    insert(connection, scope, model, memory, 0, &[(0, hash(1), vector)]).unwrap();
}

fn found(
    connection: &Connection,
    cache: &Cache,
    scope: i64,
    model: i64,
    vector: &[f32],
) -> Vec<i64> {
    let neighbours = nearest(connection, cache, (scope, model), vector, &|_| true, 10).unwrap();
    neighbours.nearest.iter().map(|neighbour| neighbour.memory).collect()
}

#[derive(Debug, Clone)]
enum Step {
    Insert { memory: i64, model: usize, flags: u8, seeds: Vec<u64> },
    Remove { memory: i64 },
    Search { scope: i64, model: usize, seed: u64, limit: usize, divisor: i64 },
    Rebuild,
}

fn step() -> impl Strategy<Value = Step> {
    let (memory, model) = (1_i64..=40, 0_usize..2);
    prop_oneof![
        6 => (memory.clone(), model.clone(), 0_u8..2, prop::collection::vec(0_u64..50, 0..5))
            .prop_map(|(memory, model, flags, seeds)| Step::Insert { memory, model, flags, seeds }),
        2 => memory.prop_map(|memory| Step::Remove { memory }),
        4 => (1_i64..=2, model, 50_u64..90, 0_usize..12, 1_i64..4).prop_map(
            |(scope, model, seed, limit, divisor)| Step::Search { scope, model, seed, limit, divisor },
        ),
        1 => Just(Step::Rebuild),
    ]
}

/// What ought to be there: model and memory to flags and vectors.
type Naive = BTreeMap<(usize, i64), (u8, Vec<u64>)>;

const DIMENSIONS: [usize; 2] = [70, 24];

fn check_search(
    connection: &Connection,
    cache: &Cache,
    naive: &Naive,
    models: [i64; 2],
    (scope, model, seed, limit, divisor): (i64, usize, u64, usize, i64),
) {
    let dimensions = DIMENSIONS[model];
    let question = vector(seed, dimensions);
    let admits = |memory: i64| memory % divisor == 0;
    let found =
        nearest(connection, cache, (scope, models[model]), &question, &admits, limit).unwrap();
    let of_scope = naive
        .iter()
        .filter(|((its_model, memory), _)| (*its_model, 2 - memory % 2) == (model, scope));
    let mut expected = Vec::new();
    let mut all = [Vec::new(), Vec::new()];
    for ((_, memory), (flags, seeds)) in of_scope {
        let cosines = seeds.iter().map(|&seed| cosine(&vector(seed, dimensions), &question));
        let cosines: Vec<f32> = cosines.collect();
        all[usize::from(*flags)].extend(cosines.iter().copied());
        let best = cosines.into_iter().fold(f32::NEG_INFINITY, f32::max);
        let known =
            super::cosines(connection, cache, (scope, models[model]), &question, &[*memory, 1_000])
                .unwrap();
        assert!((known[0].cosine - best).abs() < 1e-3 && known.len() == 1);
        if admits(*memory) {
            expected.push(best);
        }
    }
    expected.sort_by(|a, b| b.total_cmp(a));
    expected.truncate(limit);
    assert_eq!(found.nearest.len(), expected.len());
    for (neighbour, expected) in found.nearest.iter().zip(&expected) {
        assert!((neighbour.cosine - expected).abs() < 1e-3);
        let (_, seeds) = &naive[&(model, neighbour.memory)];
        let passage = vector(seeds[usize::from(neighbour.passage)], dimensions);
        assert!((neighbour.cosine - cosine(&passage, &question)).abs() < 1e-3);
        assert!(admits(neighbour.memory));
    }
    for (cosines, moments) in all.iter().zip([found.spread.others, found.spread.assistant]) {
        let expected = Spread::of(cosines.iter().copied().map(f64::from));
        assert_eq!(moments.count, expected.count);
        assert!((moments.mean - expected.mean).abs() < 1e-3);
        assert!((moments.deviation - expected.deviation).abs() < 1e-3);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn whatever_is_written_a_search_finds_what_comparing_everything_finds(
        steps in prop::collection::vec(step(), 1..40)
    ) {
        let connection = in_memory();
        let cache = Cache::default();
        let models = [model(&connection, "first", DIMENSIONS[0]), model(&connection, "second", DIMENSIONS[1])];
        let mut naive = Naive::new();
        for step in steps {
            match step {
                Step::Insert { memory, model, flags, seeds } => {
                    let vectors: Vec<Vec<f32>> =
                        seeds.iter().map(|&seed| vector(seed, DIMENSIONS[model])).collect();
                    let passages: Vec<Passage<'_>> = vectors
                        .iter().zip(&seeds).zip(0..).map(|((vector, &seed), n)| (n, hash(seed), vector.as_slice()))
                        .collect();
                    insert(&connection, 2 - memory % 2, models[model], memory, flags, &passages).unwrap();
                    naive.insert((model, memory), (flags, seeds));
                    naive.retain(|_, (_, seeds)| !seeds.is_empty());
                }
                Step::Remove { memory } => {
                    remove(&connection, 2 - memory % 2, memory).unwrap();
                    naive.retain(|(_, its_memory), _| *its_memory != memory);
                }
                Step::Search { scope, model, seed, limit, divisor } => {
                    let asked = (scope, model, seed, limit, divisor);
                    check_search(&connection, &cache, &naive, models, asked);
                }
                Step::Rebuild => rebuild(&connection).unwrap(),
            }
            prop_assert_eq!(check(&connection).unwrap(), Vec::<String>::new());
        }
        for seed in 0..50 {
            let kept = find_by_text(&connection, models[0], &hash(seed)).unwrap();
            let there = naive.iter().any(|((model, _), (_, seeds))| *model == 0 && seeds.contains(&seed));
            prop_assert_eq!(kept.is_some(), there);
        }
    }
}

/// Puts many vectors around a few centres into scope 1, and returns them.
fn crowd(connection: &Connection, model: i64, count: u64, dimensions: usize) -> Vec<Vec<f32>> {
    let near = |seed: u64| -> Vec<f32> {
        let (centre, own) = (vector(seed % 40 + 10_000, dimensions), vector(seed, dimensions));
        let sum: Vec<f32> = centre.iter().zip(&own).map(|(a, b)| 0.6 * a + b).collect();
        direction(&sum, dimensions).unwrap()
    };
    let vectors: Vec<Vec<f32>> = (0..count).map(near).collect();
    connection.execute_batch("BEGIN").unwrap();
    for (memory, vector) in (1_001_i64..).zip(&vectors) {
        add_memory(connection, memory, 1);
        let flags = u8::from(memory % 3 == 0);
        insert(connection, 1, model, memory, flags, &[(0, hash(9), vector)]).unwrap();
    }
    connection.execute_batch("COMMIT").unwrap();
    vectors
}

#[test]
fn in_a_large_scope_nearly_all_neighbours_are_found_and_the_spread_is_about_right() {
    let (count, dimensions) = (3_000, 384);
    let connection = in_memory();
    let model = model(&connection, "first", dimensions);
    let vectors = crowd(&connection, model, count, dimensions);
    let cache = Cache::default();
    let mut hits = 0;
    for question in vectors.iter().step_by(150) {
        let admits = |memory: i64| memory % 2 == 0;
        let found = nearest(&connection, &cache, (1, model), question, &admits, 10).unwrap();
        let mut exact: Vec<(f32, i64)> = vectors
            .iter()
            .zip(1_001..)
            .map(|(vector, memory)| (cosine(vector, question), memory))
            .collect();
        for (remainder, moments) in [(true, found.spread.assistant), (false, found.spread.others)] {
            let cosines = exact.iter().filter(|(_, memory)| (memory % 3 == 0) == remainder);
            let expected = Spread::of(cosines.map(|pair| f64::from(pair.0)));
            assert_eq!(moments.count, expected.count);
            assert!((moments.mean - expected.mean).abs() < 0.005);
            assert!((moments.deviation / expected.deviation - 1.0).abs() < 0.06);
        }
        exact.retain(|(_, memory)| admits(*memory));
        exact.sort_by(|a, b| b.0.total_cmp(&a.0));
        let expected: Vec<i64> = exact[..10].iter().map(|pair| pair.1).collect();
        hits += found.nearest.iter().filter(|found| expected.contains(&found.memory)).count();
        assert!(found.nearest.iter().all(|found| admits(found.memory)));
    }
    assert!(hits >= 196, "{hits} of 200");
}

#[test]
fn memories_with_many_passages_leave_room_for_others() {
    let connection = in_memory();
    let model = model(&connection, "first", 64);
    let question = vector(1, 64);
    for memory in [1_i64, 3, 5] {
        let passages: Vec<Vec<f32>> = (0..1_000)
            .map(|seed| {
                let own = vector(seed + 1_000 * memory.unsigned_abs(), 64);
                let mixed: Vec<f32> = question
                    .iter()
                    .zip(own)
                    .map(|(a, b)| if memory == 5 { -a + 0.1 * b } else { a + 0.1 * b })
                    .collect();
                direction(&mixed, 64).unwrap()
            })
            .collect();
        let passages: Vec<Passage<'_>> = passages
            .iter()
            .zip(0_u16..)
            .map(|(vector, n)| (n, hash(n.into()), vector.as_slice()))
            .collect();
        insert(&connection, 1, model, memory, 0, &passages).unwrap();
    }
    let found = found(&connection, &Cache::default(), 1, model, &question);
    assert_eq!((found.len(), found[2]), (3, 5));
}

#[test]
fn a_write_by_another_connection_is_seen_and_an_older_snapshot_stays_as_it_was() {
    let (folder, writer) = on_disk();
    let model = model(&writer, "first", 64);
    let (one, other, cache) = (another(&folder), another(&folder), Cache::default());
    let question = vector(1, 64);
    insert_one(&writer, 1, model, 1, &question);
    insert_one(&writer, 1, model, 3, &vector(3, 64));
    one.execute_batch("BEGIN").unwrap();
    assert_eq!(found(&one, &cache, 1, model, &question), [1, 3]);
    insert_one(&writer, 1, model, 1, &vector(7, 64));
    insert_one(&writer, 1, model, 5, &question);
    assert_eq!(found(&other, &cache, 1, model, &question)[0], 5);
    assert_eq!(found(&one, &cache, 1, model, &question), [1, 3]);
    remove(&writer, 1, 5).unwrap();
    assert_eq!(found(&other, &cache, 1, model, &question).len(), 2);
    assert_eq!(found(&one, &cache, 1, model, &question), [1, 3]);
    one.execute_batch("COMMIT").unwrap();
    assert!(!found(&one, &cache, 1, model, &question).contains(&5));
    remove(&writer, 1, 1).unwrap();
    remove(&writer, 1, 3).unwrap();
    assert!(found(&one, &cache, 1, model, &question).is_empty());
    insert_one(&writer, 1, model, 7, &question);
    assert_eq!(found(&one, &cache, 1, model, &question), [7]);
}

#[test]
fn what_is_taken_back_is_not_remembered() {
    let (folder, writer) = on_disk();
    let model = model(&writer, "first", 64);
    let (reader, cache, question) = (another(&folder), Cache::default(), vector(1, 64));
    insert_one(&writer, 1, model, 1, &vector(2, 64));
    assert_eq!(found(&reader, &cache, 1, model, &question), [1]);
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    insert_one(&writer, 1, model, 3, &question);
    assert_eq!(found(&writer, &cache, 1, model, &question), [3, 1]);
    writer.execute_batch("ROLLBACK").unwrap();
    insert_one(&writer, 1, model, 5, &question);
    assert_eq!(found(&reader, &cache, 1, model, &question), [5, 1]);
}

#[test]
fn pages_fill_up_empty_and_disappear() {
    let connection = in_memory();
    let model = model(&connection, "first", 384);
    let pages = || -> Vec<(usize, i64)> {
        let mut select =
            connection.prepare("SELECT length(records) / 61, room FROM codes").unwrap();
        let pages = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        pages.collect::<rusqlite::Result<_>>().unwrap()
    };
    let vectors: Vec<Vec<f32>> = (0..100).map(|seed| vector(seed, 384)).collect();
    let passages: Vec<Passage<'_>> =
        vectors.iter().zip(0..).map(|(vector, n)| (n, hash(n.into()), vector.as_slice())).collect();
    insert(&connection, 1, model, 1, 0, &passages[..70]).unwrap();
    assert_eq!(pages(), [(64, 0), (6, 58)]);
    insert(&connection, 1, model, 3, 0, &passages[..2]).unwrap();
    insert(&connection, 2, model, 2, 0, &passages[..1]).unwrap();
    assert_eq!(pages(), [(64, 0), (8, 56), (1, 63)]);
    assert_eq!(
        (count(&connection, 1, model).unwrap(), count(&connection, 2, model).unwrap()),
        (72, 1)
    );
    remove(&connection, 1, 1).unwrap();
    assert_eq!(pages(), [(2, 62), (1, 63)]);
    remove(&connection, 2, 2).unwrap();
    remove(&connection, 1, 3).unwrap();
    assert_eq!(pages(), []);
    assert_eq!(count(&connection, 1, model).unwrap(), 0);
    assert!(check(&connection).unwrap().is_empty());
}

#[test]
fn nothing_of_a_removed_vector_stays_in_the_file() {
    let (folder, connection) = on_disk();
    let model = model(&connection, "first", 384);
    let vectors: Vec<Vec<f32>> = (0..40).map(|seed| vector(seed, 384)).collect();
    for (memory, vector) in (1..).step_by(2).zip(&vectors[..20]) {
        insert(&connection, 1, model, memory, 0, &[(0, hash(memory.unsigned_abs()), vector)])
            .unwrap();
    }
    let removed = Half::all(&vectors[4]);
    let code = record(Key(0), 0, 0, &removed).code;
    let traces = [
        code.words[1..4].iter().flat_map(|word| word.to_le_bytes()).collect(),
        Half::to_bytes(&removed[100..110]),
        hash(9).to_vec(),
    ];
    let present = || {
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        let file = std::fs::read(folder.path().join("cofio.db")).unwrap();
        traces
            .each_ref()
            .map(|trace: &Vec<u8>| file.windows(trace.len()).any(|window| window == trace))
    };
    assert_eq!(present(), [true; 3]);
    remove(&connection, 1, 9).unwrap();
    assert_eq!(present(), [false; 3]);
}

#[test]
fn models_are_never_mixed_and_go_in_pieces() {
    let connection = in_memory();
    let (first, second) = (model(&connection, "first", 64), model(&connection, "second", 64));
    assert_eq!(model(&connection, "first", 64), first);
    let cache = Cache::default();
    for memory in (1_i64..40).step_by(2) {
        let seed = memory.unsigned_abs();
        insert_one(&connection, 1, first, memory, &vector(seed, 64));
        insert_one(&connection, 1, second, memory, &vector(seed + 100, 64));
    }
    assert_eq!(found(&connection, &cache, 1, first, &vector(105, 64)).len(), 10);
    assert_eq!(found(&connection, &cache, 1, second, &vector(105, 64))[0], 5);
    assert_eq!(forget_model(&connection, first, 0).unwrap(), 20);
    while forget_model(&connection, first, 1).unwrap() > 0 {}
    assert!(find_model(&connection, &Fingerprint::new("first").unwrap()).unwrap().is_none());
    assert!(found(&connection, &cache, 1, first, &vector(5, 64)).is_empty());
    assert_eq!(found(&connection, &cache, 1, second, &vector(105, 64))[0], 5);
    assert_eq!(count(&connection, 1, second).unwrap(), 20);
    assert!(check(&connection).unwrap().is_empty());
    let third = model(&connection, "third", 32);
    assert_eq!(third, first);
    insert_one(&connection, 1, third, 1, &vector(1, 32));
    assert_eq!(found(&connection, &cache, 1, third, &vector(5, 32)), [1]);
}

#[test]
fn vectors_that_cannot_be_compared_are_refused() {
    let connection = in_memory();
    let model = model(&connection, "first", 8);
    let fails = |passages: &[Passage<'_>]| {
        let error = insert(&connection, 1, model, 1, 0, passages).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
    };
    fails(&[(0, hash(1), &[1.0; 7])]);
    fails(&[(0, hash(1), &[0.0; 8])]);
    fails(&[(0, hash(1), &[f32::NAN; 8])]);
    fails(&[(0, hash(1), &[1.0; 8]), (0, hash(2), &[1.0; 8])]);
    assert!(model_number(&connection, &Fingerprint::new("first").unwrap(), 9).is_err());
    assert!(model_number(&connection, &Fingerprint::new("none").unwrap(), 0).is_err());
    insert_one(&connection, 1, model, 1, &[3.0; 8]);
    let found =
        nearest(&connection, &Cache::default(), (1, model), &[2.0; 8], &|_| true, 1).unwrap();
    assert!((found.nearest[0].cosine - 1.0).abs() < 1e-3);
}

#[test]
fn damage_is_found_and_mended() {
    let connection = in_memory();
    let model = model(&connection, "first", 64);
    for memory in (1_i64..40).step_by(2) {
        insert_one(&connection, 1, model, memory, &vector(memory.unsigned_abs(), 64));
    }
    for damage in [
        "UPDATE codes SET records = substr(records, 1, 21 * 10)",
        "UPDATE codes SET records = CAST(substr(records, 1, 100) || zeroblob(8) || substr(records, 109) AS BLOB)",
        "UPDATE codes SET records = x'01'",
        "UPDATE codes SET scope = 2",
        "DELETE FROM codes",
        "UPDATE populations SET vectors = vectors + 1",
        "UPDATE vectors SET page = page + 1",
        "UPDATE vectors SET flags = 1 WHERE memory = 7",
        "DELETE FROM vectors WHERE memory = 9",
        "DELETE FROM memories WHERE memory = 11",
        "UPDATE vectors SET numbers = x'00' WHERE memory = 13",
        "UPDATE vectors SET numbers = zeroblob(128) WHERE memory = 15",
    ] {
        connection.execute_batch(damage).unwrap();
        assert!(!check(&connection).unwrap().is_empty(), "{damage}");
        rebuild(&connection).unwrap();
        assert!(check(&connection).unwrap().is_empty(), "{damage}");
    }
    let cache = Cache::default();
    assert_eq!(found(&connection, &cache, 1, model, &vector(7, 64))[0], 7);
    assert!(!found(&connection, &cache, 1, model, &vector(9, 64)).contains(&9));
    assert_eq!(count(&connection, 1, model).unwrap(), 16);
}

#[test]
fn what_was_not_used_for_long_makes_room() {
    let connection = in_memory();
    let model = model(&connection, "first", 64);
    insert_one(&connection, 1, model, 1, &vector(1, 64));
    insert_one(&connection, 2, model, 2, &vector(2, 64));
    let cache = Cache::default();
    let look = |scope| found(&connection, &cache, scope, model, &vector(3, 64));
    for scope in [1, 2, 1] {
        look(scope);
    }
    let code_bytes = |scope| cache.held_bytes((model, scope)).map(|bytes| bytes.0);
    let vector_bytes = |scope| cache.held_bytes((model, scope)).map(|bytes| bytes.1);
    assert_eq!((vector_bytes(1), vector_bytes(2)), (Some(128), Some(128)));
    cache.trim_to(usize::MAX, 128);
    assert_eq!((vector_bytes(1), vector_bytes(2)), (Some(128), None));
    cache.trim_to(0, 127);
    assert!(code_bytes(1).is_some());
    assert_eq!(vector_bytes(1), Some(0));
    assert_eq!((look(1), look(2)), (vec![1], vec![2]));
}

#[test]
fn a_vector_that_was_replaced_is_not_kept_when_its_stamp_comes_again() {
    let connection = in_memory();
    let model = model(&connection, "m", 24);
    let cache = Cache::default();
    let (before, after) = (vector(1, 24), vector(2, 24));
    insert_one(&connection, 1, model, 1, &before);
    insert_one(&connection, 1, model, 3, &vector(3, 24));
    let cosine = || {
        let found = cosines(&connection, &cache, (1, model), &after, &[1]).unwrap();
        found[0].cosine
    };
    let first = cosine();
    let stamp = |memory: i64| -> i64 {
        let page: Vec<u8> =
            connection.query_row("SELECT records FROM codes", [], |row| row.get(0)).unwrap();
        let records = Records::read(24, page).unwrap();
        let place = records.keys().position(|key| key.memory() == memory).unwrap();
        i64::from(records.raw().nth(place).unwrap().stamp())
    };
    let again = stamp(1) + (1 << 16);
    // Removing the earlier vector takes one revision, and keeping the next another.
    connection.execute("UPDATE populations SET revision = ? WHERE model = 0", [again - 2]).unwrap();
    insert_one(&connection, 1, model, 1, &after);
    assert_eq!(stamp(1), again - (1 << 16), "the stamp has come again");
    assert!(first < 0.9 && cosine() > 0.99, "{first} {}", cosine());
}
