//! Finding by meaning: with a model, without one, and while vectors are missing.

use std::fs;

use serde_json::Value;

use crate::machine::{Machine, complaint, feed};
use crate::server;

/// A machine with the model, on which a few things are known.
fn lighthouse() -> Machine {
    let machine = Machine::with_model();
    for text in ["Ines takes her tea black", "The lamp was lit in 1887", "Rope is in the cellar"] {
        let output = machine.run(&format!("remember '{text}'"));
        assert_eq!(complaint(&output), (String::new(), 0));
    }
    machine
}

#[test]
fn without_a_model_a_search_says_how_to_get_one() {
    let machine = Machine::new();
    machine.transcript(
        r#"
        $ cofio remember Ines takes her tea black
        remembered fact_1 in user:alice
        $ cofio search black tea
        Ines takes her tea black
          fact_1 · user:alice · TIME
        ! in user:alice
        ! searched by words and names only: cofio model pull adds meaning
        $ cofio search what does she drink
        ! nothing found in user:alice; fewer words or filters may find more, and flags such as --project, --team or --session open other scopes
        ! searched by words and names only: cofio model pull adds meaning
        $ cofio search black tea --mode keyword
        Ines takes her tea black
          fact_1 · user:alice · TIME
        ! in user:alice
        $ cofio search black tea --mode semantic
        ! error: all-MiniLM-L6-v2 is not here, so nothing makes vectors: get it by cofio model pull
        [1]
        $ cofio embed
        ! error: all-MiniLM-L6-v2 is not here, so nothing makes vectors: get it by cofio model pull
        [1]
        $ cofio embed --json
        ! {
        !   "error": {
        !     "code": "CONFIGURATION_ERROR",
        !     "message": "all-MiniLM-L6-v2 is not here, so nothing makes vectors: get it by cofio model pull",
        !     "operation": null,
        !     "details": {},
        !     "retryable": false
        !   }
        ! }
        [1]
        $ COFIO_EMBEDDER=none cofio search black tea
        Ines takes her tea black
          fact_1 · user:alice · TIME
        ! in user:alice
        $ COFIO_EMBEDDER=none cofio search black tea --mode semantic
        ! error: nothing makes vectors, as the setting embedder is none
        [1]
        $ COFIO_EMBEDDER=none cofio embed
        ! error: nothing makes vectors, as the setting embedder is none
        [1]
        "#,
    );
    let output = machine.run("search tea --json");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["meaning"], "no-embedder");
    assert_eq!(complaint(&output), (String::new(), 0));
}

#[test]
fn with_a_model_a_memory_is_found_that_shares_no_word() {
    lighthouse().transcript(
        "
        $ cofio search what does she drink? --limit 1 --explain
        Ines takes her tea black
          fact_1 · user:alice · TIME
          score N
            N is close in meaning (0.50)
        ! in user:alice
        $ cofio search what does she drink? --mode semantic --threshold 0.2 --limit 1
        Ines takes her tea black
          fact_1 · user:alice · TIME
        ! in user:alice
        $ cofio search what does she drink? --mode semantic
        ! nothing found in user:alice; fewer words or filters may find more, and flags such as --project, --team or --session open other scopes
        $ COFIO_EMBEDDER=none cofio search what does she drink? --limit 1
        ! nothing found in user:alice; fewer words or filters may find more, and flags such as --project, --team or --session open other scopes
        $ cofio embed
        nothing waits: 3 memories embedded
          model    MINILM
        ",
    );
}

#[test]
fn what_waits_is_embedded_when_that_is_asked_for() {
    Machine::with_model().transcript(
        r#"
        $ COFIO_EMBEDDER=none cofio remember Ines takes her tea black
        remembered fact_1 in user:alice
        $ cofio search what does she drink?
        ! nothing found in user:alice; fewer words or filters may find more, and flags such as --project, --team or --session open other scopes
        ! 1 memory waits for its vectors: cofio embed makes them
        $ cofio embed
        embedded 1 memory
          model    MINILM
        $ cofio search what does she drink?
        Ines takes her tea black
          fact_1 · user:alice · TIME
        ! in user:alice
        $ cofio edit fact_1 --content 'Ines takes her coffee black'
        changed fact_1 in user:alice, now version 2
        $ cofio embed --json
        {
          "model": "MINILM",
          "embedded": 0,
          "total": 1,
          "pending": 0,
          "refused": [],
          "retired": []
        }
        "#,
    );
}

#[test]
fn many_at_once_are_left_to_wait_and_then_all_embedded() {
    let machine = Machine::with_model();
    let lines: Vec<String> = (1..=70).map(|n| format!("{{\"content\": \"lamp {n}\"}}")).collect();
    let input = lines.join("\n");
    let output = feed(machine.command().args(["remember", "--jsonl"]), input.as_bytes());
    assert_eq!(complaint(&output), (String::new(), 0));
    machine.transcript(
        "
        $ cofio search lamp 7 --limit 1
        lamp 7
          fact_1 · user:alice · TIME
        ! in user:alice
        ! 6 memories wait for their vectors: cofio embed makes them
        $ cofio embed
        embedded 6 memories
          model    MINILM
        $ cofio search lamp 7 --limit 1
        lamp 7
          fact_1 · user:alice · TIME
        ! in user:alice
        ",
    );
}

