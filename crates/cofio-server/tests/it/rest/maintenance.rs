use cofio::engine::Assignment;
use cofio::model::{Caller, Job, State, Task};
use cofio::store::{SqliteStore, Store as _};
use jiff::SignedDuration;
use pollster::block_on;
use serde_json::{Value, json};

use super::jobs::{LATER, ended};
use super::keys::Keyed;
use super::{House, refused};
use crate::fixture::{Fixture, named};
use crate::served::{Answer, Served};

/// Lets so much time go by that what nobody reads fades.
fn fade(fixture: &Fixture) {
    fixture.wait(SignedDuration::from_hours(31 * 24));
}

fn work(served: &Served, input: &Value) -> Value {
    let answer = served.ask("POST", "/v1/maintenance", input);
    assert_eq!(answer.status, 200, "{input} {}", answer.body);
    answer.steady()
}

/// Does a task for everybody.
fn everywhere(fixture: &Fixture, task: Task) -> Job {
    let keeper = Caller::keeper(named("keeper"));
    block_on(fixture.engine.maintain(&keeper, &Assignment::of(task), &|_, _| {})).unwrap()
}

/// Returns the state and version of what is kept for a user, without reading it: what is read does
/// not fade.
fn kept(fixture: &Fixture, user: &str) -> Vec<(State, u64)> {
    fixture.kept(user).iter().map(|memory| (memory.state, memory.version)).collect()
}

#[test]
fn a_task_is_rehearsed_done_shown_and_taken_back() {
    let house = House::new();
    let id = house.keep("Alice drinks her tea black");
    fade(&house.fixture);
    let alices =
        json!({ "scope": "user:alice", "layer": "user", "identifiers": { "userId": "alice" } });
    let rehearsed = work(&house.alice, &json!({ "task": "decay", "dryRun": true }));
    let step = json!({
        "id": "ID",
        "change": "updated",
        "why": rehearsed["plan"][0]["steps"][0]["why"],
        "content": "Alice drinks her tea black",
        "differences": [{ "field": "state", "before": "active", "after": "decayed" }],
    });
    let piece = json!({ "scope": alices, "held": false, "lookedAt": 1, "steps": [step] });
    assert_eq!(rehearsed, json!({ "job": null, "plan": [piece] }));
    let list = |query: &str| house.alice.ask("GET", query, &Value::Null).json();
    assert_eq!(list("/v1/maintenance"), json!({ "jobs": [] }));
    assert_eq!(kept(&house.fixture, "alice"), [(State::Active, 1)]);

    let done = work(&house.alice, &json!({ "task": "decay" }));
    assert_eq!((&done["plan"], &done["job"]["state"]), (&Value::Null, &json!("completed")));
    assert_eq!((&done["job"]["trigger"], &done["job"]["actor"]), (&json!("hand"), &json!("alice")));
    assert_eq!((&done["job"]["lookedAt"], &done["job"]["updated"]), (&json!(1), &json!(1)));
    assert_eq!(kept(&house.fixture, "alice"), [(State::Decayed, 2)]);
    let jobs = list("/v1/maintenance?task=decay&limit=1");
    let job = jobs["jobs"][0]["id"].as_str().unwrap();
    assert_eq!(job, done["job"]["id"]);
    assert_eq!(list("/v1/maintenance?task=merge"), json!({ "jobs": [] }));
    let place = format!("/v1/maintenance/{job}");
    let shown = list(&place);
    assert_eq!(shown["job"], jobs["jobs"][0]);
    assert_eq!(shown["changes"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&shown["changes"][0]["id"], &shown["changes"][0]["version"]),
        (&json!(id), &json!(2))
    );

    let undo = |body: &Value| house.alice.ask("POST", &format!("{place}/undo"), body);
    let would = undo(&json!({ "dryRun": true })).json();
    assert_eq!((&would["job"], &would["plan"][0]["id"]), (&Value::Null, &json!(id)));
    assert_eq!(kept(&house.fixture, "alice"), [(State::Decayed, 2)]);
    let undone = undo(&Value::Null).json();
    assert_eq!((&undone["job"]["task"], &undone["job"]["undoes"]), (&json!("undo"), &json!(job)));
    assert_eq!((&undone["plan"], &undone["skipped"]), (&Value::Null, &json!([])));
    assert_eq!(kept(&house.fixture, "alice"), [(State::Active, 3)]);
    assert_eq!(list(&place)["job"]["undoneBy"], undone["job"]["id"]);
    refused(&undo(&Value::Null), 409, "CONFLICT");
}

