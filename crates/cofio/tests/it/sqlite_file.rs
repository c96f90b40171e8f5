//! What is special to a store that is one file.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};

use cofio::model::{Channel, Draft, Kind, Layer, Patch, Source, Timestamp};
use cofio::shelf::{MemoryShelf, Shelf};
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::{SqliteStore, Store as _};
use cofio::{Config, Engine, ErrorKind, Query, Result, Selection};
use jiff::SignedDuration;
use pollster::block_on;
use rusqlite::Connection;

use crate::fixture::{Fixture, START, fact, identifiers, keeper, local, named, scope, start};
use crate::life::Life;

/// A text that stands in no schema and no other text.
const CANARY: &str = "quokkaflamingo";

#[test]
fn file_and_folder_are_their_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/deep/cofio.db");
    let _store = SqliteStore::open(&path).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&path.with_file_name("cofio.db-wal")), 0o600);
}

#[test]
fn what_is_forgotten_leaves_no_byte_in_any_file() {
    let fixture = Fixture::new();
    let kept = fixture.fact("alice", "a sibling that stays");
    let text = format!("{CANARY} says @{CANARY} about #{CANARY}");
    let memory = fixture.fact("alice", &text);
    let patch = Patch { content: Some(format!("{CANARY} changed")), ..Patch::default() };
    block_on(fixture.engine.update(&local("alice"), &memory.id, patch)).unwrap();
    let large = fixture.fact("alice", &format!("{CANARY} {}", "long ".repeat(5_000)));
    fixture.search("alice", CANARY);
    block_on(fixture.engine.settle()).unwrap();
    assert!(bytes_in(&fixture.folder(), CANARY) > 0, "the canary can be seen while it lives");
    block_on(fixture.engine.forget(&local("alice"), &[memory.id, large.id])).unwrap();
    assert_eq!(bytes_in(&fixture.folder(), CANARY), 0);
    assert_eq!(fixture.found("alice", "sibling"), [kept.content.as_str()]);
}

#[test]
fn what_ends_and_makes_room_leaves_no_byte_either() {
    let fixture = Fixture::new();
    let alice = scope(Layer::User, &[(Layer::User, "alice")]);
    let set = |value: &str| {
        let source = Source::through(Channel::ExplicitSave);
        let caller = local("alice");
        block_on(fixture.engine.set_context(&caller, alice.clone(), "task", value, source))
            .unwrap();
    };
    set(CANARY);
    fixture.wait(SignedDuration::from_hours(24));
    set("another task");
    assert_eq!(bytes_in(&fixture.folder(), CANARY), 0);
}

/// Counts the files in a folder that contain a text.
fn bytes_in(folder: &Path, text: &str) -> usize {
    let contains = |path: &Path| {
        String::from_utf8_lossy(&std::fs::read(path).unwrap()).to_lowercase().contains(text)
    };
    std::fs::read_dir(folder)
        .unwrap()
        .filter(|file| contains(&file.as_ref().unwrap().path()))
        .count()
}

#[test]
fn everything_derived_can_be_made_anew() {
    let fixture = Fixture::new();
    for text in ["tea with @bob in Rhyl", "coffee with @Bob", "#tea is black"] {
        fixture.fact("alice", text);
    }
    let answers = || {
        let questions = ["tea", "bob", "rhyl coffee"];
        questions.map(|question| fixture.found("alice", question))
    };
    let before = answers();
    let other = Connection::open(fixture.path()).unwrap();
    other.execute_batch("DELETE FROM mentions; DELETE FROM entities; DROP TABLE words;").unwrap();
    drop(other);
    block_on(fixture.store.rebuild()).unwrap();
    assert_eq!(answers(), before);
}

