//! What a command has at hand.

use std::sync::Arc;

use anyhow::Result;
use cofio::model::{Caller, Doubt, Identifier, Identifiers, Layer, Scope, Timestamp};
use cofio::{Engine, ErrorKind, Selection, retrieval};
use jiff::tz::TimeZone;

use crate::arguments::Globals;
use crate::consent::Consent;
use crate::embedder::{self, Chosen, PULL};
use crate::failure::Refusal;
use crate::home::Home;
use crate::mirrors;
use crate::output::Output;
use crate::recognisers;
use crate::settings::{Overrides, Settings, Surroundings};

/// The settings, an engine on the store, who asks, and where answers go.
pub struct App {
    pub settings: Settings,
    pub home: Home,
    pub engine: Engine,
    pub embedder: Chosen,
    pub caller: Caller,
    pub output: Output,
    pub consent: Consent,
    pub globals: Globals,
}

impl App {
    /// Reads the settings and opens the store; a model is loaded when it is first used.
    pub fn open(globals: &Globals) -> Result<Self> {
        let around = Surroundings::of_process()?;
        let settings = Settings::load(&around, &Overrides::from(globals))?;
        let home = Home::open(&settings, &around)?;
        let (engine, embedder) = engine(&home, &settings, &around)?;
        Ok(Self {
            caller: Caller::local(settings.user().clone()),
            output: Output::new(globals.form(), settings.color()),
            consent: Consent::new(globals.yes),
            globals: globals.clone(),
            settings,
            home,
            engine,
            embedder,
        })
    }

    /// Takes in what people wrote into files, where files are what counts.
    pub async fn take_in(&self) -> Result<()> {
        if let Some(synced) = mirrors::take_in(&self.engine, &self.settings).await? {
            for line in mirrors::left_out(&synced) {
                self.output.note(&line);
            }
        }
        Ok(())
    }

    /// Returns the caller, to whom every user's memories are open if `all_users` is set.
    pub fn caller_for(&self, all_users: bool) -> Caller {
        if all_users { Caller::keeper(self.settings.user().clone()) } else { self.caller.clone() }
    }

    /// Returns the layers that reading is limited to: the one that a flag names, if any.
    pub fn layers(&self) -> Option<Vec<Layer>> {
        self.names_a_layer().then(|| vec![self.settings.layer()])
    }

    fn names_a_layer(&self) -> bool {
        self.settings.values().layer.origin.is_flag()
    }

    /// Returns the memories to read from, before any filter.
    pub fn selection(&self) -> Selection {
        Selection { layers: self.layers(), ..Selection::new(self.settings.identifiers()) }
    }

    /// Returns the scopes that a selection reads from.
    pub fn scopes(&self, selection: &Selection) -> Result<Vec<Scope>> {
        let layers = selection.layers.as_deref();
        Ok(retrieval::reach(&self.caller, &selection.identifiers, layers)?)
    }

    /// Returns the identifiers to read with; with a flag for a layer, only those it requires.
    pub fn identifiers(&self) -> Result<Identifiers> {
        let all = self.settings.identifiers();
        match self.layers().as_deref() {
            Some([layer]) => Ok(Scope::new(*layer, &all)?.identifiers().clone()),
            _ => Ok(all),
        }
    }

    /// Returns whether the command line names a layer, or an identifier besides the user.
    pub fn is_narrowed(&self) -> bool {
        self.names_a_layer() || self.globals.named().next().is_some()
    }

    /// Keeps the scopes that have the layer and the identifiers that stand on the command line.
    pub fn retain_named(&self, scopes: &mut Vec<Scope>) -> Result<()> {
        let named = self.globals.named().map(|(layer, name)| Ok((layer, Identifier::new(name)?)));
        let named: Vec<(Layer, Identifier)> = named.collect::<Result<_>>()?;
        let layers = self.layers();
        scopes.retain(|scope| {
            layers.as_ref().is_none_or(|layers| layers.contains(&scope.layer()))
                && named.iter().all(|(layer, name)| scope.identifiers().get(*layer) == Some(name))
        });
        Ok(())
    }

    /// Returns the scope to write to.
    ///
    /// The layer is never guessed: whoever names a session, say, has to say whether the memory
    /// belongs to it.
    pub fn scope_to_write(&self) -> Result<Scope> {
        if !self.names_a_layer()
            && let Some((layer, _)) = self.globals.named().next()
        {
            let default = self.settings.layer();
            return Err(Refusal::Usage(format!(
                "--{layer} does not say whose the memory is: add --layer {layer}, \
                 or --layer {default} if it is not the {layer}'s own",
            ))
            .into());
        }
        Ok(Scope::new(self.settings.layer(), &self.settings.identifiers())?)
    }

    /// Returns the scope of the conversation that is going on.
    pub fn session(&self) -> Result<Scope> {
        Ok(Scope::new(Layer::Session, &self.settings.identifiers())?)
    }

    /// Tells people how to have meanings compared as well, unless they do not want it.
    pub fn note_no_embedder(&self) {
        let advice = match &self.embedder {
            Chosen::Ready(_) | Chosen::Unwanted => return,
            Chosen::Absent => format!("{PULL} adds meaning"),
            Chosen::Unusable(why) => why.clone(),
        };
        self.output.note(&format!("searched by words and names only: {advice}"));
    }

    /// Returns what becomes of what may be a secret, as far as the command line says.
    pub fn doubt(&self) -> Doubt {
        if self.globals.allow_possible { Doubt::Keep } else { Doubt::Ask }
    }

    /// Writes something, after asking about what may be a secret in it.
    pub async fn asking<T>(&self, write: impl AsyncFn(Doubt) -> cofio::Result<T>) -> Result<T> {
        match write(self.doubt()).await {
            Err(error)
                if error.kind() == ErrorKind::ConfirmationRequired && self.consent.can_ask() =>
            {
                self.consent.ask(&format!("{error}. Keep it?"))?;
                Ok(write(Doubt::Keep).await?)
            }
            done => Ok(done?),
        }
    }

    /// Returns the time zone that days are counted in.
    pub fn zone(&self) -> &TimeZone {
        &self.settings.values().time_zone.value
    }
}

/// Puts an engine on a store, with the embedder that the settings name and the
/// recognisers that are here.
pub fn engine(
    home: &Home,
    settings: &Settings,
    around: &Surroundings,
) -> cofio::Result<(Engine, Chosen)> {
    let embedder = embedder::chosen(settings, around);
    let mirrored = mirrors::followed(home.store.clone(), settings);
    let mut engine = Engine::open(Arc::new(mirrored), Timestamp::now, settings.config())?
        .with_recognisers(recognisers::chosen(settings));
    if let Some(embedder) = embedder.ready() {
        engine = engine.with_embedder(Arc::clone(embedder));
    }
    Ok((engine, embedder))
}

/// Reads the settings for this process.
pub fn settings(globals: &Globals) -> Result<Settings> {
    Ok(Settings::load(&Surroundings::of_process()?, &Overrides::from(globals))?)
}
