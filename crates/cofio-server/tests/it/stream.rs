//! Changes as they happen: nothing is missed, nothing comes twice, and nobody waits for anybody.

mod listener;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use cofio::Engine;
use cofio::model::{
    AccessPolicy, Bound, Caller, Channel, Draft, KeyDraft, Kind, Layer, Memory, MemoryId, Metadata,
    Patch, Scope, Source,
};
use cofio::store::{Durability, SqliteOptions, SqliteStore};
use cofio_server::http::Limits;
use pollster::block_on;
use serde_json::{Value, json};

use crate::fixture::{Fixture, named};
use crate::random::Random;
use crate::served::{Served, locally};
use listener::{Listener, Told};

/// Somebody who writes straight to the engine.
struct Writer {
    engine: Engine,
    user: &'static str,
}

impl Writer {
    fn new(engine: &Engine, user: &'static str) -> Self {
        Self { engine: engine.clone(), user }
    }

    fn caller(&self) -> Caller {
        Caller::local(named(self.user))
    }

    fn keep(&self, content: &str) -> Memory {
        self.keep_as(Kind::Episode, content)
    }

    fn keep_as(&self, kind: Kind, content: &str) -> Memory {
        self.keep_draft(self.draft(kind, content))
    }

    fn draft(&self, kind: Kind, content: &str) -> Draft {
        let source = Source::through(Channel::ExplicitSave);
        Draft::new(Scope::user(named(self.user)), kind, content, source)
    }

    fn keep_draft(&self, draft: Draft) -> Memory {
        block_on(self.engine.remember(&self.caller(), draft)).unwrap().memory
    }

    fn change(&self, id: &MemoryId, content: &str) {
        let patch = Patch { content: Some(content.to_owned()), ..Patch::default() };
        block_on(self.engine.update(&self.caller(), id, patch)).unwrap();
    }

    /// Keeps something that is some 50 kB to tell.
    fn keep_large(&self) -> Memory {
        let burden = Value::from("word ".repeat(10_000));
        let custom = [("burden".to_owned(), burden)].into_iter().collect();
        let metadata = Metadata { custom, ..Metadata::default() };
        self.keep_draft(Draft { metadata, ..self.draft(Kind::Episode, "large") })
    }

    /// Changes something about a memory again and again.
    fn touch(&self, id: &MemoryId, changes: usize) {
        for number in 0..changes {
            let policy = if number % 2 == 0 { AccessPolicy::Public } else { AccessPolicy::Private };
            let patch = Patch { access_policy: Some(policy), ..Patch::default() };
            block_on(self.engine.update(&self.caller(), id, patch)).unwrap();
        }
    }

    fn forget(&self, id: &MemoryId) {
        block_on(self.engine.forget(&self.caller(), std::slice::from_ref(id))).unwrap();
    }

    /// Returns the places of everything that happened to this user's memories.
    fn places(&self) -> Vec<u64> {
        let changes = block_on(self.engine.changes(&self.caller(), 0, usize::MAX)).unwrap();
        changes.iter().map(|change| change.sequence).collect()
    }
}

#[test]
fn a_change_is_told_with_what_the_memory_is() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let alice = Writer::new(&fixture.engine, "alice");
    let mut stream = Listener::open(&served, "/v1/stream", &[]);
    assert_eq!(stream.header("content-type"), "text/event-stream");
    let tea = alice.keep("Tea is black");
    let told = stream.next_event();
    assert_eq!((told.event.as_str(), told.id), ("created", 1));
    assert_eq!(told.data["memory"]["content"], "Tea is black");
    assert_eq!(told.data["id"], tea.id.as_str());
    alice.change(&tea.id, "Tea is green");
    let told = stream.next_event();
    assert_eq!((told.event.as_str(), &told.data["version"]), ("updated", &json!(2)));
    assert_eq!(told.data["memory"]["content"], "Tea is green");
    alice.forget(&tea.id);
    let told = stream.next_event();
    assert_eq!((told.event.as_str(), told.id), ("deleted", 3));
    assert_eq!(told.data.get("memory"), None);
}

