//! The sequence of changes and the audit tell what happened, in order and without gaps.

use std::pin::Pin;
use std::task::{Context, Waker};

use super::fixtures::{
    access_to, canary, commit, create, embed, forget, id, keeper, moment, named, next, update, user,
};
use super::subject::Subject;
use crate::model::{
    AuditAction, AuditEntry, AuditEvent, ChangeKind, ChangeRecord, Commit, Memory, Reading, Scope,
};
use crate::store::{Entries, GENESIS, change_digest, verify};

fn alice() -> Scope {
    user("alice")
}

/// Makes some changes in two scopes, each commit with an event of its own.
async fn busy(store: &Subject) -> [Memory; 2] {
    let (own, foreign) = (canary(&alice(), 1), canary(&user("bob"), 2));
    let changed = next(&own, "the canary sings louder");
    store.commit(vec![create(&own), create(&foreign)]).await;
    store
        .attempt(Commit { at: moment(7), ..commit(vec![update(&changed)]) })
        .await
        .expect("accepted");
    store.commit(vec![embed(&changed)]).await;
    store.commit(vec![forget(&foreign), create(&canary(&alice(), 3))]).await;
    [changed, foreign]
}

pub(super) async fn changes_are_numbered_in_order(store: Subject) {
    busy(&store).await;
    let changes = store.changes(&keeper()).await;
    let told: Vec<_> = changes.iter().map(|change| (change.id.clone(), change.kind)).collect();
    let expected = [
        (id(1), ChangeKind::Created),
        (id(2), ChangeKind::Created),
        (id(1), ChangeKind::Updated),
        (id(2), ChangeKind::Deleted),
        (id(3), ChangeKind::Created),
    ];
    assert_eq!(told, expected);
    assert!(changes.is_sorted_by(|one, two| one.sequence < two.sequence));
    assert!(changes[0].sequence > 0, "a reader of everything starts after 0");
    assert_eq!((changes[0].version, changes[2].version), (1, 2));
    assert_eq!((changes[2].at, &changes[2].scope), (moment(7), &alice()));
}

pub(super) async fn the_last_change_is_known(store: Subject) {
    let last = async || store.0.last_change().await.expect("the last change is read");
    assert_eq!(last().await, 0);
    busy(&store).await;
    let changes = store.changes(&keeper()).await;
    assert_eq!(Some(last().await), changes.last().map(|change| change.sequence));
}

pub(super) async fn whoever_waits_is_told_of_changes(store: Subject) {
    let mut first = store.0.stirred(0);
    assert!(goes_on(&mut first), "nothing has happened");
    busy(&store).await;
    first.await;
    let last = store.0.last_change().await.expect("the last change is read");
    store.0.stirred(last - 1).await;
    assert!(goes_on(&mut store.0.stirred(last)), "nothing more has happened");
}

/// Returns whether a wait is not over.
fn goes_on(waiting: &mut (impl Future<Output = ()> + Unpin)) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    Pin::new(waiting).poll(&mut context).is_pending()
}

pub(super) async fn changes_are_read_on_from_a_place(store: Subject) {
    busy(&store).await;
    for access in [keeper(), access_to(&alice())] {
        let all = store.changes(&access).await;
        let mut read: Vec<ChangeRecord> = Vec::new();
        for _ in 0..all.len() {
            let after = read.last().map_or(0, |change| change.sequence);
            read.extend(store.0.changes(&access, after, 1).await.expect("changes are read"));
        }
        assert_eq!(read, all);
        let end = read.last().map_or(0, |change| change.sequence);
        assert_eq!(store.0.changes(&access, end, 1).await.expect("changes are read"), []);
    }
    assert_eq!(store.changes(&access_to(&alice())).await.len(), 3);
}

pub(super) async fn every_event_is_entered_as_it_was_told(store: Subject) {
    let told = AuditEvent {
        scope: Some(alice()),
        ..AuditEvent::new(AuditAction::SecretRedacted).with("count", 2).with("rule", "aws")
    };
    let audit = vec![AuditEvent::new(AuditAction::Write), told.clone()];
    let commit = Commit {
        actor: named("robot"),
        at: moment(9),
        audit,
        ..commit(vec![create(&canary(&alice(), 1))])
    };
    store.attempt(commit).await.expect("the commit is accepted");
    let [first, second] = store.audit().await.try_into().expect("there are two entries");
    assert_eq!((first.record.action, first.record.scope), (AuditAction::Write, None));
    assert_eq!((second.record.actor, second.record.at), (named("robot"), moment(9)));
    assert_eq!((second.record.action, second.record.details), (told.action, told.details));
    assert_eq!(second.record.scope, Some(alice().to_string()));
    assert_eq!(first.record.changes, second.record.changes);
}

