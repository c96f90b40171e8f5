//! Keys by which other programs prove themselves.

use serde_json::Value;

use crate::machine::{Machine, complaint};

#[test]
fn a_token_is_shown_once_and_its_key_listed_rotated_and_revoked() {
    Machine::new().transcript(
        "
        $ cofio key list
        ! 0 keys, 0 of them valid
        $ cofio key create laptop --user alice
        TOKEN
        ! the token is shown only now: keep it where secrets are kept
        ! key_1 (laptop) may read, write in user alice
        ",
    );
}

/// Checks that a command line is refused with a message, and nothing is made.
fn check(arguments: &str, expected: &str) {
    let machine = Machine::new();
    let (text, code) = complaint(&machine.run(arguments));
    let first = text.lines().next().unwrap_or_default();
    assert_eq!((first, code), (format!("error: {expected}").as_str(), 2), "{arguments}");
    let keys: Value = serde_json::from_slice(&machine.run("key list --json").stdout).unwrap();
    assert_eq!(keys, Value::Array(Vec::new()), "{arguments}");
}

#[test]
fn a_key_that_makes_no_sense_is_not_made() {
    check("key create laptop", "x");
    check("key create '' --user alice", "x");
    check("key create ' laptop' --user alice", "x");
    check("key create laptop --user ' alice'", "x");
    check("key create laptop --session s1", "x");
    check("key create laptop --agent coder", "x");
    check("key create laptop --admin --user alice", "x");
    check("key create laptop --right admin --user alice", "x");
    check("key create laptop --admin --read-only", "x");
    check("key create laptop --read-only --right write --user alice", "x");
    check("key create laptop --any user --user alice", "x");
    check("key create laptop --any planet", "x");
    check("key create laptop --right fly --user alice", "x");
    check("key create laptop --user alice --trust total", "x");
    check("key create laptop --user alice --expires soon", "x");
    check("key create laptop --user alice --expires 2020-01-31", "x");
    check("key create laptop --user alice --expires 9999-12-31", "x");
    check("key create laptop --user alice --expires 9999999d", "x");
    check("key create laptop --user alice --layer user", "x");
    check("key rotate key_1 --grace 0s", "x");
}
