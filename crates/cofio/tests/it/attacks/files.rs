//! Attacks through files: links, names that mean something, and files in the way.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use cofio::model::Caller;
use cofio::store::SqliteStore;
use pollster::block_on;

use crate::fixture::{Fixture, named};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_a_copy_follows_no_link_and_replaces_nothing() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea is black");
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = |name: &str| folder.path().join(name);
    symlink(&victim, target("link.db")).unwrap();
    symlink(outside.path().join("not yet"), target("dangling.db")).unwrap();
    symlink(target("loop.db"), target("loop.db")).unwrap();
    fs::write(target("file.db"), "precious").unwrap();
    fs::create_dir(target("folder.db")).unwrap();
    let before = names(folder.path());
    for name in ["link.db", "dangling.db", "loop.db", "file.db", "folder.db", "no/such/folder.db"] {
        assert!(block_on(fixture.store.backup(&target(name))).is_err(), "{name}");
    }
    assert_eq!(names(folder.path()), before, "nothing is left behind");
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert_eq!(fs::read_to_string(target("file.db")).unwrap(), "precious");
    assert_eq!(names(outside.path()), ["victim"]);
    block_on(fixture.store.backup(&target("copy.db"))).unwrap();
    assert_eq!(mode(&target("copy.db")), 0o600);
    assert_eq!(names(folder.path()).len(), before.len() + 1);
}

#[test]
fn files_a_store_is_not_made_where_a_link_leads_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let (link, outside) = (folder.path().join("cofio.db"), folder.path().join("elsewhere.db"));
    symlink(&outside, &link).unwrap();
    assert!(SqliteStore::open(&link).is_err());
    assert!(!outside.exists());
    drop(SqliteStore::open(&outside).unwrap());
    SqliteStore::open(&link).unwrap();
    assert_eq!(mode(&outside), 0o600);
}

#[test]
fn files_a_name_is_neither_an_address_nor_sql() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea is black");
    let folder = tempfile::tempdir().unwrap();
    let hostile = [
        "file:copy.db?mode=memory",
        "copy.db?vfs=memdb",
        "'; ATTACH 'x.db' AS x; --.db",
        ":memory:",
        "%2e%2e%2fcopy.db",
        "a b\nc.db",
    ];
    for name in hostile {
        let target = folder.path().join(name);
        block_on(fixture.store.backup(&target)).unwrap();
        assert!(target.is_file(), "{name}");
        let keeper = Caller::keeper(named("keeper"));
        let now = crate::fixture::START.parse().unwrap();
        block_on(fixture.store.restore(&target, &keeper, now)).unwrap();
        assert_eq!(fixture.found("alice", "tea"), ["tea is black"], "{name}");
        let store = SqliteStore::open(&folder.path().join(format!("store of {name}"))).unwrap();
        assert!(store.path().is_file(), "{name}");
    }
    let copies = names(folder.path()).into_iter().filter(|name| hostile.contains(&name.as_str()));
    assert_eq!(copies.count(), hostile.len());
}

#[test]
fn files_no_temporary_name_is_used_twice() {
    let fixture = Fixture::new();
    fixture.fact("alice", "tea is black");
    let folder = tempfile::tempdir().unwrap();
    // Whoever knew the name of the partial copy would put something there first.
    for purpose in ["partial", "restore"] {
        for guess in ["", "0", "1", "00000000000000000000000000000000"] {
            let path = folder.path().join(format!("copy.db.{purpose}-{guess}"));
            symlink(folder.path().join("stolen"), path).unwrap();
        }
    }
    block_on(fixture.store.backup(&folder.path().join("copy.db"))).unwrap();
    assert!(!folder.path().join("stolen").exists());
    let copy = fs::symlink_metadata(folder.path().join("copy.db")).unwrap();
    assert!(copy.is_file());
}
