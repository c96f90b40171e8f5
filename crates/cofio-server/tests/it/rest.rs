//! The native API, through a real server.

mod brief;
mod forgetting;
mod jobs;
mod keeping;
mod keys;
mod knowledge;
mod maintenance;
mod memories;
mod review;
mod search;
mod sessions;

use serde_json::{Value, json};

use crate::fixture::Fixture;
use crate::served::{Answer, Served};

/// A store that alice and bob share, each with a server of their own.
struct House {
    fixture: Fixture,
    alice: Served,
    bob: Served,
}

impl House {
    fn new() -> Self {
        let fixture = Fixture::new();
        let alice = Served::locally(&fixture.engine, "alice");
        let bob = Served::locally(&fixture.engine, "bob");
        Self { fixture, alice, bob }
    }

    /// Keeps something for alice, and returns its id.
    fn keep(&self, content: &str) -> String {
        kept(&self.alice, json!({ "content": content }))
    }
}

/// Keeps something on the user layer, and returns its id.
fn kept(served: &Served, mut memory: Value) -> String {
    memory["layer"] = "user".into();
    let answer = served.ask("POST", "/v1/memories", &memory);
    assert!([200, 201].contains(&answer.status), "{memory} {}", answer.body);
    answer.json()["memory"]["id"].as_str().unwrap().to_owned()
}

/// Checks that something is refused, with which status and code.
fn refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (status, code), "{}", answer.body);
}
