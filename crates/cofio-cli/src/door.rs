//! What the doors for other programs have in common: whose memories are behind them, and until when.

use std::panic::PanicHookInfo;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use cofio_server::mcp::{Profile, Server, SourceName};
use cofio_server::{Desk, Opened, Place};
use pollster::block_on;
use tokio::runtime;

use crate::app;
use crate::arguments::Globals;
use crate::failure::Refusal;
use crate::home::{Home, shelves};
use crate::llm;
use crate::mirrors;
use crate::settings::{Overrides, Settings, Surroundings};

/// How long what was read may take to be put on record.
const PATIENCE: Duration = Duration::from_secs(2);

/// The flags of every door.
#[derive(Debug, Args)]
pub struct Door {
    /// Which tools are offered: core, simple, longterm, consolidator, files, server-memory, memory
    /// or all
    #[arg(long, default_value = "core", value_name = "NAME")]
    profile: Profile,
    /// What a call counts as at best: user, tool, web or inference; with inference every fact
    /// waits for review
    #[arg(long, value_name = "SOURCE")]
    source: Option<SourceName>,
    /// The folder that is worked in, in place of the one the command runs in
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
}

impl Door {
    /// Reads the settings, from where the work is.
    pub fn settings(&self, globals: &Globals) -> Result<Settings> {
        let mut around = Surroundings::of_process()?;
        let mut flags = Overrides {
            mcp_source: self.source.map(|source| source.to_string()),
            ..Overrides::from(globals)
        };
        if let Some(workspace) = &self.workspace {
            // What a flag names is where the command runs, not where the work is.
            flags.store = flags.store.map(|store| around.folder.join(store));
            flags.memory_dir = flags.memory_dir.map(|folder| around.folder.join(folder));
            around.folder = workspace.canonicalize().map_err(|error| {
                let shown = workspace.display();
                Refusal::Usage(format!("cannot use the workspace {shown}: {error}"))
            })?;
        }
        Ok(Settings::load(&around, &flags)?)
    }

    /// Makes the server; its store is opened when it is needed.
    pub fn server(self, settings: Settings) -> Server {
        let at_best = settings.mcp_source();
        let place = place(&settings);
        let desk = Desk::new(place, move || open(&settings));
        Server::new(Arc::new(desk), self.profile, at_best)
    }
}

/// Returns who asks and where: only what the settings name is open.
fn place(settings: &Settings) -> Place {
    let place = Place::new(settings.user().clone(), settings.identifiers(), settings.layer());
    if settings.values().layer.origin.is_flag() {
        return place.limited_to(settings.layer());
    }
    place
}

fn open(settings: &Settings) -> cofio::Result<Opened> {
    let around = Surroundings::of_process()
        .map_err(|error| cofio::Error::new(cofio::ErrorKind::Configuration, error.to_string()))?;
    let home = Home::open(settings, &around)?.with_working_memory();
    let (engine, embedder) = app::engine(&home, settings, &around)?;
    // What cannot be taken in now is looked at again as long as the door is open.
    let _ = block_on(mirrors::take_in(&engine, settings));
    let tallies = shelves::tallies(home.shelves);
    let engine = llm::counselled(engine, home.store, settings, &around).map_err(|error| {
        cofio::Error::new(cofio::ErrorKind::Configuration, format!("{error:#}"))
    })?;
    let model = embedder.ready().map(|embedder| embedder.fingerprint().clone());
    Ok(Opened { engine, model, tallies })
}

/// Returns what is over when somebody wants the process to end.
///
/// Whoever wants it from this call on has to wait, whenever that is looked at.
pub fn told_to_stop() -> impl Future<Output = ()> + Send {
    #[cfg(unix)]
    let signals = {
        use tokio::signal::unix::{SignalKind, signal};
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    };
    async move {
        #[cfg(unix)]
        if let (Ok(mut interrupted), Ok(mut ended)) = signals {
            std::future::poll_fn(|context| {
                if interrupted.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(());
                }
                ended.poll_recv(context).map(drop)
            })
            .await;
            return;
        }
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Opens a door for one client on a runtime of its own, and keeps the store in order meanwhile.
pub fn open_for_one(server: Server, door: impl AsyncFnOnce(Server) -> Result<()>) -> Result<()> {
    run(runtime::Builder::new_current_thread(), server, door)
}

/// Opens a door for many clients, who are answered on all processors.
pub fn open_for_many(server: Server, door: impl AsyncFnOnce(Server) -> Result<()>) -> Result<()> {
    run(runtime::Builder::new_multi_thread(), server, door)
}

fn run(
    mut runtime: runtime::Builder,
    server: Server,
    door: impl AsyncFnOnce(Server) -> Result<()>,
) -> Result<()> {
    std::panic::set_hook(Box::new(say_where));
    let runtime = runtime.enable_all().build().context("cannot start")?;
    let done = runtime.block_on(async {
        let desk = server.desk().clone();
        let keeping = desk.clone();
        tokio::spawn(async move { keeping.keep().await });
        let done = door(server).await;
        // What takes longer is left to the next process.
        let _ = tokio::time::timeout(PATIENCE, desk.settle()).await;
        done
    });
    // A thread that waits for input would be waited for.
    runtime.shutdown_background();
    done
}

/// Says where something went wrong that should not have, and not what: that may repeat a memory.
fn say_where(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    eprintln!("something went wrong that should not have, at {place}");
}
