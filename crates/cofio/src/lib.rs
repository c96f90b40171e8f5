//! Cofio remembers for AI agents: it stores, finds, changes and forgets what they learn.
//!
//! An [`Engine`] works on a [`store::Store`]; every verb names the [`model::Caller`] who asks.
//!
//! ```
//! # pollster::block_on(async {
//! use cofio::model::{Caller, Channel, Draft, Identifier, Identifiers, Kind, Layer, Scope, Source};
//! use cofio::store::MemoryStore;
//! use cofio::{Engine, Query, Selection};
//!
//! let engine = Engine::new(MemoryStore::new(), jiff::Timestamp::now);
//! let alice = Identifier::new("alice")?;
//! let caller = Caller::local(alice.clone());
//!
//! let scope = Scope::user(alice.clone());
//! let source = Source::through(Channel::ExplicitSave);
//! engine.remember(&caller, Draft::new(scope, Kind::Fact, "Alice drinks her tea black", source)).await?;
//!
//! let mine = Identifiers::default().with(Layer::User, alice);
//! let answer = engine.search(&caller, &Query::new(Selection::new(mine), "how does she take her tea?")).await?;
//! assert_eq!(answer.hits[0].memory.content.as_str(), "Alice drinks her tea black");
//! # Ok::<(), cofio::Error>(())
//! # }).unwrap();
//! ```

pub mod config;
pub mod engine;
pub mod wire;

pub mod ingest;
pub mod lifecycle;
pub mod recognise;
pub mod retrieval;

pub mod embed;
pub mod llm;
pub mod shelf;
pub mod store;

pub mod at_hand;
pub mod bundle;
mod entry;
pub mod files;
pub mod mirrored;
pub mod shelved;

mod error;
pub mod model;
mod processors;
pub mod text;

pub use config::Config;
pub use engine::Engine;
pub use error::{Error, ErrorKind, Result};
pub use retrieval::{Mode, Query, Selection};
