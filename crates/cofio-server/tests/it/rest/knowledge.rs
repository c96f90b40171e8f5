use serde_json::{Value, json};

use super::{House, kept, refused};

#[test]
fn an_entity_is_known_with_the_memories_that_name_it() {
    let house = House::new();
    house.keep("Met @nora about #cofio");
    house.keep("@nora likes tea");
    let entities = house.alice.ask("GET", "/v1/entities?limit=1", &Value::Null).steady();
    assert_eq!(
        entities,
        json!({
            "entities": [{
                "name": "nora",
                "type": "person",
                "aliases": ["@nora"],
                "mentionCount": 2,
                "firstAt": "TIME",
                "lastAt": "TIME",
            }],
            "scopes": [{
                "scope": "user:alice", "layer": "user", "identifiers": { "userId": "alice" },
            }],
        })
    );
    let nora = house.alice.ask("GET", "/v1/entities/%40nora", &Value::Null).json();
    assert_eq!(nora["entities"][0]["memories"].as_array().unwrap().len(), 2);
    assert_eq!(nora["entities"][0]["companions"][0]["name"], "cofio");
    let timeline = nora["entities"][0]["timeline"].as_array().unwrap();
    let dated = timeline.iter().flat_map(|period| period["memories"].as_array().unwrap());
    let dated: Vec<_> = dated.map(|memory| memory["content"].as_str().unwrap()).collect();
    assert_eq!(dated, ["Met @nora about #cofio", "@nora likes tea"]);
    let path = "/v1/entities/nora?limit=1";
    let nora = house.alice.ask("GET", path, &Value::Null).json();
    assert_eq!(nora["entities"][0]["memories"].as_array().unwrap().len(), 1);
    let path = "/v1/entities/nora";
    refused(&house.bob.ask("GET", path, &Value::Null), 404, "MEMORY_NOT_FOUND");
    refused(&house.alice.ask("GET", "/v1/entities/%20", &Value::Null), 404, "MEMORY_NOT_FOUND");
}

#[test]
fn statements_come_with_the_most_certain_first() {
    let house = House::new();
    let state = |object: &str, confidence: f64| {
        let fact = json!({
            "factType": "uses", "subject": "cofio", "predicate": "is written in", "object": object,
        });
        kept(&house.alice, json!({ "fact": fact, "metadata": { "confidence": confidence } }));
    };
    state("Perl", 0.1);
    state("Rust", 0.9);
    house.keep("Cofio is written in the evening");
    let list = |query: &str| {
        let path = format!("/v1/procedures?{query}");
        let page = house.alice.ask("GET", &path, &Value::Null).json();
        let memories = page["memories"].as_array().unwrap().clone();
        let contents = memories.iter().map(|one| one["content"].as_str().unwrap().to_owned());
        (contents.collect::<Vec<_>>(), page["nextCursor"].as_str().map(ToOwned::to_owned))
    };
    assert_eq!(list("subject=cofio").0, ["cofio is written in Rust", "cofio is written in Perl"]);
    assert_eq!(list("object=Perl&factType=uses").0, ["cofio is written in Perl"]);
    assert_eq!(list("predicate=sings").0, [""; 0]);
    let (_, cursor) = list("limit=1");
    let next = format!("limit=1&cursor={}", cursor.unwrap());
    assert_eq!(list(&next), (vec!["cofio is written in Perl".to_owned()], None));
    let path = format!("/v1/procedures?{next}");
    refused(&house.bob.ask("GET", &path, &Value::Null), 400, "INVALID_INPUT");
}

#[test]
fn what_is_listed_is_limited() {
    let house = House::new();
    let check = |path: &str, status: u16| {
        let answer = house.alice.ask("GET", path, &Value::Null);
        assert_eq!(answer.status, status, "{path} {}", answer.body);
    };
    check("/v1/entities", 200);
    check("/v1/entities?limit=1000", 200);
    check("/v1/entities?limit=0", 400);
    check("/v1/entities?limit=-1", 400);
    check("/v1/entities?limit=1001", 400);
    check("/v1/entities?limit=9223372036854775808", 400);
    check("/v1/entities?layer=user&layer=project&projectId=cofio", 200);
    check("/v1/entities?layer=project", 422);
    check("/v1/entities?layer=planet", 422);
    check("/v1/entities?userId=bob", 403);
    check("/v1/entities?name=nora", 400);
    check("/v1/entities/x?limit=1", 404);
    check("/v1/entities/x?limit=0", 400);
    check("/v1/entities/x?limit=1001", 400);
    check("/v1/entities/x?cursor=1", 400);
    check("/v1/procedures?limit=0", 400);
    check("/v1/procedures?limit=101", 400);
    check("/v1/procedures?limit=18446744073709551616", 400);
    check("/v1/procedures?userId=bob", 403);
    check("/v1/procedures?subject=", 200);
    check("/v1/procedures?limit=", 400);
    check("/v1/entities?limit", 400);
    check("/v1/entities?layer=", 422);
}
