//! What `cofio serve` finds out of the servers that texts stand on before it listens.

use std::io::{BufRead as _, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{Served, configure, said};
use crate::machine::{Machine, complaint};

/// A Redis with settings of its own, as long as this is kept.
struct Redis {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl Redis {
    /// Starts one, unless there is none to start.
    fn start(settings: &[&str]) -> Option<Self> {
        let Some(program) = std::env::var_os("COFIO_TEST_REDIS_SERVER") else {
            eprintln!("skipped: COFIO_TEST_REDIS_SERVER names no program");
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(program);
        command.args(["--bind", "127.0.0.1", "--save", "", "--port", &port.to_string()]);
        command.arg("--dir").arg(folder.path()).args(settings).stdout(Stdio::null());
        let child = command.spawn().unwrap();
        let redis = Self { child, url: format!("redis://127.0.0.1:{port}"), _folder: folder };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(60), "it does not start");
            thread::sleep(Duration::from_millis(20));
        }
        Some(redis)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn routed_to(redis: &str, more: &str) -> Machine {
    let machine = Machine::new();
    configure(
        &machine,
        &format!("routes = 'kind:context -> redis'\nredis.url = '{redis}'\n{more}"),
    );
    machine
}

/// Returns what a server says that does not start.
fn refusal(machine: &Machine) -> (String, i32) {
    let mut command = machine.command();
    command.args(["serve", "--addr", "127.0.0.1:0"]).stdin(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    if !line.is_empty() {
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(line, "", "it listens");
    complaint(&output)
}

#[test]
fn a_server_that_may_lose_what_it_acknowledged_is_refused_at_the_start() {
    let Some(redis) = Redis::start(&["--appendonly", "no"]) else { return };
    let machine = routed_to(&redis.url, "");
    let (told, code) = refusal(&machine);
    assert!(told.contains("redis may lose what it has acknowledged"), "{told}");
    assert!(code == 1 && told.contains("appendonly no"), "{code} {told}");
    said(&machine, "list");
    let machine = routed_to(&redis.url, "redis.promise = 'as-configured'");
    Served::start(&machine);
}

#[test]
fn a_server_that_lets_nobody_in_is_refused_at_the_start() {
    let settings = ["--appendonly", "yes", "--appendfsync", "always", "--requirepass", "right"];
    let Some(redis) = Redis::start(&settings) else { return };
    let with = |password: &str| redis.url.replace("redis://", &format!("redis://:{password}@"));
    let (told, code) = refusal(&routed_to(&with("wrong"), ""));
    assert!(code == 1 && told.contains("redis"), "{code} {told}");
    assert!(!told.contains("wrong@"), "{told}");
    Served::start(&routed_to(&with("right"), ""));
}

#[test]
fn a_server_that_is_down_is_warned_of_at_the_start() {
    for (flag, begins) in [("", "warning: "), ("--json", r#"{"level":"warn","message":""#)] {
        let machine = routed_to("redis://127.0.0.1:1", "");
        let mut command = machine.command();
        command.args(["serve", "--addr", "127.0.0.1:0"]).args(flag.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut answer = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut answer).unwrap();
        child.kill().unwrap();
        let line = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
        assert_ne!(answer, "", "it starts all the same");
        assert!(line.starts_with(begins) && line.contains("cannot reach redis"), "{line}");
        assert!(line.contains("what stands on redis is missing"), "{line}");
    }
}
