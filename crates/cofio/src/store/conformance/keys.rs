//! Keys are kept as they are, end when they should, and never come back.

use super::fixtures::{moment, named, now};
use super::subject::{Subject, together};
use crate::error::{ErrorKind, Result};
use crate::model::{
    AuditAction, AuditEvent, Bound, Key, KeyChange, KeyCommit, KeyHash, KeyId, Layer, Right,
    Rights, Trust,
};

fn id(number: u64) -> KeyId {
    format!("key_{number:032x}").parse().expect("cases use valid ids")
}

fn hash(number: u64) -> KeyHash {
    KeyHash::of(&number.to_string())
}

/// Returns a key that was made so many seconds into 2060 as its number says.
fn key(number: u64) -> Key {
    Key {
        id: id(number),
        name: format!("key number {number}"),
        rights: Rights::of(&[Right::Read, Right::Delete]),
        bound: Bound::default().with(Layer::User, named("alice")),
        trust: Trust::Medium,
        created_at: moment(i64::try_from(number).expect("cases use small numbers")),
        expires_at: None,
        revoked_at: None,
        replaced_by: None,
    }
}

fn create(key: &Key, number: u64) -> KeyChange {
    KeyChange::Create { key: Box::new(key.clone()), hash: hash(number) }
}

fn replace(number: u64, by: u64, ends_at: i64) -> KeyChange {
    KeyChange::Replace { id: id(number), by: id(by), ends_at: moment(ends_at) }
}

async fn attempt(store: &Subject, changes: Vec<KeyChange>) -> Result<bool> {
    let audit = vec![AuditEvent::new(AuditAction::KeyCreated).with("changes", changes.len())];
    let commit = KeyCommit { actor: named("tester"), at: now(), changes, audit };
    store.0.commit_keys(commit).await
}

async fn commit(store: &Subject, changes: Vec<KeyChange>) -> bool {
    attempt(store, changes).await.expect("the commit is accepted")
}

/// Attempts changes that have to fail with a conflict.
async fn conflicts(store: &Subject, changes: Vec<KeyChange>) {
    let error = attempt(store, changes).await.expect_err("it is a conflict");
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
}

async fn find(store: &Subject, number: u64) -> Option<(Key, KeyHash)> {
    store.0.key(&id(number)).await.expect("keys are read")
}

/// Returns a key that is there.
async fn there(store: &Subject, number: u64) -> Key {
    find(store, number).await.expect("the key is there").0
}

pub(super) async fn a_key_comes_back_as_it_was(store: Subject) {
    let everything = Key {
        rights: Rights::ALL,
        bound: Bound::everything(),
        trust: Trust::High,
        expires_at: Some(moment(1_000)),
        revoked_at: Some(moment(500)),
        replaced_by: Some(id(1)),
        ..key(2)
    };
    let bound = Bound::default()
        .with(Layer::User, named("*"))
        .with(Layer::User, named("any"))
        .with(Layer::Session, named("[\"any\"]"))
        .with(Layer::Project, named("größe/%:\""))
        .with_any(Layer::Company);
    let name = "Alice's \u{1f511} / 電話".to_owned();
    let odd = Key { name, bound, rights: Rights::NONE, trust: Trust::Low, ..key(3) };
    let keys = [key(1), everything, odd];
    let changes = keys.iter().zip(1..).map(|(key, number)| create(key, number)).collect();
    assert!(commit(&store, changes).await);
    for (key, number) in keys.iter().zip(1..) {
        assert_eq!(find(&store, number).await, Some((key.clone(), hash(number))));
    }
    assert_eq!(find(&store, 4).await, None);
}

