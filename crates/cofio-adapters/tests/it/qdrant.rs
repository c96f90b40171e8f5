//! The shelf in Qdrant: it keeps the contract, and what else it promises, with Qdrant's own engine.
//!
//! If `QDRANT_URL` names a real server, it is asked instead, with `QDRANT_API_KEY`; what needs a
//! server to be killed or frozen is still tested with the engine.

use std::path::Path;
use std::process::Command;
use std::slice::from_ref;
use std::sync::Arc;
use std::time::Duration;

use cofio::model::{Fingerprint, Kind, Meaning, Scope, State};
use cofio::shelf::{Content, Embedded, Labels, Shelf, Slot, Status, Within, conformance};
use cofio::{Error, ErrorKind};
use cofio_adapters::qdrant::{Key, Options, Qdrant};
use pollster::block_on;
use qdrant_client::qdrant::ScrollPointsBuilder;

use crate::clean::clean;
use crate::servers::authority::stranger;
use crate::servers::instance::Instance;
use crate::servers::proxy::Proxy;
use crate::shelves::{content, faults, labels, own_prefix, provisioned, slot, told, user};

const REAL: &str = "QDRANT_URL";
pub const URL: &str = "COFIO_TEST_QDRANT_URL";
const PYTHON: &str = "COFIO_TEST_QDRANT_PYTHON";

/// Returns how the server that there is gets asked, in collections of one test alone.
fn own_options() -> Option<Options> {
    let real = std::env::var(REAL).ok();
    let key = std::env::var("QDRANT_API_KEY").ok().filter(|_| real.is_some());
    let key = key.map(|key| Key::new(&key).unwrap());
    let url = real.or_else(|| provisioned(URL))?;
    Some(Options { prefix: own_prefix(), key, ..Options::new(url) })
}

/// A shelf whose collections are gone when this is dropped.
pub struct Own {
    pub shelf: Arc<Qdrant>,
    options: Options,
}

impl Own {
    pub fn open() -> Option<Self> {
        let options = own_options()?;
        Some(Self { shelf: Arc::new(open(&options)), options })
    }

    /// Asks the server what any program may ask it.
    fn raw<T>(&self, ask: impl AsyncFnOnce(qdrant_client::Qdrant) -> T) -> T {
        let key = std::env::var("QDRANT_API_KEY").ok().filter(|_| self.options.key.is_some());
        let client = qdrant_client::Qdrant::from_url(&self.options.url)
            .skip_compatibility_check()
            .api_key(key)
            .build()
            .unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(ask(client))
    }

    fn collections(&self) -> Vec<String> {
        let listed = self.raw(async |client| client.list_collections().await.unwrap().collections);
        let names = listed.into_iter().map(|collection| collection.name);
        names.filter(|name| name.starts_with(&self.options.prefix)).collect()
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        for name in self.collections() {
            let _ = self.raw(async |client| client.delete_collection(name).await);
        }
    }
}

fn fresh() -> (Arc<dyn Shelf>, Option<Own>) {
    match Own::open() {
        Some(own) => (own.shelf.clone(), Some(own)),
        // Nobody asks it anything.
        None => (Arc::new(open(&Options::new("http://127.0.0.1:1"))), None),
    }
}

fn unless_skipped(case: impl Future<Output = ()>) {
    if std::env::var_os(REAL).is_some() || std::env::var_os(URL).is_some() {
        block_on(case);
    }
}

conformance::suite!(fresh, unless_skipped);

pub fn open(options: &Options) -> Qdrant {
    Qdrant::new(options).unwrap()
}

/// Starts a server that wants a key, unless there is none to start.
pub fn start() -> Option<Instance> {
    Some(Instance::start(command()?))
}

/// Returns how a server is started that wants a key, unless there is none to start.
pub fn command() -> Option<impl Fn(u16, &Path) -> Command + Send + 'static> {
    let python = provisioned(PYTHON)?;
    Some(move |port: u16, folder: &Path| {
        let mut command = Command::new(&python);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/qdrant/server.py"));
        command.arg(port.to_string()).arg(folder).arg("right-secret");
        command
    })
}

pub fn options(server: &Instance) -> Options {
    let url = format!("http://127.0.0.1:{}", server.port);
    Options { key: Some(Key::new("right-secret").unwrap()), ..Options::new(url) }
}

