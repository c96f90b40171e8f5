//! The head of the audit outside the store: what the store alone could not notice.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use cofio::Result;
use cofio::store::{SqliteStore, Store as _};
use pollster::block_on;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::fixture::{START, fact, keeper};

/// A store that was closed, so that its head is kept.
struct Closed {
    folder: TempDir,
}

impl Closed {
    fn with(count: usize) -> Self {
        let closed = Self { folder: tempfile::tempdir().unwrap() };
        closed.remember("note", count);
        closed
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("cofio.db")
    }

    fn head(&self) -> PathBuf {
        self.folder.path().join("cofio.db.audit-head")
    }

    fn remember(&self, word: &str, count: usize) {
        let store = SqliteStore::open(&self.path()).unwrap();
        let engine = cofio::Engine::new(store, || START.parse().unwrap());
        for number in 0..count {
            block_on(engine.remember(&keeper(), fact("alice", &format!("{word} {number}"))))
                .unwrap();
        }
    }

    fn verify(&self) -> Result<u64> {
        block_on(SqliteStore::open(&self.path()).unwrap().verify_audit())
    }

    fn vouched(&self) -> Option<u64> {
        SqliteStore::open(&self.path()).unwrap().vouched()
    }
}

fn check_noticed(tamper: impl FnOnce(&Connection)) {
    let closed = Closed::with(4);
    assert_eq!(closed.verify().unwrap(), 4);
    tamper(&Connection::open(closed.path()).unwrap());
    let error = closed.verify().unwrap_err();
    assert!(error.to_string().contains("tampered"), "{error}");
}

/// Takes the last entries away together with everything in the file that knows of them.
const CUT_SHORT: &str = "
    DELETE FROM audit WHERE sequence > 2;
    DELETE FROM changes WHERE sequence > 2;
    UPDATE settings SET value = (SELECT sequence || ' ' || hash FROM audit WHERE sequence = 2)
    WHERE name = 'audit_head';";

#[test]
fn a_store_that_was_only_looked_at_has_nothing_to_vouch_for() {
    let closed = Closed::with(0);
    let looked_at = SqliteStore::open(&closed.path()).unwrap();
    block_on(looked_at.settle()).unwrap();
    drop(looked_at);
    assert!(!closed.head().exists());
    // The place before the first entry is the same in every audit.
    fs::write(closed.head(), format!("0 {}\n", "0".repeat(64))).unwrap();
    closed.remember("note", 2);
    assert_eq!(closed.verify().unwrap(), 2);
    assert_eq!(closed.vouched(), Some(2));
}

#[test]
fn an_edited_entry_is_noticed() {
    check_noticed(|store| {
        store.execute_batch("UPDATE audit SET actor = 'mallory' WHERE sequence = 2").unwrap();
    });
}

#[test]
fn a_deleted_entry_is_noticed() {
    check_noticed(|store| {
        store.execute_batch("DELETE FROM audit WHERE sequence = 2").unwrap();
    });
}

#[test]
fn entries_in_another_order_are_noticed() {
    check_noticed(|store| {
        let swap = "UPDATE audit SET sequence = -sequence WHERE sequence IN (2, 3);
                    UPDATE audit SET sequence = 5 + sequence WHERE sequence < 0;";
        store.execute_batch(swap).unwrap();
    });
}

#[test]
fn an_audit_that_was_cut_short_with_its_head_is_noticed() {
    check_noticed(|store| store.execute_batch(CUT_SHORT).unwrap());
}

#[test]
fn an_older_copy_in_the_place_of_the_store_is_noticed_also_when_it_goes_on() {
    let closed = Closed::with(2);
    let older = fs::read(closed.path()).unwrap();
    closed.remember("later", 2);
    fs::write(closed.path(), older).unwrap();
    for round in 0..3 {
        let error = closed.verify().unwrap_err();
        assert!(error.to_string().contains("older copy"), "{error}");
        closed.remember(&format!("another way {round}"), 3);
    }
    fs::remove_file(closed.head()).unwrap();
    closed.verify().unwrap();
}

#[test]
fn a_head_that_is_not_there_is_no_error_and_made_anew_with_the_next_write() {
    let closed = Closed::with(2);
    assert_eq!(closed.vouched(), Some(2));
    let mode = fs::metadata(closed.head()).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    fs::remove_file(closed.head()).unwrap();
    assert_eq!((closed.verify().unwrap(), closed.vouched()), (2, None));
    fs::write(closed.head(), "").unwrap();
    closed.remember("later", 1);
    assert_eq!((closed.verify().unwrap(), closed.vouched()), (3, Some(3)));
    fs::write(closed.head(), "nonsense").unwrap();
    assert!(closed.verify().is_err());
}

#[test]
fn of_many_processes_the_one_that_has_seen_most_has_its_say() {
    let closed = Closed::with(1);
    std::thread::scope(|threads| {
        for writer in 0..8 {
            let closed = &closed;
            threads.spawn(move || closed.remember(&format!("writer {writer}"), 10));
        }
    });
    assert_eq!(closed.verify().unwrap(), 81);
    closed.remember("last", 1);
    assert_eq!(closed.vouched(), Some(82));
    let names: Vec<_> = names(closed.folder.path());
    assert!(names.iter().all(|name| !name.contains("partial")), "{names:?}");
}

#[test]
fn going_back_to_a_backup_through_the_store_is_no_tampering() {
    let closed = Closed::with(2);
    let copy = closed.folder.path().join("copy.db");
    block_on(SqliteStore::open(&closed.path()).unwrap().backup(&copy)).unwrap();
    closed.remember("later", 2);
    let store = SqliteStore::open(&closed.path()).unwrap();
    block_on(store.restore(&copy, &keeper(), START.parse().unwrap())).unwrap();
    drop(store);
    assert_eq!((closed.verify().unwrap(), closed.vouched()), (5, Some(5)));
    let names = names(closed.folder.path());
    assert!(names.iter().all(|name| !name.contains("restore-")), "{names:?}");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
