//! The graph of the reference server, alone and beside the real one.

mod beside;

use cofio::model::{Channel, Kind, State};
use cofio_server::dialects::knowledge_graph::KnowledgeGraph;
use pollster::block_on;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::fixture::Fixture;

/// What a tool answered: values and text, or an error.
#[derive(Debug, PartialEq)]
pub enum Answer {
    Values(Value, String),
    Error(String),
}

/// Calls a tool by its name.
pub fn call(graph: &KnowledgeGraph, tool: &str, arguments: &Value) -> Answer {
    fn read<T: DeserializeOwned>(arguments: &Value) -> T {
        serde_json::from_value(arguments.clone()).unwrap()
    }
    macro_rules! answer {
        ($call:expr) => {
            match block_on($call) {
                Ok(output) => Answer::Values(serde_json::to_value(&output).unwrap(), output.text()),
                Err(error) => Answer::Error(error.to_string()),
            }
        };
    }
    match tool {
        "create_entities" => answer!(graph.create_entities(read(arguments))),
        "create_relations" => answer!(graph.create_relations(read(arguments))),
        "add_observations" => answer!(graph.add_observations(read(arguments))),
        "delete_entities" => answer!(graph.delete_entities(read(arguments))),
        "delete_observations" => answer!(graph.delete_observations(read(arguments))),
        "delete_relations" => answer!(graph.delete_relations(read(arguments))),
        "read_graph" => answer!(graph.read_graph()),
        "search_nodes" => answer!(graph.search_nodes(read(arguments))),
        "open_nodes" => answer!(graph.open_nodes(read(arguments))),
        unknown => panic!("there is no tool {unknown}"),
    }
}

fn values(graph: &KnowledgeGraph, tool: &str, arguments: &Value) -> Value {
    match call(graph, tool, arguments) {
        Answer::Values(values, _) => values,
        Answer::Error(error) => panic!("{error}"),
    }
}

fn alice_and_bob() -> Value {
    json!({"entities": [
        {"name": "Alice", "entityType": "person", "observations": ["likes tea", "sails at nine"]},
        {"name": "Bob", "entityType": "person", "observations": ["likes tea"]},
    ]})
}

fn knows() -> Value {
    json!({"relations": [{"from": "Alice", "to": "Bob", "relationType": "knows"}]})
}

#[test]
fn parts_of_a_graph_are_memories_that_every_search_finds() {
    let fixture = Fixture::new();
    let graph = KnowledgeGraph::new(fixture.writer("alice"));
    values(&graph, "create_entities", &alice_and_bob());
    values(&graph, "create_relations", &knows());
    assert_eq!(fixture.found("alice", "who sails?"), ["Alice: sails at nine"]);
    assert_eq!(fixture.found("alice", "whom does Alice know")[0], "Alice knows Bob");
    let kept = fixture.kept("alice");
    let statements: Vec<_> = kept.iter().filter_map(|memory| memory.triple.as_ref()).collect();
    assert_eq!(statements.len(), 3);
    assert_eq!(kept.iter().filter(|memory| memory.kind == Kind::Fact).count(), 3);
}

#[test]
fn the_graph_of_another_is_not_there() {
    let fixture = Fixture::new();
    let (alice, bob) =
        (KnowledgeGraph::new(fixture.writer("alice")), KnowledgeGraph::new(fixture.writer("bob")));
    values(&alice, "create_entities", &alice_and_bob());
    values(&alice, "create_relations", &knows());
    let nothing = json!({"entities": [], "relations": []});
    assert_eq!(values(&bob, "read_graph", &json!({})), nothing);
    assert_eq!(values(&bob, "search_nodes", &json!({"query": "alice"})), nothing);
    assert_eq!(values(&bob, "open_nodes", &json!({"names": ["Alice"]})), nothing);
    let add = json!({"observations": [{"entityName": "Alice", "contents": ["is rich"]}]});
    let missing = Answer::Error("Entity with name Alice not found".to_owned());
    assert_eq!(call(&bob, "add_observations", &add), missing);
    values(&bob, "delete_entities", &json!({"entityNames": ["Alice", "Bob"]}));
    values(&bob, "delete_relations", &knows());
    assert_eq!(values(&alice, "read_graph", &json!({}))["entities"].as_array().unwrap().len(), 2);
    assert_eq!(fixture.kept("alice").len(), 6);
}

#[test]
fn what_waits_for_review_is_part_of_the_graph_of_whoever_wrote_it() {
    let fixture = Fixture::new();
    let graph = KnowledgeGraph::new(fixture.writer_through("alice", Channel::Inference));
    values(&graph, "create_entities", &alice_and_bob());
    assert!(fixture.kept("alice").iter().all(|memory| memory.state == State::Pending));
    let alice = &values(&graph, "open_nodes", &json!({"names": ["Alice"]}))["entities"][0];
    assert_eq!(alice["observations"], json!(["likes tea", "sails at nine"]));
}

