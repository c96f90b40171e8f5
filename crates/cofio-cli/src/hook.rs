//! What an agent's hook says, what is answered, and what is kept of a conversation.
//!
//! Nothing here reads standard input or prints: the command does, and sees to it that an agent
//! never waits for long and never fails because of its memory.

mod answer;
mod capture;
mod log;
mod payload;
mod punctual;
mod said;
mod session;
mod transcript;

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use cofio::embed::Embedder;
use cofio::engine::ContextRequest;
use cofio::ingest::{self, Level};
use cofio::model::{Caller, Identifier, Layer, Timestamp};
use cofio::{Engine, Selection};
use pollster::block_on;

use crate::digest::digest;
use crate::embedder;
use crate::home::Home;
use crate::mirrors;
use crate::settings::{self, EmbedderName, Overrides, Settings, Surroundings};
pub use log::Log;
pub use payload::{Event, Payload};
use punctual::Punctual;
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
    ///
    /// What a prompt means counts if it is known until a moment.
    pub fn open(
        payload: Payload,
        around: Surroundings,
        flags: Overrides,
        until: Instant,
    ) -> Result<Self> {
        let folder = payload.folder.clone().filter(|folder| folder.is_dir());
        let around = Surroundings { folder: folder.unwrap_or(around.folder.clone()), ..around };
        let flags = Overrides {
            session: flags.session.or_else(|| payload.session.as_deref().map(name)),
            ..flags
        };
        let settings = Settings::load(&around, &flags)?;
        let embedder = near_embedder(&settings, &around);
        if let (Event::Prompt(_), Some(embedder)) = (&payload.event, &embedder) {
            begin_loading(embedder);
        }
        // An agent does not wait until a large store is brought to another version.
        let home = Home::open_current(&settings, &around);
        let home = home.context("cannot open the store: cofio doctor says more")?;
        let store = Arc::new(mirrors::followed(home.store, &settings));
        let mut engine = Engine::open(store, Timestamp::now, settings.config())?;
        if let Some(embedder) = embedder {
            engine = engine.with_embedder(Arc::new(Punctual { embedder, until }));
        }
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
        self.session.tells(&block);
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
    pub fn note(&self) -> Result<()> {
        self.session.save()
    }

    /// Writes it down again, with what was kept, and closes the store.
    ///
    /// That something was read is put on record if that is possible within a while: no agent waits
    /// for long because somebody else writes.
    pub fn close(self, patience: Duration) -> Result<()> {
        self.note()?;
        let (tell, told) = mpsc::channel();
        let closing = thread::spawn(move || {
            // A store that can only be read still answers.
            let _ = block_on(self.engine.settle());
            let _ = tell.send(());
        });
        if told.recv_timeout(patience).is_ok() {
            // The thread has nothing left but to let go of the store.
            let _ = closing.join();
        }
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
    Identifier::new(raw).map_or_else(|_| digest(raw), |name| name.to_string())
}

/// Returns the state folder's log, as far as it can be told where that is.
pub fn log(around: &Surroundings) -> Option<Log> {
    settings::state_dir(around).as_deref().map(Log::new)
}

/// Returns the embedder that is computed here; nobody waits for a network.
fn near_embedder(settings: &Settings, around: &Surroundings) -> Option<Arc<dyn Embedder>> {
    if settings.embedder() != EmbedderName::MiniLm {
        return None;
    }
    embedder::chosen(settings, around).ready().map(Arc::clone)
}

/// Has a model read what it needs, while the store is opened and asked for words.
fn begin_loading(embedder: &Arc<dyn Embedder>) {
    let embedder = Arc::clone(embedder);
    thread::spawn(move || {
        let anything = ingest::redact("a", "", Level::Definite).text;
        // Whoever asks it next is told what is wrong with it.
        let _ = block_on(embedder.embed_question(&anything));
    });
}
