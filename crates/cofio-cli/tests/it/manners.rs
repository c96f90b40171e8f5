//! How the command behaves towards terminals, pipes and programs.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::machine::{Machine, complaint, feed};

/// Gives a command a standard output that nobody reads.
fn unread(machine: &Machine, arguments: &[&str]) -> (String, i32) {
    let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().unwrap();
    let pipe = reader.stdin.take().unwrap();
    reader.wait().unwrap();
    let output = machine.command().args(arguments).stdout(pipe).output().unwrap();
    complaint(&output)
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let machine = Machine::new();
    assert!(machine.run("remember tea").status.success());
    for arguments in
        ["list", "search tea", "export -", "doctor", "completions bash", "help", "list --json"]
    {
        let words: Vec<&str> = arguments.split(' ').collect();
        let (text, code) = unread(&machine, &words);
        assert!(
            code == 0 && !text.contains("error") && !text.contains("panic"),
            "{arguments}: {text}"
        );
    }
    // What was to be done is done, whether or not anybody hears of it.
    assert_eq!(unread(&machine, &["remember", "coffee"]).1, 0);
    assert!(String::from_utf8_lossy(&machine.run("list").stdout).contains("coffee"));
}

#[test]
fn nothing_is_asked_without_a_terminal() {
    let machine = Machine::new();
    assert!(machine.run("remember tea --tag draft").status.success());
    assert!(machine.run("backup copy.db").status.success());
    for arguments in ["forget --tag draft", "clear semantic", "clear all", "restore copy.db"] {
        let mut command = machine.command();
        let output = feed(command.args(arguments.split(' ')), b"y\nall\ny\n");
        let (text, code) = complaint(&output);
        assert!(
            code == 4 && text.starts_with("error: this needs to be confirmed: add --yes"),
            "{text}"
        );
    }
    assert_eq!(machine.run("forget --tag draft --yes").status.code(), Some(0));
}

#[test]
fn a_terminal_is_asked_and_not_taken_over() {
    let machine = Machine::new();
    if Command::new("script").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("skipped: there is no `script` to make a terminal with");
        return;
    }
    let on_a_terminal = |arguments: &str, typed: &str| {
        let cofio = env!("CARGO_BIN_EXE_cofio");
        let mut command = Command::new("script");
        command.args(["-qec", &format!("{cofio} {arguments}"), "/dev/null"]);
        command.env("USER", "alice").env("COFIO_HOME", machine.home("")).env("NO_COLOR", "1");
        let output = feed(command.current_dir(machine.path("")), typed.as_bytes());
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    };
    assert!(machine.run("remember tea\u{1b}[2J --tag draft").status.success());
    let (text, code) = on_a_terminal("forget --tag draft", "n\n");
    assert!(
        text.contains(r"tea\u{1b}[2J") && text.contains("Forget 1 memory in user:alice? [y/N]"),
        "{text}"
    );
    assert!(code == Some(4) && text.contains("nothing was changed"), "{text}");
    assert_eq!(on_a_terminal("clear all", "y\nno\n").1, Some(4));
    assert_eq!(on_a_terminal("clear all", "y\nall\n").1, Some(0));
    assert_eq!(machine.run("clear all --yes --yes").status.code(), Some(3));
}

#[test]
fn text_cannot_take_a_terminal_over() {
    let machine = Machine::new();
    let evil = "a\u{1b}]0;title\u{7}b\u{9b}2Jc\rd\u{202e}e\nf";
    let mut command = machine.command();
    command.args(["remember", evil, "--title", evil, "--tag", evil, "--author", evil]);
    assert!(
        command.args(["--reference", evil, "--kind", "episode"]).output().unwrap().status.success()
    );
    let id = machine.run("list --json");
    let id: Value = serde_json::from_slice(&id.stdout).unwrap();
    let memory = &id["memories"][0];
    assert_eq!(memory["content"], evil);
    let show = format!("show {}", memory["id"].as_str().unwrap());
    // What goes into a prompt has nothing that nobody sees, so there is nothing to show.
    let block = "context title --episodes 1";
    for arguments in ["list", "search title --explain", block, &show] {
        let text = String::from_utf8(machine.run(arguments).stdout).unwrap();
        let shown = if arguments == block { "]0;title" } else { r"\u{1b}]0;title\u{7}" };
        assert!(text.contains(shown), "{arguments}: {text}");
        let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(obeyed), "{arguments}: {text:?}");
    }
}

