//! What a prompt is told has a source that is still there, and what is forgotten is gone.

use std::fs;

use cofio::bundle::{Reader, Writer};
use cofio::model::MemoryId;
use serde_json::Value;

use super::{done, json, remember, texts};
use crate::machine::{Machine, complaint};

const CANARY: &str = "quokkaflamingo";

#[test]
fn deletion_what_is_forgotten_is_found_by_no_probe() {
    let machine = Machine::new();
    let sibling = remember(&machine, "'the sparrow of the harbour stays with @eve'");
    let id = remember(
        &machine,
        &format!("'the {CANARY} of the harbour sings to @{CANARY}' --tag {CANARY}"),
    );
    let question = format!("where does the {CANARY} of the harbour sing");
    done(&machine, &format!("edit {id} --title {CANARY}"));
    assert_eq!(texts(&machine, &format!("search '{question}'")).len(), 2);
    assert!(done(&machine, &format!("context '{question}'")).contains(CANARY));
    done(&machine, "backup older.db");
    done(&machine, "export older.jsonl");

    done(&machine, &format!("forget {id} --yes"));
    let gone = |when: &str| {
        for (probe, code) in [
            (format!("show {id}"), 3),
            (format!("history {id}"), 3),
            (format!("why-not {id} harbour"), 3),
            (format!("edit {id} --title T"), 3),
            (format!("forget {id} --yes"), 3),
            (format!("entity {CANARY}"), 3),
            (format!("search '{question}'"), 0),
            (format!("context '{question}'"), 0),
            (format!("list --tag {CANARY}"), 0),
            ("list --json".to_owned(), 0),
            ("entity".to_owned(), 0),
            ("stats --json".to_owned(), 0),
            ("audit list --limit 1000 --json".to_owned(), 0),
            ("export -".to_owned(), 0),
            ("doctor --json".to_owned(), 0),
        ] {
            let output = machine.run(&probe);
            let (text, found) = complaint(&output);
            assert_eq!(found, code, "{when}: {probe}: {text}");
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(!told.contains(CANARY), "{when}: {probe}: {told}");
        }
        for file in fs::read_dir(machine.home("")).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = fs::read(&file).unwrap();
            let left = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
            assert!(!left, "{when}: {}", file.display());
        }
        assert_eq!(texts(&machine, "search harbour").len(), 1, "{when}: its sibling stays");
        assert_eq!(json(&machine, &format!("show {sibling}"))["version"], 1, "{when}");
    };
    gone("at once");
    done(&machine, "doctor --rebuild");
    gone("after everything was made anew");
    done(&machine, "import older.jsonl --on-conflict replace");
    gone("after an older bundle came back");
    done(&machine, "restore older.db --yes");
    gone("after an older copy came back");
    let audit = done(&machine, "audit list --limit 1000");
    assert!(audit.contains("memory_delete") && audit.contains("memory_write"), "{audit}");
    done(&machine, "audit verify");
}

/// Makes memories that were concluded from others, as a bundle says.
fn derive(machine: &Machine, parents: &[&str], children: &[&str]) {
    done(machine, "export plain.jsonl --force");
    let plain = fs::read(machine.path("plain.jsonl")).unwrap();
    let mut reader = Reader::new(plain.as_slice()).unwrap();
    let mut writer = Writer::new("2026-01-01T00:00:00Z".parse().unwrap());
    while let Some(mut record) = reader.read().unwrap() {
        if children.contains(&record.memory.id.as_str()) {
            let parents = parents.iter().map(|id| id.parse::<MemoryId>().unwrap());
            record.memory.provenance.derived_from = parents.collect();
        }
        writer.add(&record);
    }
    machine.write("linked.jsonl", writer.finish());
    done(machine, "import linked.jsonl --on-conflict replace");
}

#[test]
fn evidence_what_a_prompt_is_told_has_a_source_that_is_still_there() {
    let machine = Machine::new();
    let source = remember(&machine, "'ferry: the page says nine' --kind episode");
    let other = remember(&machine, "'ferry: Bob says ten' --kind episode");
    let children = [
        remember(&machine, "'The ferry sails at nine'"),
        remember(&machine, "'Ferries are early' --kind reflection"),
        remember(&machine, "'The ferry was early today' --kind episode"),
        remember(&machine, "--fact sails ferry 'departs at' nine"),
        remember(&machine, "'ferry today' --kind context"),
    ];
    remember(&machine, "'The ferry is blue'");
    let ids: Vec<&str> = children.iter().map(String::as_str).collect();
    derive(&machine, &[&source], &ids);
    derive(&machine, &[&source, &other], &ids[..1]);
    let told = |machine: &Machine| {
        let block = json(machine, "context 'when does the ferry sail' --episodes 10 --facts 10");
        let memories = block["memories"].as_array().unwrap();
        memories.iter().map(|id| id.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let before = told(&machine);
    assert!(before.contains(&children[0]) && before.contains(&children[1]), "{before:?}");
    for id in &before {
        let memory = json(&machine, &format!("show {id}"));
        for parent in memory["derivedFrom"].as_array().into_iter().flatten() {
            done(&machine, &format!("show {}", parent.as_str().unwrap()));
        }
    }
    let asked = || {
        let answer = json(&machine, "search 'when does the ferry sail' --limit 20");
        let weighed = |one: &Value| (one["memory"]["id"].clone(), one["signals"].clone());
        answer["results"].as_array().unwrap().iter().map(weighed).collect::<Vec<_>>()
    };
    let answer = asked();
    done(&machine, "doctor --rebuild");
    assert_eq!(asked(), answer, "everything that is derived was made anew");
    done(&machine, &format!("forget {source} --yes"));
    for id in &children {
        assert_eq!(complaint(&machine.run(&format!("show {id}"))).1, 3, "{id} has no source");
    }
    let after = told(&machine);
    assert!(children.iter().all(|child| !after.contains(child)), "{after:?}");
    assert!(texts(&machine, "search early").is_empty());
    let left = texts(&machine, "search ferry");
    assert!(left.len() == 2 && left.contains(&"The ferry is blue".to_owned()), "{left:?}");
    done(&machine, &format!("show {other}"));
}
