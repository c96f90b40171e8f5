//! A question of any characters is answered without an error.

#![no_main]

use std::sync::LazyLock;

use cofio::model::{Caller, Channel, Draft, Identifier, Identifiers, Kind, Layer, Scope, Source};
use cofio::store::SqliteStore;
use cofio::{Engine, Query, Selection};
use libfuzzer_sys::fuzz_target;
use pollster::block_on;

static ENGINE: LazyLock<(Engine, Identifier)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap().keep();
    let engine = Engine::new(SqliteStore::open(&folder.join("cofio.db")).unwrap(), jiff::Timestamp::now);
    let alice = Identifier::new("alice").unwrap();
    let caller = Caller::local(alice.clone());
    for text in ["tea is black", "see src/main.rs", "東京タワーは高い", "ask @bob", "#x 2026-01-01"] {
        let source = Source::through(Channel::ExplicitSave);
        let draft = Draft::new(Scope::user(alice.clone()), Kind::Fact, text, source);
        block_on(engine.remember(&caller, draft)).unwrap();
    }
    (engine, alice)
});

fuzz_target!(|question: &str| {
    let (engine, alice) = &*ENGINE;
    if question.len() > engine.config().limits.query_bytes {
        return;
    }
    let mine = Selection::new(Identifiers::default().with(Layer::User, alice.clone()));
    let query = Query::new(mine, question);
    block_on(engine.search(&Caller::local(alice.clone()), &query)).unwrap();
});