fn model(name: &str) -> Fingerprint {
    Fingerprint::new(name).unwrap()
}

/// Returns the direction whose cosine to [`asked`] is this.
fn towards(cosine: f32) -> Vec<f32> {
    vec![cosine, (1.0 - cosine * cosine).sqrt()]
}

fn asked() -> Meaning {
    Meaning { fingerprint: model("model"), vector: towards(1.0) }
}

fn near(slot: &Slot, cosines: &[f32]) -> Embedded {
    let vectors = cosines.iter().copied().map(towards).collect();
    Embedded { slot: slot.clone(), labels: labels(), vectors }
}

fn slots_of(scope: &Scope, count: u64) -> Vec<Slot> {
    (0..count).map(|number| slot(scope, number)).collect()
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
    let shelf = Arc::new(open(&options(&server)));
    // Making the collection may take longer than the guard waits.
    block_on(shelf.put(&[content(&slot(&user("alice"), 1))])).unwrap();
    faults::frozen(&server, shelf);
}

#[test]
fn a_frozen_server_is_told_without_a_guard() {
    let Some(server) = start() else { return };
    let timeout = Duration::from_millis(500);
    let shelf = open(&Options { timeout, ..options(&server) });
    let own = slot(&user("alice"), 1);
    faults::wait_until("it answers", || block_on(shelf.put(&[content(&own)])).is_ok());
    server.freeze();
    let error = block_on(shelf.get(from_ref(&own))).unwrap_err();
    server.thaw();
    assert_eq!(error.kind(), ErrorKind::Provider);
    assert!(error.to_string().contains("did not answer within 500 ms"), "{error}");
    faults::wait_until("it answers again", || block_on(shelf.get(from_ref(&own))).is_ok());
    assert_eq!(block_on(shelf.get(from_ref(&own))).unwrap(), [Some(told(&own))]);
}

#[test]
fn vectors_outlive_a_killed_server_too() {
    let Some(mut server) = start() else { return };
    let shelf = open(&options(&server));
    let alice = user("alice");
    let slots = slots_of(&alice, 300);
    let embedded: Vec<Embedded> = (0_u16..)
        .zip(&slots)
        .map(|(place, slot)| near(slot, &[f32::from(place) / 300.0]))
        .collect();
    block_on(shelf.put_vectors(&model("model"), &embedded)).unwrap();
    server.kill();
    server.restart();
    let within = Within::scopes(vec![alice]);
    faults::wait_until("it answers", || block_on(shelf.nearest(&asked(), &within, 1)).is_ok());
    let found = block_on(shelf.nearest(&asked(), &within, 1)).unwrap();
    assert_eq!(found[0].0, slots[299]);
    let cosines = block_on(shelf.cosines(&asked(), &slots)).unwrap();
    assert!(cosines.iter().all(Option::is_some));
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
fn options_that_cannot_be_used_are_told_without_what_is_secret() {
    let check = |options: &Options, part: &str| {
        let error = Qdrant::new(options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(part), "{error}");
        assert!(!format!("{error:?} {options:?}").contains("my-key"), "{error:?}");
    };
    let key = || Some(Key::new("my-key").unwrap());
    let at = |url: &str| Options { key: key(), ..Options::new(url) };
    check(&at("127.0.0.1:6334"), "address");
    check(&at("grpc://127.0.0.1:6334"), "neither https:// nor http://");
    check(&at("http://127.0.0.1:6334?key=x"), "before any ?");
    for prefix in ["", "a b", "a/b", "ä"] {
        check(&Options { prefix: prefix.to_owned(), ..at("http://127.0.0.1:6334") }, "prefix");
    }
    let secret = Qdrant::new(&Options::new("http://me:secret@127.0.0.1:6334")).unwrap_err();
    assert!(!format!("{secret:?}").contains("secret"), "{secret:?}");
}

/// Asks by TLS, and returns what went wrong.
fn by_tls(port: u16) -> Error {
    let key = Some(Key::new("my-key").unwrap());
    let shelf = open(&Options { key, ..Options::new(format!("https://127.0.0.1:{port}")) });
    let error = block_on(shelf.health()).unwrap_err();
    assert!(error.to_string().contains(&format!("127.0.0.1:{port}")), "{error}");
    assert!(!format!("{error:?}").contains("my-key"), "{error:?}");
    error
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let (server, _authority) = stranger(&["-alpn", "h2"]);
    let error = by_tls(server.port);
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("nobody vouches for its certificate"), "{error}");
}

