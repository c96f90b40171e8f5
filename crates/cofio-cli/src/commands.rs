//! The commands, one file each.

pub mod archive;
pub mod audit;
pub mod backup;
pub mod brief;
pub mod clear;
pub mod completions;
pub mod confirm;
pub mod context;
pub mod correct;
pub mod demo;
pub mod doctor;
pub mod edit;
pub mod embed;
pub mod entity;
pub mod export;
pub mod facts;
pub mod files;
pub mod forget;
pub mod history;
pub mod hook;
pub mod import;
pub mod install;
pub mod jobs;
pub mod key;
pub mod list;
pub mod maintain;
pub mod mcp;
pub mod migrate;
pub mod model;
pub mod purge;
pub mod remember;
pub mod restore;
pub mod review;
pub mod scan;
pub mod search;
pub mod serve;
pub mod show;
pub mod stats;
pub mod verify_forgotten;
pub mod why_not;
pub mod window;

use anyhow::Result;
use cofio::engine::Swept;
use pollster::block_on;

use crate::app::App;
use crate::arguments::{Arguments, Command, Globals};
use crate::present;

/// Does what the command line says.
pub fn run(arguments: Arguments) -> Result<()> {
    let Arguments { command, globals } = arguments;
    match command {
        Command::Remember(command) => writing(&globals, async |app| command.run(app).await),
        Command::Search(command) => on_store(&globals, async |app| command.run(app).await),
        Command::WhyNot(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Context(command) if command.writes() => {
            writing(&globals, async |app| command.run(app).await)
        }
        Command::Context(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Show(command) => on_store(&globals, async |app| command.run(app).await),
        Command::List(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Review(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Scan(command) => block_on(command.run(&globals)),
        Command::Edit(command) => writing(&globals, async |app| command.run(app).await),
        Command::Confirm(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Correct(command) => writing(&globals, async |app| command.run(app).await),
        Command::Archive(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Forget(command) => on_store(&globals, async |app| command.run(app).await),
        Command::History(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Stats(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Entity(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Facts(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Window(command) if command.writes() => {
            writing(&globals, async |app| command.run(app).await)
        }
        Command::Window(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Clear(command) => on_store(&globals, async |app| command.run(app).await),
        Command::VerifyForgotten(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Purge(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Brief(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Maintain(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Jobs(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Audit(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Export(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Import(command) => writing(&globals, async |app| command.run(app).await),
        Command::Files(command) => writing(&globals, async |app| command.run(app).await),
        Command::Backup(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Restore(command) => block_on(command.run(&globals)),
        Command::Migrate(command) => block_on(command.run(&globals)),
        Command::Doctor(command) => block_on(command.run(&globals)),
        Command::Model(command) => command.run(&globals),
        Command::Embed(command) => on_store(&globals, async |app| command.run(app).await),
        Command::Mcp(command) => command.run(&globals),
        Command::Serve(command) => command.run(&globals),
        Command::Key(command) => {
            on_store(&command.asking(globals), async |app| command.run(app).await)
        }
        Command::Demo => block_on(demo::run(&globals)),
        Command::Install(command) => command.run(&globals),
        Command::Hook(command) => {
            command.run(&globals);
            Ok(())
        }
        Command::Completions(command) => command.run(),
    }
}

/// Runs a command on the store, and then records what it has read.
fn on_store(globals: &Globals, command: impl AsyncFnOnce(&App) -> Result<()>) -> Result<()> {
    block_on(async {
        let app = App::open(globals)?;
        app.take_in().await?;
        let done = command(&app).await;
        // A store that can only be read still answers.
        let _ = app.engine.settle().await;
        done
    })
}

/// Runs a command that leaves memories without vectors, and once it has answered makes some and
/// forgets some of what has ended.
fn writing(globals: &Globals, command: impl AsyncFnOnce(&App) -> Result<()>) -> Result<()> {
    on_store(globals, async |app| {
        command(app).await?;
        sweep_some(app).await;
        embed::some(app).await;
        Ok(())
    })
}

/// Forgets some of what has ended, after a command has answered.
async fn sweep_some(app: &App) {
    // What cannot be swept now is hidden all the same, and goes with a later command.
    if let Ok(Swept::Held { count, .. }) = app.engine.sweep_some(&app.caller).await {
        let ended = present::count(count as u64, "memory has ended", "memories have ended");
        app.output
            .note(&format!("{ended}, if the clock is right: cofio clear expired forgets what has"));
    }
}
