//! How fast files of markdown are: recalled, taken in, written, and found after an edit.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use jiff::ToSpan as _;
use jiff::civil::date;
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::filled::filled_home;
use crate::machine::command_line;
use crate::texts::Texts;
use crate::waits::Waits;

/// How often something is measured.
const ROUNDS: usize = 20;

/// How many entries a daily log has.
const ENTRIES: usize = 5;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many daily logs an agent has.
    #[arg(long, default_value_t = 1_000)]
    days: usize,
    /// How many topics the world has.
    #[arg(long, default_value_t = 200)]
    topics: usize,
    /// How many memories are kept as files.
    #[arg(long, default_value_t = 10_000)]
    memories: usize,
}

#[derive(Serialize)]
struct Report {
    days: usize,
    topics: usize,
    memories: usize,
    /// From the start of the server on a folder that it has never seen to its first answer.
    first_recall_ms: f64,
    recall: Waits,
    remember: Waits,
    learn_fact: Waits,
    /// From saving a file to the search that finds what was written.
    edit_to_search: Waits,
    /// `cofio files sync` of a store into an empty folder.
    sync_to_files_ms: f64,
    /// The same again, with nothing to do.
    sync_nothing_ms: f64,
    /// The same after one line was edited.
    sync_one_line_ms: f64,
    /// Files into an empty store.
    sync_from_files_ms: f64,
}

/// Measures and prints one JSON document.
pub fn run(arguments: &Arguments) -> Result<()> {
    let Arguments { days, topics, memories } = *arguments;
    let workplace = Workplace::new(days, topics)?;
    let (first_recall_ms, mut tools) = timed(|| {
        let mut tools = workplace.open()?;
        tools.call("recall", &json!({}))?;
        Ok(tools)
    })?;
    let recall = Waits::of(ROUNDS, |_| Ok(timed(|| tools.call("recall", &json!({})))?.0))?;
    let remember = Waits::of(ROUNDS, |number| {
        let said = json!({"content": Texts::new(number as u64).note()});
        Ok(timed(|| tools.call("remember", &said))?.0)
    })?;
    let learn_fact = Waits::of(ROUNDS, |number| {
        let said = json!({"topic": "topic-1", "content": Texts::new(number as u64).note()});
        Ok(timed(|| tools.call("learn_fact", &said))?.0)
    })?;
    let edit_to_search = Waits::of(ROUNDS, |number| workplace.edit_to_search(&mut tools, number))?;
    drop(tools);
    let synced = Synced::measure(memories)?;
    let report = Report {
        days,
        topics,
        memories,
        first_recall_ms,
        recall,
        remember,
        learn_fact,
        edit_to_search,
        sync_to_files_ms: synced.to_files,
        sync_nothing_ms: synced.nothing,
        sync_one_line_ms: synced.one_line,
        sync_from_files_ms: synced.from_files,
    };
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

/// Returns how many milliseconds something takes, and what comes of it.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let begun = Instant::now();
    let done = work()?;
    Ok((begun.elapsed().as_secs_f64() * 1e3, done))
}

/// A folder that an agent has worked in for long.
struct Workplace {
    cofio: PathBuf,
    home: TempDir,
}

impl Workplace {
    fn new(days: usize, topics: usize) -> Result<Self> {
        let workplace = Self { cofio: command_line()?, home: tempfile::tempdir()? };
        let mut texts = Texts::new(1);
        for number in 0..topics {
            let lines: Vec<String> = (0..10).map(|_| format!("- {}\n", texts.note())).collect();
            workplace.write(&format!("world/topic-{number}.md"), &lines.concat())?;
        }
        workplace.write("agents/coder/MEMORY.md", &texts.note())?;
        let today = jiff::Zoned::now().with_time_zone(jiff::tz::TimeZone::UTC).date();
        ensure!(today > date(2020, 1, 1), "the clock is wrong");
        for number in 0..days {
            let day = today.saturating_sub(i64::try_from(number)?.days());
            let mut log = format!("# {day}\n");
            for entry in 0..ENTRIES {
                write!(log, "\n## {:02}:00\n\n{}\n", 9 + entry, texts.note())?;
            }
            workplace.write(&format!("agents/coder/daily/{day}.md"), &log)?;
        }
        Ok(workplace)
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.home.path().join("memory").join(name);
        fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
        Ok(fs::write(path, text)?)
    }

