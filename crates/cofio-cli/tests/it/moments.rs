//! What was known at an earlier moment, and what was true at one.

use serde_json::Value;

use crate::guide::Transcript;
use crate::machine::Machine;

/// A machine that knows where Alice lives, and since when.
fn moved() -> Machine {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio remember Alice lives in Bern --event-time 2020-01-01
        remembered fact_1 in user:alice
        $ cofio correct fact_1 Alice lives in Basel --since 2024-01-01
        fact_2 replaces fact_1 in user:alice
        ",
    );
    machine
}

#[test]
fn what_was_true_is_told_from_what_is() {
    moved().transcript(
        "
        $ COFIO_EMBEDDER=none cofio search where does Alice live --valid-at 2022-01-01
        Alice lives in Bern
          fact_1 · user:alice · TIME
        ! in user:alice
        $ COFIO_EMBEDDER=none cofio search where does Alice live --valid-at 2024-01-01
        Alice lives in Basel
          fact_2 · user:alice · TIME
        ! in user:alice
        $ cofio list --valid-at 2019-12-31
        ! 0 of 0 in user:alice
        $ COFIO_EMBEDDER=none cofio why-not fact_2 where does Alice live --valid-at 2022-01-01
        Alice lives in Basel
          fact_2 · user:alice · TIME
        it is not in the answer:
          it did not hold at that moment
        ! in user:alice
        ",
    );
}

#[test]
fn what_was_known_is_told_from_what_is() {
    let machine = moved();
    machine.transcript(
        "
        $ cofio list --as-of 2020-01-01
        ! 0 of 0 in user:alice
        $ cofio list --as-of 2999-01-01
        Alice lives in Basel
          fact_2 · user:alice · TIME
        ! 1 of 1 in user:alice
        $ COFIO_EMBEDDER=none cofio why-not fact_2 where does Alice live --as-of 2020-01-01
        Alice lives in Basel
          fact_2 · user:alice · TIME
        it is not in the answer:
          it was not known yet at that moment
        ! in user:alice
        ",
    );
    let shown = machine.run(&machine.with_ids("show fact_1 --json"));
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let learnt = shown["createdAt"].as_str().unwrap();
    let search = machine.run(&format!("search where does Alice live --json --as-of {learnt}"));
    let found: Value = serde_json::from_slice(&search.stdout).unwrap();
    let memory = &found["results"][0]["memory"];
    assert_eq!(
        (&memory["content"], &memory["state"]),
        (&"Alice lives in Bern".into(), &"active".into())
    );
    assert_eq!(found["totalCount"], 1);
}

#[test]
fn the_guide_shows_what_happens() {
    let machine = Machine::new();
    let mut guide = Transcript::default();
    for typed in [
        "remember Alice lives in Bern --event-time 2020-01-01",
        "correct fact_1 Alice lives in Basel --since 2024-01-01",
        "search where does Alice live",
        "search where does Alice live --valid-at 2022-06-30",
        "search where does Alice live --as-of 2022-06-30",
    ] {
        let output = machine.run(&machine.with_ids(typed));
        let shown = machine.without_accidents(&String::from_utf8(output.stdout).unwrap());
        guide.add(&format!("cofio {typed}"), &shown);
    }
    guide.assert_in("time.md", "## An example");
}

#[test]
fn a_moment_has_to_be_one() {
    Machine::new().transcript(
        "
        $ cofio list --as-of soon
        ! error: invalid value 'soon' for '--as-of <TIME>': give a day such as 2026-01-31, or a moment such as TIME
        !
        ! For more information, try '--help'.
        [2]
        $ cofio forget --as-of 2026-01-01 --yes
        ! error: memories are forgotten as they are, not as they were at a moment
        [2]
        ",
    );
}
