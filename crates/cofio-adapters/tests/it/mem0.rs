//! The shelf in Mem0: it keeps the contract, and what else it promises, with Mem0's own library.

use std::path::Path;
use std::process::Command;
use std::slice::from_ref;
use std::sync::Arc;

use cofio::ErrorKind;
use cofio::shelf::{Shelf, Status, conformance};
use cofio_adapters::mem0::{Key, Mem0, Options};
use pollster::block_on;
use serde_json::json;

use crate::servers::authority::stranger;
use crate::servers::instance::Instance;
use crate::servers::proxy::{Manner, Proxy};
use crate::shelves::{
    content, faults, on_server, own_prefix, provisioned, raw, slot, tag, told, user,
};

const URL: &str = "COFIO_TEST_MEM0_URL";
const PYTHON: &str = "COFIO_TEST_MEM0_PYTHON";

fn fresh() -> (Arc<dyn Shelf>, ()) {
    let open = |url: &str| -> Arc<dyn Shelf> {
        Arc::new(open(&Options { prefix: own_prefix(), ..Options::new(url) }))
    };
    (on_server(URL, open), ())
}

fn unless_skipped(case: impl Future<Output = ()>) {
    crate::shelves::unless_skipped(URL, case);
}

conformance::suite!(fresh, unless_skipped);

pub fn open(options: &Options) -> Mem0 {
    Mem0::new(options).unwrap()
}

/// Starts a server that wants a key, unless there is none to start.
fn start() -> Option<Instance> {
    Some(Instance::start(command()?))
}

/// Returns how a server is started that wants a key, unless there is none to start.
pub fn command() -> Option<impl Fn(u16, &Path) -> Command + Send + 'static> {
    let python = provisioned(PYTHON)?;
    Some(move |port: u16, folder: &Path| {
        let mut command = Command::new(&python);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mem0/server.py"));
        command.arg(port.to_string()).arg(folder).arg("right-secret");
        command
    })
}

pub fn options(server: &Instance) -> Options {
    let url = format!("http://127.0.0.1:{}", server.port);
    Options { key: Some(Key::new("right-secret").unwrap()), ..Options::new(url) }
}

#[test]
fn what_was_acknowledged_outlives_a_killed_server() {
    let Some(mut server) = start() else { return };
    let shelf = Arc::new(open(&options(&server)));
    faults::killed_while_writing(&mut server, shelf, 1);
}

#[test]
fn a_frozen_server_holds_nobody_up() {
    let Some(server) = start() else { return };
    faults::frozen(&server, Arc::new(open(&options(&server))));
}

#[test]
fn answers_that_are_cut_off_or_spoilt_are_told_and_pass() {
    let Some(server) = start() else { return };
    let way = Proxy::to(&format!("127.0.0.1:{}", server.port));
    let url = format!("http://127.0.0.1:{}", way.port);
    let shelf = open(&Options { url, ..options(&server) });
    let own = [1, 2, 3].map(|number| slot(&user("alice"), number));
    block_on(shelf.put(&[content(&own[0])])).unwrap();
    for (manner, slot) in [Manner::Halves, Manner::Spoils].into_iter().zip(&own[1..]) {
        way.set(manner);
        let harmed = way.harmed();
        let errors = [block_on(shelf.put(&[content(slot)])).err(), block_on(shelf.get(&own)).err()];
        for error in errors.map(Option::unwrap) {
            assert_eq!(error.kind(), ErrorKind::Provider, "{error:?}");
            assert!(error.to_string().contains("mem0"), "{error}");
            assert!(!format!("{error:?}").contains("is about"), "{error:?}");
        }
        assert!(way.harmed() > harmed);
        way.set(Manner::Passes);
        way.cut_all();
        faults::wait_until("it goes on", || block_on(shelf.put(&[content(slot)])).is_ok());
    }
    let texts = block_on(shelf.get(&own)).unwrap();
    assert_eq!(texts, own.each_ref().map(|slot| Some(told(slot))));
    assert_eq!(block_on(shelf.slots(&user("alice"), None, 9)).unwrap(), own, "each is there once");
}

#[test]
fn nobody_there_is_told() {
    faults::unreachable(&open(&Options::new("http://127.0.0.1:1")));
}

