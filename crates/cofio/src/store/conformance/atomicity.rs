//! All of a commit happens, or none of it, and what changes nothing leaves no mark.

use std::slice::from_ref;

use super::fixtures::{
    all_of, canary, canary_cues, commit, create, create_as, digest, embed, forget, id, keeper,
    memory, mention, next, update, update_as, user,
};
use super::subject::Subject;
use crate::model::{AuditAction, AuditEvent, Change, Commit, Memory, Outcome, Scope};

fn alice() -> Scope {
    user("alice")
}

/// Keeps four canaries, each with an identity of its own, in two versions.
async fn settled(store: &Subject) -> [Memory; 4] {
    let canaries = [1, 2, 3, 4].map(|number| canary(&alice(), number));
    let identity = |memory: &Memory| digest(memory.id.as_str().as_bytes()[36]);
    store.commit(canaries.iter().map(|first| create_as(first, identity(first))).collect()).await;
    let seconds = canaries.map(|first| next(&first, "the canary sings louder"));
    store.commit(seconds.iter().map(|second| update_as(second, identity(second))).collect()).await;
    seconds
}

/// Returns one change of every sort, each of which can be made.
fn sound(settled: &[Memory; 4]) -> Vec<Change> {
    let newcomer = Memory {
        entities: vec![mention("Newcomer", "newcomer")],
        ..memory(&user("bob"), 10, "a newcomer")
    };
    vec![
        create(&newcomer),
        create_as(&canary(&alice(), 11), digest(99)),
        update_as(&next(&settled[0], "renamed"), digest(98)),
        forget(&settled[1]),
        embed(&settled[2]),
        create(&canary(&alice(), 12)),
        forget(&canary(&alice(), 12)),
    ]
}

pub(super) async fn one_failing_change_undoes_the_others(store: Subject) {
    let settled = settled(&store).await;
    let scopes = [alice(), user("bob")];
    let before = store.snapshot(&scopes).await;
    let found = store.candidates(&all_of(&alice()), &canary_cues()).await;
    let stale = update(&Memory { version: 2, ..settled[3].clone() });
    for position in 0..=sound(&settled).len() {
        let mut changes = sound(&settled);
        changes.insert(position, stale.clone());
        store.conflicts(commit(changes)).await;
        assert_eq!(store.snapshot(&scopes).await, before, "failing at {position}");
    }
    assert_eq!(store.candidates(&all_of(&alice()), &canary_cues()).await, found);
    store.commit(sound(&settled)).await;
    assert_ne!(store.snapshot(&scopes).await, before, "without the failing change all are made");
}

pub(super) async fn a_failed_commit_leaves_identities_and_ids_alone(store: Subject) {
    let settled = settled(&store).await;
    let stale = update(&Memory { version: 2, ..settled[3].clone() });
    let mut changes = sound(&settled);
    changes.push(stale);
    store.conflicts(commit(changes)).await;

    let again = vec![
        create_as(&canary(&alice(), 11), digest(99)),
        create_as(&canary(&alice(), 12), digest(98)),
        create_as(&canary(&alice(), 13), digest(b'1')),
        create_as(&canary(&alice(), 14), digest(b'2')),
    ];
    let outcomes = store.commit(again).await;
    let expected = [
        Outcome::Created(id(11)),
        Outcome::Created(id(12)),
        Outcome::Existing(id(1)),
        Outcome::Existing(id(2)),
    ];
    assert_eq!(outcomes, expected);
}

pub(super) async fn outcomes_stand_in_the_order_of_the_changes(store: Subject) {
    let settled = settled(&store).await;
    let mut changes = sound(&settled);
    changes.push(create_as(&canary(&alice(), 13), digest(99)));
    changes.push(forget(&canary(&alice(), 14)));
    let expected = [
        Outcome::Created(id(10)),
        Outcome::Created(id(11)),
        Outcome::Updated(id(1)),
        Outcome::Forgotten(id(2)),
        Outcome::Embedded(id(3)),
        Outcome::Created(id(12)),
        Outcome::Forgotten(id(12)),
        Outcome::Existing(id(11)),
        Outcome::Missing(id(14)),
    ];
    assert_eq!(store.commit(changes).await, expected);
}

pub(super) async fn a_commit_that_changes_nothing_records_nothing(store: Subject) {
    store.commit(vec![create_as(&canary(&alice(), 1), digest(1))]).await;
    let before = store.snapshot(&[alice()]).await;
    let (duplicate, unknown) = (canary(&alice(), 2), canary(&alice(), 3));
    let stale_vector = embed(&Memory { version: 7, ..canary(&alice(), 1) });
    let nothing = vec![
        create_as(&duplicate, digest(1)),
        update(&next(&unknown, "unknown")),
        forget(&unknown),
        embed(&unknown),
        stale_vector,
    ];
    let outcomes = store.commit(nothing).await;
    let missing = Outcome::Missing(id(3));
    let (existing, stale) = (Outcome::Existing(id(1)), Outcome::Missing(id(1)));
    assert_eq!(outcomes, [existing, missing.clone(), missing.clone(), missing, stale]);
    assert_eq!(store.snapshot(&[alice()]).await, before);
}

pub(super) async fn an_event_without_changes_is_recorded(store: Subject) {
    let event = AuditEvent::new(AuditAction::PoisoningAttemptBlocked);
    let alone = Commit { audit: vec![event], ..commit(Vec::new()) };
    assert_eq!(store.attempt(alone).await.expect("the event is accepted"), []);
    let audit = store.audit().await;
    assert_eq!(audit.len(), 1);
    assert_eq!(audit[0].record.action, AuditAction::PoisoningAttemptBlocked);
    assert_eq!(audit[0].record.changes, None);
    assert_eq!(store.changes(&keeper()).await, []);
}

pub(super) async fn an_empty_commit_is_accepted(store: Subject) {
    let empty = Commit { audit: Vec::new(), ..commit(Vec::new()) };
    assert_eq!(store.attempt(empty).await.expect("nothing is accepted"), []);
    assert_eq!(store.audit().await, []);
}

pub(super) async fn a_rehearsal_tells_and_changes_nothing(store: Subject) {
    let alice = user("alice");
    store.keep(&[memory(&alice, 1, "one"), memory(&alice, 2, "two")]).await;
    let before = store.snapshot(from_ref(&alice)).await;
    let changes = vec![
        create_as(&memory(&alice, 3, "three"), digest(3)),
        create_as(&memory(&alice, 4, "three"), digest(3)),
        update(&next(&memory(&alice, 1, "one"), "changed")),
        forget(&memory(&alice, 2, "two")),
        forget(&memory(&alice, 9, "never there")),
    ];
    let expected = store.0.rehearse(commit(changes.clone())).await.expect("it is rehearsed");
    assert_eq!(store.snapshot(from_ref(&alice)).await, before);
    assert_eq!(store.commit(changes).await, expected);
    let stale =
        commit(vec![forget(&memory(&alice, 3, "three")), update(&memory(&alice, 1, "one"))]);
    let before = store.snapshot(from_ref(&alice)).await;
    assert!(store.0.rehearse(stale).await.is_err());
    assert_eq!(store.snapshot(from_ref(&alice)).await, before);
}
