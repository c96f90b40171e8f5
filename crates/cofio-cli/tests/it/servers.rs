//! Memories on servers of others, by the settings alone.

mod routed;
mod shared;
mod starting;
mod together;
mod watched;
pub mod way;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::guide::Transcript;
use crate::machine::{Machine, complaint};

const NOBODY: &str = "http://127.0.0.1:1";

/// Returns where a server is, and that a test is skipped if there is none.
pub fn provisioned(name: &str) -> Option<String> {
    let variable = format!("COFIO_TEST_{}_URL", name.to_uppercase());
    let url = std::env::var(&variable).ok();
    if url.is_none() {
        eprintln!("skipped: {variable} is not set; `cargo xtask test` starts the server");
    }
    url
}

/// Returns a word that no other test has.
pub fn own_word() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() % 1_000_000_000;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    format!("t{}_{now}_{number}", std::process::id())
}

/// Writes the settings of a machine; whose memories they are is nobody else's name.
fn configure(machine: &Machine, lines: &str) {
    configure_as(machine, &own_word(), lines);
}

fn configure_as(machine: &Machine, user: &str, lines: &str) {
    fs::create_dir_all(machine.home("")).unwrap();
    let file = format!("user = '{user}'\nembedder = 'none'\nretry.retries = 0\n{lines}");
    fs::write(machine.home("config.toml"), file).unwrap();
}

pub fn on_postgres(url: &str) -> Machine {
    let machine = Machine::new();
    let schema = own_word();
    let lines =
        format!("preset = 'postgres'\npostgres.url = '{url}'\npostgres.schema = '{schema}'");
    configure(&machine, &lines);
    machine
}

pub fn said(machine: &Machine, arguments: &str) -> String {
    let output = machine.run(arguments);
    let (told, heard) = (output.stdout, output.stderr);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&heard));
    String::from_utf8(told).unwrap()
}

pub fn report(machine: &Machine, arguments: &str) -> Value {
    serde_json::from_slice(&machine.run(arguments).stdout).unwrap()
}

#[test]
fn everything_is_in_postgres_that_the_preset_puts_there() {
    let Some(url) = provisioned("postgres") else { return };
    let machine = on_postgres(&url);
    said(&machine, "remember Alice drinks her tea black");
    said(&machine, "remember --kind episode Bob arrived in Cardiff");
    assert!(said(&machine, "search how does alice take her tea").contains("tea black"));
    assert!(!machine.home("cofio.db").exists(), "no file is made beside it");

    let listed = report(&machine, "list --json");
    let id = listed["memories"][1]["id"].as_str().unwrap();
    said(&machine, &format!("forget {id} --yes"));
    assert!(!said(&machine, "list").contains("tea black"));
    assert!(said(&machine, "audit verify").contains("the record is whole"));

    let doctor = report(&machine, "doctor --json");
    assert!(!doctor.to_string().contains("only-for-tests"), "a password is shown: {doctor}");
    assert_eq!(doctor["stores"][0]["name"], "postgres");
    assert_ne!(doctor["stores"][0]["status"], "unhealthy");
    assert_eq!(doctor["checks"][0]["name"], "postgres");
    assert!(doctor["checks"][0]["detail"].as_str().unwrap().contains("pgvector"), "{doctor}");
}

#[test]
fn what_only_a_file_can_do_says_so() {
    let Some(url) = provisioned("postgres") else { return };
    let machine = on_postgres(&url);
    machine.write("copy.db", "");
    let id = "fact_0198c0de0000700080000000000000aa";
    for (command, instead) in [
        ("backup new.db", "pg_dump"),
        ("restore copy.db", "pg_restore"),
        ("purge", "VACUUM FULL"),
        (&format!("verify-forgotten {id}"), "cofio show ID"),
    ] {
        let (told, code) = complaint(&machine.run(command));
        assert!(code == 1 && told.contains("this one is in PostgreSQL"), "{command}: {told}");
        assert!(told.contains(instead), "{command}: {told}");
    }
}

