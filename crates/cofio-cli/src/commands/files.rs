//! Memories as files of markdown.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use cofio::engine::{SyncCounts, Synced, Syncing};
use cofio::files::Mirror;
use cofio::files::compare::Quarrel;
use cofio::files::mirror::{self, Layout, Unread};
use cofio::model::Timestamp;
use jiff::ToSpan as _;
use serde::Serialize;

use crate::app::App;
use crate::failure::Refusal;
use crate::mirrors;
use crate::output::{self, Page};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  cofio files sync
  cofio files sync notes/memory --dry-run
  cofio files sync --layer project --yes
  cofio jobs undo job_0198c0de0000700080000000000000aa

Every memory is an item of a list, with its id in a comment that is not shown. An item that you change
is a change with history, one that you add a new memory, and one that you delete is put away and
forgotten after 30 days; cofio jobs undo takes all of it back.";

/// Keeps memories as files of markdown that you can read, edit and version
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Files {
    #[command(subcommand)]
    action: Action,
}

/// What to do with files.
#[derive(Debug, Subcommand)]
enum Action {
    /// Brings files and memories together: what changed on one side changes on the other
    #[command(after_help = EXAMPLES)]
    Sync(Sync),
    /// Lists the folders that the store is kept in step with
    List,
    /// Leaves a folder as it is from now on, with everything in it
    Stop(Stop),
}

/// Which folder.
#[derive(Debug, Args)]
struct Stop {
    /// The folder
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// The folders that a store is kept in step with.
#[derive(Debug, Serialize)]
struct FoldersOutput {
    folders: Vec<FolderOutput>,
}

/// A folder, and whose memories it has.
#[derive(Debug, Serialize)]
struct FolderOutput {
    folder: String,
    scope: String,
}

/// Which files, and how.
#[derive(Debug, Args)]
struct Sync {
    /// The folder; .cofio/memory at the top of the project by default
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Says what would happen, and changes nothing
    #[arg(long)]
    dry_run: bool,
    /// Takes secrets out of the files too
    #[arg(long)]
    redact: bool,
}

/// How files and memories were brought together.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SyncOutput {
    folder: String,
    scope: String,
    dry_run: bool,
    /// The job that can be taken back.
    job: Option<String>,
    added: usize,
    edited: usize,
    deleted: usize,
    written: usize,
    removed: usize,
    conflicts: Vec<ConflictOutput>,
    problems: Vec<ProblemOutput>,
}

#[derive(Debug, Serialize)]
struct ConflictOutput {
    path: String,
    id: String,
    what: &'static str,
}

#[derive(Debug, Serialize)]
struct ProblemOutput {
    path: String,
    line: Option<usize>,
    why: String,
}

impl Files {
    pub async fn run(self, app: &App) -> Result<()> {
        match self.action {
            Action::Sync(sync) => sync.run(app).await,
            Action::List => list(app),
            Action::Stop(stop) => stop.run(app),
        }
    }
}

fn list(app: &App) -> Result<()> {
    let mirrors = mirror::registered(&mirrors::notes(&app.settings))?;
    let folder = |mirror: &Mirror| FolderOutput {
        folder: output::shown(mirror.path()),
        scope: whose(mirror.layout()),
    };
    let output = FoldersOutput { folders: mirrors.iter().map(folder).collect() };
    app.output.answer(
        || &output,
        |page| {
            if output.folders.is_empty() {
                page.line("no folder: cofio files sync makes one");
            }
            for FolderOutput { folder, scope } in &output.folders {
                page.line(format!("{scope} in {folder}"));
            }
        },
    )
}

impl Stop {
    fn run(&self, app: &App) -> Result<()> {
        let resolved = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = resolved(&self.folder);
        let counts = mirrors::workspace(&app.settings)?;
        if counts.is_some_and(|counts| resolved(counts.path()) == folder) {
            let message = "the folder is what counts: set the backend to sqlite first";
            return Err(Refusal::Usage(message.to_owned()).into());
        }
        let mirrors = mirror::registered(&mirrors::notes(&app.settings))?;
        let Some(mirror) = mirrors.into_iter().find(|mirror| mirror.path() == folder) else {
            let message = format!("{} is not kept in step", output::shown(&self.folder));
            return Err(Refusal::Usage(message).into());
        };
        let output =
            FolderOutput { folder: output::shown(&self.folder), scope: whose(mirror.layout()) };
        mirror.stop()?;
        app.output.answer(
            || &output,
            |page| page.line(format!("{} is no longer kept in step", output.folder)),
        )
    }
}

/// Says whose memories a folder has.
fn whose(layout: &Layout) -> String {
    match layout {
        Layout::Scope(scope) => scope.to_string(),
        Layout::Workspace(_) => "everything".to_owned(),
    }
}