#[test]
fn what_somebody_changed_since_is_left_as_it_is_on_request_only() {
    let house = House::new();
    let changed = house.keep("Alice drinks her tea black");
    house.keep("Alice takes no sugar");
    fade(&house.fixture);
    let job = work(&house.alice, &json!({ "task": "decay" }))["job"]["id"].clone();
    let path = format!("/v1/memories/{changed}/bring-back");
    assert_eq!(house.alice.ask("POST", &path, &Value::Null).status, 200);
    let path = format!("/v1/maintenance/{}/undo", job.as_str().unwrap());
    let answer = house.alice.ask("POST", &path, &Value::Null);
    refused(&answer, 409, "CONFLICT");
    assert_eq!(answer.json()["error"]["details"]["id"], changed.as_str());
    let undone = house.alice.ask("POST", &path, &json!({ "skipChanged": true })).json();
    assert_eq!(undone["skipped"], json!([changed]));
    assert_eq!(kept(&house.fixture, "alice"), [(State::Active, 3); 2]);
}

#[test]
fn taking_much_away_waits_for_somebodys_word() {
    let house = House::new();
    let one = |number: usize| json!({ "content": format!("Number {number}"), "layer": "user" });
    let many: Vec<Value> = (0..30).map(one).collect();
    house.alice.ask("POST", "/v1/memories/bulk", &json!({ "memories": many }));
    fade(&house.fixture);
    let rehearsed = work(&house.alice, &json!({ "task": "decay", "dryRun": true }));
    assert_eq!(rehearsed["plan"][0]["held"], true);
    let held = work(&house.alice, &json!({ "task": "decay" }));
    assert_eq!((&held["job"]["state"], &held["job"]["updated"]), (&json!("held"), &json!(0)));
    assert!(held["job"]["note"].as_str().unwrap().contains("30 of 30"), "{held}");
    let agreed = work(&house.alice, &json!({ "task": "decay", "agreed": true }));
    assert_eq!(
        (&agreed["job"]["state"], &agreed["job"]["updated"]),
        (&json!("completed"), &json!(30))
    );
}

#[test]
fn a_conversation_is_learnt_from_alone_if_it_is_named() {
    let house = House::new();
    let turn = json!({
        "content": "I live in Cardiff",
        "layer": "session",
        "kind": "episode",
        "identifiers": { "sessionId": "s1" },
    });
    assert_eq!(house.alice.ask("POST", "/v1/memories", &turn).status, 201);
    let learnt = |conversation: &str| {
        let input = json!({ "task": "consolidate", "conversation": conversation });
        work(&house.alice, &input)["job"]["lookedAt"].clone()
    };
    assert_eq!((learnt("s2"), learnt("s1"), learnt("s1")), (json!(0), json!(1), json!(0)));
}

#[test]
fn whoever_would_rather_come_back_is_given_the_same_answer_later() {
    let house = House::new();
    house.keep("Alice drinks her tea black");
    fade(&house.fixture);
    let input = json!({ "task": "decay", "layer": "user" });
    let accepted = house.alice.ask_with("POST", "/v1/maintenance", &LATER, &input);
    assert_eq!(accepted.status, 202, "{}", accepted.body);
    let done = ended(&house.alice, &accepted.headers["location"]).json();
    assert_eq!((&done["operation"], &done["state"]), (&json!("runMaintenance"), &json!("done")));
    assert_eq!(done["result"]["job"]["updated"], 1);
    let id = done["result"]["job"]["id"].as_str().unwrap();
    let path = format!("/v1/maintenance/{id}");
    assert_eq!(house.alice.ask("GET", &path, &Value::Null).status, 200);
    // What can be told at once is not accepted first.
    let unknown = json!({ "task": "sleep" });
    let answer = house.alice.ask_with("POST", "/v1/maintenance", &LATER, &unknown);
    refused(&answer, 400, "INVALID_INPUT");
}

