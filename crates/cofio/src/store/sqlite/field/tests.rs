use std::path::Path;

use pollster::block_on;
use rusqlite::Connection;

use super::*;
use crate::Engine;
use crate::model::{Caller, Channel, Draft, Identifier, Kind, MemoryId, Scope, Source, Timestamp};
use crate::store::SqliteStore;

fn engine(path: &Path) -> Engine {
    Engine::new(SqliteStore::open(path).unwrap(), || Timestamp::UNIX_EPOCH)
}

fn user() -> Identifier {
    Identifier::new("alice").unwrap()
}

fn remember(engine: &Engine, text: &str) -> MemoryId {
    let source = Source::through(Channel::ExplicitSave);
    let draft = Draft::new(Scope::user(user()), Kind::Fact, text, source);
    block_on(engine.remember(&Caller::local(user()), draft)).unwrap().memory.id
}

/// Opens a connection that sees what there is now, whatever is written.
fn snapshot(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch("BEGIN; SELECT count(*) FROM memories").unwrap();
    connection
}

/// Returns the places where a term stands and how many passages have it.
fn standing(field: &Field, connection: &Connection, term: &str) -> (Vec<u32>, u64) {
    let postings = field.postings(connection, 1, term).unwrap();
    let places = postings.slices().flatten().map(|placed| placed.place).collect();
    (places, field.passages_having(connection, 1, term).unwrap())
}

/// Compares what each of some snapshots makes of a term, in any order of asking.
fn check(fields: &Fields, snapshots: &[Connection], term: &str) {
    let mut order: Vec<usize> = (0..snapshots.len()).collect();
    for turn in 0..snapshots.len() {
        order.rotate_left(turn);
        for &number in &order {
            let connection = &snapshots[number];
            let known = standing(&fields.of(connection, 1).unwrap(), connection, term);
            let anew = standing(&Fields::default().of(connection, 1).unwrap(), connection, term);
            assert_eq!(known, anew, "snapshot {number} of {}", snapshots.len());
        }
    }
}

#[test]
fn every_snapshot_sees_its_own_moment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cofio.db");
    let engine = engine(&path);
    let mut snapshots = Vec::new();
    let fields = Fields::default();
    let mut ids = Vec::new();
    for number in 0..6 {
        ids.push(remember(&engine, &format!("zebra number {number}")));
        snapshots.push(snapshot(&path));
        check(&fields, &snapshots, "zebra");
    }
    block_on(engine.forget(&Caller::local(user()), &ids[2..3])).unwrap();
    snapshots.push(snapshot(&path));
    remember(&engine, "another zebra");
    snapshots.push(snapshot(&path));
    check(&fields, &snapshots, "zebra");
}

#[test]
fn what_is_asked_again_is_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cofio.db");
    let engine = engine(&path);
    remember(&engine, "a zebra");
    let fields = Fields::default();
    let first = snapshot(&path);
    standing(&fields.of(&first, 1).unwrap(), &first, "zebra");
    remember(&engine, "a second zebra");
    let second = snapshot(&path);
    let field = fields.of(&second, 1).unwrap();
    // Without the index, only what is kept can tell.
    second.execute_batch("COMMIT; DROP TABLE occurrences; DROP TABLE vocabulary").unwrap();
    assert_eq!(standing(&field, &second, "zebra"), (vec![0, 1], 2));
}