impl Sync {
    async fn run(self, app: &App) -> Result<()> {
        let folder = self.folder.as_deref().unwrap_or(app.settings.memory_dir());
        // Where nothing is to change, no folder is made either.
        let instead = (self.dry_run && !folder.exists()).then(tempfile::tempdir).transpose()?;
        let mirror = mirror(app, instead.as_ref().map_or(folder, |instead| instead.path()))?;
        // Nothing has to be agreed to where nothing is done.
        let mut syncing =
            Syncing { agreed: self.dry_run, redact: self.redact, dry_run: self.dry_run };
        let mut synced = bring_together(app, &mirror, syncing).await?;
        if let Some((taken, among)) = synced.held {
            let question =
                format!("{taken} of {among} memories were deleted from files. Put away?");
            app.consent.ask(&question)?;
            syncing.agreed = true;
            synced = bring_together(app, &mirror, syncing).await?;
        }
        let output = SyncOutput::new(output::shown(folder), &mirror, syncing, synced);
        app.output.answer(|| &output, |page| output.show(page))
    }
}

/// Opens a folder: the one that counts, if one does, and else one for the scope that is written to.
fn mirror(app: &App, folder: &Path) -> Result<Mirror> {
    if folder == app.settings.memory_dir()
        && let Some(mirror) = mirrors::workspace(&app.settings)?
    {
        return Ok(mirror);
    }
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make {}", output::shown(folder)))?;
    let folder = folder.canonicalize().map_err(|error| {
        Refusal::Usage(format!("cannot use {}: {error}", output::shown(folder)))
    })?;
    let layout = Layout::Scope(app.scope_to_write()?);
    Ok(Mirror::open(&folder, &mirrors::notes(&app.settings), layout)?)
}

async fn bring_together(app: &App, mirror: &Mirror, syncing: Syncing) -> Result<Synced> {
    let _progress = Progress::spinning("comparing");
    if !syncing.dry_run {
        // Nobody writes for an hour.
        mirror.clean_up(Timestamp::now().saturating_sub(1.hour()).unwrap_or(Timestamp::MIN))?;
    }
    let caller = app.caller_for(matches!(mirror.layout(), Layout::Workspace(_)));
    Ok(app.engine.sync_files(&caller, mirror, syncing).await?)
}

impl SyncOutput {
    fn new(folder: String, mirror: &Mirror, syncing: Syncing, synced: Synced) -> Self {
        let SyncCounts { added, edited, deleted, written, removed } = synced.counts;
        let conflicts = synced.conflicts.into_iter().map(|(path, conflict)| ConflictOutput {
            path: path.as_str().to_owned(),
            id: conflict.id.to_string(),
            what: what(conflict.quarrel),
        });
        let problems = synced.problems.into_iter().map(|problem| ProblemOutput {
            path: problem.path.as_str().to_owned(),
            line: Some(problem.line),
            why: problem.why,
        });
        let unread = synced.unread.into_iter().map(|Unread { path, why }| ProblemOutput {
            path,
            line: None,
            why,
        });
        Self {
            folder,
            scope: whose(mirror.layout()),
            dry_run: syncing.dry_run,
            job: synced.job.map(|job| job.id.to_string()),
            added,
            edited,
            deleted,
            written,
            removed,
            conflicts: conflicts.collect(),
            problems: problems.chain(unread).collect(),
        }
    }

    fn show(&self, page: &mut Page) {
        let counts = [
            (self.added, "new from files"),
            (self.edited, "changed in files"),
            (self.deleted, "deleted from files"),
            (self.written, "written to files"),
            (self.removed, "removed from files"),
        ];
        let told: Vec<String> = counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let told = if told.is_empty() { "nothing to do".to_owned() } else { told.join(", ") };
        let would = if self.dry_run { "would be " } else { "" };
        page.line(format!("{} in {}: {would}{told}", self.scope, self.folder));
        for ConflictOutput { path, id, what } in &self.conflicts {
            page.line(format!("conflict in {path}: {what} ({id})"));
        }
        for ProblemOutput { path, line, why } in &self.problems {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            page.line(format!("left out {path}{line}: {why}"));
        }
        if let Some(job) = &self.job {
            page.aside(format!("cofio jobs undo {job} takes back what files changed"));
        }
    }
}

/// Says what two sides see differently.
fn what(quarrel: Quarrel) -> &'static str {
    match quarrel {
        Quarrel::BothChanged => "changed in the file and in the store, so both are there now",
        Quarrel::RemovedFromFile => "deleted from the file and changed in the store, so it is back",
        Quarrel::RemovedFromStore => "changed in the file and forgotten in the store, so it is new",
    }
}
