//! Files that earlier versions wrote must open forever.

use cofio::model::Layer;
use cofio::store::{SqliteStore, Store as _};
use cofio::{Engine, Query, Selection};
use pollster::block_on;

use crate::fixture::{START, identifiers, keeper, local};

#[test]
fn a_file_of_the_first_version_is_found_and_embedded_as_if_it_were_new() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cofio.db");
    std::fs::write(&path, include_bytes!("stores/version-1.db")).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(block_on(store.check()).unwrap().problems, Vec::<String>::new());
    assert_eq!(block_on(store.embedding_state()).unwrap().pending, 2);
    let engine = Engine::new(store, || START.parse().unwrap());
    let found = |question: &str, names: &[(Layer, &str)]| {
        let query = Query::new(Selection::new(identifiers(names)), question);
        block_on(engine.search(&local("alice"), &query)).unwrap().hits
    };
    let alice = [(Layer::User, "alice")];
    let tea = found("how does she drink tea?", &alice);
    assert_eq!(tea[0].memory.content.as_str(), "Alice drinks her tea very black");
    let history = block_on(engine.history(&local("alice"), &tea[0].memory.id)).unwrap();
    assert_eq!(history.earlier.len(), 1);
    let session = [(Layer::User, "alice"), (Layer::Session, "s1")];
    assert_eq!(found("what was it with bob?", &session).len(), 1);
    assert!(found("forgotten canary", &session).is_empty());
    block_on(engine.verify_audit(&keeper())).unwrap();
    assert!(folder.path().join("cofio.db.v1.backup").exists());
}

#[test]
fn whoever_has_no_time_leaves_an_older_file_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cofio.db");
    std::fs::write(&path, include_bytes!("stores/version-1.db")).unwrap();
    let error = SqliteStore::open_current(&path).unwrap_err();
    assert_eq!(error.details()["version"], 1);
    assert!(std::fs::read(&path).unwrap() == include_bytes!("stores/version-1.db"));
    assert!(!folder.path().join("cofio.db.v1.backup").exists());
    drop(SqliteStore::open(&path).unwrap());
    SqliteStore::open_current(&path).unwrap();
    SqliteStore::open_current(&folder.path().join("new.db")).unwrap();
}