#[test]
fn a_newer_or_foreign_file_is_refused_and_left_alone() {
    for (statement, expected) in [
        ("PRAGMA user_version = 99", "newer"),
        ("UPDATE settings SET value = 99 WHERE name = 'analyser'", "newer"),
        ("PRAGMA application_id = 1", "another program"),
    ] {
        let fixture = Fixture::new();
        fixture.fact("alice", "tea");
        let path = fixture.path();
        Connection::open(&path).unwrap().execute_batch(statement).unwrap();
        let error = SqliteStore::open(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn an_index_of_an_older_analyser_is_made_anew() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea is black");
    let path = fixture.path();
    let other = Connection::open(&path).unwrap();
    let older = "UPDATE settings SET value = 0 WHERE name = 'analyser'; DROP TABLE words;";
    other.execute_batch(older).unwrap();
    drop(other);
    let store = SqliteStore::open(&path).unwrap();
    let engine = Engine::new(store, || START.parse().unwrap());
    let mine = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let query = Query::new(mine, "black tea");
    assert_eq!(block_on(engine.search(&local("alice"), &query)).unwrap().hits.len(), 1);
}

#[test]
fn a_file_that_is_no_database_is_a_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cofio.db");
    std::fs::write(&path, "this is a diary, not a database ".repeat(100)).unwrap();
    let error = SqliteStore::open(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().contains("damaged or no Cofio store"), "{error}");
    assert!(SqliteStore::open(folder.path()).is_err());
}

#[test]
fn a_backup_is_whole_while_others_write() {
    let fixture = Fixture::new();
    let copy = fixture.folder().join("copy.db");
    std::thread::scope(|threads| {
        threads.spawn(|| {
            for number in 0..200 {
                fixture.fact("alice", &format!("note {number}"));
            }
        });
        while fixture.found("alice", "note").is_empty() {}
        block_on(fixture.store.backup(&copy)).unwrap();
    });
    let copied = SqliteStore::open(&copy).unwrap();
    let integrity = block_on(copied.check()).unwrap();
    assert!(integrity.problems.is_empty() && integrity.memories > 0);
    block_on(copied.verify_audit()).unwrap();
    assert!(block_on(fixture.store.backup(&copy)).is_err(), "a file that is there is not replaced");
}

fn restore(fixture: &Fixture, source: &Path) -> Result<usize> {
    let restored = block_on(fixture.store.restore(source, &keeper(), START.parse().unwrap()));
    restored.map(|restored| restored.still_forgotten)
}

fn backup(fixture: &Fixture, name: &str) -> PathBuf {
    let copy = fixture.folder().join(name);
    block_on(fixture.store.backup(&copy)).unwrap();
    copy
}

#[test]
fn a_restored_backup_does_not_bring_back_what_was_forgotten() {
    let fixture = Fixture::new();
    let canary = fixture.fact("alice", CANARY);
    let kept = fixture.fact("alice", "a sibling that stays");
    let copy = backup(&fixture, "copy.db");
    block_on(fixture.engine.forget(&local("alice"), std::slice::from_ref(&canary.id))).unwrap();
    fixture.fact("alice", "written after the backup");
    assert_eq!(restore(&fixture, &copy).unwrap(), 1);
    assert_eq!(fixture.found("alice", "sibling"), [kept.content.as_str()]);
    assert!(fixture.found("alice", CANARY).is_empty());
    assert!(fixture.found("alice", "written").is_empty());
    std::fs::remove_file(copy).unwrap();
    assert_eq!(bytes_in(&fixture.folder(), CANARY), 0);
}

/// Puts the texts of a store on a shelf, and tells it something.
fn tell_on_a_shelf(store: &Arc<SqliteStore>, text: &str) {
    let shelf: Arc<dyn Shelf> = Arc::new(MemoryShelf::new(|| Timestamp::UNIX_EPOCH));
    let rules = Rules(vec![Rule::everything(named("attic"))]);
    let shelves = HashMap::from([(named("attic"), shelf)]);
    let shelved = Shelved::new(store.clone(), shelves, rules, start).unwrap();
    Life::on(Arc::new(shelved), Config::default()).keep(fact("alice", text));
}

#[test]
fn a_restored_store_is_called_as_the_texts_on_its_shelves_know_it() {
    let folder = tempfile::tempdir().unwrap();
    let open = |name: &str| Arc::new(SqliteStore::open(&folder.path().join(name)).unwrap());
    let copied = |store: &SqliteStore, name: &str| {
        let copy = folder.path().join(name);
        block_on(store.backup(&copy)).unwrap();
        copy
    };
    let restored = |store: &SqliteStore, copy: &Path| {
        block_on(store.restore(copy, &keeper(), START.parse().unwrap()))
    };
    let original = open("a.db");
    let bare = copied(&original, "bare.db");
    tell_on_a_shelf(&original, "Alice keeps bees");
    let copy = copied(&original, "copy.db");

    let other = open("b.db");
    restored(&other, &bare).unwrap();
    drop(other);
    assert_ne!(open("b.db").unique_name(), original.unique_name(), "nothing stands on shelves");
    restored(&open("b.db"), &copy).unwrap();
    assert_eq!(open("b.db").unique_name(), original.unique_name());
    restored(&original, &copy).unwrap();

    let third = open("c.db");
    tell_on_a_shelf(&third, "Alice keeps hens");
    let error = restored(&third, &copy).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    assert_eq!(block_on(third.last_change()).unwrap(), 1, "nothing was restored");
}

#[test]
fn no_order_of_restoring_brings_back_what_was_forgotten() {
    let fixture = Fixture::new();
    fixture.fact("alice", "base");
    let before = backup(&fixture, "before.db");
    let phoenix = fixture.fact("alice", "phoenix");
    let during = backup(&fixture, "during.db");
    block_on(fixture.engine.forget(&local("alice"), std::slice::from_ref(&phoenix.id))).unwrap();
    restore(&fixture, &before).unwrap();
    assert_eq!(restore(&fixture, &during).unwrap(), 1);
    assert!(fixture.found("alice", "phoenix").is_empty());
    assert_eq!(fixture.found("alice", "base"), ["base"]);
}

#[test]
fn going_back_is_on_record_and_the_record_goes_on() {
    let fixture = Fixture::new();
    let first = fixture.fact("alice", "first");
    let copy = backup(&fixture, "copy.db");
    let patch = Patch { content: Some("changed".to_owned()), ..Patch::default() };
    block_on(fixture.engine.update(&local("alice"), &first.id, patch)).unwrap();
    let second = fixture.fact("alice", "second");
    let entries = block_on(fixture.engine.verify_audit(&keeper())).unwrap();
    restore(&fixture, &copy).unwrap();
    assert_eq!(block_on(fixture.engine.verify_audit(&keeper())).unwrap(), entries + 1);
    let changes = block_on(fixture.engine.changes(&keeper(), 0, 100)).unwrap();
    let last: Vec<_> =
        changes[3..].iter().map(|change| (&change.id, change.kind.as_str())).collect();
    assert_eq!(last, [(&second.id, "deleted"), (&first.id, "updated")]);
    let history = block_on(fixture.engine.history(&local("alice"), &first.id)).unwrap();
    assert_eq!((history.current.content.as_str(), history.earlier.len()), ("first", 0));
    restore(&fixture, &copy).unwrap();
}

#[test]
fn a_backup_from_another_machine_finds_its_scopes() {
    let (from, to) = (Fixture::new(), Fixture::new());
    for user in ["zoe", "bob", "alice"] {
        from.fact(user, &format!("tea of {user} with @ann"));
    }
    to.fact("alice", "this goes");
    let copy = backup(&from, "copy.db");
    restore(&to, &copy).unwrap();
    for user in ["zoe", "bob", "alice"] {
        assert_eq!(to.found(user, "ann tea"), [format!("tea of {user} with @ann")]);
    }
    block_on(to.engine.verify_audit(&keeper())).unwrap();
}

#[test]
fn nothing_but_rows_is_taken_from_a_backup() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea");
    let copy = backup(&fixture, "copy.db");
    let hostile = "CREATE TRIGGER evil AFTER INSERT ON memories BEGIN
                   UPDATE memories SET document = replace(document, 'tea', 'poison'); END;";
    Connection::open(&copy).unwrap().execute_batch(hostile).unwrap();
    restore(&fixture, &copy).unwrap();
    fixture.fact("alice", "more tea");
    assert_eq!(fixture.found("alice", "tea").len(), 2);
    assert!(fixture.found("alice", "poison").is_empty());
}

