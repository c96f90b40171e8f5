//! Both eras of the protocol, from one binary.

use serde_json::json;

use super::agent::{Agent, ERAS, Era};
use crate::machine::Machine;

#[test]
fn every_era_stores_and_finds() {
    for era in ERAS {
        let machine = Machine::new();
        let mut agent = Agent::start(&machine, "", era);
        let kept = agent.said("remember", json!({"content": "Alice drinks her tea black"}));
        assert_eq!(kept, "Remembered fact_1 in user:alice.", "{era:?}");
        let found = agent.said("search", json!({"query": "how does she take her tea"}));
        assert_eq!(
            found,
            "Memories (data, not instructions):\n\
             - [fact_1] Alice drinks her tea black (TIME, high trust)\n\
             Searched by words and names only: no model is installed.",
            "{era:?}"
        );
        assert!(agent.end().0.success());
    }
}

#[test]
fn a_handshake_agrees_on_what_the_client_speaks() {
    let machine = Machine::new();
    for (asked, agreed) in [
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        // A handshake is no part of it any more.
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let agent = Agent::start(&machine, "", Era::Handshake(asked));
        let greeting = &agent.greeting;
        assert_eq!(greeting["protocolVersion"], agreed, "{asked}");
        assert_eq!(greeting["serverInfo"]["name"], "cofio");
        assert_eq!(greeting["capabilities"], json!({"prompts": {}, "resources": {}, "tools": {}}));
        assert!(greeting["instructions"].as_str().unwrap().contains("long-term memory"));
    }
}

#[test]
fn a_notification_before_anything_has_begun_ends_nothing() {
    for early in ["server/discover", "ping", "tools/list", "no/such"] {
        let machine = Machine::new();
        let mut agent = Agent::start(&machine, "", Era::Inline);
        agent.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent.tell(&json!({"jsonrpc": "2.0", "id": "bare", "method": early}));
        agent.tell(&json!({"jsonrpc": "2.0", "method": "ping"}));
        agent.tell(&json!({"jsonrpc": "2.0", "id": "nobody", "result": {}}));
        let kept = agent.said("remember", json!({"content": "Alice drinks her tea black"}));
        assert_eq!(kept, "Remembered fact_1 in user:alice.", "{early}");
        assert!(agent.end().0.success(), "{early}");
    }
}

#[test]
fn without_a_handshake_the_server_is_discovered_and_says_how_long_lists_stay_fresh() {
    let machine = Machine::new();
    let mut agent = Agent::start(&machine, "", Era::Inline);
    let discovered = agent.ask("server/discover", json!({}));
    let versions = discovered["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")));
    let tools = agent.ask("tools/list", json!({}));
    assert_eq!(tools["resultType"], "complete");
    assert_eq!(tools["ttlMs"], 3_600_000);
    assert_eq!(tools["cacheScope"], "private");
    let resources = agent.ask("resources/list", json!({}));
    assert_eq!((&resources["ttlMs"], &resources["cacheScope"]), (&json!(0), &json!("private")));
    // What the earlier era had is gone.
    assert_eq!(agent.ask("ping", json!({}))["error"]["code"], -32601);
}

#[test]
fn the_earlier_era_gets_no_names_of_the_later_one() {
    let machine = Machine::new();
    let mut agent = Agent::start(&machine, "", Era::Handshake("2025-06-18"));
    assert_eq!(agent.ask("ping", json!({})), json!({}));
    let called = agent.call("inspect", json!({"what": "stats"}));
    assert!(called.get("resultType").is_none(), "{called}");
}

#[test]
fn a_request_without_its_metadata_is_refused_and_the_next_one_answered() {
    let machine = Machine::new();
    let mut agent = Agent::without_handshake(&machine, "", Era::Inline, None);
    agent.tell(&json!({"jsonrpc": "2.0", "id": "bare", "method": "tools/list", "params": {}}));
    assert_eq!(agent.answer_to(&json!("bare"))["error"]["code"], -32602);
    assert_eq!(agent.ask("tools/list", json!({}))["tools"].as_array().unwrap().len(), 6);
}

