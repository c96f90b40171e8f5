//! The shelf in Chroma: it keeps the contract, and what else it promises, on the real server.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cofio::ErrorKind;
use cofio::model::{Fingerprint, Meaning};
use cofio::shelf::{Embedded, Shelf, Slot, Status, Within, conformance};
use cofio_adapters::chroma::{Chroma, Key, Options};
use pollster::block_on;
use serde_json::{Value, json};

use crate::servers::authority::stranger;
use crate::servers::instance::Instance;
use crate::servers::proxy::Proxy;
use crate::shelves::{
    content, faults, labels, on_server, own_prefix, provisioned, raw, slot, told, user,
};

pub const URL: &str = "COFIO_TEST_CHROMA_URL";
const PROGRAM: &str = "COFIO_TEST_CHROMA_PROGRAM";

pub fn fresh() -> (Arc<dyn Shelf>, ()) {
    let open = |url: &str| -> Arc<dyn Shelf> {
        Arc::new(open(&Options { prefix: own_prefix(), ..Options::new(url) }))
    };
    (on_server(URL, open), ())
}

fn unless_skipped(case: impl Future<Output = ()>) {
    crate::shelves::unless_skipped(URL, case);
}

conformance::suite!(fresh, unless_skipped);

pub fn open(options: &Options) -> Chroma {
    Chroma::new(options).unwrap()
}

/// Starts a server, unless there is none to start.
pub fn start() -> Option<Instance> {
    Some(Instance::start(command()?))
}

/// Returns how a server is started, unless there is none to start.
pub fn command() -> Option<impl Fn(u16, &Path) -> Command + Send + 'static> {
    let program = provisioned(PROGRAM)?;
    Some(move |port: u16, folder: &Path| {
        let mut command = Command::new(&program);
        command.args(["run", "--host", "127.0.0.1", "--port", &port.to_string(), "--path"]);
        command.arg(folder.join("data"));
        command
    })
}

pub fn options(server: &Instance) -> Options {
    Options::new(format!("http://127.0.0.1:{}", server.port))
}

#[test]
fn what_was_acknowledged_outlives_a_killed_server() {
    let Some(mut server) = start() else { return };
    let shelf = Arc::new(open(&options(&server)));
    faults::killed_while_writing(&mut server, shelf, 2);
}

#[test]
fn a_frozen_server_holds_nobody_up() {
    let Some(server) = start() else { return };
    faults::frozen(&server, Arc::new(open(&options(&server))));
}

#[test]
fn nobody_there_is_told() {
    faults::unreachable(&open(&Options::new("http://127.0.0.1:1")));
    let secret = Chroma::new(&Options::new("http://me:secret@127.0.0.1:1")).unwrap_err();
    assert_eq!(secret.kind(), ErrorKind::Configuration);
    assert!(!format!("{secret:?}").contains("secret"), "{secret:?}");
}

#[test]
fn vectors_outlive_a_killed_server_too() {
    let Some(mut server) = start() else { return };
    let shelf = open(&options(&server));
    let model = Fingerprint::new("model").unwrap();
    let alice = user("alice");
    let vector = |number: u16| vec![f32::from(number).cos(), f32::from(number).sin()];
    let slots: Vec<Slot> = (0..300).map(|number| slot(&alice, number)).collect();
    let embedded: Vec<Embedded> = (0..)
        .zip(&slots)
        .map(|(number, slot)| Embedded {
            slot: slot.clone(),
            labels: labels(),
            vectors: vec![vector(number)],
        })
        .collect();
    block_on(shelf.put_vectors(&model, &embedded)).unwrap();
    server.kill();
    server.restart();
    let meaning = Meaning { fingerprint: model, vector: vector(7) };
    let within = Within::scopes(vec![alice]);
    faults::wait_until("it answers", || block_on(shelf.nearest(&meaning, &within, 1)).is_ok());
    let found = block_on(shelf.nearest(&meaning, &within, 1)).unwrap();
    assert_eq!(found[0].0, slots[7]);
    let cosines = block_on(shelf.cosines(&meaning, &slots)).unwrap();
    assert!(cosines.iter().all(Option::is_some));
}

#[test]
fn a_collection_that_somebody_removed_is_made_again() {
    let Some(url) = provisioned(URL) else { return };
    let prefix = own_prefix();
    let shelf = open(&Options { prefix: prefix.clone(), ..Options::new(&url) });
    let own = slot(&user("alice"), 1);
    block_on(shelf.put(&[content(&own)])).unwrap();
    assert_eq!(block_on(shelf.get(std::slice::from_ref(&own))).unwrap(), [Some(told(&own))]);
    let collection = format!("{COLLECTIONS}/{prefix}-texts");
    raw(&url, "DELETE", &collection, &Value::Null);
    assert_eq!(block_on(shelf.get(std::slice::from_ref(&own))).unwrap(), [None]);
    raw(&url, "DELETE", &collection, &Value::Null);
    block_on(shelf.put(&[content(&own)])).unwrap();
    raw(&url, "DELETE", &collection, &Value::Null);
    block_on(shelf.put(&[content(&own)])).unwrap();
    assert_eq!(block_on(shelf.get(std::slice::from_ref(&own))).unwrap(), [Some(told(&own))]);
}

const COLLECTIONS: &str = "/api/v2/tenants/default_tenant/databases/default_database/collections";

