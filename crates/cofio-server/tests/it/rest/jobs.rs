use std::thread;
use std::time::Duration;

use cofio::model::Caller;
use serde_json::{Value, json};

use super::{House, refused};
use crate::fixture::named;
use crate::served::{Answer, Served};

pub(super) const LATER: [(&str, &str); 1] = [("prefer", "respond-async")];

/// Waits until a job has ended.
pub(super) fn ended(served: &Served, place: &str) -> Answer {
    loop {
        let job = served.ask("GET", place, &Value::Null);
        assert_eq!(job.status, 200, "{}", job.body);
        if job.json()["state"] != "running" {
            return job;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_is_accepted_is_done_and_its_result_is_what_would_have_been_answered() {
    let house = House::new();
    let memories = json!({ "memories": [{ "content": "One", "layer": "user" }] });
    let accepted = house.alice.ask_with("POST", "/v1/memories/bulk", &LATER, &memories);
    assert_eq!(accepted.status, 202, "{}", accepted.body);
    assert_eq!(accepted.headers["preference-applied"], "respond-async");
    let job = accepted.steady();
    let place = accepted.headers["location"].clone();
    let id = place.strip_prefix("/v1/jobs/").unwrap();
    let running = json!({
        "id": id,
        "operation": "createMemories",
        "state": "running",
        "startedAt": "TIME",
        "endedAt": null,
    });
    assert_eq!(job, running);
    let done = ended(&house.alice, &place).steady();
    assert_eq!((&done["state"], &done["endedAt"]), (&json!("done"), &json!("TIME")));
    assert_eq!(done["result"]["added"], 1);
    assert_eq!(done["result"]["results"][0]["memory"]["content"], "One");
    let listed = house.alice.ask("GET", "/v1/jobs", &Value::Null).json();
    assert_eq!(listed["jobs"][0]["id"], id);
    assert_eq!(listed["jobs"][0].get("result"), None);
}

#[test]
fn a_job_that_fails_says_why() {
    let house = House::new();
    let accepted = house.alice.request("POST", "/v1/import", &LATER, "nonsense");
    assert_eq!(accepted.status, 202);
    let job = ended(&house.alice, &accepted.headers["location"]).json();
    assert_eq!(job["state"], "failed");
    assert_eq!(job["error"]["code"], "INVALID_INPUT");
    assert_eq!(job["error"]["status"], 400);
    assert_eq!(job.get("result"), None);
    // What can be told at once is not accepted first.
    let answer = house.alice.ask_with("POST", "/v1/forget", &LATER, &json!({}));
    refused(&answer, 400, "INVALID_INPUT");
}

#[test]
fn nobody_sees_somebody_elses_jobs() {
    let house = House::new();
    let asked = json!({ "layers": ["user"] });
    let accepted = house.alice.ask_with("POST", "/v1/forget", &LATER, &asked);
    let place = accepted.headers["location"].clone();
    assert_eq!(ended(&house.alice, &place).json()["result"]["deleted"], 0);
    for id in ["x", "job_0", "%00"] {
        let answer = house.alice.ask("GET", &format!("/v1/jobs/{id}"), &Value::Null);
        refused(&answer, 404, "NOT_FOUND");
    }
    assert_eq!(house.bob.ask("GET", "/v1/jobs", &Value::Null).json(), json!({ "jobs": [] }));
    refused(&house.bob.ask("GET", &place, &Value::Null), 404, "NOT_FOUND");
}

#[test]
fn other_wishes_make_no_job() {
    let house = House::new();
    let asked = json!({ "layers": ["user"] });
    let check = |wish: &str, status: u16| {
        let answer = house.alice.ask_with("POST", "/v1/forget", &[("prefer", wish)], &asked);
        assert_eq!(answer.status, status, "{wish}");
    };
    check("return=minimal", 200);
    check("wait=10", 200);
    check("return=minimal, respond-async", 202);
    check("", 200);
}

#[test]
fn a_server_that_ends_finishes_what_it_accepted() {
    let House { fixture, alice, bob: _bob } = House::new();
    let one = |number: usize| json!({ "content": format!("Number {number}"), "layer": "user" });
    let memories: Vec<Value> = (0..500).map(one).collect();
    let many = json!({ "memories": memories });
    assert_eq!(alice.ask_with("POST", "/v1/memories/bulk", &LATER, &many).status, 202);
    alice.end();
    let stats = pollster::block_on(fixture.engine.stats(&Caller::local(named("alice")), None));
    assert_eq!(stats.unwrap().total, 500);
}
