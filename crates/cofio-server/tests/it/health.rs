//! Whether the server lives and can answer.

use std::sync::Arc;

use cofio::model::{Fingerprint, Identifiers, Layer};
use cofio::store::{MemoryStore, Store as _};
use cofio::{Engine, Error, ErrorKind};
use cofio_server::http::Service;
use cofio_server::mcp::{Profile, Server, SourceName};
use cofio_server::{Desk, Opened, Place};
use pollster::block_on;
use serde_json::{Value, json};

use crate::fixture::{Fixture, named};
use crate::served::{Answer, Served};

/// Serves whatever `open` opens, to nobody without a key.
fn serve(open: impl Fn() -> cofio::Result<Opened> + Send + Sync + 'static) -> Served {
    let names = Identifiers::default().with(Layer::User, named("alice"));
    let desk = Desk::new(Place::new(named("alice"), names, Layer::User), open);
    let server = Server::new(Arc::new(desk), Profile::Core, SourceName::User);
    Served::start(Service::new(server, None))
}

fn get(served: &Served, path: &str) -> Answer {
    served.ask("GET", path, &Value::Null)
}

#[test]
fn a_server_that_can_answer_says_how_well_its_parts_are() {
    let fixture = Fixture::new();
    let engine = fixture.engine.clone();
    let served = serve(move || Ok(Opened::new(engine.clone())));
    let answer = get(&served, "/readyz");
    assert_eq!(answer.status, 200);
    let mut health = answer.json();
    assert!(health["latencyMs"].take().is_f64());
    assert!(health["components"]["store"]["latencyMs"].take().is_f64());
    let expected = json!({
        "status": "healthy",
        "latencyMs": null,
        "components": {
            "store": {
                "status": "healthy",
                "latencyMs": null,
                "components": {"file": {"status": "healthy"}},
            },
            "embedder": {
                "status": "healthy",
                "message": "none: memories are found by words and names",
            },
            "embeddings": {"status": "healthy", "pending": 0},
        },
    });
    assert_eq!(health, expected);
}

#[test]
fn a_store_that_cannot_be_opened_makes_it_unready_but_not_dead() {
    let served = serve(|| {
        let message = "cannot open /home/alice/secret/cofio.db";
        Err(Error::new(ErrorKind::Configuration, message))
    });
    let live = get(&served, "/healthz");
    assert_eq!((live.status, live.json()["status"].as_str()), (200, Some("healthy")));
    let ready = get(&served, "/readyz");
    assert_eq!((ready.status, ready.json()["status"].as_str()), (503, Some("unhealthy")));
    assert!(!ready.body.contains("alice") && !ready.body.contains("cofio.db"), "{}", ready.body);
}

#[test]
fn vectors_of_another_model_make_it_worse_but_not_unready() {
    let [used, model] = ["used", "another"].map(|name| Fingerprint::new(name.to_owned()).unwrap());
    let store = MemoryStore::new();
    block_on(store.adopt(&used)).unwrap();
    let engine = Engine::new(store, jiff::Timestamp::now);
    let opened = move || Ok(Opened { model: Some(model.clone()), ..Opened::new(engine.clone()) });
    let served = serve(opened);
    let ready = get(&served, "/readyz");
    let health = ready.json();
    assert_eq!((ready.status, health["status"].as_str()), (200, Some("degraded")));
    assert_eq!(health["components"]["embedder"]["status"], "degraded");
}

#[test]
fn whoever_looks_after_the_process_may_call_it_by_any_name() {
    let fixture = Fixture::new();
    let served = Served::locally(&fixture.engine, "alice");
    let host = [("host", "10.0.0.7:7717")];
    for path in ["/healthz", "/readyz"] {
        assert_eq!(served.request("GET", path, &host, "").status, 200, "{path}");
    }
    assert_eq!(served.request("GET", "/metrics", &host, "").status, 403);
}

#[test]
fn what_needs_no_key_is_documented_and_refuses_other_methods_in_the_usual_form() {
    let fixture = Fixture::new();
    let engine = fixture.engine.clone();
    let served = serve(move || Ok(Opened::new(engine.clone())));
    let document = get(&served, "/openapi.json").json();
    for path in ["/healthz", "/readyz"] {
        let operation = &document["paths"][path]["get"];
        assert_eq!(operation["security"], json!([]), "{path}");
        assert!(operation["responses"]["200"]["content"]["application/json"].is_object());
    }
    for path in ["/healthz", "/readyz", "/openapi.json", "/docs"] {
        let answer = served.ask("POST", path, &json!({}));
        assert_eq!((answer.status, answer.code().as_str()), (405, "METHOD_NOT_ALLOWED"), "{path}");
        assert_eq!(answer.headers["allow"], "GET,HEAD", "{path}");
    }
}

#[test]
fn headers_of_answers_are_documented() {
    let document = cofio_server::http::document();
    let limited = &document["components"]["responses"]["TooManyRequests"]["headers"];
    for name in ["Retry-After", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", "X-Request-ID"] {
        let reference = limited[name]["$ref"].as_str().unwrap();
        let header = document.pointer(reference.trim_start_matches('#')).unwrap();
        assert!(header["description"].is_string(), "{name}");
    }
    let read = &document["paths"]["/v1/memories/{id}"]["get"]["responses"]["200"]["headers"];
    assert!(read["ETag"].is_object() && read["X-Rate-Limit-Remaining"].is_object(), "{read}");
}
