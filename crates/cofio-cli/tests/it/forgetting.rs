//! Forgetting by topic and by source, receipts, and looking for what is left.

use std::fs;

use serde_json::Value;

use crate::machine::{Machine, complaint, mode};

#[test]
fn what_a_topic_finds_is_shown_and_forgotten_when_somebody_agrees() {
    Machine::new().transcript(
        r#"
        $ cofio remember the quokka drinks tea
        remembered fact_1 in user:alice
        $ cofio remember the quokka sleeps --kind episode
        remembered ep_2 in user:alice
        $ cofio remember Wales is wet
        remembered fact_3 in user:alice
        $ cofio forget --topic quokka --kind fact --json
        {
          "candidates": [
            {
              "number": 1,
              "id": "fact_1",
              "scope": "user:alice",
              "score": N,
              "content": "the quokka drinks tea"
            }
          ]
        }
        ! {
        !   "error": {
        !     "code": "CONFIRMATION_NEEDED",
        !     "message": "this needs to be confirmed: add --yes to forget all of these, or give the ids of some",
        !     "operation": null,
        !     "details": {},
        !     "retryable": false
        !   }
        ! }
        [4]
        $ cofio forget --topic quokka --yes
        forgot 2 memories in user:alice
        $ cofio list
        Wales is wet
          fact_3 · user:alice · TIME
        ! 1 of 1 in user:alice
        "#,
    );
}

#[test]
fn ways_to_say_what_to_forget_do_not_mix() {
    Machine::new().transcript(
        "
        $ cofio forget --topic tea --source https://example.com
        ! error: give --topic or --source, not both
        [2]
        $ cofio forget fact_00000000000000000000000000000000 --topic tea
        ! error: give ids or --topic, not both
        [2]
        $ cofio forget --source https://example.com --kind fact
        ! error: --source stands alone: it means everything from there
        [2]
        $ cofio forget --source https://example.com
        ! error: no memory came from there: give a whole address or name
        [3]
        $ cofio forget --topic tea
        ! error: nothing like that was found in user:alice
        [3]
        ",
    );
}

#[test]
fn everything_from_a_source_goes_when_somebody_agrees() {
    Machine::new().transcript(
        "
        $ cofio remember one --source web-fetch --reference https://example.com --kind episode
        remembered ep_1 in user:alice
        $ cofio remember two --source web-fetch --reference https://example.com --kind episode --layer team --team blue
        remembered ep_2 in team:blue
        $ cofio remember three
        remembered fact_3 in user:alice
        $ cofio forget --source https://example.com
        ! error: this needs to be confirmed: add --yes
        [4]
        $ cofio forget --source https://example.com --yes
        forgot 2 memories in team:blue, user:alice
        $ cofio list
        three
          fact_3 · user:alice · TIME
        ! 1 of 1 in user:alice
        ",
    );
}

#[test]
fn a_receipt_is_private_and_shows_that_nothing_is_left() {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio remember the flamingoquokka drinks
        remembered fact_1 in user:alice
        $ cofio backup copy.db
        copied HOME/cofio.db to copy.db
        $ cofio forget fact_1 --receipt receipt.json
        forgot 1 memory in user:alice
        $ cofio forget fact_1 --receipt receipt.json
        ! error: receipt.json is there already
        [4]
        ",
    );
    let receipt = fs::read_to_string(machine.path("receipt.json")).unwrap();
    assert!(!receipt.contains("quokka"), "{receipt}");
    assert_eq!(mode(&machine.path("receipt.json")), 0o600);
    let verify = |more: &str| {
        let output = machine.run(&format!("verify-forgotten receipt.json --json {more}"));
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        (answer["verdict"].as_str().unwrap().to_owned(), output.status.code().unwrap())
    };
    let clean = ("clean".to_owned(), 0);
    assert_eq!(verify(""), clean);
    assert_eq!(verify("--text 'the flamingoquokka drinks'"), clean);
    assert_eq!(verify("--also copy.db"), ("left".to_owned(), 4));
    machine.write("receipt.json", receipt.replace("\"sequence\": ", "\"sequence\": 9"));
    assert_eq!(verify(""), ("left".to_owned(), 4), "the audit knows no such entry");
    let (message, code) = complaint(&machine.run("verify-forgotten nonsense"));
    assert!(message.contains("neither an id nor a receipt"), "{message}");
    assert_eq!(code, 1);
}

#[test]
fn a_memory_that_is_there_was_not_forgotten() {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio remember tea
        remembered fact_1 in user:alice
        $ cofio verify-forgotten fact_1 --text tea
        alive           1  memories and context windows
        clean           0  earlier versions
        clean           0  full-text index
        clean           0  vectors
        clean           0  names of entities
        clean           0  statements
        clean           0  conclusions drawn from them
        clean           0  records for ranking and authors
        clean           0  queue for embedding
        clean           0  repeated requests
        reference       1  sequence of changes
        clean           0  audit
        clean           0  codes of vectors
        left            1  ids without a mark that they were forgotten
        reference       1  links of other memories

        1 memory: alive
        ! error: a memory is still there
        [3]
        ",
    );
}

#[test]
fn purging_says_what_it_did_and_keeps_copies_until_somebody_agrees() {
    let machine = Machine::new();
    machine.transcript(
        "
        $ cofio remember tea
        remembered fact_1 in user:alice
        $ cofio purge
        overwrote 0 free pages of the store
        emptied the write-ahead log
        ",
    );
    let copies = ["cofio.db.v1.backup", "cofio.db.v2.backup-2", "cofio.db.vacation.backup"];
    for copy in copies {
        fs::write(machine.home(copy), "").unwrap();
    }
    machine.transcript(
        "
        $ cofio purge
        overwrote 0 free pages of the store
        emptied the write-ahead log
        kept HOME/cofio.db.v1.backup
        kept HOME/cofio.db.v2.backup-2
        ! error: the copies beside the store were kept: add --yes to remove them
        [4]
        $ cofio purge --yes
        overwrote 0 free pages of the store
        emptied the write-ahead log
        removed HOME/cofio.db.v1.backup
        removed HOME/cofio.db.v2.backup-2
        ",
    );
    assert!(machine.home(copies[2]).exists(), "what somebody named themselves is theirs");
}

#[test]
fn a_record_that_was_put_back_is_noticed() {
    let machine = Machine::new();
    machine.run("remember one");
    let older = fs::read(machine.home("cofio.db")).unwrap();
    machine.run("remember two");
    fs::write(machine.home("cofio.db"), older).unwrap();
    // With its log, a file is as new as the log.
    let _ = fs::remove_file(machine.home("cofio.db-wal"));
    let (message, code) = complaint(&machine.run("audit verify"));
    assert!(message.contains("older copy") && code == 1, "{message}");
    let doctor = machine.run("doctor");
    assert_eq!(doctor.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&doctor.stdout).contains("PROBLEM  audit"));
}
