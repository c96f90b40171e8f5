//! What an agent's hook says, what is answered, and what is kept of a conversation.
//!
//! Nothing here reads standard input or prints: the command does, and sees to it that an agent
//! never waits for long and never fails because of its memory.

mod answer;
mod capture;
mod log;
mod payload;
mod said;
mod session;
mod transcript;

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use cofio::engine::ContextRequest;
use cofio::model::{Caller, Identifier, Layer, Timestamp};
use cofio::store::SqliteStore;
use cofio::{Engine, Selection};

use crate::embedder;
use crate::settings::{self, EmbedderName, Overrides, Settings, Surroundings};
pub use log::Log;
pub use payload::{Event, Payload};
use session::Session;

/// The most tokens that a prompt is given: none has more than four bytes, which makes 2 kB.
const TOKENS: usize = 512;

/// How many facts and how many turns of earlier conversations a prompt is given at most.
const FACTS: usize = 5;
const EPISODES: usize = 3;

/// A hook that was called, with everything to answer it.
pub struct Hook {
    payload: Payload,
    settings: Settings,
    engine: Engine,
    caller: Caller,
    session: Session,
}

impl Hook {
    /// Opens the store for what a hook said, in the project that the agent works in.
    pub fn open(payload: Payload, around: Surroundings, flags: Overrides) -> Result<Self> {
        let folder = payload.folder.clone().filter(|folder| folder.is_dir());
        let around = Surroundings { folder: folder.unwrap_or(around.folder.clone()), ..around };
        let flags = Overrides {
            session: flags.session.or_else(|| payload.session.as_deref().map(name)),
            ..flags
        };
        let settings = Settings::load(&around, &flags)?;
        let store = SqliteStore::open_current(settings.store());
        // An agent does not wait until a large store is brought to another version.
        let store = Arc::new(store.context("cannot open the store: cofio doctor says more")?);
        let engine = Engine::shared(store, Timestamp::now, settings.config());
        let engine = with_near_embedder(engine, &settings, &around);
        let caller = Caller::local(settings.user().clone());
        let session = Session::load(settings.state_dir(), &settings.identifiers());
        Ok(Self { payload, settings, engine, caller, session })
    }

    /// Returns what to print for the agent, if it is to be told anything.
    pub async fn answer(&mut self) -> Result<Option<String>> {
        if !self.settings.hooks().tell() || !self.payload.can_be_told() {
            return Ok(None);
        }
        let prompt = match &self.payload.event {
            Event::SessionStart { anew } => {
                if *anew {
                    self.session.told.clear();
                }
                None
            }
            Event::Prompt(prompt) => said::prompt(prompt),
            Event::Answer { .. } | Event::Ending | Event::Other => return Ok(None),
        };
        let block = self.engine.context(&self.caller, &self.request(prompt.as_deref())).await?;
        if block.memories.is_empty() {
            return Ok(None);
        }
        let text = answer::json(&self.payload, block.markdown().trim_end());
        self.session.told.extend(block.memories);
        Ok(Some(text))
    }

    /// Keeps what was said, until a moment after which nobody waits any longer.
    pub async fn capture(&mut self, until: Instant) -> Result<()> {
        if !self.settings.hooks().capture() {
            return Ok(());
        }
        let heard = capture::heard(&self.payload, &mut self.session);
        let scope = capture::scope(&self.settings)?;
        for said in heard {
            if Instant::now() >= until {
                return Ok(());
            }
            let draft = capture::draft(&said, &scope, &self.payload, &self.settings);
            capture::keep(&self.engine, &self.caller, draft).await?;
            self.session.heard(&said);
        }
        self.session.read_all();
        Ok(())
    }

    /// Writes down what later hooks of the same conversation have to know.
    pub async fn close(self) -> Result<()> {
        self.session.save()?;
        // A store that can only be read still answers.
        let _ = self.engine.settle().await;
        Ok(())
    }

    fn request(&self, prompt: Option<&str>) -> ContextRequest {
        let identifiers = self.settings.identifiers();
        let session = identifiers.get(Layer::Session).cloned();
        let amounts = if prompt.is_some() { (FACTS, EPISODES) } else { (0, 0) };
        ContextRequest {
            facts: amounts.0,
            episodes: amounts.1,
            tokens: TOKENS,
            session,
            told: self.session.told.iter().cloned().collect(),
            ..ContextRequest::new(Selection::new(identifiers), prompt.unwrap_or_default())
        }
    }
}

/// Returns a name for a conversation: what the client calls it, if that can be a name.
fn name(raw: &str) -> String {
    Identifier::new(raw).map_or_else(|_| said::digest(raw), |name| name.to_string())
}

/// Returns the state folder's log, as far as it can be told where that is.
pub fn log(around: &Surroundings) -> Option<Log> {
    settings::state_dir(around).as_deref().map(Log::new)
}

/// Gives an engine the embedder that is computed here; nobody waits for a network.
fn with_near_embedder(engine: Engine, settings: &Settings, around: &Surroundings) -> Engine {
    if settings.embedder() != EmbedderName::MiniLm {
        return engine;
    }
    match embedder::chosen(settings, around).ready() {
        Some(embedder) => engine.with_embedder(Arc::clone(embedder)),
        None => engine,
    }
}
