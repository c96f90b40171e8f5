//! Our tool beside theirs: the same commands, the same answers.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use cofio_server::dialects::anthropic_memory::MemoryTool;
use serde_json::{Value, json};

use super::run;
use crate::fixture::{Fixture, provided};
use crate::random::Random;

/// How many sequences of commands are tried.
const SEQUENCES: u64 = 300;

/// How many commands a sequence has.
const COMMANDS: usize = 15;

#[test]
fn every_answer_is_that_of_anthropics_own_tool() {
    let fixture = Fixture::new();
    let mut theirs = Theirs::start();
    let mut answered = 0;
    for seed in 0..SEQUENCES {
        let mut random = Random::new(seed);
        let ours = MemoryTool::new(fixture.writer(&format!("user-{seed}")));
        theirs.begin();
        let mut so_far = Vec::new();
        for _ in 0..COMMANDS {
            let command = command(&mut random);
            let (ours, theirs) = (run(&ours, &command), theirs.run(&command));
            so_far.push(command);
            let same = match &theirs {
                Answer::Said(answer) => ours == without_folder_sizes(answer),
                // What their library does not expect is an error for us too.
                Answer::Failed(_) => ours.starts_with("! "),
            };
            assert!(same, "sequence {seed}: {so_far:#?}\nours: {ours}\ntheirs: {theirs:?}");
            answered += usize::from(!ours.starts_with('!'));
        }
    }
    let share = answered * 100 / (usize::try_from(SEQUENCES).unwrap() * COMMANDS);
    assert!(share > 30, "only {share}% of the commands did anything");
}

/// Returns a command that often means something that is there.
fn command(random: &mut Random) -> Value {
    let (path, other) = (path(random), path(random));
    match random.below(12) {
        0..4 => json!({"command": "create", "path": path, "file_text": text(random)}),
        4 => json!({"command": "view", "path": path}),
        5 => {
            json!({"command": "view", "path": random.one_of(&["/memories", "/memories/", "/memories/a"])})
        }
        6 => json!({"command": "view", "path": path, "view_range": range(random)}),
        7 | 8 => json!({
            "command": "str_replace", "path": path,
            "old_str": piece(random), "new_str": text(random)
        }),
        9 => json!({
            "command": "insert", "path": path,
            "insert_line": number(random), "insert_text": text(random)
        }),
        10 => json!({"command": "delete", "path": path}),
        _ => json!({"command": "rename", "old_path": path, "new_path": other}),
    }
}

fn path(random: &mut Random) -> String {
    const NAMES: [&str; 7] = ["a", "b", "c.md", "d e.txt", ".hidden", "ü.md", "%2e%2e"];
    const ODD: [&str; 12] = [
        "",
        "/",
        "/etc/passwd",
        "/memories",
        "/memories/..",
        "/memories/../memories/a",
        "/memories/a/../../x",
        "/memories//a///b/",
        "/memories/./a/../b",
        "memories/a",
        "/memories/a\0",
        "C:\\memories\\a",
    ];
    if random.below(8) == 0 {
        return random.one_of(&ODD).to_owned();
    }
    let depth = random.one_of(&[1, 1, 1, 2, 2, 3, 4]);
    (0..depth).fold("/memories".to_owned(), |path, _| path + "/" + random.one_of(&NAMES))
}

fn text(random: &mut Random) -> String {
    const PIECES: [&str; 12] = [
        "tea",
        "tea\n",
        "aa",
        "a",
        "\n",
        "\r\n",
        "\t",
        "ü",
        "line one\nline two\n",
        " ",
        "🦊",
        "\n\n",
    ];
    match random.below(10) {
        0 => String::new(),
        1 => "a line of text\n".repeat(random.below(400)),
        _ => (0..random.below(7)).map(|_| random.one_of(&PIECES)).collect(),
    }
}

fn piece(random: &mut Random) -> &'static str {
    random.one_of(&["tea", "a", "aa", "\n", "", "line", "ü", "one\nline", "nothing of it"])
}

fn range(random: &mut Random) -> Vec<i64> {
    match random.below(6) {
        0 => vec![],
        1 => vec![number(random)],
        2 => vec![number(random), -1],
        _ => vec![number(random), number(random)],
    }
}

fn number(random: &mut Random) -> i64 {
    i64::try_from(random.below(9)).unwrap() - 2
}

/// How large a folder is depends on the file system; ours have one size.
fn without_folder_sizes(answer: &str) -> String {
    let is_listing = answer.starts_with("Here're the files and directories");
    let line = |(number, line): (usize, &str)| match line.split_once('\t') {
        Some((_, path)) if is_listing && (number == 1 || path.ends_with('/')) => {
            format!("4K\t{path}")
        }
        _ => line.to_owned(),
    };
    answer.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// What their tool answers: an answer or an error in its own words, or whatever it fell over.
#[derive(Debug)]
enum Answer {
    Said(String),
    Failed(#[expect(dead_code, reason = "it is shown when a test fails")] String),
}

/// Their tool, in a process of its own.
struct Theirs {
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Theirs {
    fn start() -> Self {
        let mut process = Command::new(provided("python/bin/python"))
            .args(["-c", include_str!("oracle.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let commands = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        Self { process, commands, answers }
    }

    fn begin(&mut self) {
        writeln!(self.commands, "null").unwrap();
    }

    fn run(&mut self, command: &Value) -> Answer {
        writeln!(self.commands, "{command}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        let text = |name: &str| answer[name].as_str().map(str::to_owned);
        match (text("answer"), text("error")) {
            (Some(answer), _) => Answer::Said(answer),
            (None, Some(error)) => Answer::Said(format!("! {error}")),
            (None, None) => Answer::Failed(text("failure").unwrap()),
        }
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // It ends by itself when nobody writes any more, unless a test failed in between.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
