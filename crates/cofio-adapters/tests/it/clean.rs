//! Texts that may be shown to a model.

use cofio::Engine;
use cofio::model::{
    Caller, Channel, CleanText, Draft, Identifier, Kind, Memory, Scope, Source, Timestamp,
};
use cofio::store::MemoryStore;
use pollster::block_on;

/// Passes text through redaction, which is the only way to get it clean.
pub fn clean(text: &str) -> CleanText {
    remembered(text).content
}

/// Keeps a text as a fact.
pub fn remembered(text: &str) -> Memory {
    let alice = Identifier::new("alice").unwrap();
    let draft = Draft::new(
        Scope::user(alice.clone()),
        Kind::Fact,
        text,
        Source::through(Channel::ExplicitSave),
    );
    let engine = Engine::new(MemoryStore::new(), Timestamp::now);
    block_on(engine.remember(&Caller::local(alice), draft)).unwrap().memory
}
