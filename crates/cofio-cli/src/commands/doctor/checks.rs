use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Error;
use cofio::llm::MemoryLedger;
use cofio::model::{Checkup, Timestamp};
use cofio::store::{EmbeddingState, SqliteStore, Store};
use cofio::wire::CheckupOutput;
use serde::Serialize;

use super::stores;
use crate::failure;
use crate::home::Home;
use crate::hook::Log;
use crate::llm;
use crate::output::shown;
use crate::present;
use crate::progress::Progress;
use crate::settings::{HomeAt, Settings, Surroundings};
use crate::store_files;

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub struct Check {
    pub name: String,
    /// Nothing has to be put right before the store can be used.
    pub ok: bool,
    /// Something should be put right all the same.
    pub warning: bool,
    pub detail: String,
}

/// What was seen of a store.
#[derive(Default)]
pub struct Seen {
    /// How far the embedding of everything in it is.
    pub embedding: EmbeddingState,
    /// What no other store is called, if it was made already.
    home: Option<String>,
}

impl Seen {
    pub fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    async fn of(store: &dyn Store, unique_name: &str) -> Option<Self> {
        let embedding = store.embedding_state().await.ok()?;
        Some(Self { embedding, home: Some(unique_name.to_owned()) })
    }
}

/// What came of looking at the home.
#[derive(Default)]
pub struct Looked {
    pub checks: Vec<Check>,
    /// How it says it is; nothing if it was not made yet.
    pub home: Option<CheckupOutput>,
    /// What was seen of it, if it can be read.
    pub seen: Option<Seen>,
}

impl Looked {
    /// Takes the reason for which a home cannot be opened.
    fn at_nothing(name: &str, error: cofio::Error) -> Self {
        let checkup = Checkup { name: name.to_owned(), health: Err(error) };
        let home = Some(CheckupOutput::from(&checkup));
        let checks = checkup.health.err().map(|error| Check::problem("store", error));
        Self { checks: checks.into_iter().collect(), home, seen: None }
    }
}

/// Checks the home.
pub async fn all(settings: &Settings, around: &Surroundings) -> Looked {
    match settings.stores().home {
        HomeAt::Sqlite => file(settings.store()).await,
        HomeAt::Postgres(_) => match Home::open(settings, around) {
            Ok(home) => server(&home).await,
            Err(error) => Looked::at_nothing("postgres", error),
        },
    }
}

/// Checks who may open a file, every page of it, its record of what was done, and what lies beside
/// it.
async fn file(path: &Path) -> Looked {
    let mut looked = match absence(path, "store") {
        Some(check) => {
            Looked { checks: vec![check], seen: Some(Seen::default()), ..Looked::default() }
        }
        None => whole(path).await,
    };
    looked.checks.extend(left_over(path));
    looked
}

async fn whole(path: &Path) -> Looked {
    let mut checks = modes(path);
    let store = match SqliteStore::open(path) {
        Ok(store) => store,
        Err(error) => {
            let looked = Looked::at_nothing("sqlite", error);
            checks.extend(looked.checks);
            return Looked { checks, ..looked };
        }
    };
    checks.push(pages(&store).await);
    let head = match store.vouched() {
        Some(_) => ", and the file beside the store agrees",
        None => ", but no file beside the store says where it ended",
    };
    checks.push(record(&store, head).await);
    let seen = Seen::of(&store, store.unique_name()).await;
    Looked { checks, home: checkup(&store).await, seen }
}

/// Asks a server how it is, and checks its record of what was done.
async fn server(home: &Home) -> Looked {
    let store = &*home.store;
    let checkup = checkup(store).await;
    let mut checks: Vec<Check> = checkup.iter().map(stores::check).collect();
    checks.push(record(store, "").await);
    Looked { checks, home: checkup, seen: Seen::of(store, home.unique_name()).await }
}

/// Asks a home how it is, and none of the servers that texts stand on, which are asked apart.
async fn checkup(store: &dyn Store) -> Option<CheckupOutput> {
    let first = store.health(&Timestamp::now).into_iter().next()?;
    Some((&first.done().await).into())
}

/// Says which language model would be asked, if one is wanted; asks nothing.
pub fn llm(settings: &Settings, around: &Surroundings) -> Option<Check> {
    let wanted = settings.llm()?;
    let ledger = Arc::new(MemoryLedger::default());
    Some(match llm::counsel(settings, around, ledger) {
        Ok(_) => Check::fine("llm", &format!("{} at {}", wanted.model, wanted.url)),
        Err(error) => Check::wrong("llm", failure::message(&error)),
    })
}