#[test]
fn the_protocol_has_its_own_form() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let alice = Writer::new(&fixture.engine, "alice");
    for path in ["/openspec/v1/knowledge/stream", "/api/v1/knowledge/stream?type=updates"] {
        let mut stream = Listener::open(&served, path, &[]);
        let tea = alice.keep("Tea is black");
        let told = stream.next_event();
        assert_eq!(told.data["type"], "created");
        assert_eq!(told.data["entry"]["content"], "Tea is black");
        assert!(told.data["timestamp"].is_string());
        alice.forget(&tea.id);
        let told = stream.next_event();
        let gone = json!({"id": tea.id.as_str(), "version": 1, "layer": "user"});
        assert_eq!((&told.data["type"], &told.data["entry"]), (&json!("deleted"), &gone));
    }
}

#[test]
fn whoever_comes_back_misses_nothing_and_gets_nothing_twice() {
    const CHANGES: usize = 3_000;
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let done = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = ["alice", "bob", "alice"]
        .into_iter()
        .enumerate()
        .map(|(number, user)| {
            let writer = Writer::new(&fixture.engine, user);
            thread::spawn(move || write_a_lot(&writer, number, CHANGES / 3))
        })
        .collect();
    let alice = Writer::new(&fixture.engine, "alice");
    let reader = thread::spawn({
        let done = Arc::clone(&done);
        move || {
            let (mut random, mut seen) = (Random::new(7), Vec::new());
            while !(done.load(Ordering::Acquire) && seen.last() == alice.places().last()) {
                let last = seen.last().copied().unwrap_or_default().to_string();
                // The first one names the place in the address, the others as browsers do.
                let header = [("last-event-id", last.as_str())];
                let mut stream = if seen.is_empty() {
                    Listener::open(&served, "/v1/stream?since=0", &[])
                } else {
                    Listener::open(&served, "/v1/stream", &header)
                };
                for _ in 0..random.below(200) {
                    if done.load(Ordering::Acquire) && seen.last() == alice.places().last() {
                        break;
                    }
                    // Others may still write when there is nothing more to tell.
                    seen.extend(stream.next_soon().map(|told| told.id));
                }
            }
            assert_eq!(seen, alice.places());
        }
    });
    for writer in writers {
        writer.join().unwrap();
    }
    done.store(true, Ordering::Release);
    reader.join().unwrap();
}

fn write_a_lot(writer: &Writer, number: usize, changes: usize) {
    let mut random = Random::new(number as u64);
    let mut kept: Vec<MemoryId> = Vec::new();
    for change in 0..changes {
        match random.below(4) {
            0 | 1 => kept.push(writer.keep(&format!("writer {number} said {change}")).id),
            2 if !kept.is_empty() => {
                let id = &kept[random.below(kept.len())];
                writer.change(id, &format!("writer {number} corrected {change}"));
            }
            3 if kept.len() > 5 => {
                let id = kept.swap_remove(random.below(kept.len()));
                writer.forget(&id);
            }
            _ => kept.push(writer.keep(&format!("writer {number} added {change}")).id),
        }
    }
}

#[test]
fn what_others_do_is_told_to_nobody_else() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let (alice, bob) = (Writer::new(&fixture.engine, "alice"), Writer::new(&fixture.engine, "bob"));
    let paths = ["/v1/stream", "/v1/stream?type=notifications", "/openspec/v1/knowledge/stream"];
    let mut streams = paths.map(|path| Listener::open(&served, path, &[]));
    let mut narrowed = Listener::open(&served, "/v1/stream?userId=bob&since=0", &[]);
    for number in 0..300 {
        let kept = bob.keep(&format!("Bob's secret number {number}"));
        bob.change(&kept.id, "Bob's other secret");
        bob.forget(&kept.id);
    }
    let own = alice.keep("Alice's own");
    for stream in &mut streams {
        let told = stream.next_event();
        assert!(told.data.to_string().contains(own.id.as_str()), "{:?}", told.data);
        assert!(!stream.everything.contains("Bob"));
    }
    // A name that is not the caller's opens nothing: the server ends before anything is told.
    drop(served);
    assert_eq!(narrowed.next_or_end().map(|told| told.data), None);
}