#[test]
fn what_is_said_twice_is_kept_once() {
    let fixture = Fixture::new();
    let graph = KnowledgeGraph::new(fixture.writer("alice"));
    let entity = json!({"name": "Alice", "entityType": "person", "observations": ["tea", "tea"]});
    values(&graph, "create_entities", &json!({"entities": [entity, entity]}));
    let add =
        json!({"observations": [{"entityName": "Alice", "contents": ["tea", "milk", "milk"]}]});
    let added = values(&graph, "add_observations", &add);
    assert_eq!(added["results"][0]["addedObservations"], json!(["milk"]));
    let whole = values(&graph, "read_graph", &json!({}));
    let expected =
        json!([{"name": "Alice", "entityType": "person", "observations": ["tea", "milk"]}]);
    assert_eq!(whole["entities"], expected);
}

#[test]
fn secrets_are_taken_out_of_observations_and_refused_in_names() {
    let fixture = Fixture::new();
    let graph = KnowledgeGraph::new(fixture.writer("alice"));
    let entity = |name: &str, text: &str| json!({"entities": [{"name": name, "entityType": "service", "observations": [text]}]});
    let made = values(&graph, "create_entities", &entity("AWS", "uses AKIAIOSFODNN7EXAMPLE"));
    assert_eq!(made["entities"][0]["observations"], json!(["uses [SECRET_REDACTED]"]));
    let refused = call(&graph, "create_entities", &entity("AKIAIOSFODNN7EXAMPLE", "a key"));
    let words = "A name or a type looks like a secret, choose another one";
    assert_eq!(refused, Answer::Error(words.to_owned()));
    let refused = call(&graph, "create_entities", &entity("router", "the password is hunter2zz"));
    let words = "a password or another credential is not learnt as a fact";
    assert_eq!(refused, Answer::Error(words.to_owned()));
    assert_eq!(fixture.kept("alice").len(), 2, "a call is done whole or not at all");
}

#[test]
fn a_file_of_the_reference_server_is_taken_in_once() {
    let fixture = Fixture::new();
    let graph = KnowledgeGraph::new(fixture.writer("alice"));
    let file = r#"{"type":"entity","name":"Alice","entityType":"person","observations":["likes tea"]}
{"type":"relation","from":"Alice","to":"Bob","relationType":"knows"}

{"type":"note","text":"nobody reads this"}
{"type":"entity","name":"router","entityType":"device","observations":["the password is hunter2zz"]}"#;
    let first = block_on(graph.import(file.as_bytes())).unwrap();
    assert_eq!((first.created, first.existing, first.refused), (4, 0, 1));
    let more = file.replace("[\"likes tea\"]", "[\"likes tea\", \"sails\"]");
    let second = block_on(graph.import(more.as_bytes())).unwrap();
    assert_eq!((second.created, second.existing, second.refused), (1, 4, 1));
    let whole = values(&graph, "read_graph", &json!({}));
    assert_eq!(whole["entities"][0]["observations"], json!(["likes tea", "sails"]));
    assert_eq!(whole["relations"].as_array().unwrap().len(), 1);
    let broken = format!("{}\n{{\"type\":\"entity\"}}", file.replace("Alice", "Carol"));
    let error = block_on(graph.import(broken.as_bytes())).unwrap_err();
    assert_eq!(error.to_string(), "line 6 is neither an entity nor a relation");
    assert_eq!(fixture.kept("alice").len(), 5, "nothing of a malformed file is taken in");
}

#[test]
fn what_waits_for_review_is_read_by_nobody_where_others_read_too() {
    let fixture = Fixture::new();
    let model = KnowledgeGraph::new(fixture.sharing("alice", Channel::Inference));
    let bob = KnowledgeGraph::new(fixture.sharing("bob", Channel::ExplicitSave));
    let nothing = json!({"entities": [], "relations": []});
    let waits = "It waits for review and is not recalled before the user approves it.";
    let guessed =
        json!({"entities": [{"name": "Deploy", "entityType": "guess", "observations": ["fails"]}]});
    let relation = json!({"from": "Deploy", "to": "Friday", "relationType": "is on"});
    for (tool, arguments) in [
        ("create_entities", guessed.clone()),
        ("create_relations", json!({"relations": [relation]})),
    ] {
        let Answer::Values(values, text) = call(&model, tool, &arguments) else { panic!("{tool}") };
        assert_eq!(values["note"], waits);
        assert!(text.contains("Deploy") && text.ends_with(waits), "{text}");
    }
    for reader in [&bob, &model] {
        assert_eq!(values(reader, "read_graph", &json!({})), nothing);
        assert_eq!(values(reader, "search_nodes", &json!({"query": "deploy"})), nothing);
        assert_eq!(values(reader, "open_nodes", &json!({"names": ["Deploy"]})), nothing);
    }
    let own = json!({"entities": [{"name": "Deploy", "entityType": "task", "observations": []}]});
    assert_eq!(values(&bob, "create_entities", &own), json!({"entities": [], "note": waits}));
    let add = json!({"observations": [{"entityName": "Deploy", "contents": ["works"]}]});
    let missing = Answer::Error("Entity with name Deploy not found".to_owned());
    assert_eq!(call(&bob, "add_observations", &add), missing);
}
