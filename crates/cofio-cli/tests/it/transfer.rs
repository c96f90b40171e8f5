//! Bundles and copies.

use std::fs;

use crate::machine::{Machine, complaint, feed};

#[test]
fn a_bundle_takes_everything_to_another_store() {
    let machine = Machine::new();
    machine.transcript(
        r#"
        $ cofio remember tea --event-time 2026-01-31 --tag hot
        remembered fact_1 in user:alice
        $ cofio edit fact_1 --content 'green tea'
        changed fact_1 in user:alice, now version 2
        $ cofio remember coffee --layer session --session s1
        remembered fact_2 in session:alice/s1
        $ cofio export bundle.jsonl
        exported 2 memories of alice to bundle.jsonl
        $ cofio export bundle.jsonl
        ! error: bundle.jsonl is there already: add --force to replace it
        [4]
        $ cofio export bundle.jsonl --force --json
        {
          "memories": 2,
          "file": "bundle.jsonl",
          "userId": "alice",
          "allUsers": false
        }
        $ cofio --store other.db import bundle.jsonl --dry-run
        would import 2 new and 0 changed for alice
        $ cofio --store other.db import bundle.jsonl
        imported 2 new and 0 changed for alice
        $ cofio --store other.db import bundle.jsonl
        imported 0 new and 0 changed for alice
          here already: 2
        $ cofio --store other.db history fact_1
        version 1, TIME
          tea
        version 2, TIME
          green tea
        ! in user:alice
        $ cofio --store other.db list --session s1
        coffee
          fact_2 · session:alice/s1 · TIME
        green tea
          fact_1 · user:alice · TIME · #hot
        ! 2 of 2 in user:alice, session:alice/s1
        "#,
    );
    #[cfg(unix)]
    assert_eq!(crate::machine::mode(&machine.path("bundle.jsonl")), 0o600);
    let memories = |store: &str| {
        let output = machine.run(&format!("{store} export -"));
        let text = String::from_utf8(output.stdout).unwrap();
        // The first line has a time in it, and the last one a checksum of it.
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines[1..lines.len() - 1].to_vec()
    };
    assert_eq!(memories(""), memories("--store other.db"));
}

#[test]
fn a_bundle_is_read_from_standard_input() {
    let machine = Machine::new();
    machine.transcript("$ cofio remember tea\nremembered fact_1 in user:alice\n");
    let bundle = machine.run("export -").stdout;
    let mut command = machine.command();
    let output = feed(command.args(["--store", "other.db", "import", "-"]), &bundle);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "imported 1 new and 0 changed for alice\n"
    );
}

#[test]
fn a_conflict_is_solved_as_asked() {
    Machine::new().transcript(
        r#"
        $ cofio remember tea
        remembered fact_1 in user:alice
        $ cofio export bundle.jsonl
        exported 1 memory of alice to bundle.jsonl
        $ cofio edit fact_1 --content coffee
        changed fact_1 in user:alice, now version 2
        $ cofio import bundle.jsonl
        imported 0 new and 0 changed for alice
          here already: 1
        $ cofio import bundle.jsonl --on-conflict newer
        imported 0 new and 0 changed for alice
          here already: 1
        $ cofio import bundle.jsonl --on-conflict fail
        ! error: fact_1 is here already and differs from the bundle's
        [4]
        $ cofio import bundle.jsonl --on-conflict replace --trust low
        imported 0 new and 0 changed for alice
          refused: 1 (credentials, or trusted less than what is here)
        $ cofio import bundle.jsonl --on-conflict replace --json
        {
          "created": 0,
          "replaced": 1,
          "skipped": 0,
          "duplicates": 0,
          "forgotten": 0,
          "rejected": 0,
          "refused": 0,
          "redacted": 0,
          "dryRun": false,
          "userId": "alice",
          "allUsers": false
        }
        $ cofio show fact_1
        tea

          id           fact_1
          scope        user:alice
          kind         fact, active
          source       manual, trust high
          happened     TIME
          learnt       TIME
          changed      TIME
          read         0 times
          version      3
        $ cofio forget fact_1
        forgot 1 memory in user:alice
        $ cofio import bundle.jsonl
        imported 0 new and 0 changed for alice
          left out: 1 (forgotten here, or their ids are taken)
        "#,
    );
}