pub(super) async fn the_audit_is_a_chain(store: Subject) {
    assert_eq!(store.0.verify_audit().await.expect("an empty audit is whole"), 0);
    busy(&store).await;
    let audit = store.audit().await;
    let sequence: Vec<u64> = audit.iter().map(|entry| entry.record.sequence).collect();
    assert_eq!(sequence, [1, 2, 3, 4]);
    let head = verify(GENESIS, 1, &audit).expect("the entries follow each other");
    assert_eq!(Some(&head), audit.last().map(|entry| &entry.hash));
    assert_eq!(store.0.verify_audit().await.expect("the audit is whole"), 4);
    let rest: Vec<AuditEntry> =
        store.0.audit(None, Entries::After(2), 1).await.expect("the audit is read");
    assert_eq!(rest, audit[2..3]);
}

pub(super) async fn a_fraction_in_an_entry_stays_what_it_is(store: Subject) {
    let fractions: Vec<f64> = (1..40)
        .flat_map(|whole| (1..whole).map(move |part| f64::from(part) / f64::from(whole)))
        .collect();
    let event = |share: &f64| AuditEvent::new(AuditAction::TtlCleanup).with("share", *share);
    let audit: Vec<AuditEvent> = fractions.iter().map(event).collect();
    store.attempt(Commit { audit, ..commit(Vec::new()) }).await.expect("accepted");
    let entries = store.0.audit(None, Entries::After(0), fractions.len()).await;
    let entries = entries.expect("the audit is read");
    let shares = entries.iter().filter_map(|entry| entry.record.details["share"].as_f64());
    assert_eq!(shares.collect::<Vec<f64>>(), fractions);
    let verified = store.0.verify_audit().await.expect("the audit is whole");
    assert_eq!(verified, fractions.len() as u64);
}

pub(super) async fn the_audit_vouches_for_the_changes(store: Subject) {
    busy(&store).await;
    let changes = store.changes(&keeper()).await;
    let mut vouched = Vec::new();
    for entry in store.audit().await {
        let Some(range) = entry.record.changes else { continue };
        let stretch =
            changes.iter().filter(|change| (range.first..=range.last).contains(&change.sequence));
        let facts = stretch.map(|change| (change.sequence, &change.id, change.kind));
        assert_eq!(change_digest(facts.clone()), range.digest);
        vouched.push(facts.count());
    }
    assert_eq!(vouched, [2, 1, 2], "the entry of a vector vouches for no change");
}

pub(super) async fn a_reading_is_entered_without_changes(store: Subject) {
    busy(&store).await;
    let changes = store.changes(&keeper()).await;
    let audit = AuditEvent::new(AuditAction::Read).with("count", 1);
    let reading =
        Reading { actor: named("reader"), at: moment(11), ids: vec![id(1)], audit: audit.clone() };
    store.observe(reading).await;
    let last = store.audit().await.pop().expect("the reading is entered").record;
    assert_eq!((last.sequence, last.action, last.changes), (5, AuditAction::Read, None));
    assert_eq!((last.actor, last.at, last.details), (named("reader"), moment(11), audit.details));
    assert_eq!(store.changes(&keeper()).await, changes);
    assert_eq!(store.0.verify_audit().await.expect("the audit is whole"), 5);
}

pub(super) async fn the_audit_is_read_by_actor_and_from_its_end(store: Subject) {
    for (number, actor) in [(1, "ann"), (2, "ben"), (3, "ann"), (4, "ben"), (5, "ann")] {
        let change = create(&canary(&alice(), number));
        let commit = Commit { actor: named(actor), ..commit(vec![change]) };
        store.attempt(commit).await.expect("accepted");
    }
    let places = async |actor: Option<&str>, which, limit| -> Vec<u64> {
        let actor = actor.map(named);
        let entries = store.0.audit(actor.as_ref(), which, limit).await.expect("the audit is read");
        entries.iter().map(|entry| entry.record.sequence).collect()
    };
    assert_eq!(places(Some("ann"), Entries::After(0), 2).await, [1, 3]);
    assert_eq!(places(Some("ann"), Entries::Latest, 2).await, [3, 5]);
    assert_eq!(places(None, Entries::Latest, 2).await, [4, 5]);
    assert_eq!(places(None, Entries::Latest, 9).await, [1, 2, 3, 4, 5]);
    assert_eq!(places(Some("ben"), Entries::After(2), 9).await, [4]);
    assert!(places(Some("eve"), Entries::Latest, 9).await.is_empty());
}
