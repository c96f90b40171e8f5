//! The shelf in Redis: it keeps the contract, and what else it promises, on the real server.

mod cluster;
mod tls;

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::slice::from_ref;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cofio::ErrorKind;
use cofio::model::Timestamp;
use cofio::shelf::{Content, Labels, Shelf, Slot, Status, conformance};
use cofio_adapters::guarded::Circuit;
use cofio_adapters::redis::{COMMANDS, Keeping, Options, Redis};
use pollster::block_on;

use crate::clean::clean;
use crate::servers::instance::Instance;
use crate::servers::proxy::Proxy;
use crate::shelves::{
    content, faults, labels, on_server, own_prefix, provisioned, slot, tag, told, user,
};

pub const URL: &str = "COFIO_TEST_REDIS_URL";
const SERVER: &str = "COFIO_TEST_REDIS_SERVER";
pub const DURABLE: &[&str] = &["--appendonly", "yes", "--appendfsync", "always"];

pub fn fresh() -> (Arc<dyn Shelf>, ()) {
    let open = |url: &str| -> Arc<dyn Shelf> {
        let options = Options { prefix: own_prefix(), ..Options::new(url) };
        Arc::new(Redis::new(&options).unwrap())
    };
    (on_server(URL, open), ())
}

fn unless_skipped(case: impl Future<Output = ()>) {
    crate::shelves::unless_skipped(URL, case);
}

conformance::suite!(fresh, unless_skipped);

/// Starts a server with settings, unless there is none to start.
pub fn start(settings: &'static [&'static str]) -> Option<Instance> {
    Some(Instance::start(command(settings)?))
}

/// Returns how a server is started, unless there is none to start.
pub fn command(
    settings: &'static [&'static str],
) -> Option<impl Fn(u16, &Path) -> Command + Send + 'static> {
    let program = PathBuf::from(provisioned(SERVER)?);
    Some(move |port: u16, folder: &Path| {
        let mut command = Command::new(&program);
        command.args(["--bind", "127.0.0.1", "--save", "", "--port", &port.to_string()]);
        command.arg("--dir").arg(folder).args(settings);
        command
    })
}

pub fn options(server: &Instance) -> Options {
    let url = format!("redis://127.0.0.1:{}", server.port);
    Options { timeout: Duration::from_secs(2), ..Options::new(url) }
}

pub fn open(options: &Options) -> Redis {
    Redis::new(options).unwrap()
}

/// Asks a server what its own client asks it.
fn raw(server: &Instance, arguments: &[&str]) -> String {
    let client = PathBuf::from(std::env::var(SERVER).unwrap()).with_file_name("redis-cli");
    let mut command = Command::new(client);
    let output = command.args(["-p", &server.port.to_string(), "--raw"]).args(arguments).output();
    String::from_utf8(output.unwrap().stdout).unwrap().trim_end().to_owned()
}

#[test]
fn what_was_acknowledged_outlives_a_killed_server() {
    let Some(mut server) = start(DURABLE) else { return };
    let shelf = Arc::new(open(&options(&server)));
    faults::killed_while_writing(&mut server, shelf, 4);
}

#[test]
fn a_frozen_server_holds_nobody_up() {
    let Some(server) = start(DURABLE) else { return };
    let timeout = Duration::from_millis(200);
    let shelf = Arc::new(open(&Options { timeout, ..options(&server) }));
    let error = {
        block_on(shelf.put(&[content(&slot(&user("alice"), 9))])).unwrap();
        server.freeze();
        let error = block_on(shelf.get(&[slot(&user("alice"), 9)])).unwrap_err();
        server.thaw();
        error
    };
    assert_eq!(error.kind(), ErrorKind::Provider);
    assert!(error.to_string().ends_with("no answer in time"), "{error}");
    let shelf = Arc::new(open(&Options { timeout: Duration::from_secs(30), ..options(&server) }));
    faults::frozen(&server, shelf);
}