#[test]
fn changes_of_other_processes_are_told_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cofio.db");
    let (ours, theirs) = (engine_at(&path), engine_at(&path));
    let served = Served::locally(&ours, "alice");
    let mut stream = Listener::open(&served, "/v1/stream", &[]);
    Writer::new(&theirs, "alice").keep("From elsewhere");
    assert_eq!(stream.next_event().data["memory"]["content"], "From elsewhere");
}

fn engine_at(path: &Path) -> Engine {
    let options = SqliteOptions { durability: Durability::ProcessOnly, ..Default::default() };
    Engine::new(SqliteStore::open_with(path, options).unwrap(), jiff::Timestamp::now)
}

#[test]
fn a_stream_can_be_narrowed() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let alice = Writer::new(&fixture.engine, "alice");
    let said = |told: &Told| told.data["memory"]["content"].as_str().unwrap_or("").to_owned();
    alice.keep_as(Kind::Episode, "Tea was drunk");
    let fact = alice.keep_as(Kind::Fact, "Teas are black");
    alice.keep_as(Kind::Fact, "Coffee is brown");
    let first = |path: &str| {
        let told = Listener::open(&served, path, &[]).next_event();
        (told.id, said(&told))
    };
    assert_eq!(first("/v1/stream?since=0&kind=fact"), (2, "Teas are black".to_owned()));
    assert_eq!(first("/v1/stream?since=0&layer=user").0, 1);
    assert_eq!(first("/v1/stream?since=1&type=notifications"), (2, String::new()));
    let coffee = "/v1/stream?since=0&type=query&query=brown+COFFEE";
    assert_eq!(first(coffee), (3, "Coffee is brown".to_owned()));
    let tea = "/openspec/v1/knowledge/stream?since=0&type=query&query=tea&layer=semantic";
    assert_eq!(Listener::open(&served, tea, &[]).next_event().id, 2);
    // Nobody knows any more what it said, so it is told to whoever may have been told of it.
    alice.forget(&fact.id);
    let mut stream = Listener::open(&served, coffee, &[]);
    assert_eq!([stream.next_event().id, stream.next_event().id], [3, 4]);
}

#[test]
fn a_place_that_is_none_is_refused() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let check = |path: &str, headers: &[(&str, &str)]| {
        let answer = served.ask_with("GET", path, headers, &Value::Null);
        assert!([400, 422].contains(&answer.status), "{path} {headers:?} {answer:?}");
    };
    check("/v1/stream?since=1", &[]);
    check("/v1/stream?since=-1", &[]);
    check("/v1/stream?since=now", &[]);
    check("/v1/stream", &[("last-event-id", "x")]);
    check("/v1/stream", &[("last-event-id", "99999999999999999999")]);
    check("/v1/stream?type=gossip", &[]);
    check("/v1/stream?type=query", &[]);
    check("/v1/stream?type=query&query=%3F", &[]);
    check("/v1/stream?query=tea", &[]);
    check("/v1/stream?layer=galaxy", &[]);
    check("/v1/stream?kind=galaxy", &[]);
    check("/v1/stream?userId=%20", &[]);
    check("/openspec/v1/knowledge/stream?layer=galaxy", &[]);
}