/// Says that there is no store, and whether that is as it should be.
fn absence(path: &Path, name: &str) -> Option<Check> {
    let error = path.metadata().err()?;
    let is_link = path.symlink_metadata().is_ok();
    Some(if error.kind() != io::ErrorKind::NotFound {
        Check::wrong(name, format!("cannot read {}: {error}", path.display()))
    } else if is_link {
        Check::wrong(name, format!("{} is a link that leads nowhere", path.display()))
    } else {
        Check::fine(name, "nothing was remembered yet")
    })
}

/// Warns of files that hold memories and that nothing else would find.
fn left_over(path: &Path) -> Option<Check> {
    let files: Vec<String> = store_files::left_over(path).iter().map(|file| shown(file)).collect();
    if files.is_empty() {
        return None;
    }
    let advice = "earlier commands left this, and it holds copies of memories: delete it, unless \
                  a command is running or you still need it";
    let detail = format!("{}: {advice}", files.join(", "));
    Some(Check { name: "leftovers".to_owned(), ok: true, warning: true, detail })
}

/// Warns of hooks that failed, of which nobody was told at the time.
pub fn hooks(state: &Path) -> Option<Check> {
    let log = Log::new(state);
    let lines = log.lines();
    let last = lines.last()?;
    let failures = present::count(lines.len() as u64, "failure", "failures");
    let file = log.path().display();
    let detail = format!("{failures} on record, the last {last}; delete {file} once it is mended");
    Some(Check { name: "hooks".to_owned(), ok: true, warning: true, detail })
}

/// Makes anew what the memories are found by.
pub async fn rebuild(settings: &Settings) -> Check {
    if settings.stores().home != HomeAt::Sqlite {
        let detail =
            "PostgreSQL makes its index anew by itself, when a version of Cofio needs another";
        return Check::fine("rebuild", detail);
    }
    let path = settings.store();
    if let Some(check) = absence(path, "rebuild") {
        return check;
    }
    let _progress = Progress::spinning("rebuilding");
    let rebuilt = async { SqliteStore::open(path)?.rebuild().await };
    match rebuilt.await {
        Ok(()) => Check::fine("rebuild", "the index was made anew"),
        Err(error) => Check::problem("rebuild", error),
    }
}

async fn pages(store: &SqliteStore) -> Check {
    let _progress = Progress::spinning("checking every page");
    match store.check().await {
        Ok(integrity) if integrity.problems.is_empty() => {
            let memories = present::count(integrity.memories, "memory", "memories");
            Check::fine(
                "store",
                &format!(
                    "{memories}, {} bytes, schema {}, every page is sound",
                    integrity.bytes, integrity.schema_version
                ),
            )
        }
        Ok(integrity) => {
            Check::wrong("store", format!("{}; restore a backup", integrity.problems.join("; ")))
        }
        Err(error) => Check::problem("store", error),
    }
}

async fn record(store: &dyn Store, head: &str) -> Check {
    let _progress = Progress::spinning("checking the record");
    match store.verify_audit().await {
        Ok(entries) => {
            let entries = present::count(entries, "entry", "entries");
            Check::fine("audit", &format!("{entries}, the chain is whole{head}"))
        }
        Err(error) => Check::problem("audit", error),
    }
}

/// Checks that only their owner can open the files and change their folder.
#[cfg(unix)]
fn modes(store: &Path) -> Vec<Check> {
    use std::os::unix::fs::PermissionsExt as _;
    let too_open = |path: &PathBuf, forbidden: u32| {
        let mode = path.metadata().ok()?.permissions().mode() & 0o777;
        (mode & forbidden != 0).then(|| format!("{} has mode {mode:o}", path.display()))
    };
    let files = store_files::own(store);
    let mut open: Vec<String> = files.iter().filter_map(|file| too_open(file, 0o077)).collect();
    let folder = store.parent().map(Path::to_owned);
    open.extend(folder.and_then(|folder| too_open(&folder, 0o022)));
    if open.is_empty() {
        return vec![Check::fine("modes", "only you can open the store")];
    }
    let detail = format!("{}; others can open or change it: use chmod go-rwx", open.join(", "));
    vec![Check::wrong("modes", detail)]
}

/// Elsewhere a folder in somebody's home is theirs already.
#[cfg(not(unix))]
fn modes(_store: &Path) -> Vec<Check> {
    Vec::new()
}

impl Check {
    fn fine(name: &str, detail: &str) -> Self {
        Self { name: name.to_owned(), ok: true, warning: false, detail: detail.to_owned() }
    }

    fn problem(name: &str, error: cofio::Error) -> Self {
        Self::wrong(name, failure::message(&Error::from(error)))
    }

    fn wrong(name: &str, detail: String) -> Self {
        Self { name: name.to_owned(), ok: false, warning: false, detail }
    }

    /// Returns what stands before it in a list.
    pub fn mark(&self) -> &'static str {
        match (self.ok, self.warning) {
            (false, _) => "PROBLEM",
            (true, true) => "WARNING",
            (true, false) => "ok",
        }
    }
}
