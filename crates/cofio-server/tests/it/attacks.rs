//! What one tenant can try against another, and anybody against the server.

mod channel;
mod identity;
mod input;
mod rights;

use cofio::Engine;
use cofio::model::{Bound, Caller, KeyDraft, Layer, Right, Rights};
use pollster::block_on;
use serde_json::{Value, json};

use crate::fixture::{Fixture, named};
use crate::served::{Answer, Served, locally};

/// One server with two tenants and an administrator, each with a key.
struct Town {
    fixture: Fixture,
    served: Served,
    alice: String,
    bob: String,
    admin: String,
}

impl Town {
    fn new() -> Self {
        let fixture = Fixture::new();
        let [alice, bob] = ["alice", "bob"].map(|user| {
            let bound = Bound::default()
                .with(Layer::User, named(user))
                .with(Layer::Project, named(&format!("{user}s-project")));
            key(&fixture.engine, KeyDraft { rights: worker(), ..KeyDraft::new(user, bound) })
        });
        let admin = KeyDraft { rights: Rights::ALL, ..KeyDraft::new("admin", Bound::default()) };
        let admin = key(&fixture.engine, admin);
        let served = Served::locally(&fixture.engine, "keeper");
        Self { fixture, served, alice, bob, admin }
    }

    /// Asks with a key.
    fn ask(&self, key: &str, method: &str, path: &str, body: &Value) -> Answer {
        let authorization = format!("Bearer {key}");
        self.served.ask_with(method, path, &[("authorization", &authorization)], body)
    }

    /// Keeps something, and returns its id.
    fn keep(&self, key: &str, layer: &str, content: &str) -> String {
        let memory = json!({ "layer": layer, "content": content });
        let answer = self.ask(key, "POST", "/v1/memories", &memory);
        assert_eq!(answer.status, 201, "{}", answer.body);
        answer.json()["memory"]["id"].as_str().unwrap().to_owned()
    }
}

/// What a tenant's key may do.
fn worker() -> Rights {
    Rights::of(&[Right::Read, Right::Write, Right::Delete])
}

/// Makes a key, and returns its token.
pub fn key(engine: &Engine, draft: KeyDraft) -> String {
    static MADE: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(1);
    let entropy = [MADE.fetch_add(1, std::sync::atomic::Ordering::Relaxed); 32];
    let keeper = Caller::keeper(named("keeper"));
    let (_, token) = block_on(engine.create_key(&keeper, draft, entropy)).unwrap();
    token.expose().to_owned()
}

/// Returns an answer without what names this one request.
fn alike(answer: &Answer, id: &str) -> (u16, String) {
    let mut body = answer.json();
    body["request_id"] = Value::Null;
    body["timestamp"] = Value::Null;
    (answer.status, body.to_string().replace(id, "ID"))
}