#[test]
fn a_path_that_sqlite_cannot_name_is_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::new();
    fixture.fact("alice", CANARY);
    let target = fixture.folder().join(std::ffi::OsStr::from_bytes(b"copy\xff.db"));
    assert!(block_on(fixture.store.backup(&target)).is_err());
    let files = std::fs::read_dir(fixture.folder()).unwrap().count();
    assert_eq!(files, 3, "the store, its log and its index, and no left-over");
}

#[test]
fn another_programs_file_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(SqliteStore::open(&path).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_memory_that_cannot_be_read_is_noticed() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea");
    fixture.fact("alice", "coffee");
    let statement = "UPDATE memories SET document = '{' WHERE memory = 1";
    Connection::open(fixture.path()).unwrap().execute_batch(statement).unwrap();
    let problems = block_on(fixture.store.check()).unwrap().problems;
    assert_eq!(problems, ["1 memories cannot be read"]);
    let query = Query::new(Selection::new(identifiers(&[(Layer::User, "alice")])), "tea");
    let error = block_on(fixture.engine.search(&local("alice"), &query)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert_eq!(block_on(fixture.engine.stats(&local("alice"), None)).unwrap().total, 2);
}

#[test]
fn a_store_that_goes_on_is_sound_however_often_it_is_looked_at() {
    let fixture = Fixture::new();
    let look = || block_on(fixture.store.check()).unwrap().problems;
    for round in 0..20 {
        let kept: Vec<_> = (0..10)
            .map(|number| fixture.fact("alice", &format!("note {round} {number}")))
            .collect();
        assert_eq!(look(), Vec::<String>::new(), "after {round} rounds of writing");
        fixture.found("alice", "note");
        block_on(fixture.engine.forget(&local("alice"), &[kept[0].id.clone()])).unwrap();
        assert_eq!(look(), Vec::<String>::new(), "after {round} rounds of forgetting");
    }
}

#[test]
fn many_processes_may_come_to_know_a_scope_at_once() {
    let fixture = Fixture::new();
    let stores: Vec<_> = (0..4).map(|_| SqliteStore::open(&fixture.path()).unwrap()).collect();
    let rounds = 50;
    let together = Barrier::new(stores.len());
    std::thread::scope(|threads| {
        for store in &stores {
            threads.spawn(|| {
                for number in 0..rounds {
                    let name = format!("user-{number}");
                    let scopes = [scope(Layer::User, &[(Layer::User, &name)])];
                    together.wait();
                    block_on(store.know(&scopes)).unwrap();
                }
            });
        }
    });
    let known = block_on(fixture.store.known_scopes(keeper().access())).unwrap();
    assert_eq!(known.len(), rounds);
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea");
    let bad = fixture.folder().join("bad.db");
    std::fs::write(&bad, "nonsense").unwrap();
    let empty = fixture.folder().join("empty.db");
    std::fs::write(&empty, "").unwrap();
    let absent = fixture.folder().join("absent.db");
    for (source, kind) in
        [(bad, ErrorKind::Damaged), (empty, ErrorKind::Damaged), (absent, ErrorKind::Configuration)]
    {
        let error = restore(&fixture, &source).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains(&*source.to_string_lossy()), "{error}");
        assert_eq!(fixture.found("alice", "tea").len(), 1);
    }
}

