//! Several processes that serve one database.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use super::{Served, configure_as, own_word, provisioned};
use crate::machine::Machine;

const SERVERS: usize = 3;

/// How many clients each server has.
const CLIENTS: usize = 2;

/// How many memories a client keeps, and how often it counts.
const EACH: usize = 12;

/// What came back.
pub struct Answer {
    status: u16,
    tag: Option<String>,
    body: Value,
}

impl Served {
    /// Asks, and asks again as long as there is no room.
    pub fn ask(&self, method: &str, path: &str, tag: Option<&str>, body: Option<&Value>) -> Answer {
        loop {
            let answer = self.ask_once(method, path, tag, body);
            if !matches!(answer.status, 429 | 503) {
                return answer;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    fn ask_once(
        &self,
        method: &str,
        path: &str,
        tag: Option<&str>,
        body: Option<&Value>,
    ) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        let body = body.map(ToString::to_string).unwrap_or_default();
        let tag = tag.map(|tag| format!("if-match: {tag}\r\n")).unwrap_or_default();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nhost: {host}\r\ncontent-type: application/json\r\n\
             {tag}content-length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let tag = head.lines().find_map(|line| line.strip_prefix("etag: ").map(str::to_owned));
        Answer { status, tag, body: serde_json::from_str(body).unwrap_or_default() }
    }

    fn keep(&self, text: &str) -> String {
        let body = json!({ "layer": "user", "content": text });
        let answer = self.ask("POST", "/v1/memories", None, Some(&body));
        assert!(matches!(answer.status, 200 | 201), "{} {}", answer.status, answer.body);
        answer.body["id"].as_str().or(answer.body["memory"]["id"].as_str()).unwrap().to_owned()
    }

    /// Reads so many places in the sequence of changes as a stream tells them.
    fn follow(&self, many: usize) -> JoinHandle<Vec<u64>> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let host = &self.address;
        let path = "/v1/stream?type=notifications&since=0";
        write!(stream, "GET {path} HTTP/1.0\r\nhost: {host}\r\n\r\n").unwrap();
        thread::spawn(move || {
            let mut places = Vec::new();
            let mut lines = BufReader::new(stream).lines();
            while places.len() < many {
                let line = lines.next().expect("the stream goes on").expect("it is not silent");
                if line.starts_with("data: {\"sequence\":") {
                    let event: Value = serde_json::from_str(&line["data: ".len()..]).unwrap();
                    places.push(event["sequence"].as_u64().unwrap());
                }
            }
            places
        })
    }

    fn changes(&self) -> Vec<u64> {
        let answer = self.ask("GET", "/v1/changes?limit=1000", None, None);
        let changes = answer.body["changes"].as_array().unwrap();
        changes.iter().map(|change| change["sequence"].as_u64().unwrap()).collect()
    }
}

/// Counts in a memory that all share, as often as it takes not to undo what another counted.
fn count(served: &Served, shared: &str) {
    let path = format!("/v1/memories/{shared}");
    loop {
        let read = served.ask("GET", &path, None, None);
        let memory =
            if read.body["memory"].is_object() { &read.body["memory"] } else { &read.body };
        let text = memory["content"].as_str().unwrap();
        let number: usize = text.rsplit(' ').next().unwrap().parse().unwrap();
        let body = json!({ "content": format!("the zebras are {}", number + 1) });
        let answer = served.ask("PATCH", &path, read.tag.as_deref(), Some(&body));
        match answer.status {
            200 => return,
            409 | 412 => {}
            other => panic!("{other} {}", answer.body),
        }
    }
}

/// Keeps memories, counts, and forgets every third.
fn work(served: &Served, client: usize, shared: &str) {
    for number in 0..EACH {
        let id = served.keep(&format!("client {client} saw zebra number {number}"));
        count(served, shared);
        if number % 3 == 0 {
            let gone = served.ask("DELETE", &format!("/v1/memories/{id}"), None, None);
            assert!(matches!(gone.status, 200 | 204), "{} {}", gone.status, gone.body);
        }
    }
}

#[test]
fn several_processes_on_one_database_lose_nothing_and_tell_everything_once() {
    let Some(url) = provisioned("postgres") else { return };
    let (user, schema) = (own_word(), own_word());
    let lines =
        format!("preset = 'postgres'\npostgres.url = '{url}'\npostgres.schema = '{schema}'");
    let machines: Vec<Machine> = (0..SERVERS).map(|_| Machine::new()).collect();
    let served: Vec<Served> = machines
        .iter()
        .map(|machine| {
            configure_as(machine, &user, &lines);
            Served::start(machine)
        })
        .collect();
    let shared = served[0].keep("the zebras are 0");
    let clients = SERVERS * CLIENTS;
    let changes = 1 + clients * (EACH + EACH + EACH.div_ceil(3));
    let streams: Vec<_> = served.iter().map(|served| served.follow(changes)).collect();
    thread::scope(|threads| {
        for client in 0..clients {
            let (served, shared) = (&served[client % SERVERS], &shared);
            threads.spawn(move || work(served, client, shared));
        }
    });
    let every: Vec<u64> = (1..=changes as u64).collect();
    for stream in streams {
        assert_eq!(stream.join().unwrap(), every, "a stream tells every change once, in order");
    }
    for served in &served {
        assert_eq!(served.changes(), every, "there is no gap");
        let read = served.ask("GET", &format!("/v1/memories/{shared}"), None, None);
        let counted = format!("the zebras are {}", clients * EACH);
        assert!(read.body.to_string().contains(&counted), "an update was lost: {}", read.body);
        let verified = served.ask("POST", "/v1/audit/verify", None, None);
        assert_eq!(verified.body["valid"], true, "{}", verified.body);
    }
    check_jobs(&served);
}

/// Asks all servers for a task at once: one job runs at a time, and each is on record once.
fn check_jobs(served: &[Served]) {
    let task = &json!({ "task": "expire" });
    let told: Vec<Answer> = thread::scope(|threads| {
        let asked: Vec<_> = served
            .iter()
            .map(|one| threads.spawn(move || one.ask("POST", "/v1/maintenance", None, Some(task))))
            .collect();
        asked.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let listed = served[0].ask("GET", "/v1/maintenance?task=expire", None, None).body;
    let listed: Vec<&Value> = listed["jobs"].as_array().unwrap().iter().collect();
    let done: Vec<&Answer> = told.iter().filter(|answer| answer.status == 200).collect();
    assert!(!done.is_empty(), "nobody did it");
    assert!(told.iter().all(|answer| matches!(answer.status, 200 | 409)));
    for id in done.iter().map(|answer| &answer.body["job"]["id"]) {
        assert_eq!(listed.iter().filter(|job| job["id"] == *id).count(), 1, "{id}");
    }
}