#[test]
fn nobody_there_is_told() {
    faults::unreachable(&open(&Options::new("redis://127.0.0.1:1")));
    for url in ["redis:/secret@@:::", "redis://me:secret/more@host", "redis://me:1234?secret@host"]
    {
        let error = Redis::new(&Options::new(url)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        let shown = format!("{error:?}");
        assert!(!shown.contains("secret") && !shown.contains("1234"), "{shown}");
    }
}

#[test]
fn a_connection_that_was_cut_is_made_again() {
    let Some(server) = start(DURABLE) else { return };
    let shelf = open(&Options { connections: 1, ..options(&server) });
    let own = slot(&user("alice"), 1);
    block_on(shelf.put(&[content(&own)])).unwrap();
    for _ in 0..3 {
        raw(&server, &["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
        // The first call may notice it; the next has a new connection.
        let first = block_on(shelf.get(from_ref(&own)));
        assert!(first.is_ok() || first.is_err_and(|error| error.kind() == ErrorKind::Provider));
        assert_eq!(block_on(shelf.get(from_ref(&own))).unwrap(), [Some(told(&own))]);
    }
}

#[test]
fn a_wrong_password_is_told_and_never_shown() {
    let Some(server) =
        start(&["--appendonly", "yes", "--appendfsync", "always", "--requirepass", "right-secret"])
    else {
        return;
    };
    let own = slot(&user("alice"), 1);
    let with = |account: &str| Options {
        url: format!("redis://{account}127.0.0.1:{}", server.port),
        ..options(&server)
    };
    for (account, part) in [
        ("", "password"),
        (":wrong-secret@", "user or password"),
        ("somebody:wrong-secret@", "user or password"),
    ] {
        let options = with(account);
        let error = block_on(open(&options).put(&[content(&own)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        assert!(error.to_string().contains(part), "{error}");
        let shown = format!("{error:?} {options:?} {:?}", open(&options));
        assert!(!shown.contains("secret"), "{shown}");
    }
    let wrong = Arc::new(open(&with(":wrong-secret@")));
    let guarded = faults::guarded(wrong, Duration::from_secs(2));
    for _ in 0..9 {
        let error = block_on(guarded.get(from_ref(&own))).unwrap_err();
        assert_eq!(error.details()["attempts"], 1, "what cannot pass is not tried again");
    }
    assert_eq!((guarded.counts().retries, guarded.circuit()), (0, Circuit::Closed));

    let shelf = open(&with(":right-secret@"));
    block_on(shelf.put(&[content(&own)])).unwrap();
    assert_eq!(block_on(shelf.get(&[own])).unwrap().len(), 1);
}

#[test]
fn a_user_needs_no_more_than_the_keys_of_the_prefix() {
    let Some(server) = start(DURABLE) else { return };
    let may_wait = can_wait(&server);
    let known = COMMANDS.iter().filter(|command| may_wait || **command != "WAITAOF");
    let rights: Vec<String> =
        known.map(|command| format!("+{}", command.to_lowercase().replace(' ', "|"))).collect();
    let account = ["ACL", "SETUSER", "cofio", "on", ">pass", "~cofio-*"].into_iter();
    let account: Vec<&str> = account.chain(rights.iter().map(String::as_str)).collect();
    assert_eq!(raw(&server, &account), "OK");
    let url = format!("redis://cofio:pass@127.0.0.1:{}/1", server.port);
    // As stores of the program are called.
    let own = Options { url, prefix: "cofio-0123456789abcdef".to_owned(), ..options(&server) };
    let shelf = open(&own);
    let slots = [slot(&user("alice"), 1)];
    let ending = Labels { ends_at: Some(Timestamp::now() + Duration::from_hours(1)), ..labels() };
    block_on(shelf.put(&[Content { labels: ending, ..content(&slots[0]) }])).unwrap();
    assert_eq!(block_on(shelf.slots(&user("alice"), None, 9)).unwrap(), slots);
    assert_eq!(block_on(shelf.get(&slots)).unwrap(), [Some(told(&slots[0]))]);
    block_on(shelf.remove(&slots)).unwrap();
    let elsewhere = open(&Options { prefix: "other".to_owned(), ..own });
    let error = block_on(elsewhere.put(&[content(&slots[0])])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("NOPERM"), "{error}");
    assert!(COMMANDS.iter().all(|command| error.to_string().contains(command)), "{error}");
}

#[test]
fn a_full_memory_is_told_and_loses_nothing() {
    let Some(server) = start(&[
        "--appendonly",
        "yes",
        "--appendfsync",
        "always",
        "--maxmemory",
        "4mb",
        "--maxmemory-policy",
        "noeviction",
    ]) else {
        return;
    };
    let shelf = open(&options(&server));
    let alice = user("alice");
    let large = clean(&"plenty of words ".repeat(4_000));
    let text = |number| Content { text: large.clone(), ..content(&slot(&alice, number)) };
    let mut kept: Vec<Slot> = Vec::new();
    let error = loop {
        let content = text(kept.len() as u64);
        assert!(kept.len() < 1_000, "it is never full");
        match block_on(shelf.put(from_ref(&content))) {
            Ok(()) => kept.push(content.slot),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("raise maxmemory"), "{error}");
    assert!(!kept.is_empty());
    let found = block_on(shelf.get(&kept)).unwrap();
    assert!(found.iter().all(|text| text.as_deref() == Some(large.as_str())));
    assert_eq!(block_on(shelf.slots(&alice, None, 9_999)).unwrap(), kept, "nothing half-written");
    block_on(shelf.remove(&kept)).unwrap();
    faults::wait_until("there is room again", || block_on(shelf.put(&[text(1)])).is_ok());
}

#[test]
fn a_server_that_may_lose_contents_is_refused_unless_that_is_wanted() {
    let settings: [(&'static [&'static str], &str); 3] = [
        (&["--appendonly", "no"], "appendonly no"),
        (&["--appendonly", "yes", "--appendfsync", "everysec"], "appendfsync everysec"),
        (
            &[
                "--appendonly",
                "yes",
                "--appendfsync",
                "always",
                "--maxmemory",
                "100mb",
                "--maxmemory-policy",
                "allkeys-lru",
            ],
            "maxmemory-policy allkeys-lru",
        ),
    ];
    for (settings, part) in settings {
        let Some(server) = start(settings) else { return };
        let own = slot(&user("alice"), 1);
        let strict = open(&options(&server));
        if part.contains("everysec") && can_wait(&server) {
            check_waits(&server, &strict);
            continue;
        }
        let error = block_on(strict.put(&[content(&own)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(part), "{error}");
        let health = block_on(strict.health()).unwrap();
        assert_eq!(health.status, Status::Unhealthy);
        let told = health.components.iter().any(|component| component.message.contains(part));
        assert!(told && health.version.is_some(), "{health:?}");
        assert_eq!(raw(&server, &["DBSIZE"]), "0", "nothing was written");

        let keeping = Keeping::AsConfigured;
        let tolerant = open(&Options { keeping, ..options(&server) });
        block_on(tolerant.put(&[content(&own)])).unwrap();
        assert_eq!(block_on(tolerant.health()).unwrap().status, Status::Degraded);
    }
    let Some(server) = start(DURABLE) else { return };
    let health = block_on(open(&options(&server)).health()).unwrap();
    assert_eq!(health.status, Status::Healthy, "{health:?}");
    assert!(health.latency < Duration::from_secs(2));
}

/// Returns whether one can wait until the server has written something, as since Redis 7.2.
fn can_wait(server: &Instance) -> bool {
    !raw(server, &["WAITAOF", "0", "0", "0"]).contains("unknown command")
}

/// Checks that every write is waited for, where that makes up for what a server does not promise.
fn check_waits(server: &Instance, shelf: &Redis) {
    let health = block_on(shelf.health()).unwrap();
    assert_eq!(health.status, Status::Healthy);
    assert!(format!("{health:?}").contains("WAITAOF"), "{health:?}");
    block_on(shelf.put(&[content(&slot(&user("alice"), 1))])).unwrap();
    let calls = raw(server, &["INFO", "commandstats"]);
    assert!(calls.contains("cmdstat_waitaof"), "{calls}");
}

#[test]
fn a_replica_takes_no_writes_and_says_so() {
    let Some(primary) = start(DURABLE) else { return };
    let Some(replica) = start(DURABLE) else { return };
    assert_eq!(raw(&replica, &["REPLICAOF", "127.0.0.1", &primary.port.to_string()]), "OK");
    let shelf = open(&options(&replica));
    let own = slot(&user("alice"), 1);
    faults::wait_until("the replica has joined", || {
        raw(&replica, &["INFO", "replication"]).contains("master_link_status:up")
    });
    let error = block_on(shelf.put(&[content(&own)])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Provider, "a replica may become the primary");
    assert!(error.to_string().contains("READONLY"), "{error}");
    assert_eq!(raw(&replica, &["REPLICAOF", "NO", "ONE"]), "OK");
    block_on(shelf.put(&[content(&own)])).unwrap();
}

#[test]
fn every_key_has_the_tag_of_its_scope() {
    let Some(server) = start(DURABLE) else { return };
    let shelf = open(&options(&server));
    let scopes = ["alice", "{bob}", "a}b{c", "*", "アリス"].map(user);
    let slots: Vec<Slot> =
        scopes.iter().flat_map(|scope| [slot(scope, 1), slot(scope, 2)]).collect();
    let contents: Vec<Content> = slots.iter().map(content).collect();
    block_on(shelf.put(&contents)).unwrap();
    let keys = raw(&server, &["KEYS", "*"]);
    let keys: Vec<&str> = keys.lines().collect();
    assert_eq!(keys.len(), scopes.len() * 3, "two texts and a list each: {keys:#?}");
    let mut tags: Vec<&str> = Vec::new();
    for key in &keys {
        let rest = key.strip_prefix("cofio:{").expect("a key begins with the prefix and a tag");
        let (tag, rest) = rest.split_once("}:").expect("a tag ends");
        assert!(tag.len() == 32 && tag.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
        assert!(rest == "slots" || rest.starts_with("text:fact_"), "{key}");
        tags.push(tag);
        let slot = raw(&server, &["CLUSTER", "KEYSLOT", key]);
        assert_eq!(slot, raw(&server, &["CLUSTER", "KEYSLOT", tag]), "on one node of a cluster");
    }
    tags.sort_unstable();
    tags.dedup();
    let mut expected = scopes.each_ref().map(tag);
    expected.sort_unstable();
    assert_eq!(tags, expected, "each scope has a tag of its own");
    block_on(shelf.remove(&slots)).unwrap();
    assert_eq!(raw(&server, &["KEYS", "*"]), "", "nothing is left");
}

#[test]
fn a_text_ends_at_its_time() {
    let Some(server) = start(DURABLE) else { return };
    let shelf = open(&options(&server));
    let [soon, later] = [1, 2].map(|number| slot(&user("alice"), number));
    let ending = |slot: &Slot, after: Duration| {
        let labels = Labels { ends_at: Some(Timestamp::now() + after), ..labels() };
        Content { labels, ..content(slot) }
    };
    let contents =
        [ending(&soon, Duration::from_millis(700)), ending(&later, Duration::from_hours(1))];
    block_on(shelf.put(&contents)).unwrap();
    let slots = [soon.clone(), later.clone()];
    assert!(block_on(shelf.get(&slots)).unwrap().iter().all(Option::is_some), "not ended yet");
    thread::sleep(Duration::from_millis(900));
    assert_eq!(block_on(shelf.get(&slots)).unwrap(), [None, Some(told(&later))]);
    assert_eq!(block_on(shelf.slots(&user("alice"), None, 9)).unwrap(), [later]);
    let gone = raw(&server, &["--scan", "--pattern", "*text*"]);
    assert_eq!(gone.lines().count(), 1, "the server itself has let go of it");
}

#[test]
fn a_database_that_is_not_there_is_told() {
    let Some(server) = start(DURABLE) else { return };
    let url = format!("redis://127.0.0.1:{}/99", server.port);
    let error = block_on(open(&Options { url, ..options(&server) }).health()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("no such database"), "{error}");
}

#[test]
fn no_connection_left_is_told_and_passes() {
    let Some(server) =
        start(&["--appendonly", "yes", "--appendfsync", "always", "--maxclients", "3"])
    else {
        return;
    };
    let own = slot(&user("alice"), 1);
    let first = open(&Options { connections: 1, ..options(&server) });
    block_on(first.put(&[content(&own)])).unwrap();
    // Whoever shows a password is not told that it is wrong.
    let account = ["ACL", "SETUSER", "cofio", "on", ">my-secret", "~*", "+@all"];
    assert_eq!(raw(&server, &account), "OK");
    let url = format!("redis://cofio:my-secret@127.0.0.1:{}", server.port);
    let late = Options { connections: 1, url, ..options(&server) };
    let (mut others, mut second, mut told_it) = (Vec::new(), open(&late), None);
    faults::wait_until("no connection is left", || {
        others.push(TcpStream::connect(("127.0.0.1", server.port)).unwrap());
        second = open(&late);
        told_it = block_on(second.get(from_ref(&own))).err();
        told_it.is_some()
    });
    let error = told_it.unwrap();
    assert_eq!(error.kind(), ErrorKind::Provider);
    assert!(error.to_string().contains("maxclients"), "{error}");
    assert_eq!(block_on(first.get(from_ref(&own))).unwrap(), [Some(told(&own))]);
    drop(others);
    faults::wait_until("there is one again", || block_on(second.get(from_ref(&own))).is_ok());
    assert_eq!(block_on(second.get(from_ref(&own))).unwrap(), [Some(told(&own))]);
}

#[test]
fn a_slow_server_is_waited_for_and_not_for_ever() {
    let Some(server) = start(DURABLE) else { return };
    let way = Proxy::to(&format!("127.0.0.1:{}", server.port));
    let url = format!("redis://127.0.0.1:{}", way.port);
    faults::slow(&way, Arc::new(open(&Options { url, ..options(&server) })));
}