#[test]
fn one_job_runs_at_a_time() {
    let house = House::new();
    let store = SqliteStore::open(&house.fixture.path()).unwrap();
    let now = house.fixture.engine.now();
    let until = now + SignedDuration::from_mins(5);
    assert!(block_on(store.lease("maintain", "another", now, until)).unwrap());
    let answer = house.alice.ask("POST", "/v1/maintenance", &json!({ "task": "decay" }));
    refused(&answer, 409, "CONFLICT");
    assert_eq!(house.alice.ask("GET", "/v1/maintenance", &Value::Null).json()["jobs"], json!([]));
}

#[test]
fn a_task_is_named_and_narrowed_by_what_is_known() {
    let house = House::new();
    let check = |input: Value, status: u16, code: &str| {
        refused(&house.alice.ask("POST", "/v1/maintenance", &input), status, code);
    };
    check(Value::Null, 400, "INVALID_INPUT");
    check(json!({}), 400, "INVALID_INPUT");
    check(json!({ "task": 1 }), 400, "INVALID_INPUT");
    check(json!({ "task": "" }), 400, "INVALID_INPUT");
    check(json!({ "task": "sleep" }), 400, "INVALID_INPUT");
    check(json!({ "task": "undo" }), 400, "INVALID_INPUT");
    check(json!({ "task": "undo", "dryRun": true }), 400, "INVALID_INPUT");
    check(json!({ "task": "decay", "dryRun": true, "agreed": true }), 400, "INVALID_INPUT");
    check(json!({ "task": "decay", "dryRun": "yes" }), 400, "INVALID_INPUT");
    check(json!({ "task": "decay", "dry_run": true }), 400, "INVALID_INPUT");
    check(json!({ "task": "decay", "conversation": "s1" }), 400, "INVALID_INPUT");
    check(json!({ "task": "consolidate", "conversation": "" }), 400, "INVALID_INPUT");
    check(json!({ "task": "decay", "layer": "planet" }), 422, "INVALID_LAYER");
    check(json!({ "task": "decay", "layer": "session" }), 422, "MISSING_IDENTIFIER");
    let bobs = json!({ "userId": "bob" });
    check(json!({ "task": "decay", "identifiers": bobs }), 403, "UNAUTHORIZED");
    check(json!({ "task": "decay", "layer": "user", "identifiers": bobs }), 403, "UNAUTHORIZED");
    let rehearsal =
        json!({ "task": "decay", "dryRun": true, "layer": "user", "identifiers": bobs });
    check(rehearsal, 403, "UNAUTHORIZED");
    let listed = |query: &str, status: u16| {
        let answer = house.alice.ask("GET", &format!("/v1/maintenance?{query}"), &Value::Null);
        assert_eq!(answer.status, status, "{query} {}", answer.body);
    };
    listed("task=undo&limit=100", 200);
    listed("task=sleep", 400);
    listed("task=", 400);
    listed("limit=0", 400);
    listed("limit=101", 400);
    listed("limit=", 400);
    listed("state=held", 400);
}

#[test]
fn an_id_that_no_job_has_is_not_there() {
    let house = House::new();
    let unknown = format!("job_{:032x}", 7);
    for id in ["x", "job_0", "%00", "fact_0198c0de0000700080000000000000aa", &unknown] {
        let path = format!("/v1/maintenance/{id}");
        refused(&house.alice.ask("GET", &path, &Value::Null), 404, "MEMORY_NOT_FOUND");
        for body in [Value::Null, json!({ "dryRun": true })] {
            let answer = house.alice.ask("POST", &format!("{path}/undo"), &body);
            refused(&answer, 404, "MEMORY_NOT_FOUND");
        }
    }
    let rehearsed = work(&house.alice, &json!({ "task": "expire", "dryRun": true }));
    assert_eq!(rehearsed, json!({ "job": null, "plan": [] }));
    let job = work(&house.alice, &json!({ "task": "expire" }))["job"]["id"].clone();
    let path = format!("/v1/maintenance/{}/undo", job.as_str().unwrap());
    refused(&house.alice.ask("POST", &path, &json!({ "force": true })), 400, "INVALID_INPUT");
    refused(&house.alice.ask("POST", &path, &Value::Null), 409, "CONFLICT");
}

