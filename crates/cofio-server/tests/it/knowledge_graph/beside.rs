//! Our graph beside that of the real server: the same calls, the same answers.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use cofio_server::dialects::knowledge_graph::KnowledgeGraph;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Answer, call};
use crate::fixture::{Fixture, provided};
use crate::random::Random;

/// How many sequences of calls are tried.
const SEQUENCES: u64 = 200;

/// How many calls a sequence has.
const CALLS: usize = 10;

#[test]
fn every_answer_is_that_of_the_reference_server() {
    let fixture = Fixture::new();
    let mut theirs = Theirs::start();
    for seed in 0..SEQUENCES {
        let mut random = Random::new(seed);
        let ours = KnowledgeGraph::new(fixture.writer(&format!("user-{seed}")));
        theirs.begin();
        let mut so_far = Vec::new();
        for _ in 0..CALLS {
            let (tool, arguments) = request(&mut random);
            let (ours, theirs) = (call(&ours, tool, &arguments), theirs.call(tool, &arguments));
            so_far.push((tool, arguments));
            assert!(
                ours == theirs,
                "sequence {seed}: {so_far:#?}\nours: {ours:#?}\ntheirs: {theirs:#?}"
            );
        }
    }
}

/// Returns a call that often means something that is there.
fn request(random: &mut Random) -> (&'static str, Value) {
    match random.below(13) {
        0..3 => ("create_entities", json!({"entities": entities(random)})),
        3 | 4 => ("create_relations", json!({"relations": relations(random)})),
        5 | 6 => {
            let of = |(name, texts)| json!({"entityName": name, "contents": texts});
            let observations: Vec<Value> = observed(random).into_iter().map(of).collect();
            ("add_observations", json!({"observations": observations}))
        }
        7 => ("delete_entities", json!({"entityNames": some(random, &NAMES)})),
        8 => {
            let of = |(name, texts)| json!({"entityName": name, "observations": texts});
            let deletions: Vec<Value> = observed(random).into_iter().map(of).collect();
            ("delete_observations", json!({"deletions": deletions}))
        }
        9 => ("delete_relations", json!({"relations": relations(random)})),
        10 => ("read_graph", json!({})),
        11 => {
            let query = random.one_of(&["", "alice", "TEA", "person", "ß", "ne", "nothing", "Å"]);
            ("search_nodes", json!({"query": query}))
        }
        _ => ("open_nodes", json!({"names": some(random, &NAMES)})),
    }
}

const NAMES: [&str; 8] =
    ["Alice", "alice", "Bob", "the ferry", "Ålesund", "a\"b\\c", "two\nlines", "Straße"];
const TYPES: [&str; 5] = ["person", "Place", "ship & boat", " ", ""];
const RELATIONS: [&str; 4] = ["knows", "KNOWS", "sails to", "ist in"];
const TEXTS: [&str; 9] = [
    "likes tea",
    "Likes Tea",
    "sails at nine",
    "",
    "a: b",
    "tab\tand \"quotes\"",
    "\u{1F98A}",
    "ü\u{7f}",
    "ends\n",
];

/// Returns some values, each once, in any order.
fn some(random: &mut Random, values: &[&'static str]) -> Vec<&'static str> {
    let mut left = values.to_vec();
    (0..random.below(4)).map(|_| left.swap_remove(random.below(left.len()))).collect()
}

fn entities(random: &mut Random) -> Vec<Value> {
    let names = some(random, &NAMES);
    let entity = |name| {
        let (entity_type, observations) = (random.one_of(&TYPES), some(random, &TEXTS));
        json!({"name": name, "entityType": entity_type, "observations": observations})
    };
    names.into_iter().map(entity).collect()
}

fn relations(random: &mut Random) -> Vec<Value> {
    let names = some(random, &NAMES);
    let relation = |from| {
        let (to, relation_type) = (random.one_of(&NAMES), random.one_of(&RELATIONS));
        json!({"from": from, "to": to, "relationType": relation_type})
    };
    names.into_iter().map(relation).collect()
}

/// Returns some entities with texts; now and then one that is not there.
fn observed(random: &mut Random) -> Vec<(&'static str, Vec<&'static str>)> {
    let names = some(random, &NAMES[..5]);
    names.into_iter().map(|name| (name, some(random, &TEXTS))).collect()
}

/// The real server, in a process of its own.
struct Theirs {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    file: PathBuf,
    _folder: TempDir,
}

impl Theirs {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memory.jsonl");
        let server = "npm/node_modules/@modelcontextprotocol/server-memory/dist/index.js";
        let mut process = Command::new(provided("npm/node_modules/.bin/node"))
            .arg(provided(server))
            .env("MEMORY_FILE_PATH", &file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let requests = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let mut theirs = Self { process, requests, answers, file, _folder: folder };
        theirs.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(theirs.requests, "{ready}").unwrap();
        theirs
    }

    /// Begins anew: the server reads its file with every call.
    fn begin(&self) {
        // Before the first call there is none.
        let _ = fs::remove_file(&self.file);
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Answer {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        match result.get("structuredContent") {
            Some(values) => Answer::Values(values.clone(), text),
            None => Answer::Error(text),
        }
    }

    fn request(&mut self, method: &str, parameters: &Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters});
        writeln!(self.requests, "{request}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        answer["result"].take()
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        // It ends by itself when nobody writes any more, unless a test failed in between.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
