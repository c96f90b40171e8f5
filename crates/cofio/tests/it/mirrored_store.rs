//! A store whose memories stand in files keeps the contract too.

use std::sync::Arc;

use cofio::Engine;
use cofio::engine::Syncing;
use cofio::files::Mirror;
use cofio::files::mirror::{Layout, Workspace};
use cofio::mirrored::{Mirrored, Role};
use cofio::model::{Layer, Scope};
use cofio::store::{SqliteStore, Store, conformance};
use jiff::tz::TimeZone;
use pollster::block_on;
use tempfile::TempDir;

use crate::fixture::{START, identifiers, keeper, named};

fn fresh() -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(&folder.path().join("index.db")).unwrap());
    let world = Scope::new(Layer::Project, &identifiers(&[(Layer::Project, "website")])).unwrap();
    let layout = Layout::Workspace(Workspace::new(world, named("alice")));
    let (files, notes) = (folder.path().join("memory"), folder.path().join("notes"));
    let mirror = Mirror::open(&files, &notes, layout).unwrap();
    let engine = Engine::shared(store.clone(), || START.parse().unwrap(), cofio::Config::default());
    block_on(engine.sync_files(&keeper(), &mirror, Syncing::default())).unwrap();
    (Arc::new(Mirrored::new(store, notes, TimeZone::UTC, Role::Truth)), folder)
}

conformance::suite!(fresh, pollster::block_on);
