//! Servers of others that tests talk to: each starts on a free port of this machine alone, and is
//! stopped by its process id.

mod chroma;
mod mem0;
mod postgres;
mod qdrant;
mod redis;
mod sqlite;

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::provision::kept;
use crate::{Result, terminal};

/// Every server, in the order in which they start.
const SERVERS: &[Server] = &[
    Server {
        name: "postgres",
        why: "the store in PostgreSQL is tested with the real one",
        variable: "COFIO_TEST_POSTGRES_URL",
        start: postgres::start,
        version: postgres::version,
    },
    Server {
        name: "redis",
        why: "the shelf in Redis is tested with the real one",
        variable: "COFIO_TEST_REDIS_URL",
        start: redis::start,
        version: redis::version,
    },
    Server {
        name: "chroma",
        why: "the shelf in Chroma is tested with the real one",
        variable: "COFIO_TEST_CHROMA_URL",
        start: chroma::start,
        version: chroma::version,
    },
    Server {
        name: "mem0",
        why: "the shelf in Mem0 is tested with its own library",
        variable: "COFIO_TEST_MEM0_URL",
        start: mem0::start,
        version: mem0::version,
    },
    Server {
        name: "qdrant",
        why: "the shelf in Qdrant is tested with its own engine",
        variable: "COFIO_TEST_QDRANT_URL",
        start: qdrant::start,
        version: qdrant::version,
    },
];

/// How long a server may take to start or stop.
const PATIENCE: Duration = Duration::from_mins(1);

struct Server {
    name: &'static str,
    why: &'static str,
    /// By which variable tests learn its address.
    variable: &'static str,
    /// Fetches what is missing, starts the server and waits until it answers.
    start: fn(Purpose) -> Result<Running>,
    /// Says which version it is.
    version: fn() -> String,
}

/// What a server is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// For one run of the tests.
    Tests,
    /// For work by hand, where it may matter what survives power loss.
    ByHand,
}

/// A server that answers.
#[derive(Debug, Clone)]
pub struct Running {
    /// Where.
    pub url: String,
    /// The process to stop.
    pub pid: u32,
    /// What else tests have to know of it.
    pub also: Vec<(&'static str, PathBuf)>,
}

/// Servers that are stopped when this is dropped.
#[derive(Default)]
pub struct Started(Vec<(&'static Server, Running)>);

impl Started {
    /// Starts every server.
    pub fn all() -> Result<Self> {
        let mut started = Self::default();
        for server in SERVERS {
            let running = begin(server, Purpose::Tests)?;
            terminal::note(&format!("{}: {}", running.url, server.why));
            started.0.push((server, running));
        }
        Ok(started)
    }

    /// Returns the name of every server, with its version, and that of SQLite.
    pub fn versions(&self) -> Vec<(&'static str, String)> {
        let servers = self.0.iter().map(|(server, _)| (server.name, (server.version)()));
        servers.chain([("sqlite", sqlite::version())]).collect()
    }

    /// Returns variables by which tests know the servers.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let mut variables = Vec::new();
        for (server, running) in &self.0 {
            variables.push((server.variable, running.url.clone()));
            let also = running.also.iter();
            variables.extend(also.map(|(name, path)| (*name, path.display().to_string())));
        }
        variables
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        for (server, running) in self.0.drain(..).rev() {
            if let Err(reason) = stop(running.pid) {
                terminal::error(&format!("{} still runs: {reason}", server.name));
            }
        }
    }
}

/// Starts servers for work by hand, or stops them.
pub fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["up", names @ ..] => chosen(names)?.into_iter().try_for_each(up),
        ["down", names @ ..] => chosen(names)?.into_iter().try_for_each(down),
        _ => Err("say `cargo xtask servers up` or `cargo xtask servers down`".to_owned()),
    }
}

fn chosen(names: &[&str]) -> Result<Vec<&'static Server>> {
    if names.is_empty() {
        return Ok(SERVERS.iter().collect());
    }
    let known = || SERVERS.iter().map(|server| server.name).collect::<Vec<_>>().join(", ");
    let find = |name: &&str| {
        let found = SERVERS.iter().find(|server| server.name == *name);
        found.ok_or_else(|| format!("there is no server {name:?}; there are: {}", known()))
    };
    names.iter().map(find).collect()
}

