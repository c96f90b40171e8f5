//! How long an agent waits for Cofio: the first answer of the server, and its hooks.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::filled::{filled_home, store_in};
use crate::machine::command_line;
use crate::texts::Texts;
use crate::waits::Waits;

/// How often each process is started.
const STARTS: usize = 15;

/// What to measure.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many memories the store holds.
    #[arg(long, default_value_t = 100_000)]
    memories: usize,
    /// Embed all of them first, and let the hooks load the model; they have words of their own, but
    /// share their meanings, as making so many vectors would take hours.
    #[arg(long)]
    embedded: bool,
}

#[derive(Serialize)]
struct Report {
    memories: usize,
    embedded: bool,
    /// From the start of `cofio mcp` to its answer to `initialize`.
    first_answer: Waits,
    session_start: Waits,
    prompt: Waits,
    stop: Waits,
}

/// Measures and prints one JSON document.
pub fn run(arguments: &Arguments) -> Result<()> {
    let agent = Agent::new(arguments)?;
    let report = Report {
        memories: arguments.memories,
        embedded: arguments.embedded,
        first_answer: Waits::of(STARTS, |_| agent.first_answer())?,
        session_start: Waits::of(STARTS, |number| {
            agent.hook(number, "SessionStart", &json!({ "source": "startup" }))
        })?,
        prompt: Waits::of(STARTS, |number| {
            let question = Texts::new(number as u64 + 3).question();
            agent.hook(number, "UserPromptSubmit", &json!({ "prompt": question }))
        })?,
        stop: Waits::of(STARTS, |number| {
            let said = Texts::new(number as u64 + 30).note();
            agent.hook(number, "Stop", &json!({ "last_assistant_message": said }))
        })?,
    };
    println!("{}", serde_json::to_string_pretty(&report)?);
    Ok(())
}

/// An agent's machine, on which everything is in one throwaway folder.
struct Agent {
    cofio: PathBuf,
    home: TempDir,
    embedded: bool,
}

impl Agent {
    fn new(arguments: &Arguments) -> Result<Self> {
        let agent = Self {
            cofio: command_line()?,
            home: tempfile::tempdir()?,
            embedded: arguments.embedded,
        };
        filled_home(agent.home.path(), arguments.memories, 1, arguments.embedded)?;
        Ok(agent)
    }

    /// Times the server from its start to its first answer.
    fn first_answer(&self) -> Result<f64> {
        let begun = Instant::now();
        let mut server =
            self.command("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = server.stdin.take().context("the server has an input")?;
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        }});
        writeln!(input, "{hello}")?;
        let mut answer = String::new();
        BufReader::new(server.stdout.take().context("the server has an output")?)
            .read_line(&mut answer)?;
        let waited = begun.elapsed().as_secs_f64() * 1e3;
        ensure!(answer.contains("serverInfo"), "the server said {answer}");
        drop(input);
        server.wait()?;
        Ok(waited)
    }

    /// Times a hook from its start to its end.
    fn hook(&self, session: usize, event: &str, more: &Value) -> Result<f64> {
        let mut payload = json!({
            "hook_event_name": event,
            "session_id": format!("session-{session}"),
            "transcript_path": self.home.path().join("none.jsonl"),
            "cwd": self.home.path(),
        });
        let fields = payload.as_object_mut().context("a payload is an object")?;
        fields.extend(more.as_object().context("so is what is added")?.clone());
        let begun = Instant::now();
        let mut hook = self.command("hook").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        hook.stdin
            .take()
            .context("a hook has an input")?
            .write_all(&serde_json::to_vec(&payload)?)?;
        let output = hook.wait_with_output()?;
        let waited = begun.elapsed().as_secs_f64() * 1e3;
        ensure!(output.status.success(), "{event} ended with {}", output.status);
        let log = self.home.path().join("hook.log");
        ensure!(!log.exists(), "{event} failed: {}", read(&log));
        Ok(waited)
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.cofio);
        command.args([name, "--user", "user-0", "--store"]).arg(store_in(self.home.path()));
        command.env("COFIO_HOME", self.home.path()).env_remove("COFIO_EMBEDDER");
        if !self.embedded {
            command.env("COFIO_EMBEDDER", "none");
        }
        command
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
