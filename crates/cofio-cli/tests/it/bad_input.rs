//! Bad input of every kind: a clear error, nothing changed, no panic.

use std::io::Write as _;
use std::process::Stdio;

use crate::machine::{Machine, complaint, feed};

/// Checks that a command line is refused with these words.
fn check(arguments: &str, expected: &str) {
    let (text, code) = complaint(&Machine::new().run(arguments));
    assert_eq!(
        text.lines().next().unwrap_or_default(),
        format!("error: {expected}"),
        "{arguments}"
    );
    assert_eq!(code, 2, "{arguments}");
}

#[test]
fn numbers_out_of_range_are_refused() {
    check(
        "search x --limit -1",
        "invalid value '-1' for '--limit <NUMBER>': invalid digit found in string",
    );
    check("search x --limit 0", "a search has 1 to 1000 hits");
    check("search x --limit 1001", "a search has 1 to 1000 hits");
    check(
        "search x --limit 99999999999999999999",
        "invalid value '99999999999999999999' for '--limit <NUMBER>': number too large to fit in target type",
    );
    check(
        "search x --limit NaN",
        "invalid value 'NaN' for '--limit <NUMBER>': invalid digit found in string",
    );
    check("search x --limit-per-layer 0", "a layer has at least one hit");
    check("list --limit 101", "a page has 1 to 100 memories");
    check("context x --facts 5000", "a block has at most 1000 facts, not 5000");
    check("context x --episodes 1001", "a block has at most 1000 episodes, not 1001");
    check(
        "remember x --importance NaN",
        "invalid value 'NaN' for '--importance <NUMBER>': give a number from 0 to 1",
    );
    check(
        "remember x --confidence -0.1",
        "invalid value '-0.1' for '--confidence <NUMBER>': give a number from 0 to 1",
    );
    check(
        "audit list --limit 99999999",
        "invalid value '99999999' for '--limit <NUMBER>': 99999999 is not in 0..=65535",
    );
}

#[test]
fn unknown_names_are_refused() {
    check(
        "remember x --kind poem",
        r#"invalid value 'poem' for '--kind <KIND>': unknown kind "poem"; known: working, context, episode, fact, procedure, reflection"#,
    );
    check(
        "remember x --source rumour",
        r#"invalid value 'rumour' for '--source <CHANNEL>': unknown channel "rumour"; known: owner-message, other-message, tool-read, web-fetch, inference, explicit-save, knowledge-sync, import"#,
    );
    check(
        "search x --min-trust total",
        r#"invalid value 'total' for '--min-trust <TRUST>': unknown trust level "total"; known: low, medium, high"#,
    );
    check("search x --mode magic", "invalid value 'magic' for '--mode <MODE>'");
    check(
        "list --layer galaxy",
        r#"cannot use "galaxy" for layer (flag --layer): unknown layer "galaxy"; known: agent, user, session, project, team, org, company"#,
    );
    check("clear everything", "invalid value 'everything' for '<WHAT>'");
    check("dance", "unrecognized subcommand 'dance'");
}

#[test]
fn times_that_are_none_are_refused() {
    check(
        "list --since yesterday",
        "invalid value 'yesterday' for '--since <TIME>': give a day such as 2026-01-31, or a moment such as 2026-01-31T12:00:00Z",
    );
    check(
        "remember x --event-time 2026-02-30",
        "invalid value '2026-02-30' for '--event-time <TIME>': give a day such as 2026-01-31, or a moment such as 2026-01-31T12:00:00Z",
    );
    check(
        "remember x --ttl 0s",
        "invalid value '0s' for '--ttl <TIME>': give a time such as 1h, 7d or 12w",
    );
    for (flag, day) in [
        ("list --until", "9999-12-30"),
        ("list --until", "9999-12-31"),
        ("list --since", "9999-12-31"),
        ("remember x --event-time", "9999-12-31"),
    ] {
        check(
            &format!("{flag} {day}"),
            &format!("{day} is outside the calendar: give a day before 9999-12-30"),
        );
    }
    check(
        "list --until 10000-01-01",
        "invalid value '10000-01-01' for '--until <TIME>': give a day such as 2026-01-31, or a moment such as 2026-01-31T12:00:00Z",
    );
    check("remember x --ttl 999999w", "a lifetime this long has no end in the calendar");
}

#[test]
fn missing_names_are_asked_for() {
    check(
        "list --layer project",
        "the project layer needs the project identifier: add --project NAME",
    );
    check(
        "list --layer session",
        "the session layer needs the session identifier: add --session NAME",
    );
    check(
        "remember x --layer agent",
        "the agent layer needs the agent identifier: add --agent NAME",
    );
    check("window show", "the session layer needs the session identifier: add --session NAME");
}

