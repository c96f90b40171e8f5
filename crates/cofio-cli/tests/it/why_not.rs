//! Why an expected memory is not in an answer.

use serde_json::Value;

use crate::machine::{Machine, complaint};

/// Remembers a few things about keys, some of them out of reach.
fn remember(machine: &Machine) {
    for arguments in [
        "remember 'Ines has the key to the lamp room' --tag key",
        "remember 'The key of the library hangs by the door' --layer project --project lighthouse",
        "remember 'A stranger has lost the cellar key' --kind episode --source web-fetch",
        "remember 'Rope is in the cellar'",
    ] {
        let output = machine.run(arguments);
        assert_eq!(complaint(&output), (String::new(), 0), "{arguments}");
    }
}

#[test]
fn every_reason_for_an_absence_is_said() {
    let machine = Machine::new();
    remember(&machine);
    machine.transcript(
        "
        $ cofio list --project lighthouse --order earliest-event
        Ines has the key to the lamp room
          fact_1 · user:alice · TIME · #key
        The key of the library hangs by the door
          fact_2 · project:lighthouse · TIME
        A stranger has lost the cellar key
          ep_3 · user:alice · TIME
        Rope is in the cellar
          fact_4 · user:alice · TIME
        ! 4 of 4 in user:alice, project:lighthouse
        $ COFIO_EMBEDDER=none cofio why-not fact_1 where is the key
        Ines has the key to the lamp room
          fact_1 · user:alice · TIME · #key
        it is in the answer, number 1 of 2
        ! in user:alice
        $ cofio why-not fact_2 where is the key
        The key of the library hangs by the door
          fact_2 · project:lighthouse · TIME
        it is not in the answer:
          it is in a scope that was not searched
        ! in user:alice
        ! searched by words and names only: cofio model pull adds meaning
        $ COFIO_EMBEDDER=none cofio why-not fact_2 where is the key --project lighthouse --kind episode --tag cellar
        The key of the library hangs by the door
          fact_2 · project:lighthouse · TIME
        it is not in the answer:
          it is of another kind
          it has none of the tags
        ! in user:alice, project:lighthouse
        $ COFIO_EMBEDDER=none cofio why-not ep_3 where is the key --min-trust high --until 2020-01-01
        A stranger has lost the cellar key
          ep_3 · user:alice · TIME
        it is not in the answer:
          it happened at another time
          it is trusted less than was asked for
        ! in user:alice
        $ COFIO_EMBEDDER=none cofio why-not ep_3 where is the key --limit 1
        A stranger has lost the cellar key
          ep_3 · user:alice · TIME
        it is not in the answer:
          it is number 2, and 1 were wanted
        ! in user:alice
        $ COFIO_EMBEDDER=none cofio why-not ep_3 where is the key --tokens 9
        A stranger has lost the cellar key
          ep_3 · user:alice · TIME
        it is not in the answer:
          it has about 9 tokens, and the 9 wanted were used up
        ! in user:alice
        $ COFIO_EMBEDDER=none cofio why-not fact_4 where is the key
        Rope is in the cellar
          fact_4 · user:alice · TIME
        it is not in the answer:
          nothing in it or around it has to do with the question
        ! in user:alice
        $ COFIO_EMBEDDER=none cofio why-not fact_1 where is the key --user bob
        ! error: no memory \"fact_1\"
        [3]
        $ COFIO_EMBEDDER=none cofio remember The key was under the mat --ttl 1ms
        remembered fact_5 in user:alice
        $ COFIO_EMBEDDER=none cofio why-not fact_5 where is the key
        The key was under the mat
          fact_5 · user:alice · TIME
        it is not in the answer:
          it has ended by itself
        ! in user:alice
        $ COFIO_EMBEDDER=none cofio why-not fact_00000000000000000000000000000000 where is the key
        ! error: no memory \"fact_00000000000000000000000000000000\"
        [3]
        ",
    );
}

#[test]
fn a_cosine_below_the_threshold_is_a_reason() {
    let machine = Machine::with_model();
    machine.transcript(
        "
        $ cofio remember Ines takes her tea black
        remembered fact_1 in user:alice
        $ cofio why-not fact_1 what does she drink? --mode semantic
        Ines takes her tea black
          fact_1 · user:alice · TIME
        it is not in the answer:
          its cosine is 0.50, and at least 0.70 was wanted
        ! in user:alice
        $ cofio why-not fact_1 what does she drink? --mode semantic --threshold 0.2
        Ines takes her tea black
          fact_1 · user:alice · TIME
        it is in the answer, number 1 of 1
        ! in user:alice
        $ cofio why-not fact_1 what does she drink?
        Ines takes her tea black
          fact_1 · user:alice · TIME
        it is in the answer, number 1 of 1
        ! in user:alice
        ",
    );
}

#[test]
fn programs_are_told_the_same() {
    let machine = Machine::new();
    remember(&machine);
    let listed: Value = serde_json::from_slice(&machine.run("list --json").stdout).unwrap();
    let id = listed["memories"][0]["id"].as_str().unwrap();
    let output = machine.run(&format!("why-not {id} where is the key --kind fact --json"));
    assert_eq!(complaint(&output), (String::new(), 0));
    let why: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&why["memory"]["id"], &why["absent"]), (&id.into(), &true.into()));
    let reason = &why["reasons"][0];
    assert!(reason["code"].is_string() && reason["reason"].is_string(), "{why:#}");
}