#[test]
fn a_bundle_that_is_wrong_changes_nothing() {
    let machine = Machine::new();
    let line = |number| format!("{{\"content\": \"memory {number}\"}}\n");
    let lines: String = (0..700).map(line).collect();
    let mut command = machine.command();
    let output = feed(command.args(["remember", "--jsonl"]), lines.as_bytes());
    assert!(output.status.success());
    assert!(machine.run("export bundle.jsonl").status.success());
    let bundle = fs::read_to_string(machine.path("bundle.jsonl")).unwrap();
    let last = bundle.lines().last().unwrap();
    for (name, content) in [
        ("changed", bundle.replacen("memory 7", "memory x", 1)),
        ("cut off", bundle.replace(last, "")),
        ("longer", format!("{bundle}more")),
        ("another", "{}\n".to_owned()),
        ("empty", String::new()),
        ("deep", "[".repeat(100_000)),
    ] {
        machine.write("broken.jsonl", content);
        let (text, code) = complaint(&machine.run("--store other.db import broken.jsonl"));
        assert!(code == 2 && text.starts_with("error: "), "{name}: {code} {text}");
    }
    let (text, code) = complaint(&machine.run("--store other.db import bundle.jsonl --user bob"));
    assert_eq!((text.as_str(), code), ("error: this caller may not open user:alice", 1));
    machine.transcript(
        "
        $ cofio --store other.db stats --all-users
        0 memories, 0 bytes of text
        ! in 0 scopes of everyone
        $ cofio --store other.db import bundle.jsonl --user bob --all-users
        imported 700 new and 0 changed for everyone
        $ cofio --store other.db import missing.jsonl
        ! error: cannot read missing.jsonl: No such file or directory (os error 2)
        [1]
        ",
    );
}

#[test]
fn a_copy_brings_back_what_was_there_but_not_what_was_forgotten() {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio remember one
        remembered fact_1 in user:alice
        $ cofio remember two
        remembered fact_2 in user:alice
        $ cofio backup copy.db
        copied HOME/cofio.db to copy.db
        $ cofio backup copy.db
        ! error: copy.db is there already
        [4]
        $ cofio forget fact_2
        forgot 1 memory in user:alice
        $ cofio edit fact_1 --content three
        changed fact_1 in user:alice, now version 2
        $ cofio restore copy.db
        ! error: this needs to be confirmed: add --yes
        [4]
        $ cofio restore copy.db --yes
        restored HOME/cofio.db from copy.db
          still forgotten: 1 memory
        $ cofio list
        one
          fact_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        $ cofio audit verify
        the record is whole: 6 entries
        $ cofio restore missing.db --yes
        ! error: cannot read missing.db: No such file or directory (os error 2)
        [1]
        ",
    );
    #[cfg(unix)]
    assert_eq!(crate::machine::mode(&machine.path("copy.db")), 0o600);
    machine.write("junk.db", "this is no database, and long enough to be looked at".repeat(100));
    let (text, code) = complaint(&machine.run("restore junk.db --yes"));
    assert!(code == 1 && text.contains("damaged or no Cofio store"), "{text}");
    machine.transcript(
        "
        $ cofio list
        one
          fact_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        ",
    );
}

#[test]
fn nothing_is_written_over_the_store() {
    let machine = Machine::new();
    assert!(machine.run("remember tea").status.success());
    let store = machine.home("cofio.db");
    let mut targets: Vec<_> = ["cofio.db", "cofio.db-wal", "cofio.db-shm", "cofio.db-journal"]
        .map(|name| machine.home(name))
        .to_vec();
    targets.push(machine.home("../home/./cofio.db-journal"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(machine.home(""), machine.path("folder")).unwrap();
        std::os::unix::fs::symlink(&store, machine.path("soft.db")).unwrap();
        fs::hard_link(&store, machine.path("hard.db")).unwrap();
        targets
            .extend(["folder/cofio.db-wal", "soft.db", "hard.db"].map(|name| machine.path(name)));
    }
    for target in targets {
        for command in ["export --force", "export", "backup", "restore --yes"] {
            let mut words = machine.command();
            let (text, code) =
                complaint(&words.args(command.split(' ')).arg(&target).output().unwrap());
            let expected = format!(
                "error: {} belongs to the store {}: give another file",
                target.display(),
                store.display()
            );
            assert_eq!((text, code), (expected, 2), "{command}");
        }
    }
    #[cfg(unix)]
    {
        // The companions are beside the file that a link leads to.
        let store = machine.path("soft.db");
        let mut command = machine.command();
        command.args(["backup", "--store"]).arg(&store).arg(machine.home("cofio.db-journal"));
        assert_eq!(complaint(&command.output().unwrap()).1, 2);
    }
    assert!(String::from_utf8_lossy(&machine.run("list").stdout).contains("tea"));
}

#[test]
fn a_store_that_cannot_be_opened_is_moved_aside() {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio remember one
        remembered fact_1 in user:alice
        $ cofio backup copy.db
        copied HOME/cofio.db to copy.db
        $ cofio remember two
        remembered fact_2 in user:alice
        ",
    );
    let damaged = b"this is no database".repeat(1_000);
    fs::write(machine.home("cofio.db"), &damaged).unwrap();
    machine.write("junk.db", &damaged);
    let (text, code) = complaint(&machine.run("restore junk.db --yes"));
    assert!(code == 1 && text.starts_with("error: cannot restore junk.db: "), "{text}");
    machine.transcript(
        "
        $ cofio restore copy.db
        ! error: HOME/cofio.db is damaged: this needs to be confirmed: add --yes
        [4]
        ",
    );
    assert_eq!(fs::read(machine.home("cofio.db")).unwrap(), damaged);
    machine.transcript(
        "
        $ cofio restore copy.db --yes
        restored HOME/cofio.db from copy.db
          the damaged store is now HOME/cofio.db.damaged
          what was forgotten since the copy could not be read there, and may be back
        $ cofio list
        one
          fact_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        ",
    );
    assert_eq!(fs::read(machine.home("cofio.db.damaged")).unwrap(), damaged);
    fs::write(machine.home("cofio.db"), &damaged).unwrap();
    machine.transcript(
        r#"
        $ cofio restore copy.db --yes --json
        {
          "store": "HOME/cofio.db",
          "file": "copy.db",
          "keptForgotten": 0,
          "revokedKeys": 0,
          "damagedStore": "HOME/cofio.db.damaged-2",
          "forgottenWasRead": false
        }
        "#,
    );
    let names = fs::read_dir(machine.home("")).unwrap();
    let mut left: Vec<_> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    left.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    assert_eq!(left.len(), 6, "three stores, each with the head of its audit: {left:?}");
}

