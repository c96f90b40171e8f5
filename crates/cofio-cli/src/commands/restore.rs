//! Going back to a copy.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use cofio::model::{Caller, MemoryId, Timestamp};
use cofio::store::{Restored, SqliteStore, Store as _};
use cofio::{Engine, Error, ErrorKind};
use serde::Serialize;

use crate::arguments::Globals;
use crate::consent::Consent;
use crate::output::{Output, Page, shown};
use crate::progress::Progress;
use crate::settings::HomeAt;
use crate::{app, home, present, store_files};

const EXAMPLES: &str = "\
Example:
  cofio restore ~/cofio-2026-01-31.db

A store that is too damaged for that is moved aside first.";

/// What brings a store in PostgreSQL back.
const INSTEAD: &str = "an administrator brings back with pg_restore what pg_dump has copied";

/// Replaces everything by a copy that `backup` made; what was forgotten since stays forgotten
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Restore {
    /// The copy
    file: PathBuf,
}

/// What was restored.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RestoreOutput {
    store: String,
    file: String,
    kept_forgotten: usize,
    revoked_keys: usize,
    #[serde(flatten)]
    damaged: Option<DamagedOutput>,
}

/// What became of a damaged store.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct DamagedOutput {
    damaged_store: String,
    forgotten_was_read: bool,
}

/// A copy, and the store that goes back to it.
struct Restoring<'a> {
    file: &'a Path,
    store: &'a Path,
    /// What others forgot must stay forgotten too.
    keeper: Caller,
    consent: Consent,
    output: Output,
}

impl Restore {
    pub async fn run(self, globals: &Globals) -> Result<()> {
        let settings = app::settings(globals)?;
        if settings.stores().home != HomeAt::Sqlite {
            return Err(home::only_a_file("restore", INSTEAD).into());
        }
        let restoring = Restoring {
            file: &self.file,
            store: settings.store(),
            keeper: Caller::keeper(settings.user().clone()),
            consent: Consent::new(globals.yes),
            output: Output::new(globals.form(), settings.color()),
        };
        store_files::refuse_own(&self.file, settings.store())?;
        self.file.metadata().with_context(|| format!("cannot read {}", self.file.display()))?;
        let restored = match restoring.replace().await {
            Err(error) if is_damage(&error) => restoring.start_anew().await,
            restored => restored,
        }?;
        restoring.output.answer(|| &restored, |page| restored.show(page))
    }
}

impl Restoring<'_> {
    /// Replaces what the store holds.
    async fn replace(&self) -> Result<RestoreOutput> {
        let store = SqliteStore::open(self.store)?;
        let (place, file) = (self.store.display(), self.file.display());
        self.consent.ask(&format!("Replace everything in {place} by {file}?"))?;
        let restored = self.fill(&store).await?;
        Ok(self.output(restored, None))
    }

    /// Moves a damaged store aside and puts a new one in its place.
    async fn start_anew(&self) -> Result<RestoreOutput> {
        // A link stays where it is, and what it leads to is moved.
        let store = self.store.canonicalize()?;
        self.rehearse(&store).await?;
        let forgotten = forgotten(&store, &self.keeper).await;
        let (place, file) = (self.store.display(), self.file.display());
        let question = format!("{place} is damaged. Move it aside and make a new one from {file}?");
        self.consent.ask(&question).with_context(|| format!("{place} is damaged"))?;
        let aside = store_files::move_aside(&store)
            .with_context(|| format!("cannot move {} aside", store.display()))?;
        let anew = async {
            let store = SqliteStore::open(&store)?;
            let mut restored = self.fill(&store).await?;
            let known = forgotten.as_deref().unwrap_or_default();
            restored.still_forgotten += forget_again(store, &self.keeper, known).await?;
            anyhow::Ok(restored)
        };
        let restored =
            anew.await.with_context(|| format!("the damaged store is now {}", aside.display()))?;
        let damaged =
            DamagedOutput { damaged_store: shown(&aside), forgotten_was_read: forgotten.is_some() };
        Ok(self.output(restored, Some(damaged)))
    }

    /// Finds out whether the copy can be used, in a store that is thrown away.
    async fn rehearse(&self, store: &Path) -> Result<()> {
        let folder = store_files::folder_beside(store, "restore")?;
        self.fill(&SqliteStore::open(&folder.path().join("rehearsal.db"))?).await.map(drop)
    }

    async fn fill(&self, store: &SqliteStore) -> Result<Restored> {
        let _progress = Progress::spinning("restoring");
        Ok(store.restore(self.file, &self.keeper, Timestamp::now()).await?)
    }

    fn output(&self, restored: Restored, damaged: Option<DamagedOutput>) -> RestoreOutput {
        let (store, file) = (shown(self.store), shown(self.file));
        let Restored { still_forgotten: kept_forgotten, revoked_keys } = restored;
        RestoreOutput { store, file, kept_forgotten, revoked_keys, damaged }
    }
}

/// Returns what was forgotten in a damaged store, if that can still be read.
async fn forgotten(store: &Path, keeper: &Caller) -> Option<Vec<MemoryId>> {
    let store = SqliteStore::open(store).ok()?;
    let tombstones = store.tombstones(keeper.access()).await.ok()?;
    Some(tombstones.into_iter().map(|tombstone| tombstone.id).collect())
}

/// Forgets what was forgotten before, and returns how much of it was there.
async fn forget_again(store: SqliteStore, keeper: &Caller, ids: &[MemoryId]) -> Result<usize> {
    let engine = Engine::new(store, Timestamp::now);
    let mut forgotten = 0;
    for piece in ids.chunks(engine.config().limits.batch) {
        forgotten += engine.forget(keeper, piece).await?.ids.len();
    }
    Ok(forgotten)
}

fn is_damage(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Error>().is_some_and(|error| error.kind() == ErrorKind::Damaged)
}

impl RestoreOutput {
    fn show(&self, page: &mut Page) {
        page.line(format!("restored {} from {}", self.store, self.file));
        if self.kept_forgotten > 0 {
            page.aside(format!("still forgotten: {}", present::memories(self.kept_forgotten)));
        }
        if self.revoked_keys > 0 {
            let keys = present::count(self.revoked_keys as u64, "key", "keys");
            page.aside(format!("revoked: {keys} of the copy; cofio key rotate makes new ones"));
        }
        let Some(damaged) = &self.damaged else { return };
        page.aside(format!("the damaged store is now {}", damaged.damaged_store));
        if !damaged.forgotten_was_read {
            page.aside(
                "what was forgotten since the copy could not be read there, and may be back",
            );
        }
    }
}
