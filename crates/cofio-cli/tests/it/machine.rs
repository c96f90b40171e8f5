//! A machine of our own to run the command on, and transcripts of what was typed and answered.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use regex::{Captures, Regex};
use serde_json::Value;
use tempfile::TempDir;

use crate::programs::search_path;

/// A machine with one user, alice, and nothing on it.
pub struct Machine {
    root: TempDir,
    /// The folder with the model, if it is there; otherwise there is none.
    models: Option<PathBuf>,
    /// The ids that were seen, in order; the first is shown as 1.
    ids: Mutex<Vec<String>>,
}

impl Machine {
    pub fn new() -> Self {
        let root = TempDir::new().unwrap();
        fs::create_dir(root.path().join("work")).unwrap();
        Self { root, models: None, ids: Mutex::default() }
    }

    /// Returns a machine that has the real model.
    ///
    /// All of them share one folder, so that it is made ready once. Whoever is first does so, and
    /// the others wait; a file of an earlier format is made anew.
    pub fn with_model() -> Self {
        let models = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models");
        let machine = Self { models: Some(models), ..Self::new() };
        let usable = || -> bool {
            let output = machine.run("doctor --json");
            let doctor: Value = serde_json::from_slice(&output.stdout).unwrap();
            doctor["embeddings"]["embedder"].is_string()
        };
        for force in ["", "--force"] {
            if !usable() {
                let folder = published();
                let output =
                    machine.run(&format!("model pull {force} --from '{}'", folder.display()));
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            }
        }
        assert!(usable(), "a model that was just made ready can be used");
        machine
    }

    /// Returns a path in the folder that commands run in.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("work").join(name)
    }

    /// Returns a path in the folder that the command keeps its files in.
    pub fn home(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("home").join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Returns the command with nothing of the surroundings that the tests run in.
    pub fn command(&self) -> Command {
        self.on_it(Command::new(env!("CARGO_BIN_EXE_cofio")))
    }

    /// Returns another program, which finds the command and what it needs itself.
    pub fn program(&self, path: &Path) -> Command {
        let mut command = self.on_it(Command::new(path));
        command.env("PATH", search_path());
        command
    }

    fn on_it(&self, mut command: Command) -> Command {
        command.env_clear().env("USER", "alice").env("COFIO_HOME", self.home(""));
        command.envs(self.models.iter().map(|folder| ("COFIO_MODELS_DIR", folder)));
        command.current_dir(self.path(""));
        command
    }

    /// Runs the command with arguments that need no quoting.
    pub fn run(&self, arguments: &str) -> Output {
        self.command().args(words(arguments)).stdin(Stdio::null()).output().unwrap()
    }

    /// Plays a transcript, in which every `$ ` line is a command, `<` lines are its standard input,
    /// `! ` lines its standard error, and `[3]` is its exit code, unless that is 0.
    ///
    /// Ids are shown as `fact_1` and can be used so; times are shown as `TIME`, a day on its own line as `DAY`, and scores as `N`.
    pub fn transcript(&self, expected: &str) {
        let expected = dedent(expected);
        let mut actual = String::new();
        let mut lines = expected.lines().peekable();
        while let Some(line) = lines.next() {
            let Some(typed) = line.strip_prefix("$ ") else { continue };
            let mut input = String::new();
            let _ = writeln!(actual, "{line}");
            while let Some(line) = lines.next_if(|line| *line == "<" || line.starts_with("< ")) {
                let _ = writeln!(actual, "{line}");
                input = input + line[1..].trim_start() + "\n";
            }
            actual.push_str(&self.shown(&self.play(typed, input.as_bytes())));
        }
        assert!(actual == expected, "the transcript is now:\n{actual}");
    }

    /// Fails if something that was started here still runs after a while.
    pub fn assert_nothing_runs(&self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while !self.running().is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(self.running(), Vec::<String>::new());
    }

    /// Returns the processes that have this machine's home, by either name.
    fn running(&self) -> Vec<String> {
        let home = self.home("");
        let homes = ["HOME", "COFIO_HOME"].map(|name| format!("{name}={}", home.display()));
        let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let is_ours = |surroundings: Vec<u8>| {
            let mut variables = surroundings.split(|byte| *byte == 0);
            variables.any(|variable| homes.iter().any(|home| home.as_bytes() == variable))
        };
        let ours = processes
            .filter(|process| fs::read(process.join("environ")).is_ok_and(is_ours))
            .map(|process| fs::read_to_string(process.join("cmdline")).unwrap_or_default());
        ours.map(|command| command.replace('\0', " ")).collect()
    }

    fn play(&self, typed: &str, input: &[u8]) -> Output {
        let typed = self.with_ids(typed);
        let (variables, arguments) = typed.split_once("cofio").unwrap();
        let mut command = self.command();
        for variable in words(variables) {
            let (name, value) = variable.split_once('=').unwrap();
            command.env(name, value);
        }
        feed(command.args(words(arguments)), input)
    }

    fn shown(&self, output: &Output) -> String {
        let mut text = String::from_utf8(output.stdout.clone()).unwrap();
        for line in String::from_utf8(output.stderr.clone()).unwrap().lines() {
            let _ = writeln!(text, "{}", format!("! {line}").trim_end());
        }
        if output.status.code() != Some(0) {
            let _ = writeln!(text, "[{}]", output.status.code().unwrap());
        }
        self.without_accidents(&text)
    }

    /// Replaces what differs from run to run.
    pub fn without_accidents(&self, text: &str) -> String {
        let token = Regex::new("cofio_[0-9a-f]{32}_[0-9A-Za-z]{43}").unwrap();
        let text = token.replace_all(text, "TOKEN");
        let id = Regex::new("(work|ctx|ep|fact|proc|ref|key|job)_[0-9a-f]{32}").unwrap();
        let text = id.replace_all(&text, |found: &Captures<'_>| self.short(&found[0], &found[1]));
        let text = Regex::new("receipt_[0-9a-f]{32}").unwrap().replace_all(&text, "RECEIPT");
        let moment = r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?Z| \d\d:\d\d)";
        let text = Regex::new(moment).unwrap().replace_all(&text, "TIME");
        let text = Regex::new(r"(?m)^\d{4}-\d\d-\d\d$").unwrap().replace_all(&text, "DAY");
        let text = Regex::new("[0-9a-f]{64}").unwrap().replace_all(&text, "HASH");
        let text = Regex::new(r"[0-9a-f]{12}\.\d+\.").unwrap().replace_all(&text, "PLACE.");
        let text = Regex::new(r"took \d+\.\d s").unwrap().replace_all(&text, "took SOME TIME");
        let text = Regex::new(r"\d+\.\d MB").unwrap().replace_all(&text, "SIZE");
        let model = Regex::new(r"all-MiniLM-L6-v2/[0-9a-f]{8}/int\d+-\d+/384").unwrap();
        let text = model.replace_all(&text, "MINILM");
        let text = Regex::new(r"127\.0\.0\.1:\d+").unwrap().replace_all(&text, "127.0.0.1:PORT");
        let text = without_weights(&text);
        let text = text.replace(self.home("").to_str().unwrap(), "HOME/");
        text.replace(self.path("").to_str().unwrap(), "WORK/")
    }

    fn short(&self, id: &str, prefix: &str) -> String {
        let mut ids = self.ids.lock().unwrap();
        let known = ids.iter().position(|known| known == id);
        let number = known.unwrap_or_else(|| {
            ids.push(id.to_owned());
            ids.len() - 1
        });
        // No id of a memory that is there looks like this one.
        if id.ends_with("00000000") { id.to_owned() } else { format!("{prefix}_{}", number + 1) }
    }

    /// Puts whole ids where short ones were typed.
    pub fn with_ids(&self, typed: &str) -> String {
        let short = Regex::new(r"\b(work|ctx|ep|fact|proc|ref|key|job)_(\d{1,3})\b").unwrap();
        let ids = self.ids.lock().unwrap();
        let long = |found: &Captures<'_>| ids[found[2].parse::<usize>().unwrap() - 1].clone();
        short.replace_all(typed, long).into_owned()
    }
}