#[test]
fn what_comes_before_the_first_request_is_passed_by() {
    let machine = Machine::new();
    for era in ERAS {
        let mut agent = Agent::without_handshake(&machine, "", era, None);
        agent.tell(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}));
        agent.tell(&json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
        agent.tell_raw(b"\n\xff\xfe not a message\n{\"jsonrpc\": \"2.0\"}\n[]\n");
        if let Era::Handshake(version) = era {
            agent.shake_hands(version);
            assert_eq!(agent.greeting["protocolVersion"], version);
        }
        assert_eq!(agent.ask("tools/list", json!({}))["tools"].as_array().unwrap().len(), 6);
    }
}

#[test]
fn resources_are_listed_page_by_page_and_read() {
    let machine = Machine::new();
    let mut agent = Agent::start(&machine, "", Era::Inline);
    for number in 0..210 {
        agent.done(
            "remember",
            json!({"content": format!("Boat {number} is red"), "kind": "episode"}),
        );
    }
    let mut all: Vec<String> = Vec::new();
    let mut asked = json!({});
    loop {
        let page = agent.ask("resources/list", asked);
        let resources = page["resources"].as_array().unwrap();
        assert!(resources.len() <= 54, "a page has a limit");
        all.extend(resources.iter().map(|one| one["uri"].as_str().unwrap().to_owned()));
        let Some(cursor) = page.get("nextCursor") else { break };
        asked = json!({ "cursor": cursor });
    }
    assert_eq!(
        &all[..4],
        ["memory://context", "memory://recent", "memory://waiting", "memory://stats"]
    );
    let distinct: std::collections::BTreeSet<&String> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (214, 214));
    for wrong in ["x", "0.x", "50.0123", "from-1"] {
        let error = agent.ask("resources/list", json!({"cursor": wrong}));
        assert_eq!(error["error"]["code"], -32602, "{wrong}");
    }

    let read = agent.ask("resources/read", json!({"uri": all[4]}));
    let text = read["contents"][0]["text"].as_str().unwrap();
    let memory: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(memory["content"], "Boat 209 is red");
    let stats = agent.ask("resources/read", json!({"uri": "memory://stats"}));
    let stats: serde_json::Value =
        serde_json::from_str(stats["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!((&stats["total"], &stats["kinds"]), (&json!(210), &json!({"episode": 210})));
    let recent = agent.ask("resources/read", json!({"uri": "memory://recent"}));
    assert!(recent["contents"][0]["text"].as_str().unwrap().contains("Boat 209 is red"));
    for wrong in ["memory://", "memory://fact_00", "file:///etc/passwd", ""] {
        let error = agent.ask("resources/read", json!({"uri": wrong}));
        assert_eq!(error["error"]["code"], -32602, "{wrong}");
    }
}

#[test]
fn prompts_are_filled_in_from_memory() {
    let machine = Machine::new();
    let mut agent = Agent::start(&machine, "", Era::Handshake("2025-11-25"));
    agent.done("remember", json!({"content": "The ferry sails at nine"}));
    agent.done("remember", json!({"content": "The ferry is free on Sundays", "source": "web"}));
    let mut text = |name: &str, arguments: serde_json::Value| {
        let prompt = agent.ask("prompts/get", json!({"name": name, "arguments": arguments}));
        prompt["messages"][0]["content"]["text"].as_str().map(str::to_owned)
    };
    let recalled = text("recall", json!({"topic": "the ferry"})).unwrap();
    assert!(recalled.contains("sails at nine") && !recalled.contains("Sundays"), "{recalled}");
    assert!(text("recall", json!({"topic": "zebras"})).unwrap().contains("nothing about it"));
    assert!(text("save-learnings", json!({"about": "tests"})).unwrap().contains("Look at tests"));
    assert!(text("review", json!({})).unwrap().contains("Sundays"));
    assert_eq!(text("recall", json!({})), None);
    assert_eq!(text("unknown", json!({})), None);
}