pub(super) async fn keys_are_listed_oldest_first(store: Subject) {
    assert!(!store.0.has_keys().await.expect("keys are counted"));
    let keys = [key(1), Key { id: id(9), ..key(2) }, key(3)];
    for (place, number) in [(2, 3), (1, 9), (0, 1)] {
        commit(&store, vec![create(&keys[place], number)]).await;
    }
    assert_eq!(store.0.keys().await.expect("keys are listed"), keys);
    commit(&store, keys.iter().map(|key| KeyChange::Revoke { id: key.id.clone() }).collect()).await;
    assert_eq!(store.0.keys().await.expect("keys are listed").len(), 3, "no key is removed");
    assert!(store.0.has_keys().await.expect("keys are counted"), "one was made");
}

pub(super) async fn a_key_is_revoked_once(store: Subject) {
    commit(&store, vec![create(&key(1), 1), create(&key(2), 2)]).await;
    assert!(commit(&store, vec![KeyChange::Revoke { id: id(1) }]).await);
    assert_eq!(there(&store, 1).await, Key { revoked_at: Some(now()), ..key(1) });
    assert_eq!(there(&store, 2).await, key(2));
    assert!(!commit(&store, vec![KeyChange::Revoke { id: id(1) }]).await, "it is revoked already");
    assert!(!commit(&store, vec![KeyChange::Revoke { id: id(7) }]).await, "it is not there");
}

pub(super) async fn a_key_is_replaced_once(store: Subject) {
    let short = Key { expires_at: Some(moment(50)), ..key(2) };
    commit(&store, vec![create(&key(1), 1), create(&short, 2)]).await;
    assert!(commit(&store, vec![create(&key(3), 3), replace(1, 3, 100)]).await);
    let replaced = Key { expires_at: Some(moment(100)), replaced_by: Some(id(3)), ..key(1) };
    assert_eq!(there(&store, 1).await, replaced);
    commit(&store, vec![replace(2, 3, 100)]).await;
    let replaced = Key { replaced_by: Some(id(3)), ..short };
    assert_eq!(there(&store, 2).await, replaced, "it ends when it would have ended");
    conflicts(&store, vec![create(&key(4), 4), replace(1, 4, 100)]).await;
    assert_eq!(find(&store, 4).await, None, "what fails changes nothing");
    assert!(!commit(&store, vec![replace(7, 3, 100)]).await, "it is not there");
}

pub(super) async fn of_many_who_replace_a_key_one_does(store: Subject) {
    commit(&store, vec![create(&key(1), 1)]).await;
    let attempts = (2..10)
        .map(|number| attempt(&store, vec![create(&key(number), number), replace(1, number, 100)]));
    let results = together(attempts.collect()).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
    let keys = store.0.keys().await.expect("keys are listed");
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0].replaced_by.as_ref(), Some(&keys[1].id));
}

pub(super) async fn an_id_of_a_key_is_not_taken_twice(store: Subject) {
    commit(&store, vec![create(&key(1), 1)]).await;
    let other = Key { name: "another".to_owned(), rights: Rights::ALL, ..key(1) };
    conflicts(&store, vec![create(&key(2), 2), create(&other, 3)]).await;
    assert_eq!(find(&store, 1).await, Some((key(1), hash(1))));
    assert_eq!(find(&store, 2).await, None, "what fails changes nothing");
}

pub(super) async fn what_happens_to_keys_is_in_the_audit(store: Subject) {
    commit(&store, vec![create(&key(1), 1)]).await;
    commit(&store, vec![KeyChange::Revoke { id: id(1) }]).await;
    commit(&store, vec![KeyChange::Revoke { id: id(1) }]).await;
    conflicts(&store, vec![create(&key(1), 1)]).await;
    let entries = store.audit().await;
    assert_eq!(entries.len(), 2, "what changes nothing is not recorded");
    for entry in &entries {
        let record = &entry.record;
        assert_eq!((record.action, record.at), (AuditAction::KeyCreated, now()));
        assert_eq!((record.actor.as_str(), &record.changes), ("tester", &None));
    }
    assert_eq!(store.0.verify_audit().await.expect("the audit is whole"), 2);
}
