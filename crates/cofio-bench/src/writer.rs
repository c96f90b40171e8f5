//! A process that writes as fast as it may and says what was acknowledged, until it is done or killed.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::ValueEnum;
use cofio::model::{Caller, Channel, Draft, Identifier, Kind, Scope, Source};
use cofio::store::{Begin, Durability, SqliteOptions, SqliteStore};
use cofio::{Config, Engine};
use pollster::block_on;

/// How to write.
#[derive(clap::Args)]
pub struct Arguments {
    /// The file of the store.
    store: PathBuf,
    /// Whose memories they are.
    #[arg(long, default_value = "writer")]
    user: String,
    /// How many memories each client writes.
    #[arg(long, default_value_t = 1_000)]
    count: usize,
    /// How many clients write at the same time.
    #[arg(long, default_value_t = 1)]
    clients: usize,
    /// What an acknowledged write survives.
    #[arg(long, value_enum, default_value_t = Survives::PowerLoss)]
    survives: Survives,
    /// Take the right to write at the first write of a transaction only.
    #[arg(long)]
    deferred: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Survives {
    PowerLoss,
    ProcessEnd,
}

/// Prints `id content` for each memory when it is acknowledged.
pub fn run(arguments: &Arguments) -> Result<()> {
    let options = SqliteOptions {
        durability: match arguments.survives {
            Survives::PowerLoss => Durability::Full,
            Survives::ProcessEnd => Durability::ProcessOnly,
        },
        begin: if arguments.deferred { Begin::Deferred } else { Begin::Immediate },
    };
    let store = Arc::new(SqliteStore::open_with(&arguments.store, options)?);
    let engine = Engine::shared(store, jiff::Timestamp::now, Config::default());
    let user = Identifier::new(&arguments.user)?;
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..arguments.clients)
            .map(|client| {
                let (engine, user) = (&engine, &user);
                scope.spawn(move || write(engine, user, client, arguments.count))
            })
            .collect();
        clients.into_iter().try_for_each(|client| client.join().expect("a client does not panic"))
    })
}

fn write(engine: &Engine, user: &Identifier, client: usize, count: usize) -> Result<()> {
    let caller = Caller::local(user.clone());
    let run = std::process::id();
    for number in 0..count {
        let content = format!("note {number} of client {client} in process {run}");
        let source = Source::through(Channel::ExplicitSave);
        let draft = Draft::new(Scope::user(user.clone()), Kind::Fact, content.as_str(), source);
        let remembered = block_on(engine.remember(&caller, draft))?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{} {content}", remembered.memory.id)?;
        out.flush()?;
    }
    Ok(())
}