#[test]
fn a_wrong_key_is_told_and_never_shown() {
    let Some(server) = start() else { return };
    let own = slot(&user("alice"), 1);
    for (key, part) in [(None, "needs a key"), (Some("wrong-secret"), "check the key")] {
        let key = key.map(|key| Key::new(key).unwrap());
        let options = Options { key, ..options(&server) };
        let shelf = open(&options);
        let error = block_on(shelf.put(&[content(&own)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(part), "{error}");
        let shown = format!("{error:?} {options:?} {shelf:?}");
        assert!(!shown.contains("secret"), "{shown}");
    }
    let shelf = open(&options(&server));
    block_on(shelf.put(&[content(&own)])).unwrap();
    assert_eq!(block_on(shelf.get(from_ref(&own))).unwrap(), [Some(told(&own))]);
}

#[test]
fn a_text_is_one_memory_of_the_user_who_stands_for_its_scope() {
    let Some(url) = provisioned(URL) else { return };
    let prefix = own_prefix();
    let shelf = open(&Options { prefix: prefix.clone(), ..Options::new(&url) });
    let own = slot(&user("alice"), 1);
    for _ in 0..3 {
        block_on(shelf.put(&[content(&own), content(&own)])).unwrap();
    }
    let scope = tag(&own.scope);
    let listed = || {
        let filters = json!({ "filters": { "user_id": format!("{prefix}-{scope}") } });
        raw(&url, "POST", "/v3/memories/", &filters)
    };
    let found = listed();
    assert_eq!(found["count"], 1, "a repeat adds nothing");
    let memory = &found["results"][0];
    assert_eq!(memory["memory"], told(&own));
    assert_eq!(memory["metadata"]["cofio_scope"], scope);
    let name = format!("{}:{:020}", own.id, own.edition);
    assert_eq!(memory["metadata"]["cofio_slot"], name);
    block_on(shelf.remove(&[own])).unwrap();
    assert_eq!(listed()["count"], 0);
}

#[test]
fn a_text_that_somebody_changed_there_is_lost_and_no_other() {
    let Some(url) = provisioned(URL) else { return };
    let prefix = own_prefix();
    let shelf = open(&Options { prefix: prefix.clone(), ..Options::new(&url) });
    let [changed, other] = [1, 2].map(|number| slot(&user("alice"), number));
    block_on(shelf.put(&[content(&changed), content(&other)])).unwrap();
    let name = format!("{}:{:020}", changed.id, changed.edition);
    let filters = json!({ "filters": { "user_id": format!("{prefix}-{}", tag(&changed.scope)) } });
    let found = raw(&url, "POST", "/v3/memories/", &filters);
    let memories = found["results"].as_array().unwrap();
    let memory = memories.iter().find(|memory| memory["metadata"]["cofio_slot"] == *name).unwrap();
    let path = format!("/v1/memories/{}/", memory["id"].as_str().unwrap());
    raw(&url, "PUT", &path, &json!({ "text": "something else" }));

    let both = [changed.clone(), other.clone()];
    assert_eq!(block_on(shelf.get(&both)).unwrap(), [None, Some(told(&other))]);
    assert_eq!(block_on(shelf.slots(&user("alice"), None, 9)).unwrap(), both);
    // Whoever puts it there again has it, and what stands there beside it goes when it is removed.
    block_on(shelf.put(&[content(&changed)])).unwrap();
    assert_eq!(block_on(shelf.get(&both)).unwrap(), both.each_ref().map(|slot| Some(told(slot))));
    block_on(shelf.remove(from_ref(&changed))).unwrap();
    assert_eq!(block_on(shelf.get(&both)).unwrap(), [None, Some(told(&other))]);
    assert_eq!(raw(&url, "POST", "/v3/memories/", &filters)["count"], 1);
}

#[test]
fn what_it_keeps_of_what_was_deleted_is_told() {
    let Some(command) = command() else { return };
    let folder = tempfile::tempdir().unwrap();
    let server = Instance::start_in(folder.path(), command);
    let shelf = open(&options(&server));
    let own = slot(&user("alice"), 1);
    block_on(shelf.put(&[content(&own)])).unwrap();
    block_on(shelf.remove(from_ref(&own))).unwrap();
    let history = std::fs::read(folder.path().join("history.db")).unwrap();
    assert!(String::from_utf8_lossy(&history).contains(&told(&own)), "it keeps no text any more");
    let health = block_on(shelf.health()).unwrap();
    assert_eq!(health.status, Status::Degraded);
    let forgetting = health.components.iter().find(|component| component.name == "forgetting");
    let forgetting = forgetting.unwrap();
    assert_eq!(forgetting.status, Status::Degraded);
    assert!(forgetting.message.contains("history_db_path"), "{}", forgetting.message);
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
    faults::a_stranger_is_refused(&shelf, "mem0", "my-key");
}