#[test]
fn a_tenant_sees_runs_and_takes_back_nothing_of_others() {
    let keyed = Keyed::new();
    let Keyed { fixture, alice, bob, reader, .. } = &keyed;
    let post = |key: &str, path: &str, body: &Value| keyed.ask(key, "POST", path, body);
    let keep = |key: &str, content: &str| {
        let memory = json!({ "content": content, "layer": "user" });
        assert_eq!(post(key, "/v1/memories", &memory).status, 201);
    };
    keep(alice, "Alice drinks tea");
    keep(bob, "Bob plays the organ");
    fade(fixture);
    let check = |alices: (State, u64), bobs: (State, u64)| {
        assert_eq!((kept(fixture, "alice"), kept(fixture, "bob")), (vec![alices], vec![bobs]));
    };
    let decay = json!({ "task": "decay" });
    let rehearsed = post(bob, "/v1/maintenance", &json!({ "task": "decay", "dryRun": true }));
    assert!(rehearsed.body.contains("organ") && !rehearsed.body.contains("tea"), "{rehearsed:?}");
    let bobs = post(bob, "/v1/maintenance", &decay).json()["job"].clone();
    assert_eq!((&bobs["lookedAt"], &bobs["updated"]), (&json!(1), &json!(1)));
    check((State::Active, 1), (State::Decayed, 2));
    let hers = json!({ "task": "decay", "layer": "user", "identifiers": { "userId": "alice" } });
    refused(&post(bob, "/v1/maintenance", &hers), 403, "UNAUTHORIZED");

    let keepers = everywhere(fixture, Task::Decay).id.to_string();
    check((State::Decayed, 2), (State::Decayed, 2));
    let list = |key: &str| keyed.ask(key, "GET", "/v1/maintenance", &Value::Null).json();
    assert_eq!(list(bob), json!({ "jobs": [bobs] }));
    assert_eq!((list(alice), list(reader)), (json!({ "jobs": [] }), json!({ "jobs": [] })));
    let strangers = [(alice, bobs["id"].as_str().unwrap()), (alice, &keepers), (bob, &keepers)];
    for (key, id) in strangers {
        let path = format!("/v1/maintenance/{id}");
        let not_there = |answer: &Answer| refused(answer, 404, "MEMORY_NOT_FOUND");
        not_there(&keyed.ask(key, "GET", &path, &Value::Null));
        not_there(&post(key, &format!("{path}/undo"), &Value::Null));
        not_there(&post(key, &format!("{path}/undo"), &json!({ "dryRun": true })));
    }
    let own = format!("/v1/maintenance/{}/undo", bobs["id"].as_str().unwrap());
    refused(&post(reader, "/v1/maintenance", &decay), 403, "UNAUTHORIZED");
    refused(&post(reader, &own, &Value::Null), 403, "UNAUTHORIZED");
    assert_eq!(post(bob, &own, &Value::Null).status, 200);
    check((State::Decayed, 2), (State::Active, 3));
}

#[test]
fn a_job_for_everybody_is_not_taken_back_by_one_of_them() {
    let house = House::new();
    house.keep("Alice drinks her tea black");
    super::kept(&house.bob, json!({ "content": "Bob plays the organ" }));
    fade(&house.fixture);
    let job = everywhere(&house.fixture, Task::Decay);
    let path = format!("/v1/maintenance/{}/undo", job.id);
    refused(&house.alice.ask("POST", &path, &Value::Null), 403, "UNAUTHORIZED");
    let listed = house.alice.ask("GET", "/v1/maintenance", &Value::Null).json();
    assert_eq!(listed["jobs"][0]["state"], "completed", "who administers the store sees it");
}