#[test]
fn strange_names_are_refused() {
    check(
        "list --session a\u{200b}b",
        r#"cannot use "a\u{200b}b" for session (flag --session): an identifier has no control or invisible characters"#,
    );
    check(
        "search x --exclude-session a\u{202e}b",
        r"invalid value 'a\u{202e}b' for '--exclude-session <NAME>': an identifier has no control or invisible characters",
    );
    let long = "x".repeat(257);
    check(
        &format!("list --team {long}"),
        &format!(
            r#"cannot use "{}" for team (flag --team): an identifier has at most 256 bytes"#,
            "x".repeat(60)
        ),
    );
}

#[test]
fn json_that_is_none_or_too_deep_is_refused_without_being_repeated() {
    let deep = "[".repeat(100_000);
    check(
        &format!("remember x --metadata {deep}"),
        "--metadata is no JSON, or nests too deep (column 128)",
    );
    let nested = format!("{{\"a\":{}1{}}}", "[".repeat(100), "]".repeat(100));
    check(&format!("remember x --metadata {nested}"), "custom metadata nests at most 32 deep");
    check("remember x --metadata 7", "--metadata needs a JSON object");
    check("remember x --metadata {\"tags\":1}", "tags needs a list of texts");
    check(
        "search x --where room",
        "invalid value 'room' for '--where <KEY=VALUE>': give a name and a value, such as colour=red",
    );
}

#[test]
fn a_field_is_asked_for_once() {
    check(
        "list --where status=open --where room=7 --where status=done",
        r#"--where names "status" twice: a field has one value"#,
    );
}

#[test]
fn empty_and_endless_texts_are_refused() {
    check("remember", "give a text to remember, or - to read it from standard input");
    check("remember ''", "there is nothing to remember in an empty text");
    check("context set key ''", "give a value to keep");
    let long = "x ".repeat(20_000);
    check(&format!("search {long}"), "the question has 39999 bytes and may have 16384");
}

#[test]
fn endless_input_is_refused_before_its_end() {
    let machine = Machine::new();
    for (arguments, expected) in [
        (&["remember", "-"][..], "error: standard input has more than 262144 bytes; split it"),
        (&["remember", "--jsonl"], "error: line 1: it has more than 1966080 bytes; split it"),
        (
            &["context", "set", "key", "-"],
            "error: standard input has more than 262144 bytes; split it",
        ),
    ] {
        let mut command = machine.command();
        command.args(arguments).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // Ends when the command stops reading.
        while input.write_all(&[b'x'; 4_096]).is_ok() {}
        assert_eq!(complaint(&child.wait_with_output().unwrap()), (expected.to_owned(), 2));
    }
}

#[test]
fn input_that_is_not_unicode_is_refused() {
    let machine = Machine::new();
    let refused = |arguments: &[&str], expected: &str| {
        let output = feed(machine.command().args(arguments), b"{\"content\": \"\xff\"}\n");
        assert_eq!(complaint(&output), (expected.to_owned(), 2));
    };
    refused(&["remember", "-"], "error: standard input is not UTF-8");
    refused(&["remember", "--jsonl"], "error: line 1: it is not UTF-8");
}

#[cfg(unix)]
#[test]
fn arguments_and_variables_that_are_not_unicode_are_refused() {
    use std::os::unix::ffi::OsStrExt as _;
    let bytes = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    let machine = Machine::new();
    let (text, code) = complaint(&machine.command().arg("remember").arg(bytes).output().unwrap());
    assert!(code == 2 && text.contains("invalid UTF-8"), "{text}");
    let mut command = machine.command();
    let (text, code) = complaint(&command.arg("list").env("COFIO_TEAM", bytes).output().unwrap());
    assert!(code == 2 && text.contains("it is not Unicode"), "{text}");
    let mut command = machine.command();
    let stored = command.args(["remember", "x", "--store"]).arg(bytes).output().unwrap();
    assert!(complaint(&stored).1 <= 2, "{stored:?}");
}

#[test]
fn any_characters_make_a_question() {
    let machine = Machine::new();
    for question in
        ["\"", "'", "a OR", "NEAR(", "*", "^", "a:b", "{}", "-", "%", "\u{1f9d9}", "AND NOT"]
    {
        let output = machine.command().args(["search", "--", question]).output().unwrap();
        assert_eq!(complaint(&output).1, 0, "{question:?}: {output:?}");
    }
}
