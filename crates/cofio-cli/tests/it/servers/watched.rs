//! What those who look after a server are told when what it keeps memories on is silent or gone.

use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use super::way::{Manner, Way};
use super::{Served, configure, on_postgres, own_word, provisioned, report, said};
use crate::machine::Machine;

#[test]
fn a_shelf_that_is_silent_is_named_and_keeps_nobody_waiting() {
    // Connections are taken, and nobody reads what arrives.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let machine = Machine::new();
    let url = format!("http://{}", silent.local_addr().unwrap());
    configure(&machine, &format!("preset = 'chroma'\nchroma.url = '{url}'"));
    let served = Served::start(&machine);
    let ready = soon(&served, "/readyz");
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    let chroma = r#""chroma":{"status":"unhealthy","message":"it does not answer"}"#;
    assert!(ready.contains(chroma), "{ready}");
    let metrics = soon(&served, "/metrics");
    assert!(metrics.contains("cofio_store_up{store=\"sqlite\"} 1"), "{metrics}");
    assert!(metrics.contains("cofio_store_up{store=\"chroma\"} 0"), "{metrics}");
}

#[test]
fn a_server_is_as_ready_as_its_home_says_of_itself() {
    // The one that tests are given waits for no disk, unless it was started by hand.
    let Some(url) = provisioned("postgres") else { return };
    let machine = on_postgres(&url);
    let doctor = report(&machine, "doctor --json");
    let mut checks = doctor["checks"].as_array().unwrap().iter();
    let home = checks.rfind(|check| check["name"] == "postgres").unwrap();
    let status = if home["warning"] == true { "degraded" } else { "healthy" };
    let served = Served::start(&machine);
    let ready = soon(&served, "/readyz");
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    assert!(ready.contains(&format!(r#""store":{{"status":"{status}""#)), "{doctor} {ready}");
    let parts = doctor["stores"][0]["components"].as_array().unwrap();
    let metrics = soon(&served, "/metrics");
    for part in parts {
        let (name, status) = (part["name"].as_str().unwrap(), part["status"].as_str().unwrap());
        let told = format!(r#""{name}":{{"status":"{status}"}}"#);
        assert!(ready.contains(&told), "{told} is not in {ready}");
        let label = format!(r#"{{store="postgres",component="{name}"}} 1"#);
        assert!(metrics.contains(&format!("cofio_store_component_up{label}")), "{metrics}");
    }
    assert!(!parts.is_empty(), "{doctor}");
}

#[test]
fn a_home_that_is_silent_or_gone_is_told_to_whoever_watches() {
    let Some(url) = provisioned("postgres") else { return };
    let server = url.rsplit('@').next().unwrap().split('/').next().unwrap();
    for manner in [Manner::Silent, Manner::Gone] {
        let machine = Machine::new();
        let way = Way::to(server);
        let url = url.replace(server, &way.address);
        let schema = own_word();
        let lines =
            format!("preset = 'postgres'\npostgres.url = '{url}'\npostgres.schema = '{schema}'");
        configure(&machine, &lines);
        said(&machine, "remember Alice drinks her tea black");
        let served = Served::start(&machine);
        let metrics = soon(&served, "/metrics");
        assert!(metrics.contains("cofio_store_up{store=\"postgres\"} 1"), "{metrics}");
        assert!(metrics.contains("memory_entries{"), "{metrics}");
        way.set(manner);
        // What servers said is good enough for ten seconds.
        thread::sleep(Duration::from_secs(10));
        let metrics = soon(&served, "/metrics");
        assert!(metrics.starts_with("HTTP/1.1 200"), "{metrics}");
        assert!(metrics.contains("cofio_store_up{store=\"postgres\"} 0"), "{metrics}");
        assert!(!metrics.contains("memory_"), "a stranger is told no more: {metrics}");
        let ready = soon(&served, "/readyz");
        assert!(ready.starts_with("HTTP/1.1 503"), "{ready}");
        assert!(ready.contains(r#""store":{"status":"unhealthy""#), "{ready}");
        assert!(!ready.contains("127.0.0.1"), "{ready}");
        way.set(Manner::Passes);
        let start = Instant::now();
        while !soon(&served, "/metrics").contains("memory_entries{") {
            assert!(start.elapsed() < Duration::from_secs(60), "it never comes back");
            thread::sleep(Duration::from_millis(200));
        }
    }
}

/// Asks, and checks that whoever watches has not given up by then.
fn soon(served: &Served, path: &str) -> String {
    let start = Instant::now();
    let answer = served.get(path);
    assert!(start.elapsed() < Duration::from_secs(5), "{path}: {:?}", start.elapsed());
    answer
}