#[test]
fn a_server_without_tls_is_told() {
    let Some(server) = start() else { return };
    let error = by_tls(server.port);
    assert!(error.to_string().contains("cannot reach qdrant"), "{error}");
}

#[test]
fn what_is_outside_does_not_displace_what_is_within() {
    let Some(own) = Own::open() else { return };
    let (alice, bob) = (user("alice"), user("bob"));
    let better: Vec<Embedded> =
        slots_of(&bob, 2_500).iter().map(|slot| near(slot, &[0.99])).collect();
    let archived = Labels { state: State::Archived, ..labels() };
    let episode = Labels { kind: Kind::Episode, ..labels() };
    let put_away = Embedded { labels: archived, ..near(&slot(&alice, 8), &[0.95]) };
    let said = Embedded { labels: episode, ..near(&slot(&alice, 9), &[0.94]) };
    let mine = [near(&slot(&alice, 1), &[0.3]), near(&slot(&alice, 2), &[-0.9])];
    block_on(own.shelf.put_vectors(&model("model"), &better)).unwrap();
    block_on(own.shelf.put_vectors(&model("model"), &[put_away, said])).unwrap();
    block_on(own.shelf.put_vectors(&model("model"), &mine)).unwrap();
    let within = Within {
        kinds: vec![Kind::Fact],
        states: vec![State::Active],
        ..Within::scopes(vec![alice.clone()])
    };
    let found = block_on(own.shelf.nearest(&asked(), &within, 2)).unwrap();
    let names: Vec<&Slot> = found.iter().map(|(slot, _)| slot).collect();
    assert_eq!(names, [&slot(&alice, 1), &slot(&alice, 2)]);
}

#[test]
fn a_few_slots_with_many_passages_do_not_displace_others() {
    let Some(own) = Own::open() else { return };
    let alice = user("alice");
    let long: Vec<f32> = (0..200_u8).map(|place| 0.7 + f32::from(place) * 0.001).collect();
    let mut embedded: Vec<Embedded> =
        slots_of(&alice, 3).iter().map(|slot| near(slot, &long)).collect();
    let short: Vec<Slot> = (100..140).map(|number| slot(&alice, number)).collect();
    embedded.extend(
        (0_u8..).zip(&short).map(|(place, slot)| near(slot, &[0.1, 0.6 - f32::from(place) * 0.01])),
    );
    block_on(own.shelf.put_vectors(&model("model"), &embedded)).unwrap();
    let within = Within::scopes(vec![alice]);
    let found = block_on(own.shelf.nearest(&asked(), &within, 20)).unwrap();
    assert_eq!(found.len(), 20, "all of different slots");
    let others: Vec<&Slot> = found[3..].iter().map(|(slot, _)| slot).collect();
    assert_eq!(others, short[..17].iter().collect::<Vec<_>>(), "in their order");
    assert!((found[0].1 - 0.899).abs() < 1e-4, "{found:?}");
}

#[test]
fn more_than_a_portion_is_put_and_removed() {
    let Some(own) = Own::open() else { return };
    let alice = user("alice");
    let slots = slots_of(&alice, 2_300);
    let contents: Vec<Content> = slots.iter().map(content).collect();
    block_on(own.shelf.put(&contents)).unwrap();
    let embedded: Vec<Embedded> = slots.iter().map(|slot| near(slot, &[0.5])).collect();
    block_on(own.shelf.put_vectors(&model("model"), &embedded)).unwrap();
    let texts = block_on(own.shelf.get(&slots)).unwrap();
    assert!(texts.iter().zip(&slots).all(|(text, slot)| *text == Some(told(slot))));
    let cosines = block_on(own.shelf.cosines(&asked(), &slots)).unwrap();
    assert!(cosines.iter().all(Option::is_some));
    assert_eq!(block_on(own.shelf.slots(&alice, None, 9_999)).unwrap(), slots);
    block_on(own.shelf.remove(&slots)).unwrap();
    for name in own.collections() {
        let left = own.raw(async |client| client.scroll(ScrollPointsBuilder::new(&name)).await);
        assert_eq!(left.unwrap().result, [], "nothing is left in {name}");
    }
}

