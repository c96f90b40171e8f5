//! People who remember things, with an engine on a store.

use std::sync::Arc;

use cofio::engine::Remembered;
use cofio::model::{
    Caller, Channel, Draft, Identifier, Identifiers, Kind, Layer, Scope, Source, Timestamp,
};
use cofio::store::Store;
use cofio::{Config, Engine, Query, Result, Selection};
use pollster::block_on;

/// Returns an engine on a store.
pub fn engine(store: &Arc<impl Store + 'static>) -> Engine {
    let store: Arc<dyn Store> = Arc::clone(store) as _;
    Engine::shared(store, Timestamp::now, Config::default())
}

pub fn keeper() -> Caller {
    Caller::keeper(Identifier::new("keeper").unwrap())
}

/// Keeps a fact of somebody.
pub fn remember(engine: &Engine, user: &str, text: &str) -> Result<Remembered> {
    let scope = Scope::user(Identifier::new(user).unwrap());
    let source = Source::through(Channel::ExplicitSave);
    block_on(engine.remember(&keeper(), Draft::new(scope, Kind::Fact, text, source)))
}

/// Returns what somebody's memories say to a question, best first.
pub fn search(engine: &Engine, user: &str, question: &str) -> Result<Vec<String>> {
    let user = Identifiers::default().with(Layer::User, Identifier::new(user).unwrap());
    let query = Query::new(Selection::new(user), question);
    let answer = block_on(engine.search(&keeper(), &query))?;
    Ok(answer.hits.into_iter().map(|hit| hit.memory.content.as_str().to_owned()).collect())
}