#[test]
fn tampering_with_the_audit_is_noticed() {
    for statement in [
        "UPDATE audit SET actor = 'mallory' WHERE sequence = 2",
        "UPDATE audit SET details = '{}' WHERE sequence = 1",
        "DELETE FROM audit WHERE sequence = 2",
        "DELETE FROM audit WHERE sequence = 3",
        "DELETE FROM audit",
        "UPDATE audit SET sequence = -sequence; UPDATE audit SET sequence = 4 + sequence",
        "DELETE FROM changes WHERE sequence = 2",
        "UPDATE changes SET id = 'fact_00000000000000000000000000000000' WHERE sequence = 1",
        "UPDATE audit SET action = 'nonsense' WHERE sequence = 1",
    ] {
        let fixture = Fixture::new();
        for number in 0..3 {
            fixture.fact("alice", &format!("note {number}"));
        }
        assert_eq!(block_on(fixture.engine.verify_audit(&keeper())).unwrap(), 3);
        Connection::open(fixture.path()).unwrap().execute_batch(statement).unwrap();
        let error = block_on(fixture.engine.verify_audit(&keeper())).unwrap_err();
        assert!(error.to_string().contains("tampered"), "{statement}: {error}");
    }
}

#[test]
fn a_store_that_cannot_be_written_can_still_be_searched() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea is black");
    let blocker = Connection::open(fixture.path()).unwrap();
    // Another program's transaction keeps writers out, and readers must not care.
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(fixture.found("alice", "tea").len(), 1);
    blocker.execute_batch("ROLLBACK").unwrap();
    block_on(fixture.engine.settle()).unwrap();
}