fn up(server: &'static Server) -> Result<()> {
    let note = note_of(server);
    if let Ok(pid) = fs::read_to_string(&note)
        && is_alive(&pid)
    {
        return Err(format!("{} runs already, as process {pid}", server.name));
    }
    let Running { url, pid, also } = begin(server, Purpose::ByHand)?;
    fs::write(&note, pid.to_string())
        .map_err(|error| format!("cannot write {}: {error}", note.display()))?;
    println!("export {}={url}", server.variable);
    for (name, path) in also {
        println!("export {name}={}", path.display());
    }
    terminal::note(&format!("{} runs as process {pid}", server.name));
    Ok(())
}

fn down(server: &'static Server) -> Result<()> {
    let note = note_of(server);
    let Ok(pid) = fs::read_to_string(&note) else {
        terminal::note(&format!("{} was not started by hand", server.name));
        return Ok(());
    };
    let pid = pid.parse().map_err(|_| format!("{} names no process", note.display()))?;
    stop(pid)?;
    fs::remove_file(&note).map_err(|error| format!("cannot remove {}: {error}", note.display()))
}

fn begin(server: &Server, purpose: Purpose) -> Result<Running> {
    (server.start)(purpose).map_err(|reason| format!("{} ({}): {reason}", server.name, server.why))
}

/// Returns where it is written down that a server was started by hand.
fn note_of(server: &Server) -> PathBuf {
    kept("servers").join(format!("{}.pid", server.name))
}

/// Asks a process to end, and waits until it has.
fn stop(pid: u32) -> Result<()> {
    let pid = pid.to_string();
    if !is_alive(&pid) {
        return Ok(());
    }
    signal("-INT", &pid);
    let asked = Instant::now();
    let mut insisted = false;
    while is_alive(&pid) {
        if asked.elapsed() > PATIENCE {
            return Err(format!("process {pid} does not end"));
        }
        // What was started in the background may have been told to ignore the first signal.
        if !insisted && asked.elapsed() > PATIENCE / 12 {
            insisted = signal("-TERM", &pid);
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn is_alive(pid: &str) -> bool {
    signal("-0", pid)
}

fn signal(signal: &str, pid: &str) -> bool {
    let status = Command::new("kill").args([signal, pid]).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Returns a port on which nobody listens.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0));
    let address = listener.and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| format!("no port is free: {error}"))
}

/// Returns the folder of what a server keeps; one that works for somebody goes on while tests run.
fn folder(name: &str, purpose: Purpose) -> PathBuf {
    let of = match purpose {
        Purpose::Tests => "tests",
        Purpose::ByHand => "by-hand",
    };
    kept("servers").join(of).join(name)
}

/// Makes an empty folder for what a server keeps.
fn empty_data(name: &str, purpose: Purpose) -> Result<PathBuf> {
    let folder = folder(name, purpose);
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| format!("cannot empty {}: {error}", folder.display()))?;
    }
    fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    Ok(folder)
}

/// Starts a server that says what happens in its folder, waits until it listens, and returns its
/// process.
fn listening(mut command: Command, port: u16, folder: &Path) -> Result<u32> {
    let log = folder.join("log.txt");
    let cannot = |error: std::io::Error| format!("cannot start it: {error}");
    let said = fs::File::create(&log).map_err(cannot)?;
    command.stdin(Stdio::null()).stdout(said.try_clone().map_err(cannot)?).stderr(said);
    let mut child = command.spawn().map_err(cannot)?;
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let ended = child.try_wait().map_err(cannot)?;
        if ended.is_some() || start.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("it does not listen; {} says why", log.display()));
        }
        thread::sleep(Duration::from_millis(50));
    }
    let pid = child.id();
    // Whoever stops it looks whether it is there, and it would be until somebody has waited for it.
    thread::spawn(move || child.wait());
    Ok(pid)
}