#[test]
fn a_store_that_opens_and_cannot_be_restored_is_moved_aside_and_what_it_forgot_is_kept() {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio remember zanzibar
        remembered fact_1 in user:alice
        $ cofio remember two
        remembered fact_2 in user:alice
        $ cofio backup copy.db
        copied HOME/cofio.db to copy.db
        $ cofio forget fact_2
        forgot 1 memory in user:alice
        ",
    );
    let mut bytes = fs::read(machine.home("cofio.db")).unwrap();
    for page in bytes.chunks_mut(4_096) {
        if page.windows(8).any(|text| text == b"zanzibar") {
            page[..100].fill(0xff);
        }
    }
    fs::write(machine.home("cofio.db"), bytes).unwrap();
    machine.transcript(
        "
        $ cofio restore copy.db --yes
        restored HOME/cofio.db from copy.db
          still forgotten: 1 memory
          the damaged store is now HOME/cofio.db.damaged
        $ cofio list
        zanzibar
          fact_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        ",
    );
}

#[cfg(unix)]
#[test]
fn a_damaged_store_behind_a_link_is_moved_where_it_is() {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio remember one
        remembered fact_1 in user:alice
        $ cofio backup copy.db
        copied HOME/cofio.db to copy.db
        ",
    );
    machine.write("elsewhere/real.db", b"this is no database".repeat(1_000));
    std::os::unix::fs::symlink("elsewhere/real.db", machine.path("link.db")).unwrap();
    machine.transcript(
        "
        $ cofio --store link.db restore copy.db --yes
        restored WORK/link.db from copy.db
          the damaged store is now WORK/elsewhere/real.db.damaged
          what was forgotten since the copy could not be read there, and may be back
        $ cofio --store link.db list
        one
          fact_1 · user:alice · TIME
        ! 1 of 1 in user:alice
        ",
    );
}

#[test]
fn a_folder_in_the_place_of_the_store_stays() {
    let machine = Machine::new();
    assert!(machine.run("--store other.db remember tea").status.success());
    assert!(machine.run("--store other.db backup copy.db").status.success());
    fs::create_dir_all(machine.home("cofio.db")).unwrap();
    let (text, code) = complaint(&machine.run("restore copy.db --yes"));
    assert!(code == 1 && text.contains("cannot open"), "{text}");
    assert!(machine.home("cofio.db").is_dir());
}

#[test]
fn the_help_says_how_far_an_import_is_all_or_nothing() {
    let help = String::from_utf8(Machine::new().run("import --help").stdout).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("verified and rehearsed as a whole first"), "{help}");
    assert!(help.contains("may stop part-way; it can be repeated"), "{help}");
}

#[test]
fn the_graph_of_the_reference_server_is_taken_in_once() {
    let machine = Machine::new();
    let graph = r#"{"type":"entity","name":"Alice","entityType":"person","observations":["likes tea"]}
{"type":"relation","from":"Alice","to":"Bob","relationType":"knows"}
{"type":"entity","name":"router","entityType":"device","observations":["the password is hunter2zz"]}
"#;
    machine.write("memory.jsonl", graph);
    machine.write("broken.jsonl", "{\"type\":\"entity\"}\n");
    machine.transcript(
        r#"
        $ cofio import memory.jsonl --from server-memory
        imported 4 new into user:alice
          refused: 1 (credentials, or rejected before)
        $ cofio import memory.jsonl --from server-memory --json
        {
          "created": 0,
          "existing": 4,
          "refused": 1,
          "redacted": 0,
          "scope": "user:alice"
        }
        $ cofio facts --type relation
        Alice knows Bob (relation)
          proc_1 · user:alice · confidence 1
        ! 1 of 1 in user:alice
        $ cofio search who likes tea
        Alice: likes tea
          fact_2 · user:alice · TIME
        ! in user:alice
        ! searched by words and names only: cofio model pull adds meaning
        $ cofio import broken.jsonl --from server-memory
        ! error: line 1 is neither an entity nor a relation
        [2]
        $ cofio import memory.jsonl --from server-memory --dry-run
        ! error: --dry-run, --all-users and --on-conflict are for files that cofio export wrote
        [2]
        "#,
    );
}