/// Replaces what depends on how evidence is weighed.
fn without_weights(text: &str) -> String {
    let text = Regex::new(r"(?m)^(  score) \d\.\d\d$").unwrap().replace_all(text, "$1 N");
    let reason = Regex::new(r#"(?m)^( +"?)[+-]\d+\.\d\d "#).unwrap();
    let text = reason.replace_all(&text, "${1}N ");
    let signal = "(score|words|surroundings|meaning|name|speaker|date|recency|assistant|length|\
                  question|trust|cosine)";
    let number = Regex::new(&format!(r#""{signal}": -?\d+\.\d+"#)).unwrap();
    number.replace_all(&text, "\"$1\": N").into_owned()
}

/// Returns where the real model is, as it was published.
pub fn published() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = std::env::var_os("COFIO_TEST_MODEL_DIR").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| root.join("target/models/all-MiniLM-L6-v2"));
    assert!(
        folder.join("model.safetensors").is_file(),
        "{} has no model: `cargo xtask test` puts it there",
        folder.display()
    );
    folder
}

/// Runs a command with something to read.
pub fn feed(command: &mut Command, input: &[u8]) -> Output {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    // The command may refuse before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// Splits a command line at spaces, except between single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (position, part) in line.split('\'').enumerate() {
        if position % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Takes the margin off a text that is written among code.
pub fn dedent(text: &str) -> String {
    let lines: Vec<&str> =
        text.trim_end().lines().skip_while(|line| line.trim().is_empty()).collect();
    let margin = |line: &&str| line.len() - line.trim_start().len();
    let least = lines.iter().filter(|line| !line.is_empty()).map(margin).min().unwrap_or(0);
    let cut: Vec<&str> = lines.iter().map(|line| line.get(least..).unwrap_or_default()).collect();
    cut.join("\n") + "\n"
}

/// Returns what a command wrote to standard error, and its exit code.
pub fn complaint(output: &Output) -> (String, i32) {
    let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    (text, output.status.code().expect("it was not killed"))
}

/// Returns whether others may open a file.
#[cfg(unix)]
pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().unwrap().permissions().mode() & 0o777
}
