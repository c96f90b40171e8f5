//! The profiles with the names of other memories.

use serde_json::{Value, json};

use super::agent::{Agent, Era};
use crate::machine::Machine;

fn start(machine: &Machine, profile: &str) -> Agent {
    Agent::start(machine, &format!("--profile {profile}"), Era::Handshake("2025-06-18"))
}

#[test]
fn simple_stores_searches_and_forgets() {
    let machine = Machine::new();
    let mut agent = start(&machine, "simple");
    let metadata = json!({"category": "user_profile", "field": "name"});
    let stored = agent.call(
        "store_memory",
        json!({"content": "User prefers to be called Alex", "metadata": metadata}),
    );
    let stored = &stored["structuredContent"];
    let names: Vec<&String> = stored.as_object().unwrap().keys().collect();
    assert_eq!(names, ["content", "created_at", "id", "type"]);
    assert_eq!(stored["type"], "fact");
    agent.done(
        "store_memory",
        json!({"content": "We spoke about Alex and boats", "memory_type": "conversation"}),
    );
    agent.done(
        "store_memory",
        json!({"content": "Alex is on the ferry", "memory_type": "context", "metadata": null}),
    );

    let found = agent.call("search_memories", json!({"query": "Alex"}));
    let listed: Vec<Value> =
        serde_json::from_str(found["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(found["structuredContent"]["result"], json!(listed));
    assert_eq!(listed.len(), 3);
    let fact = listed.iter().find(|one| one["type"] == "fact").unwrap();
    assert_eq!(
        (&fact["content"], &fact["metadata"]),
        (&json!("User prefers to be called Alex"), &metadata)
    );
    assert!(fact["score"].as_f64().unwrap() > 0.0 && fact["created_at"].is_string());
    let only = agent
        .done("search_memories", json!({"query": "Alex", "memory_type": "context", "limit": 5}));
    assert_eq!(only["result"].as_array().unwrap().len(), 1);
    let few = agent.done("search_memories", json!({"query": "Alex", "limit": 1}));
    assert_eq!(few["result"].as_array().unwrap().len(), 1);

    let gone = json!({"success": true, "id": stored["id"]});
    assert_eq!(agent.done("forget_memory", json!({"memory_id": stored["id"]})), gone);
    let gone = json!({"success": false, "id": stored["id"]});
    assert_eq!(agent.done("forget_memory", json!({"memory_id": stored["id"]})), gone);
    assert_eq!(
        agent.done("forget_memory", json!({"memory_id": "x"})),
        json!({"success": false, "id": "x"})
    );
    let wrong = json!({"content": "x", "memory_type": "dream"});
    assert_eq!(
        agent.refused("store_memory", wrong),
        "memory_type is conversation, fact or context. Correct the arguments and call again."
    );
}

#[test]
fn a_conversation_lasts_thirty_days_and_context_until_the_evening() {
    let machine = Machine::new();
    let mut agent = start(&machine, "all");
    let mut days = |memory_type: &str| {
        let stored = agent.done(
            "store_memory",
            json!({"content": format!("a {memory_type}"), "memory_type": memory_type}),
        );
        let whole = agent.done("inspect", json!({"what": "memory", "id": stored["id"]}));
        let moment = |name: &str| -> Option<jiff::Timestamp> {
            whole["details"][name].as_str().map(|moment| moment.parse().unwrap())
        };
        let lasts = moment("expiresAt")?.duration_since(moment("createdAt")?);
        Some(lasts.as_secs_f64() / 86_400.0)
    };
    assert_eq!(days("fact"), None);
    assert_eq!(days("conversation"), Some(30.0));
    assert!((0.0..=1.0).contains(&days("context").unwrap()));
}

#[test]
fn longterm_remembers_corrects_confirms_and_tells_of_entities() {
    let machine = Machine::new();
    let mut agent = start(&machine, "longterm");
    let fact =
        agent.done("remember_fact", json!({"content": "Alice works at Acme", "session_id": "s1"}));
    assert_eq!(fact["status"], "remembered");
    let id = fact["fact_id"].clone();
    let found = agent.done("search_memory", json!({"query": "Alice", "kind": "fact"}));
    assert_eq!(found["memories"][0]["id"], id);
    let others = agent.done("search_memory", json!({"query": "Alice", "exclude_session_id": "s1"}));
    assert_eq!(others["memories"], json!([]));

    let confirmed = agent.done("confirm_fact", json!({"fact_id": id}));
    assert_eq!(
        confirmed,
        json!({"fact_id": id, "confirmed": true, "confidence": 1.0, "decay_rate": 0.0})
    );
    let corrected =
        agent.done("correct_fact", json!({"fact_id": id, "new_content": "Alice works at Initech"}));
    assert_eq!((&corrected["old_fact_id"], &corrected["waiting"]), (&id, &json!(false)));
    let found = agent.done("search_memory", json!({"query": "where does Alice work"}));
    assert_eq!(found["memories"][0]["content"], "Alice works at Initech");
    assert_eq!(found["memories"].as_array().unwrap().len(), 1);

    let stats = agent.done("memory_stats", json!({}));
    assert_eq!((&stats["kinds"], stats["latest_at"].is_string()), (&json!({"fact": 1}), true));
    agent.done("remember_fact", json!({"content": "The boat of @bob is red"}));
    let bob = agent.done("get_entity_info", json!({"name": "bob"}));
    assert_eq!(
        (&bob["entities"][0]["name"], &bob["entities"][0]["mentions"]),
        (&json!("bob"), &json!(1))
    );
    assert_eq!(bob["memories"][0]["content"], "The boat of @bob is red");
    assert!(
        agent.refused("get_entity_info", json!({"name": "Nobody"})).contains("no memory names")
    );
    assert!(
        agent
            .refused("correct_fact", json!({"fact_id": id, "new_content": "x"}))
            .contains("was replaced")
    );
}

#[test]
fn a_session_is_consolidated_once_and_without_duplicates() {
    let machine = Machine::new();
    let mut agent = start(&machine, "all");
    let session = json!({"session_id": "s1"});
    assert_eq!(agent.done("is_session_consolidated", session.clone())["consolidated"], false);
    for turn in 0..35 {
        let source = if turn == 0 { "user" } else { "web" };
        agent.done("remember", json!({"content": format!("turn {turn} about boats"), "kind": "episode", "session": "s1", "source": source}));
    }
    agent.done(
        "remember",
        json!({"content": "another session", "kind": "episode", "session": "s2"}),
    );

    let first = agent.done("get_episodes_for_consolidation", session.clone());
    let episodes = first["episodes"].as_array().unwrap();
    assert_eq!((episodes.len(), &first["total"]), (30, &json!(35)));
    assert_eq!(episodes[0]["content"], "turn 0 about boats");
    let rest = json!({"session_id": "s1", "cursor": first["next_cursor"]});
    let rest = agent.done("get_episodes_for_consolidation", rest);
    assert_eq!((rest["episodes"].as_array().unwrap().len(), rest.get("next_cursor")), (5, None));

    let (own, web) = (episodes[0]["id"].clone(), episodes[1]["id"].clone());
    agent.done("remember", json!({"content": "Alice drinks black tea"}));
    let saved = agent.done("save_facts_batch", json!({"session_id": "s1", "facts": [
        {"content": "Bob has a red boat", "source_ids": [own], "tags": ["boats"], "confidence": 0.9},
        {"content": "bob has a RED boat!", "source_ids": [own]},
        {"content": "Alice drinks tea", "source_ids": [own]},
        {"content": "The web says that boats sink", "source_ids": [own, web]},
        {"content": "Nobody said this"},
        {"content": "Bob's password is hunter2hunter2", "source_ids": [own]},
        {"content": "From an episode of nobody", "source_ids": ["ep_00000000000000000000000000000000"]},
    ]}));
    let places = |name: &str| -> Vec<u64> {
        saved[name].as_array().unwrap().iter().map(|one| one["index"].as_u64().unwrap()).collect()
    };
    assert_eq!(
        (places("saved"), places("duplicates"), places("refused")),
        (vec![0, 3, 4], vec![1, 2], vec![5, 6])
    );
    let waiting: Vec<bool> = saved["saved"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["waiting"].as_bool().unwrap())
        .collect();
    assert_eq!(waiting, [false, true, true]);

    let red = saved["saved"][0]["id"].clone();
    let blue = agent.done("remember", json!({"content": "Bob has a blue boat"}))["id"].clone();
    let conflicts = agent.done("detect_conflicts", json!({"fact_id": blue}));
    assert_eq!(conflicts["candidates"][0]["id"], red);
    agent.done("resolve_conflict", json!({"old_fact_id": red, "new_fact_id": blue}));
    let old = agent.done("inspect", json!({"what": "memory", "id": red}));
    let new = agent.done("inspect", json!({"what": "memory", "id": blue}));
    assert_eq!(old["details"]["metadata"]["confidence"], 0.3);
    assert_eq!(new["details"]["metadata"]["custom"]["supersedes"], red);
    assert!(
        agent
            .refused("resolve_conflict", json!({"old_fact_id": red, "new_fact_id": red}))
            .contains("itself")
    );

    agent.done("mark_session_consolidated", session.clone());
    agent.done("mark_session_consolidated", session.clone());
    assert_eq!(agent.done("is_session_consolidated", session)["consolidated"], true);
    assert_eq!(
        agent.done("is_session_consolidated", json!({"session_id": "s2"}))["consolidated"],
        false
    );
}

#[test]
fn a_session_that_a_job_or_a_model_has_consolidated_is_done_for_both() {
    let machine = Machine::new();
    let mut agent = start(&machine, "all");
    let session = |name: &str| json!({"session_id": name});
    let job = |name: &str| {
        let output = machine.run(&format!("maintain consolidate --of {name} --json"));
        let job: Value = serde_json::from_slice(&output.stdout).unwrap();
        job["job"]["lookedAt"].clone()
    };
    for name in ["s1", "s2"] {
        let turn = json!({"content": "I live in Cardiff", "kind": "episode", "session": name, "source": "user"});
        agent.done("remember", turn);
    }
    assert_eq!(job("s1"), 1);
    let done = agent.done("is_session_consolidated", session("s1"));
    assert_eq!(done, json!({"consolidated": true}));
    let left = agent.done("get_episodes_for_consolidation", session("s1"));
    assert_eq!(left, json!({"episodes": [], "total": 0}));

    let left = agent.done("get_episodes_for_consolidation", session("s2"));
    assert_eq!(left["total"], 1);
    agent.done("mark_session_consolidated", session("s2"));
    let left = agent.done("get_episodes_for_consolidation", session("s2"));
    assert_eq!(left["total"], 0);
    assert_eq!(job("s2"), 0);

    let more = json!({"content": "I moved", "kind": "episode", "session": "s2", "source": "user"});
    agent.done("remember", more);
    assert_eq!(agent.done("is_session_consolidated", session("s2"))["consolidated"], false);
    let left = agent.done("get_episodes_for_consolidation", session("s2"));
    assert_eq!((&left["total"], &left["episodes"][0]["content"]), (&json!(1), &json!("I moved")));
    let strange = json!({"session_id": "s2", "cursor": "nonsense"});
    assert!(agent.refused("get_episodes_for_consolidation", strange).contains("cursor"));
}

#[test]
fn a_long_call_tells_how_far_it_is() {
    let machine = Machine::new();
    let mut agent = start(&machine, "consolidator");
    let facts: Vec<Value> =
        (0..5).map(|number| json!({"content": format!("Fact number {number}")})).collect();
    agent.ask(
        "tools/call",
        json!({
            "name": "save_facts_batch",
            "arguments": {"session_id": "s1", "facts": facts},
            "_meta": {"progressToken": "far"},
        }),
    );
    let progress: Vec<f64> =
        agent.notified.iter().map(|told| told["params"]["progress"].as_f64().unwrap()).collect();
    assert_eq!(progress, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert!(agent.notified.iter().all(|told| told["params"]["progressToken"] == "far"));
}

#[test]
fn the_graph_and_the_files_of_others_are_served() {
    let machine = Machine::new();
    let mut agent = start(&machine, "server-memory");
    let entity = json!({"name": "Alice", "entityType": "person", "observations": ["drinks tea"]});
    let made = agent.done("create_entities", json!({"entities": [entity]}));
    assert_eq!(made["entities"], json!([entity]));
    let graph = agent.done("read_graph", json!({}));
    assert_eq!(graph, json!({"entities": [entity], "relations": []}));
    let unknown = json!({"observations": [{"entityName": "Bob", "contents": ["x"]}]});
    assert_eq!(agent.refused("add_observations", unknown), "Entity with name Bob not found");

    let mut agent = start(&machine, "memory");
    let create = json!({"command": "create", "path": "/memories/a.md", "file_text": "tea\n"});
    assert_eq!(
        agent.said("memory", create.clone()),
        "File created successfully at: /memories/a.md"
    );
    assert_eq!(agent.refused("memory", create), "File /memories/a.md already exists");
}

#[test]
fn the_workspace_of_files_is_served_with_its_directive() {
    let machine = Machine::new();
    let flags = "--profile files --project site --agent helper";
    let mut agent = Agent::start(&machine, flags, Era::Handshake("2025-06-18"));
    assert!(agent.greeting["instructions"].as_str().unwrap().contains("MEMORY.md"));
    assert_eq!(
        agent.said("remember", json!({"content": "Met Bob"})),
        "Remembered in agents/helper/daily/TIME.md."
    );
    assert_eq!(
        agent.said("reflect", json!({"content": "Bob is kind"})),
        "Updated agents/helper/MEMORY.md."
    );
    assert_eq!(
        agent.said("learn_fact", json!({"topic": "people", "content": "Bob: a sailor"})),
        "Updated world/people.md."
    );
    let recalled = agent.said("recall", json!({}));
    for known in ["Met Bob", "Bob is kind", "Bob: a sailor"] {
        assert!(recalled.contains(known), "{recalled}");
    }
    // Another agent shares the world and nothing else.
    let mut other =
        Agent::start(&machine, "--profile files --project site --agent other", Era::Inline);
    let recalled = other.said("recall", json!({}));
    assert!(recalled.contains("Bob: a sailor") && !recalled.contains("Bob is kind"), "{recalled}");
}
