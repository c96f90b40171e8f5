//! Keys by which other programs prove themselves to `cofio serve`.

mod create;
mod show;

use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use cofio::model::{Key as Entry, KeyId, Token};
use cofio::wire::KeyOutput;
use jiff::SignedDuration;
use serde::Serialize;

use crate::app::App;
use crate::arguments::Globals;
use crate::{present, when};
use create::Create;

const EXAMPLES: &str = "\
Examples:
  cofio key create laptop --user alice
  cofio key list
  cofio key rotate key_0198c0de0000700080000000000000aa --grace 1h
  cofio key revoke key_0198c0de0000700080000000000000aa";

/// Makes, lists and revokes the keys by which other programs prove themselves
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Key {
    #[command(subcommand)]
    action: Action,
}

/// What to do with keys.
#[derive(Debug, Subcommand)]
enum Action {
    Create(Box<Create>),
    /// Lists all keys, those that have ended too; tokens are kept nowhere
    List,
    /// Makes a key end at once and for good
    Revoke {
        /// The key
        id: String,
    },
    /// Puts a new key with a new token in the place of one, which ends
    Rotate {
        /// The key
        id: String,
        /// How long the old token still works; not at all by default
        #[arg(long, value_name = "TIME", value_parser = when::duration)]
        grace: Option<SignedDuration>,
    },
}

/// All keys.
#[derive(Debug, Serialize)]
struct ListOutput {
    keys: Vec<KeyOutput>,
}

/// A key with its token, which is shown only now.
#[derive(Debug, Serialize)]
struct TokenOutput<'a> {
    key: KeyOutput,
    token: &'a str,
}

impl Key {
    /// Returns the flags that say who asks: those of a new key say what it opens.
    pub fn asking(&self, globals: Globals) -> Globals {
        match self.action {
            Action::Create(_) => globals.without_names(),
            _ => globals,
        }
    }

    pub async fn run(self, app: &App) -> Result<()> {
        match self.action {
            Action::Create(create) => create.run(app).await,
            Action::List => list(app).await,
            Action::Revoke { id } => revoke(app, &id).await,
            Action::Rotate { id, grace } => rotate(app, &id, grace.unwrap_or_default()).await,
        }
    }
}

async fn list(app: &App) -> Result<()> {
    let keys = app.engine.keys(&app.caller_for(true)).await?;
    let now = app.engine.now();
    app.output.answer(
        || ListOutput { keys: keys.iter().map(KeyOutput::from).collect() },
        |page| keys.iter().for_each(|key| show::key(page, key, now, app.zone())),
    )?;
    let valid = keys.iter().filter(|key| key.is_valid(now)).count();
    let count = present::count(keys.len() as u64, "key", "keys");
    app.output.note(&format!("{count}, {valid} of them valid"));
    Ok(())
}

async fn revoke(app: &App, id: &str) -> Result<()> {
    let id: KeyId = id.parse()?;
    let key = app.engine.revoke_key(&app.caller_for(true), &id).await?;
    app.output.answer(
        || KeyOutput::from(&key),
        |page| page.line(format!("revoked {} ({})", key.id, key.name)),
    )?;
    Ok(())
}

async fn rotate(app: &App, id: &str, grace: SignedDuration) -> Result<()> {
    let (id, keeper): (KeyId, _) = (id.parse()?, app.caller_for(true));
    let grace = Duration::try_from(grace).context("a time before now")?;
    let (key, token) = app.engine.rotate_key(&keeper, &id, entropy()?, grace).await?;
    hand_out(app, &key, &token)?;
    let (keys, now) = (app.engine.keys(&keeper).await?, app.engine.now());
    let old = keys.iter().find(|old| old.id == id && old.is_valid(now));
    let end = match old.and_then(|old| old.expires_at) {
        Some(end) => format!("works until {}", when::shown(end, app.zone())),
        None => "opens nothing any more".to_owned(),
    };
    app.output.note(&format!("{id} {end}"));
    Ok(())
}

/// Shows a token, this once.
fn hand_out(app: &App, key: &Entry, token: &Token) -> Result<()> {
    let token = token.expose();
    app.output.answer(|| TokenOutput { key: key.into(), token }, |page| page.line(token))?;
    app.output.note("the token is shown only now: keep it where secrets are kept");
    app.output.note(&format!("{} ({}) may {}", key.id, key.name, show::permitted(key)));
    Ok(())
}

/// Returns bytes that nobody can foresee.
fn entropy() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).context("the operating system has no random numbers")?;
    Ok(bytes)
}
