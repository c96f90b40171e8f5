//! What is left to show that something was forgotten.

use std::collections::BTreeSet;

use cofio::Selection;
use cofio::engine::{Forgotten, Receipt};
use cofio::model::{AuditEntry, Caller, Criteria, Draft, Layer, Lifetime, MemoryId};
use cofio::store::Entries;
use cofio::wire::ReceiptOutput;
use jiff::SignedDuration;
use pollster::block_on;
use serde_json::json;

use crate::fixture::{Fixture, episode, fact, identifiers, keeper, local};

fn forget(fixture: &Fixture, ids: &[MemoryId]) -> Forgotten {
    block_on(fixture.engine.forget(&local("alice"), ids)).unwrap()
}

/// Returns the audit entry that a receipt names.
fn entry(fixture: &Fixture, receipt: &Receipt) -> AuditEntry {
    let after = Entries::After(receipt.audit.sequence - 1);
    block_on(fixture.engine.audit(&keeper(), after, 1)).unwrap().remove(0)
}

#[test]
fn a_receipt_names_what_is_gone_and_its_place_in_the_audit() {
    let fixture = Fixture::new();
    let tea = fixture.fact("alice", "quokka tea is black");
    let concluded =
        Draft { derived_from: vec![tea.id.clone()], ..fact("alice", "a quokka drinks black tea") };
    let concluded = fixture.remember(concluded).unwrap().memory;
    fixture.fact("alice", "a sibling that stays");
    let unknown: MemoryId = format!("fact_{:032x}", 7).parse().unwrap();
    let forgotten = forget(&fixture, &[tea.id.clone(), unknown.clone()]);
    assert_eq!((forgotten.derived, forgotten.missing), (1, vec![unknown]));
    let receipt = forgotten.receipt.unwrap();
    let ids: Vec<&MemoryId> = receipt.memories.iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [&tea.id, &concluded.id]);
    assert_eq!(receipt.derived, 1);
    let entry = entry(&fixture, &receipt);
    assert_eq!(entry.hash, receipt.audit.hash);
    assert_eq!(entry.record.at, receipt.at);
    assert_eq!(entry.record.details["receipt"], receipt.id);
    let written = serde_json::to_string(&ReceiptOutput::from(&receipt)).unwrap();
    assert!(!written.contains("quokka") && !written.contains("tea"), "{written}");
    let read = ReceiptOutput::parse(&written).unwrap();
    assert_eq!(read.ids().unwrap(), [tea.id, concluded.id]);
    assert!(ReceiptOutput::parse("{}").is_err());
}

#[test]
fn nothing_forgotten_is_no_receipt() {
    let fixture = Fixture::new();
    let unknown: MemoryId = format!("fact_{:032x}", 7).parse().unwrap();
    assert_eq!(forget(&fixture, std::slice::from_ref(&unknown)).receipt, None);
    let memory = fixture.fact("bob", "his own");
    assert_eq!(forget(&fixture, &[memory.id]).receipt, None);
}

#[test]
fn a_receipt_finds_its_entry_among_those_of_others() {
    let fixture = Fixture::new();
    let ids: Vec<MemoryId> =
        (0..20).map(|number| fixture.fact("alice", &format!("note {number}")).id).collect();
    std::thread::scope(|threads| {
        for id in &ids {
            let fixture = &fixture;
            threads.spawn(move || {
                let receipt = forget(fixture, std::slice::from_ref(id)).receipt.unwrap();
                assert_eq!(receipt.memories[0].0, *id);
                assert_eq!(entry(fixture, &receipt).record.details["ids"], json!([id.as_str()]));
            });
        }
    });
}

#[test]
fn every_deletion_is_on_record_with_ids_or_count_and_reason() {
    let fixture = Fixture::new();
    let alice: Caller = local("alice");
    let one = fixture.fact("alice", "one").id;
    let receipt = forget(&fixture, std::slice::from_ref(&one)).receipt.unwrap();
    let record = entry(&fixture, &receipt).record;
    assert_eq!(record.action.as_str(), "memory_delete");
    assert_eq!(record.details["reason"], "id");
    assert_eq!(record.details["ids"], json!([one.as_str()]));

    let drafts = (0..120).map(|number| episode("alice", &format!("said {number}"))).collect();
    block_on(fixture.engine.remember_all(&keeper(), drafts)).unwrap();
    let mine = identifiers(&[(Layer::User, "alice")]);
    let all = Selection::with(mine, Criteria::default());
    let forgotten = block_on(fixture.engine.forget_matching(&alice, &all)).unwrap();
    let record = entry(&fixture, &forgotten.receipt.unwrap()).record;
    assert_eq!(record.action.as_str(), "memory_bulk_delete");
    assert_eq!(
        (&record.details["reason"], &record.details["count"]),
        (&json!("filter"), &json!(120))
    );
    assert_eq!(record.details["kinds"], json!({"episode": 120}));
    assert!(!record.details.contains_key("ids"), "of very many, the changes have the ids");
    assert!(record.changes.is_some());
}

#[test]
fn what_has_ended_and_is_still_there_goes_with_the_rest() {
    let fixture = Fixture::new();
    let lifetime = Lifetime::For(SignedDuration::from_mins(5));
    let brief = Draft { lifetime, ..fact("alice", "the ferry leaves at noon") };
    let brief = fixture.remember(brief).unwrap().memory.id;
    let lasting = fixture.fact("alice", "the ferry is blue").id;
    fixture.wait(SignedDuration::from_hours(1));
    let (alice, mine) = (local("alice"), identifiers(&[(Layer::User, "alice")]));
    let all = Selection::with(mine, Criteria::default());
    let listed = block_on(fixture.engine.list_all(&alice, &all)).unwrap();
    assert_eq!(listed.len(), 1, "what has ended is not shown");
    let forgotten = block_on(fixture.engine.forget_matching(&alice, &all)).unwrap();
    assert_eq!(BTreeSet::from_iter(forgotten.ids), BTreeSet::from([brief, lasting]));
    assert_eq!(block_on(fixture.engine.scopes(&alice)).unwrap(), []);
}

#[test]
fn every_write_is_on_record_with_its_kinds_sources_and_size() {
    let fixture = Fixture::new();
    let drafts = vec![fact("alice", "four"), episode("alice", "sixsix")];
    block_on(fixture.engine.remember_all(&keeper(), drafts)).unwrap();
    fixture.fact("alice", "my key is AKIAIOSFODNN7EXAMPLE");
    let entries = block_on(fixture.engine.audit(&keeper(), Entries::After(0), 10)).unwrap();
    let details: Vec<_> = entries.iter().map(|entry| &entry.record.details).collect();
    assert_eq!(details[0]["kind"], json!(["episode", "fact"]));
    assert_eq!(details[0]["size"], 10);
    assert_eq!(details[1]["kind"], "fact");
    assert!(details[1]["source"].is_string());
    assert_eq!(details[2]["levels"], json!(["definite"]));
    assert!(details[2]["rules"].is_array());
    let written = serde_json::to_string(&details).unwrap();
    assert!(!written.contains("AKIA") && !written.contains("sixsix"));
}
