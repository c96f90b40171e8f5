//! Attacks on the command, each a test that is named after it.
//!
//! These are tried elsewhere already:
//!
//! | attack | where |
//! |---|---|
//! | controls and escapes in texts and arguments | `manners::text_cannot_take_a_terminal_over`, `manners::an_argument_cannot_take_a_terminal_over` |
//! | numbers out of range, endless and undecodable input | `bad_input` |
//! | operators of full-text search | `bad_input::any_characters_make_a_question` |
//! | writing over the store itself | `transfer::nothing_is_written_over_the_store` |
//! | a repository that says where memories go | `settings::tests::a_project_file_cannot_say_whose_memories_are_or_where_they_go` |
//! | what the library itself withstands | `crates/cofio/tests/it/attacks` |
//!
//! On one's own machine `--user` says who is asking and is not proved, as the file is one's own.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::machine::{Machine, complaint, feed};

const KEY: &str = "AKIAIOSFODNN7EXAMPLE";

fn remembered(machine: &Machine, arguments: &str) -> String {
    let output = machine.run(&format!("remember {arguments} --json"));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["memory"]["id"].as_str().unwrap().to_owned()
}

fn listed(machine: &Machine) -> Vec<String> {
    let answer: Value = serde_json::from_slice(&machine.run("list --json").stdout).unwrap();
    let memories = answer["memories"].as_array().unwrap();
    memories.iter().map(|memory| memory["content"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn identity_a_foreign_id_looks_like_an_unknown_one() {
    let machine = Machine::new();
    let id = remembered(&machine, "'the ferry sails at nine' --source web-fetch");
    let unknown = format!("fact_{:032x}", 7);
    for verb in [
        "show ID",
        "history ID",
        "edit ID --content mine",
        "forget ID --yes",
        "why-not ID ferry",
        "review show ID",
        "review approve ID --text 'the ferry sails at nine'",
        "review reject ID --yes",
    ] {
        let ask = |id: &str, user: &str| {
            let output = machine.run(&format!("{} --user {user}", verb.replace("ID", id)));
            let (text, code) = complaint(&output);
            assert!(output.stdout.is_empty() || user == "alice", "{verb}");
            (text.replace(id, "ID"), code)
        };
        let foreign = ask(&id, "bob");
        assert_eq!(foreign, ask(&unknown, "bob"), "{verb}");
        assert_eq!(foreign.1, 3, "{verb}");
    }
    let approve = format!("review approve {id} --text 'the ferry sails at nine'");
    assert_eq!(complaint(&machine.run(&approve)).1, 0, "it was there all the time");
}

#[test]
fn identity_a_name_that_is_empty_or_a_pattern_is_nobody_else() {
    let machine = Machine::new();
    remembered(&machine, "'the canary sings'");
    for name in ["*", "%", "_____", "ALICE", "null", "alice/../alice"] {
        let output = machine.command().args(["list", "--user", name]).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{name}");
    }
    for name in ["", " ", "alice\n", "al\u{200b}ice"] {
        let output = machine.command().args(["list", "--user", name]).output().unwrap();
        assert_eq!(complaint(&output).1, 2, "{name:?}");
    }
    assert_eq!(listed(&machine), ["the canary sings"]);
}

#[test]
fn injection_a_filter_is_neither_sql_nor_a_path() {
    let machine = Machine::new();
    let metadata = r#"{"room":"blue","a":{"b":"blue"},"x' OR y":"blue"}"#;
    let mut command = machine.command();
    command.args(["remember", "the canary sings", "--tag", "green", "--metadata", metadata]);
    assert!(command.output().unwrap().status.success());
    let count = |arguments: &[&str]| {
        let output = machine.command().arg("list").args(arguments).arg("--json").output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        answer["totalCount"].as_u64().or(answer["total"].as_u64()).unwrap()
    };
    for filter in [
        "a.b=blue",
        "$.room=blue",
        "room=%",
        "room=blue' OR '1'='1",
        "%=blue",
        "'; DROP TABLE memories; --=blue",
    ] {
        assert_eq!(count(&["--where", filter]), 0, "{filter}");
    }
    for tag in ["%", "gree_", "green' OR '1'='1", "*"] {
        assert_eq!(count(&["--tag", tag]), 0, "{tag}");
    }
    for filter in ["room=blue", "x' OR y=blue"] {
        assert_eq!(count(&["--where", filter]), 1, "{filter}");
    }
}

#[cfg(unix)]
#[test]
fn files_nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let machine = Machine::new();
    remembered(&machine, "tea");
    machine.write("victim", "precious");
    let link = |name: &str, to: &str| symlink(machine.path(to), machine.path(name)).unwrap();
    link("full", "victim");
    link("dangling", "not-yet");
    for name in ["full", "dangling", "victim"] {
        for verb in ["backup", "export"] {
            assert_eq!(complaint(&machine.run(&format!("{verb} {name}"))).1, 4, "{verb} {name}");
        }
    }
    for name in ["full", "dangling"] {
        assert_eq!(complaint(&machine.run(&format!("export {name} --force"))), (String::new(), 0));
        assert!(!machine.path(name).is_symlink(), "the link is replaced, not followed");
    }
    assert_eq!(fs::read_to_string(machine.path("victim")).unwrap(), "precious");
    assert!(!machine.path("not-yet").exists());
}

#[cfg(unix)]
#[test]
fn files_whatever_is_written_is_its_owners_alone() {
    let machine = Machine::new();
    let cofio = env!("CARGO_BIN_EXE_cofio");
    let script = format!(
        "umask 000; {cofio} remember tea && {cofio} backup copy.db && {cofio} export out.jsonl"
    );
    let mut shell = std::process::Command::new("/bin/sh");
    shell.env_clear().env("USER", "alice").env("COFIO_HOME", machine.home(""));
    let output = shell.args(["-c", &script]).current_dir(machine.path("")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mode = crate::machine::mode;
    assert_eq!(mode(&machine.home("")), 0o700);
    for file in fs::read_dir(machine.home("")).unwrap().map(|entry| entry.unwrap().path()) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    assert_eq!((mode(&machine.path("copy.db")), mode(&machine.path("out.jsonl"))), (0o600, 0o600));
}

#[test]
fn files_a_name_is_no_address() {
    let machine = Machine::new();
    remembered(&machine, "tea");
    for name in ["file:copy.db?mode=memory", "file:copy.db?vfs=memdb", ":memory:"] {
        let run = |arguments: &[&str]| machine.command().args(arguments).output().unwrap();
        assert_eq!(complaint(&run(&["backup", name])), (String::new(), 0), "{name}");
        assert!(machine.path(name).is_file(), "{name}");
        assert_eq!(complaint(&run(&["restore", name, "--yes"])).1, 0, "{name}");
        let stored = format!("{name}-store");
        assert_eq!(complaint(&run(&["remember", "coffee", "--store", &stored])).1, 0, "{name}");
        assert!(machine.path(&stored).is_file(), "{name}");
    }
    assert_eq!(listed(&machine), ["tea"]);
}

#[test]
fn input_a_line_that_is_no_sound_json_keeps_nothing() {
    let machine = Machine::new();
    let bulk = |input: &[u8]| feed(machine.command().args(["remember", "--jsonl"]), input);
    let deep = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"content":"x","metadata":{{"a":{open}1{close}}}}}"#).into_bytes()
    };
    for line in [
        &b"{"[..],
        b"[]",
        b"null",
        b"\"text\"",
        br#"{"content":null}"#,
        br#"{"content":""}"#,
        br#"{"content":"\ud800"}"#,
        br#"{"content":"x","importance":NaN}"#,
        br#"{"content":"x","importance":1e400}"#,
        br#"{"content":"x","importance":-0.1}"#,
        br#"{"content":"x","ttl":"999999999999999999999d"}"#,
        br#"{"content":"x","eventAt":"9999-12-31"}"#,
        br#"{"content":"x","userId":"bob"}"#,
        br#"{"content":"x","trust":"high"}"#,
        b"{\"content\":\"\xff\xfe\"}",
        &deep(40),
        &deep(100_000),
    ] {
        let mut input = b"{\"content\":\"first\"}\n".to_vec();
        input.extend(line);
        let (text, code) = complaint(&bulk(&input));
        let shown = String::from_utf8_lossy(&line[..line.len().min(60)]);
        assert!(code == 2 && text.starts_with("error: line 2: "), "{shown}: {text}");
        assert!(listed(&machine).is_empty(), "{shown}");
    }
    // Of two values for one name the last one counts, here as in every reader of JSON.
    assert_eq!(complaint(&bulk(br#"{"content":"one","content":"two"}"#)).1, 0);
    assert_eq!(listed(&machine), ["two"]);
}

#[test]
fn input_a_moment_at_the_end_of_time_hides_nothing() {
    let machine = Machine::new();
    for moment in ["9999-12-30T22:00:00.9Z", "-009999-01-02T01:59:59Z"] {
        let (text, code) = complaint(
            &machine.command().args(["remember", moment, "--event-time", moment]).output().unwrap(),
        );
        assert!(code == 0 || code == 2, "{moment}: {text}");
    }
    remembered(&machine, "tea");
    assert!(listed(&machine).contains(&"tea".to_owned()));
    assert_eq!(complaint(&machine.run("doctor")).1, 0);
}

#[test]
fn input_what_is_no_bundle_is_refused() {
    let machine = Machine::new();
    remembered(&machine, "tea");
    assert!(machine.run("export sound.jsonl").status.success());
    assert!(machine.run("backup copy.db").status.success());
    let sound = fs::read(machine.path("sound.jsonl")).unwrap();
    machine.write("empty", "");
    machine.write("cut", &sound[..sound.len() / 2]);
    machine.write("twice", [&sound[..], &sound[..]].concat());
    machine.write("bytes", [0_u8, 255, 1, 254, 10, 13]);
    machine.write("deep", "[".repeat(1_000_000));
    machine.write("squeezed", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03");
    for name in ["empty", "cut", "twice", "bytes", "deep", "squeezed", "copy.db"] {
        let (text, code) = complaint(&machine.run(&format!("import {name}")));
        assert!(code == 2 && text.starts_with("error: "), "{name}: {code} {text}");
    }
    for name in [".", "absent"] {
        assert!(complaint(&machine.run(&format!("import {name}"))).1 > 0, "{name}");
    }
    assert_eq!(complaint(&machine.run("import sound.jsonl")).1, 0);
}

/// Returns everything that a command told.
fn told(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()];
    both.map(String::from_utf8_lossy).concat()
}

fn bytes_below(folder: &Path) -> String {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.is_file());
    files.map(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()).collect()
}

#[test]
fn privacy_a_secret_is_in_no_answer_and_in_no_file() {
    let machine = Machine::new();
    let id = remembered(&machine, "'call @bob about the order'");
    let line = format!(r#"{{"content":"line {KEY}","title":"{KEY}","tags":["{KEY}"]}}"#);
    let jsonl = feed(machine.command().args(["remember", "--jsonl"]), line.as_bytes());
    let mut all = told(&jsonl);
    for arguments in [
        format!(
            "remember 'note {KEY}' --title {KEY} --tag {KEY} --author {KEY} --role {KEY} --reference {KEY} --tool {KEY} --message {KEY}"
        ),
        format!("remember '{{\"{KEY}\":1}}' --metadata '{{\"{KEY}\":[\"{KEY}\"]}}'"),
        format!("remember --fact {KEY} {KEY} {KEY} {KEY}"),
        format!("remember 'from the web {KEY}' --source web-fetch --kind episode"),
        format!("remember x --user {KEY}"),
        format!("remember x --layer session --session {KEY}"),
        format!("edit {id} --content 'call {KEY}' --title {KEY}"),
        format!("edit {id} --metadata '{{\"{KEY}\":\"{KEY}\"}}'"),
        format!("context set {KEY} {KEY}"),
        format!("context get {KEY}"),
        format!("context '{KEY}' --episodes 5"),
        format!("window push user 'it is {KEY}' --session s1"),
        "window show --session s1".to_owned(),
        format!("search 'where is {KEY}' --explain"),
        format!("search {KEY} --mode keyword --json"),
        format!("why-not {id} {KEY}"),
        format!("entity {KEY}"),
        format!("review permit {KEY}"),
        format!("history {id} --json"),
        "list --json --limit 100".to_owned(),
        "audit list --limit 500 --json".to_owned(),
        "export -".to_owned(),
        "doctor --json".to_owned(),
    ] {
        let answer = told(&machine.run(&arguments));
        assert!(!answer.contains(KEY), "{arguments}: {answer}");
        all.push_str(&answer);
    }
    assert!(!bytes_below(&machine.home("")).contains(KEY));
    assert!(all.contains("[SECRET_REDACTED]") && !all.contains(KEY));
    assert!(listed(&machine).contains(&"note [SECRET_REDACTED]".to_owned()));
}