#[test]
fn a_change_of_model_is_made_when_that_is_asked_for() {
    let machine = Machine::with_model();
    let server = server::start();
    let doctor = |variables: &str| {
        let mut command = machine.command();
        command.envs(variables.split_whitespace().filter_map(|pair| pair.split_once('=')));
        let output = command.args(["doctor", "--json"]).output().unwrap();
        let doctor: Value = serde_json::from_slice(&output.stdout).unwrap();
        let port = regex::Regex::new(r":\d+/|/[0-9a-f]{8}/int\d+-\d+/").unwrap();
        let embeddings = &doctor["embeddings"];
        let names = [&embeddings["embedder"], &embeddings["model"]]
            .map(|name| port.replace_all(name.as_str().unwrap_or("-"), "/").into_owned());
        let warning = doctor["checks"].as_array().unwrap().last().unwrap()["warning"].clone();
        (names, embeddings["perCent"].clone(), warning.as_bool().unwrap())
    };
    assert!(machine.run("remember 'Ines takes her tea black'").status.success());
    let (mini_lm, openai) =
        ("all-MiniLM-L6-v2/384", "openai:http://127.0.0.1/v1#text-embedding-3-small/native");
    let names = |wanted: &str, used: &str| [wanted.to_owned(), used.to_owned()];
    assert_eq!(doctor(""), (names(mini_lm, mini_lm), 100.into(), false));
    assert_eq!(doctor(&server), (names(openai, mini_lm), 100.into(), true));
    machine.transcript(
        &r#"
        $ SERVER cofio remember The lamp was lit in 1887
        remembered fact_1 in user:alice
        ! not embedded, as the vectors here are of MINILM: cofio embed changes all to openai:http://127.0.0.1:PORT/v1#text-embedding-3-small/native
        $ SERVER cofio embed
        embedded 2 memories
          model    openai:http://127.0.0.1:PORT/v1#text-embedding-3-small/native
          removed  the vectors of MINILM
        $ SERVER cofio embed --json
        {
          "model": "openai:http://127.0.0.1:PORT/v1#text-embedding-3-small/native",
          "embedded": 0,
          "total": 2,
          "pending": 0,
          "refused": [],
          "retired": []
        }
        "#
        .replace("SERVER", &server),
    );
    assert_eq!(doctor(&server), (names(openai, openai), 100.into(), false));
}

#[test]
fn a_text_that_the_server_refuses_is_put_aside() {
    let machine = Machine::new();
    for number in 1..=6 {
        let text = if number == 3 { "the unspeakable lamp" } else { "the lamp" };
        let remembered = machine.run(&format!("remember '{text} {number}'"));
        assert_eq!(complaint(&remembered), (String::new(), 0));
    }
    machine.transcript(
        &"
        $ SERVER cofio embed
        embedded 5 memories
          model    openai:http://127.0.0.1:PORT/v1#text-embedding-3-small/native
        ! 1 memory cannot be embedded: 127.0.0.1:PORT refuses to make embeddings (400)
        $ SERVER cofio embed
        embedded 0 memories
          model    openai:http://127.0.0.1:PORT/v1#text-embedding-3-small/native
        ! 1 memory cannot be embedded: 127.0.0.1:PORT refuses to make embeddings (400)
        $ SERVER cofio remember another unspeakable lamp
        remembered fact_1 in user:alice
        ! not embedded yet (cofio embed tries again): cofio doctor says what is wrong
        "
        .replace("SERVER", &server::start()),
    );
}

#[test]
fn a_model_that_cannot_be_used_stops_nothing_else() {
    let machine = Machine::new();
    fs::create_dir_all(machine.home("models")).unwrap();
    fs::write(machine.home("models/all-MiniLM-L6-v2.cofio"), "not a model").unwrap();
    let remembered = machine.run("remember Ines takes her tea black");
    assert_eq!(complaint(&remembered), (String::new(), 0));
    let (found, code) = complaint(&machine.run("search tea"));
    assert!(found.contains("searched by words and names only: model /") && code == 0, "{found}");
    let (refused, code) = complaint(&machine.run("embed"));
    assert!(refused.contains("is damaged") && code == 1, "{refused}");
}

#[test]
fn a_model_is_loaded_only_to_make_vectors() {
    let machine = Machine::new();
    let shared = Machine::with_model();
    let path = shared.run("model path");
    let model = fs::read(String::from_utf8(path.stdout).unwrap().trim()).unwrap();
    fs::create_dir_all(machine.home("models")).unwrap();
    // Whoever reads more than the beginning finds out that the rest is missing.
    fs::write(machine.home("models/all-MiniLM-L6-v2.cofio"), &model[..100]).unwrap();
    let (note, code) = complaint(&machine.run("remember Ines takes her tea black"));
    assert!(note.starts_with("not embedded yet (cofio embed tries again): "), "{note}");
    assert_eq!(code, 0);
    let json = machine.run("remember 'The lamp was lit in 1887' --json");
    assert_eq!(complaint(&json), (String::new(), 0));
    let _: Value = serde_json::from_slice(&json.stdout).unwrap();
    machine.transcript(
        "
        $ cofio list
        The lamp was lit in 1887
          fact_1 · user:alice · TIME
        Ines takes her tea black
          fact_2 · user:alice · TIME
        ! 2 of 2 in user:alice
        $ cofio history fact_1
        version 1, TIME
          The lamp was lit in 1887
        ! in user:alice
        $ cofio context get tea
        ! error: nothing is kept under this key
        [3]
        $ cofio search tea
        Ines takes her tea black
          fact_2 · user:alice · TIME
        ! in user:alice
        ! searched by words and names only, as the embedder failed: --mode semantic says why
        ",
    );
}