#[test]
fn a_database_that_is_not_there_is_told_without_its_password() {
    let machine = on_postgres("postgres://me:hunter2@127.0.0.1:1/cofio");
    for command in ["list", "remember tea", "doctor"] {
        let output = machine.run(command);
        let all = [output.stdout, output.stderr].concat();
        let told = String::from_utf8_lossy(&all);
        assert!(!output.status.success() && !told.contains("hunter2"), "{told}");
        assert!(told.contains("postgres://me:***@127.0.0.1:1/cofio"), "{told}");
    }
    let home = report(&machine, "doctor --json")["stores"][0].take();
    assert_eq!((&home["name"], &home["status"]), (&"postgres".into(), &"unhealthy".into()));
}

#[test]
fn texts_stand_where_the_rules_say_and_nowhere_else() {
    let (Some(redis), Some(chroma), Some(mem0)) =
        (provisioned("redis"), provisioned("chroma"), provisioned("mem0"))
    else {
        return;
    };
    let machine = Machine::new();
    let lines = format!(
        "routes = '''\nkind:context -> redis\nkind:fact -> chroma\nkind:episode -> mem0\n'''\n\
         redis.url = '{redis}'\nchroma.url = '{chroma}'\nmem0.url = '{mem0}'"
    );
    configure(&machine, &lines);
    said(&machine, "remember --kind context the zinnia kettle is on");
    said(&machine, "remember Alice drinks zinnia tea");
    said(&machine, "remember --kind episode Bob brought zinnia cups");
    said(&machine, "remember --kind working Water the zinnias on Monday");
    let listed = said(&machine, "list");
    for text in ["kettle is on", "drinks zinnia tea", "brought zinnia cups", "on Monday"] {
        assert!(listed.contains(text), "{text} is missing: {listed}");
    }
    let found = said(&machine, "search zinnia");
    assert!(found.contains("kettle") && found.contains("cups"), "one search spans all: {found}");
    let bytes = ["cofio.db", "cofio.db-wal"].map(|file| fs::read(machine.home(file)));
    let bytes: Vec<u8> = bytes.into_iter().flatten().flatten().collect();
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("on Monday"), "what no rule means stays at home");
    for text in ["kettle is on", "drinks zinnia tea", "brought zinnia cups"] {
        assert!(!has(text), "{text} is in the file");
    }
    let doctor = report(&machine, "doctor --json");
    let stores: Vec<_> = doctor["stores"].as_array().unwrap().iter().collect();
    let names: Vec<_> = stores.iter().map(|store| store["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["sqlite", "redis", "chroma", "mem0"]);
    let parts = stores[0]["components"].as_array().unwrap();
    assert_eq!((&parts[0]["name"], &parts[0]["status"]), (&"file".into(), &"healthy".into()));
    assert!(stores.iter().all(|store| store["latencyMs"].is_number()), "{doctor}");
}

#[test]
fn a_server_that_is_down_costs_what_stands_on_it() {
    let Some(chroma) = provisioned("chroma") else { return };
    let machine = Machine::new();
    let lines = |url: &str| format!("routes = 'kind:fact -> chroma'\nchroma.url = '{url}'");
    configure(&machine, &lines(&chroma));
    said(&machine, "remember Alice drinks her tea black");
    said(&machine, "remember Dora drinks her tea black too");
    said(&machine, "remember --kind episode Bob brought tea cups");
    let facts = report(&machine, "list --kind fact --json");
    let id = facts["memories"][0]["id"].as_str().unwrap();
    let file = fs::read_to_string(machine.home("config.toml")).unwrap();
    fs::write(machine.home("config.toml"), file.replace(&chroma, NOBODY)).unwrap();

    let found = said(&machine, "search tea");
    assert!(found.contains("cups") && !found.contains("black"), "{found}");
    let (told, code) = complaint(&machine.run("remember Carol drinks coffee"));
    assert!(code == 5 && told.contains("cannot reach chroma"), "{code} {told}");
    assert!(told.contains("nothing listens there"), "{told}");
    said(&machine, "remember --kind episode Carol came by");
    said(&machine, &format!("forget {id} --yes"));
    let (told, code) = complaint(&machine.run("doctor"));
    assert!(code == 1 && told.contains("1 problem"), "{code} {told}");

    let served = Served::start(&machine);
    let ready = served.get("/readyz");
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    assert!(ready.contains(r#""status":"degraded""#), "{ready}");
    assert!(ready.contains(r#""chroma":{"status":"unhealthy""#), "{ready}");
    let metrics = served.get("/metrics");
    assert!(metrics.contains("cofio_store_up{store=\"sqlite\"} 1"), "{metrics}");
    assert!(metrics.contains("cofio_store_up{store=\"chroma\"} 0"), "{metrics}");
    assert!(metrics.contains("cofio_store_circuit{store=\"chroma\",state=\"closed\"} 1"));
    for _ in 0..8 {
        served.ask("POST", "/v1/search", None, Some(&json!({"query": "tea"})));
    }
    let metrics = served.get("/metrics");
    let count = |name: &str| {
        let name = format!("cofio_store_{name}_total{{store=\"chroma\"}} ");
        let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
        line.unwrap_or_else(|| panic!("no {name} in {metrics}")).parse::<u64>().unwrap()
    };
    assert!(count("calls") >= 5 && count("failures") == count("calls"), "{metrics}");
    assert!(count("refusals") > 0 && count("circuit_opened") == 1, "{metrics}");
    assert_eq!((count("timeouts"), count("retries")), (0, 0), "{metrics}");
    assert!(metrics.contains("cofio_store_circuit{store=\"chroma\",state=\"open\"} 1"));
    assert!(metrics.contains("cofio_store_circuit{store=\"chroma\",state=\"closed\"} 0"));
}

#[test]
fn the_guide_shows_what_a_server_that_is_gone_costs() {
    let (Some(postgres), Some(redis), Some(qdrant)) =
        (provisioned("postgres"), provisioned("redis"), provisioned("qdrant"))
    else {
        return;
    };
    let machine = Machine::new();
    let (schema, project) = (own_word(), own_word());
    let lines = |redis: &str| {
        format!(
            "preset = 'tiered'\nproject = '{project}'\npostgres.url = '{postgres}'\n\
             postgres.schema = '{schema}'\nredis.url = '{redis}'\nqdrant.url = '{qdrant}'"
        )
    };
    configure(&machine, &lines(&redis));
    said(&machine, "remember --kind context The build is red today");
    said(&machine, "remember --layer project The build runs on Tuesdays");
    let file = fs::read_to_string(machine.home("config.toml")).unwrap();
    let user = file.split('\'').nth(1).unwrap().to_owned();
    let nobody = NOBODY.replace("http", "redis");
    fs::write(machine.home("config.toml"), file.replace(&redis, &nobody)).unwrap();

    let mut guide = Transcript::default();
    for typed in [
        "search build",
        "remember --kind context The build is green again",
        "remember --layer project The build takes an hour",
    ] {
        let output = machine.run(typed);
        let all = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        let shown =
            machine.without_accidents(&all).replace("127.0.0.1:PORT", "cache.internal:6379");
        let shown = shown.replace(&user, "alice").replace(&project, "apollo");
        guide.add(&format!("cofio {typed}"), &shown);
    }
    guide.assert_in("scale.md", "## When a server is slow or down");
}

/// A server of ours, as long as this is kept.
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(machine: &Machine) -> Self {
        let mut command = machine.command();
        command.args(["serve", "--addr", "127.0.0.1:0"]).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening at http://").unwrap().to_owned();
        Self { child, address }
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