#[test]
fn an_argument_cannot_take_a_terminal_over() {
    let machine = Machine::new();
    let evil = "--a\u{1b}]0;title\u{7}b\u{9b}2Jc\rd\u{202e}e";
    for arguments in
        [&[evil][..], &["list", evil], &["list", "--limit", evil], &["list", "--kind", evil]]
    {
        let (text, code) = complaint(&machine.command().args(arguments).output().unwrap());
        assert!(code == 2 && text.starts_with("error: "), "{arguments:?}: {text}");
        assert!(text.contains(r"--a\u{1b}]0;title\u{7}b"), "{arguments:?}: {text}");
        let obeyed = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(obeyed), "{arguments:?}: {text:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_done_but_cannot_be_told_says_so() {
    let machine = Machine::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = machine.command().args(["remember", "tea"]).stdout(full).output().unwrap();
    let expected =
        "error: done, but the answer could not be written: No space left on device (os error 28)";
    assert_eq!(complaint(&output), (expected.to_owned(), 1));
    assert!(String::from_utf8_lossy(&machine.run("list").stdout).contains("tea"));
}

#[cfg(unix)]
#[test]
fn paths_that_are_not_unicode_are_written_as_far_as_they_are() {
    use std::os::unix::ffi::OsStrExt as _;
    let machine = Machine::new();
    let name = |name: &'static [u8]| std::ffi::OsStr::from_bytes(name);
    let json = |command: &mut Command| -> Value {
        let output = command.arg("--json").output().unwrap();
        let answer = if output.status.success() { &output.stdout } else { &output.stderr };
        let answer = serde_json::from_slice(answer);
        answer.unwrap_or_else(|_| panic!("{command:?}: {}", complaint(&output).0))
    };
    assert!(machine.run("remember tea").status.success());
    assert!(machine.run("backup copy.db").status.success());
    std::fs::rename(machine.path("copy.db"), machine.path("").join(name(b"c\xff.db"))).unwrap();
    let exported = json(machine.command().arg("export").arg(name(b"q\xff.jsonl")));
    assert_eq!(exported["file"], "q\u{fffd}.jsonl");
    let restored = json(machine.command().args(["restore", "--yes"]).arg(name(b"c\xff.db")));
    assert_eq!(restored["file"], "c\u{fffd}.db");
    json(machine.command().arg("backup").arg(name(b"b\xff.db")));
    let home = machine.path("").join(name(b"h\xff"));
    let shown = home.join("cofio.db").display().to_string();
    for command in ["demo", "doctor"] {
        let report = json(machine.command().arg(command).env("COFIO_HOME", &home));
        assert_eq!(report["store"], shown.as_str(), "{command}");
    }
    let project = machine.path("").join(name(b"p\xff"));
    std::fs::create_dir_all(project.join(".cofio")).unwrap();
    std::fs::write(project.join(".cofio/config.toml"), "team = \"blue\"\n").unwrap();
    let mut doctor = machine.command();
    doctor.current_dir(&project).args(["doctor", "--store"]).arg(name(b"s\xff.db"));
    let report = json(&mut doctor);
    let below = |end: &str| project.join(end).display().to_string();
    assert_eq!(report["projectFile"], below(".cofio/config.toml").as_str());
    assert_eq!(report["settings"][0]["value"], below("").as_str().to_owned() + "s\u{fffd}.db");
}

#[test]
fn colour_is_for_terminals_unless_somebody_wants_it() {
    let machine = Machine::new();
    assert!(machine.run("remember tea").status.success());
    let colourful = |arguments: &str| machine.run(arguments).stdout.contains(&0x1b);
    assert!(!colourful("list"));
    assert!(colourful("list --color always"));
    assert!(!colourful("list --color always --json"));
}

#[test]
fn an_error_in_json_says_what_a_program_needs() {
    Machine::new().transcript(
        r#"
        $ cofio remember tea
        remembered fact_1 in user:alice
        $ cofio edit fact_1 --title T --version 7 --json
        ! {
        !   "error": {
        !     "code": "CONFLICT",
        !     "message": "fact_1 has version 1, not 7: somebody changed it since",
        !     "operation": "update",
        !     "details": {
        !       "expected": 7,
        !       "found": 1
        !     },
        !     "retryable": false
        !   }
        ! }
        [4]
        $ cofio list --layer team --json
        ! {
        !   "error": {
        !     "code": "MISSING_IDENTIFIER",
        !     "message": "the team layer needs the team identifier: add --team NAME",
        !     "operation": "list",
        !     "details": {
        !       "layer": "team",
        !       "missing": "teamId"
        !     },
        !     "retryable": false
        !   }
        ! }
        [2]
        $ cofio clear all --json
        ! {
        !   "error": {
        !     "code": "CONFIRMATION_NEEDED",
        !     "message": "this needs to be confirmed: add --yes --yes",
        !     "operation": null,
        !     "details": {},
        !     "retryable": false
        !   }
        ! }
        [4]
        $ cofio list --limit x --json
        ! {
        !   "error": {
        !     "code": "INVALID_INPUT",
        !     "message": "invalid value 'x' for '--limit <NUMBER>': invalid digit found in string",
        !     "operation": null,
        !     "details": {},
        !     "retryable": false
        !   }
        ! }
        [2]
        $ cofio search tea --mode semantic --json
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
        "#,
    );
}

#[test]
fn every_answer_has_a_json_form_and_no_notes() {
    let machine = Machine::new();
    let json = |arguments: &str| -> Value {
        let output = machine.run(&format!("{arguments} --json"));
        assert_eq!(complaint(&output), (String::new(), 0), "{arguments}");
        serde_json::from_slice(&output.stdout).expect(arguments)
    };
    let id = json("remember 'call @bob' --tag draft")["memory"]["id"].as_str().unwrap().to_owned();
    for (arguments, field) in [
        ("remember --fact has bob a phone", "memory"),
        ("search bob", "results"),
        ("context bob", "markdown"),
        ("context set key value", "contextKey"),
        ("context get key", "content"),
        (&format!("show {id}"), "content"),
        ("list", "memories"),
        (&format!("edit {id} --title T"), "embeddingRegenerated"),
        (&format!("history {id}"), "earlier"),
        ("stats", "scopes"),
        ("entity", "entities"),
        ("entity bob", "entities"),
        ("facts", "memories"),
        ("window push user hello --session s1", "turns"),
        ("window show --session s1", "turns"),
        ("window clear --session s1", "cleared"),
        ("audit list", "entries"),
        ("audit verify", "valid"),
        ("export bundle.jsonl", "memories"),
        ("import bundle.jsonl", "skipped"),
        ("key create laptop --user alice", "token"),
        ("key list", "keys"),
        ("backup copy.db", "file"),
        ("restore copy.db --yes", "keptForgotten"),
        ("doctor", "checks"),
        ("model list", "models"),
        ("forget --tag draft --yes", "deleted"),
        ("clear all --yes --yes", "deleted"),
        ("demo", "searches"),
    ] {
        assert!(json(arguments).get(field).is_some(), "{arguments}");
    }
}

#[test]
fn files_are_private() {
    let machine = Machine::new();
    assert!(machine.run("remember tea").status.success());
    #[cfg(unix)]
    {
        assert_eq!(crate::machine::mode(&machine.home("")), 0o700);
        assert_eq!(crate::machine::mode(&machine.home("cofio.db")), 0o600);
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    let machine = Machine::new();
    let help = String::from_utf8(machine.run("--help").stdout).unwrap();
    let commands = "remember search context show list edit forget history stats entity facts \
                    window clear audit export import backup restore migrate doctor model demo \
                    completions";
    for command in commands.split_whitespace() {
        assert!(help.contains(&format!("  {command} ")), "{command} is not in the help");
        let help = String::from_utf8(machine.run(&format!("{command} --help")).stdout).unwrap();
        assert!(help.contains("Example"), "{command} has no example");
        assert!(help.contains(&format!("cofio {command}")), "{command} has no example of its own");
    }
}

#[test]
fn shells_and_manuals_know_every_command() {
    let machine = Machine::new();
    for reader in ["bash", "zsh", "fish", "powershell", "elvish", "man"] {
        let output = machine.run(&format!("completions {reader}"));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("remember") && text.contains("doctor"), "{reader}: {text}");
    }
    assert!(!machine.home("").exists());
}