#[test]
fn models_never_meet() {
    let Some(own) = Own::open() else { return };
    let alice = user("alice");
    let slots = slots_of(&alice, 2);
    let (one, two) = (model("model"), model("model-2"));
    block_on(own.shelf.put_vectors(&one, &[near(&slots[0], &[0.2])])).unwrap();
    block_on(own.shelf.put_vectors(&two, &[near(&slots[1], &[0.9])])).unwrap();
    let within = Within::scopes(vec![alice]);
    let found = block_on(own.shelf.nearest(&asked(), &within, 9)).unwrap();
    assert_eq!(found.iter().map(|(slot, _)| slot).collect::<Vec<_>>(), [&slots[0]]);
    assert_eq!(own.collections().len(), 2, "one for each model");
    block_on(own.shelf.remove_vectors(&one, &slots)).unwrap();
    assert_eq!(block_on(own.shelf.vectors(&one, &slots)).unwrap(), [None, None]);
    assert!(block_on(own.shelf.vectors(&two, &slots)).unwrap()[1].is_some());
}

#[test]
fn other_dimensions_are_refused_by_whoever_comes_next() {
    let Some(own) = Own::open() else { return };
    let slots = slots_of(&user("alice"), 2);
    block_on(own.shelf.put_vectors(&model("model"), &[near(&slots[0], &[0.2])])).unwrap();
    let other = open(&own.options);
    let long = Embedded { vectors: vec![vec![0.0, 1.0, 0.0]], ..near(&slots[1], &[]) };
    let error = block_on(other.put_vectors(&model("model"), &[long])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("3 dimensions where the shelf keeps 2"), "{error}");
    let mixed = Embedded { vectors: vec![towards(0.5), vec![1.0]], ..near(&slots[1], &[]) };
    let error = block_on(other.put_vectors(&model("new"), &[mixed])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
}

#[test]
fn vectors_come_back_as_they_were_put() {
    let Some(own) = Own::open() else { return };
    let slots = slots_of(&user("alice"), 3);
    let many: Vec<f32> = (0..12_u8).map(|place| f32::from(place) * -0.05).collect();
    let embedded = [near(&slots[0], &[0.25]), near(&slots[2], &many)];
    block_on(own.shelf.put_vectors(&model("model"), &embedded)).unwrap();
    let wanted = [2, 1, 0, 2].map(|place: usize| slots[place].clone());
    let found = block_on(own.shelf.vectors(&model("model"), &wanted)).unwrap();
    let close = |found: &Option<Vec<Vec<f32>>>, put: &Embedded| {
        let found = found.as_ref().expect("it has vectors");
        assert_eq!(found.len(), put.vectors.len());
        for (one, two) in found.iter().flatten().zip(put.vectors.iter().flatten()) {
            assert!((one - two).abs() < 1e-6, "{one} is not {two}");
        }
    };
    close(&found[0], &embedded[1]);
    assert_eq!(found[1], None);
    close(&found[2], &embedded[0]);
    close(&found[3], &embedded[1]);
    assert_eq!(block_on(own.shelf.vectors(&model("model"), &[])).unwrap(), []);
    let unknown = block_on(own.shelf.vectors(&model("unknown"), &slots)).unwrap();
    assert_eq!(unknown, [None, None, None]);
}

#[test]
fn a_cosine_is_one_whatever_the_length() {
    let Some(own) = Own::open() else { return };
    let alice = user("alice");
    let slots = slots_of(&alice, 1);
    block_on(own.shelf.put_vectors(&model("model"), &[near(&slots[0], &[0.6])])).unwrap();
    let long = Meaning { vector: vec![5.0, 0.0], ..asked() };
    let within = Within::scopes(vec![alice.clone()]);
    let nearest = block_on(own.shelf.nearest(&long, &within, 1)).unwrap()[0].1;
    let compared = block_on(own.shelf.cosines(&long, &slots)).unwrap()[0].unwrap();
    let sampled = block_on(own.shelf.sample(&long, &[alice], 1)).unwrap()[0].cosine;
    for cosine in [nearest, compared, sampled] {
        assert!((cosine - 0.6).abs() < 1e-5, "{cosine}");
    }
}

#[test]
fn a_collection_that_somebody_removed_is_made_again() {
    let Some(own) = Own::open() else { return };
    let slots = slots_of(&user("alice"), 1);
    let name = format!("{}-texts", own.options.prefix);
    let remove = || {
        own.raw(async |client| client.delete_collection(name.clone()).await.unwrap());
    };
    block_on(own.shelf.put(&[content(&slots[0])])).unwrap();
    remove();
    assert_eq!(block_on(own.shelf.get(&slots)).unwrap(), [None]);
    block_on(own.shelf.put(&[content(&slots[0])])).unwrap();
    assert_eq!(block_on(own.shelf.get(&slots)).unwrap(), [Some(told(&slots[0]))]);
    let info = own.raw(async |client| client.collection_info(name.clone()).await.unwrap());
    let schema = info.result.unwrap().payload_schema;
    assert!(schema.contains_key("scope") && schema.contains_key("slot"), "{schema:?}");
}

#[test]
fn every_point_names_its_scope_and_is_there_once() {
    let Some(own) = Own::open() else { return };
    let slots = ["alice", "bob"].map(|name| slot(&user(name), 1));
    for _ in 0..2 {
        block_on(own.shelf.put(&slots.each_ref().map(content))).unwrap();
        let embedded = slots.each_ref().map(|slot| near(slot, &[0.5, 0.2]));
        block_on(own.shelf.put_vectors(&model("model"), &embedded)).unwrap();
    }
    let mut points = 0;
    for name in own.collections() {
        let scroll = ScrollPointsBuilder::new(name.clone()).limit(100).with_payload(true);
        let found = own.raw(async |client| client.scroll(scroll).await.unwrap().result);
        for point in found {
            let read = |name: &str| point.payload[name].as_str().unwrap().clone();
            assert_eq!(read("scope").len(), 32);
            assert!(read("slot").starts_with(&read("scope")));
            assert_eq!(read("kind"), "fact");
            points += 1;
        }
        let info = own.raw(async |client| client.collection_info(name.clone()).await.unwrap());
        let schema = info.result.unwrap().payload_schema;
        let vectors = name.contains("-vectors-");
        for field in ["kind", "state", "passage"] {
            assert_eq!(schema.contains_key(field), vectors, "{field} of {name}");
        }
    }
    assert_eq!(points, 6, "a repeat adds nothing");
}

#[test]
fn a_text_that_is_refused_is_not_repeated() {
    let Some(server) = start() else { return };
    let secret = "what nobody but alice may know of";
    let key = Some(Key::new("wrong").unwrap());
    let shelf = open(&Options { key, ..options(&server) });
    let own = slot(&user("alice"), 1);
    let contents = [Content { text: clean(secret), ..content(&own) }];
    let error = block_on(shelf.put(&contents)).unwrap_err();
    assert!(!format!("{error:?}").contains(secret), "{error:?}");
}

#[test]
fn its_health_says_which_server_it_is() {
    let Some(own) = Own::open() else { return };
    block_on(own.shelf.put(&[content(&slot(&user("alice"), 1))])).unwrap();
    let health = block_on(own.shelf.health()).unwrap();
    let version = health.version.unwrap();
    if std::env::var_os(REAL).is_some() {
        assert!(!version.contains("qdrant-edge"), "{version}");
    } else {
        assert_eq!(version, "qdrant-edge 0.9.0 behind Qdrant's gRPC");
    }
    eprintln!("asked: {version}");
    assert_eq!(health.status, Status::Healthy);
    assert!(health.latency < Duration::from_secs(5));
    let collections = health.components.iter().find(|component| component.name == "collections");
    assert_eq!(collections.unwrap().message, "1 collections with 1 points");
}

#[test]
fn it_runs_under_any_executor() {
    let Some(own) = Own::open() else { return };
    let slots = slots_of(&user("alice"), 1);
    let shelf = own.shelf.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        shelf.put(&[content(&slots[0])]).await.unwrap();
        // A shelf may end where nothing may block.
        drop(open(&own.options));
        assert_eq!(shelf.get(&slots).await.unwrap(), [Some(told(&slots[0]))]);
    });
}

#[test]
fn a_slow_server_is_waited_for_and_not_for_ever() {
    let Some(server) = start() else { return };
    let way = Proxy::to(&format!("127.0.0.1:{}", server.port));
    let url = format!("http://127.0.0.1:{}", way.port);
    faults::slow(&way, Arc::new(open(&Options { url, ..options(&server) })));
}
