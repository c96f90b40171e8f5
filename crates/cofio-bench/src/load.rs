//! Many clients at once: searches and writes over HTTP, against the real server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use clap::ValueEnum;
use cofio::Engine;
use cofio::model::{Bound, Caller, KeyDraft, Layer};
use fastrand::Rng;
use pollster::block_on;
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::filled::{filled_home, store_in, user};
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
    /// How many users they belong to; each client has a key of the next of them.
    #[arg(long, default_value_t = 1)]
    scopes: usize,
    /// Search by meaning too, with MiniLM; memories have words of their own, but share their
    /// meanings, as making so many vectors would take hours.
    #[arg(long)]
    embedded: bool,
    /// By what the clients search.
    #[arg(long, value_enum, default_value_t = Searched::Hybrid)]
    mode: Searched,
    /// How many clients ask at once, each on a connection of its own.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// For how many seconds.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
}

/// By what is searched.
#[derive(Debug, Clone, Copy, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Searched {
    /// By everything that is known.
    Hybrid,
    /// By words alone.
    Keyword,
}

#[derive(Serialize)]
struct Report {
    memories: usize,
    scopes: usize,
    embedded: bool,
    mode: Searched,
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
    let Arguments { memories, scopes, embedded, mode, .. } = *arguments;
    let engine = filled_home(home.path(), memories, scopes, embedded)?;
    let tokens = (0..arguments.connections)
        .map(|number| token(&engine, number, scopes))
        .collect::<Result<Vec<String>>>()?;
    drop(engine);

    let server = Server::start(&home, embedded, &tokens[0])?;
    let until = Instant::now() + WARM_UP + Duration::from_secs(arguments.seconds);
    let counted_from = Instant::now() + WARM_UP;
    let clients = (0..)
        .zip(tokens)
        .map(|(number, token)| {
            let connection = Connection::open(&server.address, &token)?;
            Ok(thread::spawn(move || client(connection, mode, number, counted_from, until)))
        })
        .collect::<Result<Vec<_>>>()?;
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
        memories,
        scopes,
        embedded,
        mode,
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

/// Makes a key for a client, and returns its token.
fn token(engine: &Engine, number: usize, scopes: usize) -> Result<String> {
    let bound = Bound::default().with(Layer::User, user(number % scopes)?);
    let draft = KeyDraft::new(format!("client {number}"), bound);
    let mut entropy = [0; 32];
    Rng::with_seed(number as u64).fill(&mut entropy);
    let administrator = Caller::keeper(user(0)?);
    let (_, token) = block_on(engine.create_key(&administrator, draft, entropy))?;
    Ok(token.expose().to_owned())
}

/// Asks again and again on one connection.
fn client(
    mut connection: Connection,
    mode: Searched,
    number: u64,
    counted_from: Instant,
    until: Instant,
) -> Result<Seen> {
    let (mut texts, mut random) = (Texts::new(number + 100), Rng::with_seed(number));
    let mut seen = Seen::default();
    while Instant::now() < until {
        let searches = random.u32(..10) < SEARCHES_OF_TEN;
        let (path, body) = if searches {
            ("/v1/search", json!({ "query": texts.question(), "mode": mode }))
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
    fn start(home: &TempDir, embedded: bool, token: &str) -> Result<Self> {
        let mut command = Command::new(command_line()?);
        command.args(["serve", "--addr", "127.0.0.1:0", "--rate", "0", "--store"]);
        command.arg(store_in(home.path()));
        command.env("COFIO_HOME", home.path()).env_remove("COFIO_EMBEDDER");
        if !embedded {
            command.env("COFIO_EMBEDDER", "none");
        }
        let begun = Instant::now();
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        let output = process.stdout.take().context("the server has an output")?;
        let mut said = String::new();
        BufReader::new(output).read_line(&mut said)?;
        let address = said.trim().strip_prefix("listening at http://");
        let address = address.with_context(|| format!("the server said {said:?}"))?.to_owned();
        let status =
            Connection::open(&address, token)?.post("/v1/search", &json!({ "query": "ready" }))?;
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
    token: String,
}

impl Connection {
    fn open(address: &str, token: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).context("cannot connect")?;
        stream.set_nodelay(true)?;
        let (stream, host) = (BufReader::new(stream), address.to_owned());
        Ok(Self { stream, host, token: token.to_owned() })
    }

    /// Sends JSON, reads the whole answer, and returns its status.
    fn post(&mut self, path: &str, body: &Value) -> Result<u16> {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            self.token,
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
