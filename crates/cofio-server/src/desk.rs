use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cofio::model::{Caller, Fingerprint, Identifier, Identifiers, Layer, Scope};
use cofio::{Engine, Error, ErrorKind, Result, Selection, retrieval};
use tokio::sync::OnceCell;
use tokio::{task, time};

use crate::tally::Tallies;

/// How many memories are embedded at a time, for which a question that is asked meanwhile waits.
const BATCH: usize = 32;

/// How long until somebody looks again for what other processes have left to be embedded.
const PAUSE: Duration = Duration::from_secs(30);

/// What every door has at hand: an engine, who asks, and whose memories they mean.
///
/// The engine is opened when it is first needed, so that a door is open before the store is.
pub struct Desk {
    place: Place,
    open: Arc<dyn Fn() -> Result<Opened> + Send + Sync>,
    opened: Arc<OnceCell<Opened>>,
}

/// Who asks, and where they read and write if they say nothing else.
#[derive(Debug, Clone)]
pub struct Place {
    caller: Caller,
    identifiers: Identifiers,
    layer: Layer,
    only: Option<Layer>,
}

/// An engine that is ready.
#[derive(Debug)]
pub struct Opened {
    /// The engine.
    pub engine: Engine,
    /// The model that it makes vectors with, if any.
    pub model: Option<Fingerprint>,
    /// What came of asking the servers that texts stand on.
    pub tallies: Tallies,
}

impl Opened {
    /// Takes an engine without a model, all of whose memories are in one place.
    pub fn new(engine: Engine) -> Self {
        Self { engine, model: None, tallies: Tallies::default() }
    }
}

impl Desk {
    /// Makes a desk whose engine is opened by `open`, again if it fails.
    pub fn new(place: Place, open: impl Fn() -> Result<Opened> + Send + Sync + 'static) -> Self {
        Self { place, open: Arc::new(open), opened: Arc::default() }
    }

    /// Returns a desk with the same engine, at which somebody else asks.
    #[must_use]
    pub fn at(&self, place: Place) -> Self {
        Self { place, open: Arc::clone(&self.open), opened: Arc::clone(&self.opened) }
    }

    /// Returns who asks, and where.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the engine, once it is open.
    pub async fn engine(&self) -> Result<&Engine> {
        Ok(&self.opened().await?.engine)
    }

    /// Opens the engine, forgets some of what has ended, and makes vectors until nobody polls it.
    ///
    /// Where the store has vectors of another model none are made: changing all of them is
    /// something that somebody decides.
    pub async fn keep(&self) {
        let Opened { engine, model, .. } = loop {
            match self.opened().await {
                Ok(opened) => break opened,
                // Somebody may mend it meanwhile.
                Err(_) => time::sleep(PAUSE).await,
            }
        };
        // What cannot be swept now is hidden all the same.
        let _ = engine.sweep_some(self.place.caller()).await;
        let Some(model) = model else { return };
        match engine.embedding_state().await {
            Ok(state) if state.model.as_ref().is_none_or(|used| used == model) => {
                engine.keep_embedding(BATCH, || time::sleep(PAUSE)).await;
            }
            _ => {}
        }
    }

    /// Waits until everything that was read is on record.
    pub async fn settle(&self) {
        if let Some(opened) = self.opened.get() {
            // A store that can only be read still answers.
            let _ = opened.engine.settle().await;
        }
    }

    /// Returns the engine and its model, once it is open.
    pub(crate) async fn opened(&self) -> Result<&Opened> {
        self.opened
            .get_or_try_init(|| async {
                let open = Arc::clone(&self.open);
                let opened = task::spawn_blocking(move || open()).await;
                opened
                    .map_err(|_| Error::new(ErrorKind::Provider, "the store could not be opened"))?
            })
            .await
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Place {
    /// Takes the names that are open, and the layer that new memories go to.
    ///
    /// Nothing else is open, except for every session of the user if none is named: which
    /// conversation is going on is told with each call.
    pub fn new(actor: Identifier, identifiers: Identifiers, layer: Layer) -> Self {
        let mut caller = Caller::bound(actor, &identifiers);
        if identifiers.get(Layer::Session).is_none() {
            caller = caller.opening_every(Layer::Session);
        }
        Self { caller, identifiers, layer, only: None }
    }

    /// Takes a caller with the names that need not be said; new memories go to the most specific
    /// layer that these open on their own.
    pub fn of(caller: Caller, identifiers: Identifiers) -> Self {
        let layer = identifiers.layers().find(|layer| *layer != Layer::Session);
        Self { caller, identifiers, layer: layer.unwrap_or(Layer::User), only: None }
    }

    /// Returns the same place, where nothing but one layer is read.
    #[must_use]
    pub fn limited_to(self, layer: Layer) -> Self {
        Self { only: Some(layer), ..self }
    }

    /// Returns who asks.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Returns the layer that new memories go to.
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// Returns the names at hand, with that of the conversation that is going on.
    pub fn identifiers(&self, session: Option<&str>) -> Result<Identifiers> {
        let identifiers = self.identifiers.clone();
        match session {
            Some(session) => Ok(identifiers.with(Layer::Session, Identifier::new(session)?)),
            None => Ok(identifiers),
        }
    }

    /// Returns which memories are read: those of one layer, or all that the names open.
    pub fn selection(&self, layer: Option<Layer>, session: Option<&str>) -> Result<Selection> {
        let layers = self.open_layer(layer)?.map(|layer| vec![layer]);
        Ok(Selection { layers, ..Selection::new(self.identifiers(session)?) })
    }

    /// Returns the scopes that are read.
    pub fn scopes(&self, layer: Option<Layer>, session: Option<&str>) -> Result<Vec<Scope>> {
        let Selection { identifiers, layers, .. } = self.selection(layer, session)?;
        retrieval::reach(&self.caller, &identifiers, layers.as_deref())
    }

    /// Returns whose a new memory is.
    pub fn scope(&self, layer: Option<Layer>, session: Option<&str>) -> Result<Scope> {
        let layer = self.open_layer(layer)?.unwrap_or(self.layer);
        Scope::new(layer, &self.identifiers(session)?)
    }

    /// Returns the layer that is meant, if any one is.
    fn open_layer(&self, wanted: Option<Layer>) -> Result<Option<Layer>> {
        match (wanted, self.only) {
            (Some(wanted), Some(only)) if wanted != only => {
                let message = format!("only the {only} layer is open here");
                Err(Error::new(ErrorKind::Unauthorized, message))
            }
            (wanted, only) => Ok(wanted.or(only)),
        }
    }
}
