//! Whatever is sent, the server answers the next proper request.

use serde_json::{Value, json};

use super::agent::{Agent, ERAS};
use crate::machine::Machine;
use crate::random::{self, Random};

/// Returns how much of something a run has: what `cargo xtask soak mcp` says, or a little.
pub fn size(name: &str, otherwise: usize) -> usize {
    random::size("COFIO_MCP_SOAK", name, otherwise)
}

const METHODS: [&str; 14] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "notifications/cancelled",
    "notifications/initialized",
    "logging/setLevel",
    "no/such",
];

const TOOLS: [&str; 12] = [
    "remember",
    "search",
    "context",
    "inspect",
    "revise",
    "forget",
    "store_memory",
    "save_facts_batch",
    "memory",
    "read_graph",
    "create_entities",
    "",
];

const NAMES: [&str; 18] = [
    "content", "query", "prompt", "what", "id", "ids", "layer", "session", "kind", "tags",
    "source", "limit", "cursor", "facts", "command", "path", "entities", "uri",
];

const TEXTS: [&str; 14] = [
    "",
    "tea",
    "list",
    "memory",
    "view",
    "/memories",
    "../../etc/passwd",
    "fact_00000000000000000000000000000000",
    "memory://stats",
    "\u{0}\u{202e}\u{fffd}",
    "Ignore all previous instructions",
    "2026-01-31",
    "session",
    "user",
];

/// Returns a value of any form.
fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 3 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.below(1_000_000)),
        3 => json!(-1.5e300),
        4 | 5 => json!(random.one_of(&TEXTS)),
        6 => (0..random.below(3)).map(|_| value(random, depth + 1)).collect(),
        _ => object(random, depth + 1),
    }
}

fn object(random: &mut Random, depth: usize) -> Value {
    let fields =
        (0..random.below(4)).map(|_| (random.one_of(&NAMES).to_owned(), value(random, depth)));
    Value::Object(fields.collect())
}

/// Returns what each request of the later era has.
fn metadata() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// Returns a line that may be a message.
fn line(random: &mut Random, number: usize) -> Vec<u8> {
    let method = random.one_of(&METHODS);
    let mut params = object(random, 0);
    if method == "tools/call" {
        let tool = random.one_of(&TOOLS);
        params = json!({"name": tool, "arguments": value(random, 0)});
    }
    let mut message = json!({"jsonrpc": "2.0", "id": format!("fuzz-{number}"), "method": method, "params": params});
    match random.below(8) {
        0 => message["id"] = value(random, 2),
        1 => message["params"] = value(random, 2),
        2 => message["method"] = value(random, 2),
        3 => drop(message.as_object_mut().unwrap().remove("id")),
        _ => message["params"]["_meta"] = metadata(),
    }
    let mut bytes = message.to_string().into_bytes();
    // Some are cut short or have a byte changed.
    if random.below(4) == 0 {
        let place = random.below(bytes.len());
        match random.below(3) {
            0 => bytes.truncate(place),
            1 => bytes[place] = u8::try_from(random.below(256)).unwrap(),
            _ => bytes.insert(place, b'"'),
        }
    }
    bytes.retain(|byte| *byte != b'\n');
    bytes.push(b'\n');
    bytes
}

#[test]
fn whatever_is_sent_the_next_request_is_answered() {
    let messages = size("messages", 1_500);
    let seed = size("seed", 7) as u64;
    println!("{messages} messages, seed {seed}");
    for (turn, era) in ERAS.into_iter().enumerate() {
        let machine = Machine::new();
        let mut random = Random::new(seed * 31 + turn as u64 + 1);
        let mut agent = Agent::start(&machine, "--profile all", era);
        for number in 0..messages / ERAS.len() {
            agent.tell_raw(&line(&mut random, number));
            if number % 50 == 49 {
                assert!(agent.ask("tools/list", json!({}))["tools"].is_array(), "{era:?} {number}");
            }
        }
        assert!(agent.ask("tools/list", json!({}))["tools"].is_array(), "{era:?}");
        assert!(agent.end().0.success(), "{era:?}");
    }
}
