use std::path::{Path, PathBuf};

use anyhow::Error;
use cofio::store::{SqliteStore, Store as _};
use serde::Serialize;

use crate::failure;
use crate::present;
use crate::progress::Progress;

/// One thing that was looked at.
#[derive(Debug, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    pub detail: String,
}

/// Checks who may open the store, every page of it, and its record of what was done.
pub async fn all(path: &Path) -> Vec<Check> {
    if !path.exists() {
        return vec![Check::fine("store", "nothing was remembered yet")];
    }
    let mut checks = modes(path);
    match SqliteStore::open(path) {
        Ok(store) => checks.extend([pages(&store).await, record(&store).await]),
        Err(error) => checks.push(Check::problem("store", error)),
    }
    checks
}

/// Makes anew what the memories are found by.
pub async fn rebuild(path: &Path) -> Check {
    if !path.exists() {
        return Check::fine("rebuild", "nothing was remembered yet");
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
        Ok(integrity) => Check {
            name: "store",
            ok: false,
            detail: format!("{}; restore a backup", integrity.problems.join("; ")),
        },
        Err(error) => Check::problem("store", error),
    }
}

async fn record(store: &SqliteStore) -> Check {
    let _progress = Progress::spinning("checking the record");
    match store.verify_audit().await {
        Ok(entries) => {
            let entries = present::count(entries, "entry", "entries");
            Check::fine("audit", &format!("{entries}, the chain is whole"))
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
    let beside = |ending: &str| PathBuf::from(format!("{}{ending}", store.display()));
    let files = ["", "-wal", "-shm"].map(beside);
    let mut open: Vec<String> = files.iter().filter_map(|file| too_open(file, 0o077)).collect();
    let folder = store.parent().map(Path::to_owned);
    open.extend(folder.and_then(|folder| too_open(&folder, 0o022)));
    if open.is_empty() {
        return vec![Check::fine("modes", "only you can open the store")];
    }
    let detail = format!("{}; others can open or change it: use chmod go-rwx", open.join(", "));
    vec![Check { name: "modes", ok: false, detail }]
}

/// Elsewhere a folder in somebody's home is theirs already.
#[cfg(not(unix))]
fn modes(_store: &Path) -> Vec<Check> {
    Vec::new()
}

impl Check {
    fn fine(name: &'static str, detail: &str) -> Self {
        Self { name, ok: true, detail: detail.to_owned() }
    }

    fn problem(name: &'static str, error: cofio::Error) -> Self {
        Self { name, ok: false, detail: failure::message(&Error::from(error)) }
    }
}