#[test]
fn every_record_names_its_scope() {
    let Some(url) = provisioned(URL) else { return };
    let prefix = own_prefix();
    let shelf = open(&Options { prefix: prefix.clone(), ..Options::new(&url) });
    let model = Fingerprint::new("model").unwrap();
    let slots = ["alice", "bob"].map(|name| slot(&user(name), 1));
    let contents = slots.each_ref().map(content);
    let embedded = slots.each_ref().map(|slot| Embedded {
        slot: slot.clone(),
        labels: labels(),
        vectors: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
    });
    block_on(shelf.put(&contents)).unwrap();
    block_on(shelf.put_vectors(&model, &embedded)).unwrap();

    let all = raw(&url, "GET", &format!("{COLLECTIONS}?limit=1000"), &Value::Null);
    let own: Vec<&Value> = all
        .as_array()
        .unwrap()
        .iter()
        .filter(|collection| collection["name"].as_str().unwrap().starts_with(&prefix))
        .collect();
    assert_eq!(own.len(), 2, "one for texts and one for the model");
    let mut records = 0;
    for collection in own {
        assert_eq!(collection["configuration_json"]["hnsw"]["space"], "cosine");
        let path = format!("{COLLECTIONS}/{}/get", collection["id"].as_str().unwrap());
        let found = raw(&url, "POST", &path, &json!({ "include": ["metadatas"] }));
        let ids = found["ids"].as_array().unwrap();
        for (id, metadata) in ids.iter().zip(found["metadatas"].as_array().unwrap()) {
            let tag = metadata["scope"].as_str().unwrap();
            assert_eq!(tag.len(), 32);
            assert!(id.as_str().unwrap().starts_with(tag), "{id}");
            assert_eq!(metadata["kind"], "fact");
            records += 1;
        }
    }
    assert_eq!(records, 6);
}

#[test]
fn another_tenant_that_is_not_there_is_told() {
    let Some(url) = provisioned(URL) else { return };
    let shelf = open(&Options { tenant: "nobody-here".to_owned(), ..Options::new(&url) });
    let error = block_on(shelf.put(&[content(&slot(&user("alice"), 1))])).unwrap_err();
    assert!(!error.kind().retryable(), "{error:?}");
    let health = block_on(open(&Options::new(&url)).health()).unwrap();
    assert_eq!((health.status, health.version.as_deref()), (Status::Healthy, Some("1.0.0")));
    assert!(health.latency < Duration::from_secs(5));
}

#[test]
fn a_slow_server_is_waited_for_and_not_for_ever() {
    let Some(server) = start() else { return };
    let way = Proxy::to(&format!("127.0.0.1:{}", server.port));
    let url = format!("http://127.0.0.1:{}", way.port);
    faults::slow(&way, Arc::new(open(&Options { url, ..options(&server) })));
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let (server, _authority) = stranger(&[]);
    let key = Some(Key::new("my-key").unwrap());
    let shelf =
        open(&Options { key, ..Options::new(format!("https://127.0.0.1:{}", server.port)) });
    faults::a_stranger_is_refused(&shelf, "chroma", "my-key");
}

/// Stands in front of a server and lets in who shows the key, as a front of somebody's own does.
fn front(server: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || let_in(client, server));
        }
    });
    port
}

/// Passes on what the first request of a connection and all after it say, if that one has the key.
fn let_in(mut client: TcpStream, server: u16) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if client.read_exact(&mut byte).is_err() {
            return;
        }
        head.push(byte[0]);
    }
    let told = String::from_utf8_lossy(&head).to_lowercase();
    if !told.contains("\r\nx-chroma-token: right-secret\r\n") {
        let body = r#"{"error":"AuthError","message":"Forbidden: wrong-secret"}"#;
        let refused = format!(
            "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        let _ = client.write_all(refused.as_bytes());
        // Whoever still says something would not hear the answer if nobody listened.
        let _ = std::io::copy(&mut client, &mut std::io::sink());
        return;
    }
    let mut server = TcpStream::connect(("127.0.0.1", server)).unwrap();
    let (mut answers, mut asker) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    thread::spawn(move || {
        let _ = std::io::copy(&mut answers, &mut asker);
        let _ = asker.shutdown(Shutdown::Both);
    });
    if server.write_all(&head).is_ok() {
        let _ = std::io::copy(&mut client, &mut server);
    }
    let _ = server.shutdown(Shutdown::Both);
}

#[test]
fn a_wrong_key_is_told_and_never_shown() {
    let Some(server) = start() else { return };
    let url = format!("http://127.0.0.1:{}", front(server.port));
    let own = slot(&user("alice"), 1);
    let with = |key: Option<&str>| {
        let key = key.map(|key| Key::new(key).unwrap());
        Options { key, ..Options::new(&url) }
    };
    for (key, part) in [(None, "needs a key"), (Some("wrong-secret"), "check the key")] {
        let options = with(key);
        let shelf = Arc::new(open(&options));
        let guarded = faults::guarded(shelf.clone(), Duration::from_secs(20));
        let error = block_on(guarded.put(&[content(&own)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error:?}");
        assert_eq!(error.details()["attempts"], 1, "what cannot pass is not tried again");
        assert!(error.to_string().contains(part), "{error}");
        let shown = format!("{error:?} {options:?} {shelf:?}");
        assert!(key.is_none() || !shown.contains("wrong-secret"), "{shown}");
    }
    let shelf = open(&with(Some("right-secret")));
    block_on(shelf.put(&[content(&own)])).unwrap();
    assert_eq!(block_on(shelf.get(std::slice::from_ref(&own))).unwrap(), [Some(told(&own))]);
}
