//! What a store lacks is made up for, or refused before anything is kept.

use std::sync::Arc;

use async_trait::async_trait;
use cofio::model::{Commit, Layer, Outcome};
use cofio::retrieval::MeaningUsed;
use cofio::store::{Capabilities, MemoryStore, Store, Surrounding};
use cofio::{Config, Engine, ErrorKind, Mode, Query, Result, Selection};
use pollster::block_on;

use crate::fixture::{START, fact, identifiers, keeper, local};
use crate::meaning::Words;

/// A store that can do less than the one it is around.
struct Lesser {
    store: MemoryStore,
    can: Capabilities,
}

#[async_trait]
impl Surrounding for Lesser {
    fn inner(&self) -> &dyn Store {
        &self.store
    }

    fn abilities(&self) -> Capabilities {
        self.can
    }

    async fn commit_inside(&self, commit: Commit) -> Result<Vec<Outcome>> {
        self.store.commit(commit).await
    }
}

fn open(lessen: impl FnOnce(&mut Capabilities)) -> Result<Engine> {
    let store = MemoryStore::new();
    let mut can = store.capabilities();
    lessen(&mut can);
    let store = Arc::new(Lesser { store, can });
    Engine::open(store, || START.parse().unwrap(), Config::default())
}

#[test]
fn a_store_that_lacks_what_memories_need_is_refused_and_told() {
    let check = |lessen: fn(&mut Capabilities), expected: &str| {
        let error = open(lessen).expect_err("it is refused");
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().ends_with(expected), "{error}");
    };
    check(|can| can.lexical = false, "it does not find by words");
    check(|can| can.entities = false, "it does not find by names");
    check(|can| can.history = false, "it does not keep earlier versions");
    check(
        |can| (can.lexical, can.history) = (false, false),
        "it does not find by words, nor keep earlier versions",
    );
    assert!(open(|_| {}).is_ok());
}

#[test]
fn a_store_without_vectors_finds_by_words_and_says_so() {
    let engine = open(|can| can.vectors = false).unwrap().with_embedder(Words::new());
    block_on(engine.remember(&keeper(), fact("alice", "Alice drinks her tea black"))).unwrap();
    assert!(!engine.has_embedder());
    let error = block_on(engine.embed_pending(9)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("the store keeps none"), "{error}");
    let query = Query::new(Selection::new(identifiers(&[(Layer::User, "alice")])), "tea");
    let answer = block_on(engine.search(&local("alice"), &query)).unwrap();
    assert_eq!((answer.hits.len(), answer.meaning), (1, MeaningUsed::NoEmbedder));
    let error = block_on(engine.search(&local("alice"), &Query { mode: Mode::Semantic, ..query }));
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Unsupported);
}
