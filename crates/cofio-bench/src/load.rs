//! Many clients at once: searches and writes over HTTP, against the real server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use cofio::Engine;
use cofio::store::SqliteStore;
use fastrand::Rng;
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::filled::fill;
use crate::machine::{command_line, percentile};
use crate::texts::Texts;

/// Of ten requests, how many are searches.
const SEARCHES_OF_TEN: u32 = 8;

/// How long clients ask before anything counts.
const WARM_UP: Duration = Duration::from_secs(2);

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many memories the store holds.
    #[arg(long, default_value_t = 100_000)]
    memories: usize,
    /// How many users they belong to; the clients ask for the first one.
    #[arg(long, default_value_t = 1)]
    scopes: usize,
    /// How many clients ask at once, each on a connection of its own.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// For how many seconds.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
}

#[derive(Serialize)]
struct Report {
    memories: usize,
    scopes: usize,
    connections: usize,
    /// From the start of the process to its first answer.
    ready_ms: f64,
    requests_per_second: f64,
    search: Waits,
    write: Waits,
    errors: usize,
    server_megabytes: Option<f64>,
}

/// Milliseconds.
#[derive(Serialize)]
struct Waits {
    count: usize,
    p50: f64,
    p99: f64,
    longest: f64,
}

/// What one client saw.
#[derive(Default)]
struct Seen {
    searches: Vec<f64>,
    writes: Vec<f64>,
    errors: Vec<String>,
}

/// Measures and prints one JSON document.
pub fn run(arguments: &Arguments) -> Result<()> {
    let home = tempfile::tempdir()?;
    let store = home.path().join("cofio.db");
    let engine = Engine::new(SqliteStore::open(&store)?, jiff::Timestamp::now);
    fill(&engine, &mut Texts::new(1), arguments.memories, arguments.scopes)?;
    drop(engine);

    let server = Server::start(&home, &store)?;
    let until = Instant::now() + WARM_UP + Duration::from_secs(arguments.seconds);
    let counted_from = Instant::now() + WARM_UP;
    let clients: Vec<_> = (0..arguments.connections)
        .map(|number| {
            let address = server.address.clone();
            thread::spawn(move || client(&address, number as u64, counted_from, until))
        })
        .collect();
    let mut all = Seen::default();
    for client in clients {
        let seen = client.join().map_err(|_| anyhow::anyhow!("a client panicked"))??;
        all.searches.extend(seen.searches);
        all.writes.extend(seen.writes);
        all.errors.extend(seen.errors);
    }
    if let Some(first) = all.errors.first() {
        eprintln!("the first of {} errors: {first}", all.errors.len());
    }
    let requests = all.searches.len() + all.writes.len();
    let report = Report {
        memories: arguments.memories,
        scopes: arguments.scopes,
        connections: arguments.connections,
        ready_ms: server.ready_ms,
        requests_per_second: requests as f64 / arguments.seconds as f64,
        search: Waits::of(all.searches),
        write: Waits::of(all.writes),
        errors: all.errors.len(),
        server_megabytes: server.megabytes(),
    };
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

/// Asks again and again on one connection.
fn client(address: &str, number: u64, counted_from: Instant, until: Instant) -> Result<Seen> {
    let mut connection = Connection::open(address)?;
    let (mut texts, mut random) = (Texts::new(number + 100), Rng::with_seed(number));
    let mut seen = Seen::default();
    while Instant::now() < until {
        let searches = random.u32(..10) < SEARCHES_OF_TEN;
        let (path, body) = if searches {
            ("/v1/search", json!({ "query": texts.question() }))
        } else {
            ("/v1/memories", json!({ "layer": "user", "content": texts.note() }))
        };
        let begun = Instant::now();
        let status = connection.post(path, &body)?;
        let waited = begun.elapsed().as_secs_f64() * 1e3;
        if begun < counted_from {
            continue;
        }
        match status {
            200 | 201 if searches => seen.searches.push(waited),
            200 | 201 => seen.writes.push(waited),
            status => seen.errors.push(format!("{path} answered {status}")),
        }
    }
    Ok(seen)
}

impl Waits {
    fn of(mut samples: Vec<f64>) -> Self {
        Self {
            count: samples.len(),
            p50: percentile(&mut samples, 0.5),
            p99: percentile(&mut samples, 0.99),
            longest: percentile(&mut samples, 1.0),
        }
    }
}

/// The server as a process, until it is dropped.
struct Server {
    process: Child,
    address: String,
    ready_ms: f64,
}

impl Server {
    fn start(home: &TempDir, store: &Path) -> Result<Self> {
        let cofio: PathBuf = command_line()?;
        let mut command = Command::new(cofio);
        command.args(["serve", "--addr", "127.0.0.1:0", "--user", "user-0", "--store"]).arg(store);
        command.env("COFIO_HOME", home.path()).env("COFIO_EMBEDDER", "none");
        let begun = Instant::now();
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let output = process.stdout.take().context("the server has an output")?;
        let mut said = String::new();
        BufReader::new(output).read_line(&mut said)?;
        let address = said.trim().strip_prefix("listening at http://");
        let address = address.with_context(|| format!("the server said {said:?}"))?.to_owned();
        let status =
            Connection::open(&address)?.post("/v1/search", &json!({ "query": "ready" }))?;
        ensure!(status == 200, "the first search was answered {status}");
        Ok(Self { process, address, ready_ms: begun.elapsed().as_secs_f64() * 1e3 })
    }

    fn megabytes(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
        Some(kilobytes / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended on its own.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One connection that is kept open, so that asking costs this program next to nothing.
struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Connection {
    fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).context("cannot connect")?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), host: address.to_owned() })
    }

    /// Sends JSON, reads the whole answer, and returns its status.
    fn post(&mut self, path: &str, body: &Value) -> Result<u16> {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
        let Some(status) = status else { bail!("the server answered {line:?}") };
        let mut length = 0;
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
        }
        std::io::copy(&mut self.stream.by_ref().take(length), &mut std::io::sink())?;
        Ok(status)
    }
}