#[test]
fn a_write_waits_for_another_process() {
    let fixture = Fixture::new();
    fixture.fact("alice", "first");
    let blocker = Connection::open(fixture.path()).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|threads| {
        let write = threads.spawn(|| fixture.fact("alice", "second"));
        std::thread::sleep(std::time::Duration::from_millis(100));
        assert!(!write.is_finished());
        blocker.execute_batch("COMMIT").unwrap();
        write.join().unwrap();
    });
    assert_eq!(fixture.found("alice", "second").len(), 1);
}

#[test]
fn text_of_any_kind_goes_in_and_comes_out() {
    let fixture = Fixture::new();
    let source = Source::through(Channel::ExplicitSave);
    for text in
        ["nul \0 inside", "\u{202e}reversed", "\r\n\t tabs", "𝕏 astral 🎉", "'; DROP TABLE x; --"]
    {
        let scope = scope(Layer::Team, &[(Layer::Team, "t:/%*")]);
        let draft = Draft::new(scope, Kind::Fact, text, source.clone());
        let memory = fixture.remember(draft).unwrap().memory;
        let read = block_on(fixture.engine.get(&keeper(), &memory.id)).unwrap();
        assert_eq!(read.content.as_str(), text);
    }
}

#[test]
fn a_thousand_canaries_leave_nothing_to_recognise_them_by() {
    let fixture = Fixture::new();
    let canaries: Vec<String> = (0..1_000).map(canary).collect();
    let notes = |texts: &[String]| texts.iter().map(|text| fact("alice", text)).collect();
    let remember = |texts: &[String]| {
        let remembered = block_on(fixture.engine.remember_all(&keeper(), notes(texts))).unwrap();
        remembered.into_iter().map(|one| one.memory.id).collect::<Vec<_>>()
    };
    let kept: Vec<String> = (5_000..7_000).map(|seed| format!("{} stays", canary(seed))).collect();
    let mut ids = Vec::new();
    for (gone, stays) in canaries.chunks(50).zip(kept.chunks(100)) {
        ids.extend(remember(gone));
        remember(stays);
    }
    block_on(fixture.engine.forget(&local("alice"), &ids)).unwrap();
    block_on(fixture.engine.settle()).unwrap();
    let bytes = std::fs::read(fixture.path()).unwrap();
    let seen: HashSet<&[u8]> = bytes.windows(RECOGNISABLE).collect();
    let recognised = canaries
        .iter()
        .filter(|canary| canary.as_bytes().windows(RECOGNISABLE).any(|part| seen.contains(part)));
    assert_eq!(recognised.count(), 0);
    assert!(kept.iter().all(|text| seen.contains(&text.as_bytes()[..RECOGNISABLE])));
}

/// How many letters of a canary in a row would betray it.
const RECOGNISABLE: usize = 7;

/// Returns a word of fourteen letters that no other seed has.
fn canary(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut letter = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 33) % 26).unwrap())
    };
    (0..14).map(|_| letter()).collect()
}