/// Twenty readers who do not read; kept for each, all that is to be told would be some 200 MB.
#[cfg(target_os = "linux")]
#[test]
fn whoever_does_not_read_costs_nobody_anything() {
    const READERS: usize = 20;
    const CHANGES: usize = 200;
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let alice = Writer::new(&fixture.engine, "alice");
    let mut idle: Vec<Listener> =
        (0..READERS).map(|_| Listener::open(&served, "/v1/stream?since=0", &[])).collect();
    let large = alice.keep_large();
    let before = resident_bytes();
    alice.touch(&large.id, CHANGES);
    // A reader who reads gets everything while the others still do not.
    let mut reading = Listener::open(&served, "/v1/stream?since=0", &[]);
    let told: BTreeSet<u64> = (0..=CHANGES).map(|_| reading.next_event().id).collect();
    assert_eq!(told, alice.places().into_iter().collect());
    let grown = resident_bytes().saturating_sub(before) / (1024 * 1024);
    assert!(grown < 100, "{grown} MB for readers who do not read");
    for late in &mut idle {
        assert_eq!(late.next_event().id, 1);
    }
}

#[cfg(target_os = "linux")]
fn resident_bytes() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4_096
}

#[test]
fn only_so_many_streams_are_open() {
    let fixture = Fixture::new();
    let mut service = locally(&fixture.engine, "alice");
    service.limits = Limits { streams_per_caller: 2, ..Limits::default() };
    let served = Served::start(service);
    let _first = Listener::open(&served, "/v1/stream", &[]);
    let second = Listener::open(&served, "/v1/stream", &[]);
    let refused = served.ask("GET", "/v1/stream", &Value::Null);
    assert_eq!(refused.status, 503);
    assert!(refused.headers.contains_key("retry-after"));
    drop(second);
    // The server notices when it is told that nobody is there any more.
    while Listener::try_open(&served, "/v1/stream", &[]).is_none() {
        thread::yield_now();
    }
}

#[test]
fn a_stream_that_nobody_reads_ends_and_one_with_nothing_to_tell_does_not() {
    let fixture = Fixture::new();
    let mut service = locally(&fixture.engine, "alice");
    let stall = Duration::from_millis(500);
    service.limits = Limits { stall, streams_per_caller: 2, ..Limits::default() };
    let served = Served::start(service);
    let alice = Writer::new(&fixture.engine, "alice");
    let large = alice.keep_large();
    alice.touch(&large.id, 300);
    let mut silent = Listener::open(&served, "/v1/stream", &[]);
    let _deaf = Listener::open(&served, "/v1/stream?since=0", &[]);
    // The place of the one that nobody reads is free again after a while.
    let free = (0..60).any(|_| {
        thread::sleep(stall);
        Listener::try_open(&served, "/v1/stream", &[]).is_some()
    });
    assert!(free);
    alice.keep("Tea is black");
    assert_eq!(silent.next_event().data["memory"]["content"], "Tea is black");
}

#[test]
fn a_key_that_is_revoked_ends_its_stream() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let keeper = Caller::keeper(named("keeper"));
    let draft = KeyDraft::new("laptop", Bound::default().with(Layer::User, named("alice")));
    let made = block_on(fixture.engine.create_key(&keeper, draft, [7; 32]));
    let (key, token) = made.unwrap();
    let bearer = format!("Bearer {}", token.expose());
    let mut stream = Listener::open(&served, "/v1/stream", &[("authorization", &bearer)]);
    assert!(Listener::try_open(&served, "/v1/stream", &[]).is_none(), "now a key is needed");
    let alice = Writer::new(&fixture.engine, "alice");
    alice.keep("Tea is black");
    assert_eq!(stream.next_event().event, "created");
    block_on(fixture.engine.revoke_key(&keeper, &key.id)).unwrap();
    assert_eq!(stream.next_or_end().map(|told| told.data), None);
    assert!(stream.ended_in_order);
}

#[test]
fn a_silent_stream_says_that_it_is_there_and_ends_with_the_server() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let mut stream = Listener::open(&served, "/v1/stream", &[]);
    let bob = Writer::new(&fixture.engine, "bob");
    // What happens to others does not make a stream less silent.
    while !stream.everything.contains(": keep-alive") {
        bob.keep(&format!("Bob said {}", stream.everything.len()));
        stream.read_some();
    }
    assert!(!stream.everything.contains("event:"));
    drop(served);
    assert_eq!(stream.next_or_end().map(|told| told.data), None);
    assert!(stream.ended_in_order, "the last piece says that it is the last");
}