    fn open(&self) -> Result<Tools> {
        let mut command = command(&self.cofio, self.home.path());
        command.args(["mcp", "--profile", "files", "--agent", "coder", "--project", "website"]);
        command
            .args(["--backend", "filesystem", "--memory-dir"])
            .arg(self.home.path().join("memory"));
        Tools::open(command)
    }

    /// Edits a line of a topic as a person does, and asks until it is found.
    fn edit_to_search(&self, tools: &mut Tools, number: usize) -> Result<f64> {
        let word = format!("zyzzyva{number}");
        self.write("world/topic-7.md", &format!("- The {word} is a beetle\n"))?;
        let begun = Instant::now();
        let question = json!({"query": word, "limit": 1});
        while !tools.call("search_memory", &question)?.contains(&word) {
            ensure!(begun.elapsed() < Duration::from_secs(30), "{word} is never found");
            thread::sleep(Duration::from_millis(5));
        }
        Ok(begun.elapsed().as_secs_f64() * 1e3)
    }
}

/// Returns the command, with a home of its own.
fn command(cofio: &Path, home: &Path) -> Command {
    let mut command = Command::new(cofio);
    command.env("COFIO_HOME", home).env("COFIO_EMBEDDER", "none").current_dir(home);
    command
}

/// A server that an agent talks to.
struct Tools {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl Tools {
    fn open(mut command: Command) -> Result<Self> {
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().context("the server has an output")?);
        let mut tools = Self { server, input, output, calls: 0 };
        tools.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "bench", "version": "1"},
            }),
        )?;
        tools.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(tools)
    }

    /// Calls a tool, and returns what it says.
    fn call(&mut self, name: &str, arguments: &Value) -> Result<String> {
        let answer = self.ask("tools/call", &json!({"name": name, "arguments": arguments}))?;
        let text = answer["result"]["content"][0]["text"].as_str();
        let failed = answer["result"]["isError"].as_bool().unwrap_or_default();
        let text = text.with_context(|| format!("{name} was answered with {answer}"))?;
        ensure!(!failed, "{name} failed: {text}");
        Ok(text.to_owned())
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        loop {
            let mut line = String::new();
            ensure!(self.output.read_line(&mut line)? > 0, "the server has ended");
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == id {
                return Ok(answer);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the server has an input")?;
        Ok(writeln!(input, "{message}")?)
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.server.wait();
    }
}

/// How many milliseconds each takes.
struct Synced {
    to_files: f64,
    nothing: f64,
    one_line: f64,
    from_files: f64,
}

impl Synced {
    fn measure(memories: usize) -> Result<Self> {
        let (cofio, home) = (command_line()?, tempfile::tempdir()?);
        filled_home(home.path(), memories, 1, false)?;
        let sync = || sync(&cofio, home.path(), home.path());
        let (to_files, nothing) = (sync()?, sync()?);
        let facts = home.path().join("memory/facts.md");
        let text = fs::read_to_string(&facts)?;
        fs::write(&facts, text.replacen("- ", "- Lately: ", 1))?;
        let one_line = sync()?;
        let other = tempfile::tempdir()?;
        let bare: Vec<&str> = text
            .lines()
            .map(|line| line.split(" <!-- cofio:").next().unwrap_or_default())
            .collect();
        let folder = other.path().join("memory");
        fs::create_dir(&folder)?;
        fs::write(folder.join("facts.md"), bare.join("\n"))?;
        let from_files = self::sync(&cofio, other.path(), other.path())?;
        Ok(Self { to_files, nothing, one_line, from_files })
    }
}

/// Times `cofio files sync`.
fn sync(cofio: &Path, home: &Path, folder: &Path) -> Result<f64> {
    let mut command = command(cofio, home);
    command
        .args(["files", "sync", "--user", "user-0", "--layer", "user", "--json", "--yes"])
        .arg(folder.join("memory"));
    let (waited, output) = timed(|| Ok(command.output()?))?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "files sync ended with {}: {told}", output.status);
    Ok(waited)
}
