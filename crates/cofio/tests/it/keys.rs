//! Keys: who is let in by a token, to do what and where, and until when.

use std::time::Duration;

use cofio::engine::Admitted;
use cofio::model::{
    AuditAction, Bound, Caller, Identifier, Key, KeyDraft, Layer, Right, Rights, Timestamp, Token,
    Trust,
};
use cofio::store::{Entries, SqliteStore};
use cofio::{Engine, ErrorKind, Result};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, START, fact, keeper, local, named};

/// Bytes that somebody could foresee, which is all that a test wants.
fn entropy(seed: u8) -> [u8; 32] {
    [seed; 32]
}

fn of_user(user: &str) -> Bound {
    Bound::default().with(Layer::User, named(user))
}

fn made(fixture: &Fixture, draft: KeyDraft) -> (Key, Token) {
    block_on(fixture.engine.create_key(&keeper(), draft, entropy(7))).unwrap()
}

fn admitted(fixture: &Fixture, token: &str) -> Result<Admitted> {
    block_on(fixture.engine.authenticate(token))
}

/// Checks that a token is refused in the words in which every token is refused.
fn refused(fixture: &Fixture, token: &str) {
    let error = admitted(fixture, token).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unauthorized);
    assert_eq!(error.to_string(), "the key is not valid");
    assert!(error.details().is_empty(), "{error:?}");
}

#[test]
fn a_token_lets_in_whom_the_key_is_for() {
    let fixture = Fixture::new();
    assert!(!block_on(fixture.engine.has_keys()).unwrap());
    let (key, token) = made(&fixture, KeyDraft::new("laptop", of_user("alice")));
    assert!(block_on(fixture.engine.has_keys()).unwrap());
    let admitted = admitted(&fixture, token.expose()).unwrap();
    assert_eq!(admitted.key, key);
    assert_eq!(admitted.caller.actor().as_str(), key.id.as_str());
    assert_eq!(admitted.identifiers.get(Layer::User), Some(&named("alice")));
    block_on(fixture.engine.remember(&admitted.caller, fact("alice", "The ferry sails at nine")))
        .unwrap();
    let error = block_on(fixture.engine.remember(&admitted.caller, fact("bob", "Bob has a boat")));
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Unauthorized);
    assert_eq!(fixture.found("alice", "ferry"), ["The ferry sails at nine"]);
}

#[test]
fn every_token_that_is_no_good_is_refused_in_the_same_words() {
    let fixture = Fixture::new();
    let (_, token) = made(&fixture, KeyDraft::new("laptop", of_user("alice")));
    let token = token.expose();
    let (own, secret) = token.rsplit_once('_').unwrap();
    refused(&fixture, "");
    refused(&fixture, "cofio_");
    refused(&fixture, "Bearer");
    refused(&fixture, &token[..token.len() - 1]);
    refused(&fixture, &format!("{token}a"));
    refused(&fixture, &format!("{token} "));
    refused(&fixture, &token.to_uppercase());
    refused(&fixture, &format!("{own}_{}", "a".repeat(secret.len())));
    refused(&fixture, &format!("cofio_{}_{secret}", "0".repeat(32)));
    refused(&fixture, &"cofio_é".repeat(10_000));
    let (_, other) = block_on(fixture.engine.create_key(
        &keeper(),
        KeyDraft::new("phone", of_user("alice")),
        entropy(8),
    ))
    .unwrap();
    let (_, others) = other.expose().rsplit_once('_').unwrap();
    refused(&fixture, &format!("{own}_{others}"));
    assert!(admitted(&fixture, token).is_ok());
}

#[test]
fn a_key_ends_by_itself_or_when_somebody_revokes_it() {
    let fixture = Fixture::new();
    let start: Timestamp = START.parse().unwrap();
    let expires_at = Some(start + SignedDuration::from_hours(1));
    let draft = KeyDraft { expires_at, ..KeyDraft::new("visitor", of_user("alice")) };
    let (_, short) = made(&fixture, draft);
    let (key, long) = made(&fixture, KeyDraft::new("laptop", of_user("alice")));
    fixture.wait(SignedDuration::from_mins(59));
    assert!(admitted(&fixture, short.expose()).is_ok());
    fixture.wait(SignedDuration::from_mins(1));
    refused(&fixture, short.expose());
    let revoked = block_on(fixture.engine.revoke_key(&keeper(), &key.id)).unwrap();
    refused(&fixture, long.expose());
    let again = block_on(fixture.engine.revoke_key(&keeper(), &key.id)).unwrap();
    assert_eq!(again.revoked_at, revoked.revoked_at);
    assert_eq!(recorded(&fixture).len(), 3, "a key ends once");
    assert!(block_on(fixture.engine.has_keys()).unwrap(), "a key was made, whatever became of it");
}

#[test]
fn another_process_sees_a_revocation_at_once_whatever_its_clock_says() {
    let fixture = Fixture::new();
    let (key, token) = made(&fixture, KeyDraft::new("laptop", of_user("alice")));
    let earlier = fixture.engine.now() - SignedDuration::from_hours(400 * 24);
    let other = Engine::new(SqliteStore::open(&fixture.path()).unwrap(), move || earlier);
    assert!(block_on(other.authenticate(token.expose())).is_ok());
    block_on(fixture.engine.revoke_key(&keeper(), &key.id)).unwrap();
    assert!(block_on(other.authenticate(token.expose())).is_err());
}

#[test]
fn a_key_that_is_rotated_gives_way_when_its_time_is_over() {
    let fixture = Fixture::new();
    let start: Timestamp = START.parse().unwrap();
    let expires_at = Some(start + SignedDuration::from_hours(24));
    let draft = KeyDraft { expires_at, ..KeyDraft::new("laptop", of_user("alice")) };
    let (old, first) = made(&fixture, draft);
    fixture.wait(SignedDuration::from_hours(12));
    let grace = Duration::from_secs(3600);
    let (new, second) =
        block_on(fixture.engine.rotate_key(&keeper(), &old.id, entropy(8), grace)).unwrap();
    assert_ne!(new.id, old.id);
    let bounds = |key: &Key| (key.name.clone(), key.rights, key.bound.clone(), key.trust);
    assert_eq!(bounds(&new), bounds(&old));
    let lasts = |key: &Key| key.created_at.duration_until(key.expires_at.unwrap());
    let difference = lasts(&new) - lasts(&old);
    assert!(difference.is_zero(), "{difference:?}");
    assert!(admitted(&fixture, first.expose()).is_ok());
    assert!(admitted(&fixture, second.expose()).is_ok());
    fixture.wait(SignedDuration::from_hours(1));
    refused(&fixture, first.expose());
    let (_, third) =
        block_on(fixture.engine.rotate_key(&keeper(), &new.id, entropy(9), Duration::ZERO))
            .unwrap();
    refused(&fixture, second.expose());
    assert!(admitted(&fixture, third.expose()).is_ok());
    // Of two who rotate a key, one is told of the other.
    let again = block_on(fixture.engine.rotate_key(&keeper(), &old.id, entropy(9), grace));
    assert_eq!(again.unwrap_err().to_string(), format!("{} was replaced by {}", old.id, new.id));
    assert_eq!(block_on(fixture.engine.keys(&keeper())).unwrap().len(), 3);
    // One that was to end later can be made to end now.
    let (_, token) = made(&fixture, KeyDraft::new("phone", of_user("alice")));
    let phone = admitted(&fixture, token.expose()).unwrap().key;
    block_on(fixture.engine.rotate_key(&keeper(), &phone.id, entropy(10), grace)).unwrap();
    assert!(admitted(&fixture, token.expose()).is_ok());
    block_on(fixture.engine.revoke_key(&keeper(), &phone.id)).unwrap();
    refused(&fixture, token.expose());
}

/// Returns what the audit has of keys.
fn recorded(fixture: &Fixture) -> Vec<(AuditAction, serde_json::Value)> {
    let entries = block_on(fixture.engine.audit(&keeper(), Entries::After(0), 100)).unwrap();
    let records = entries.into_iter().map(|entry| entry.record);
    let of_keys = records.filter(|record| record.action.as_str().starts_with("key_"));
    of_keys.map(|record| (record.action, record.details.into())).collect()
}

#[test]
fn what_happens_to_keys_is_on_record_without_their_tokens() {
    let fixture = Fixture::new();
    let (key, token) = made(&fixture, KeyDraft::new("laptop", of_user("alice")));
    let (next, second) =
        block_on(fixture.engine.rotate_key(&keeper(), &key.id, entropy(8), Duration::ZERO))
            .unwrap();
    block_on(fixture.engine.revoke_key(&keeper(), &next.id)).unwrap();
    let recorded = recorded(&fixture);
    let actions: Vec<AuditAction> = recorded.iter().map(|(action, _)| *action).collect();
    assert_eq!(
        actions,
        [AuditAction::KeyCreated, AuditAction::KeyRotated, AuditAction::KeyRevoked]
    );
    assert_eq!(recorded[0].1["key"], key.id.as_str());
    assert_eq!(recorded[0].1["name"], "laptop");
    assert_eq!(recorded[1].1["replacedBy"], next.id.as_str());
    let mut files = Vec::new();
    for ending in ["", "-wal"] {
        let path = format!("{}{ending}", fixture.path().display());
        files.extend(std::fs::read(path).unwrap_or_default());
    }
    for token in [token, second] {
        let (_, secret) = token.expose().rsplit_once('_').unwrap();
        let stands = |bytes: &[u8], text: &str| {
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        };
        assert!(!stands(&files, secret), "the token is in the file");
    }
    block_on(fixture.engine.verify_audit(&keeper())).unwrap();
}

#[test]
fn a_key_never_gives_more_than_its_maker_has() {
    let fixture = Fixture::new();
    let create = |caller: &Caller, draft: KeyDraft| {
        block_on(fixture.engine.create_key(caller, draft, entropy(1))).map_err(|error| error.kind())
    };
    let for_bob = KeyDraft::new("k", of_user("bob"));
    let for_all = KeyDraft { rights: Rights::ALL, ..KeyDraft::new("k", Bound::default()) };
    let refused = Some(ErrorKind::Unauthorized);
    assert!(create(&local("alice"), KeyDraft::new("k", of_user("alice"))).is_ok());
    assert_eq!(create(&local("alice"), for_bob.clone()).err(), refused);
    assert_eq!(create(&local("alice"), for_all.clone()).err(), refused);
    let reader = keeper().with_rights(Rights::of(&[Right::Read, Right::Admin]));
    assert_eq!(create(&reader, for_bob.clone()).err(), refused);
    let doubted = keeper().trusted_at_most(Trust::Medium);
    assert_eq!(create(&doubted, for_bob.clone()).err(), refused);
    let trust = Trust::Medium;
    assert!(create(&doubted, KeyDraft { trust, ..for_bob.clone() }).is_ok());
    let (key, _) = create(&keeper(), for_all).unwrap();
    assert!(key.caller().keeps_the_store());
    let rotated =
        block_on(fixture.engine.rotate_key(&local("alice"), &key.id, entropy(2), Duration::ZERO));
    assert_eq!(rotated.unwrap_err().kind(), ErrorKind::Unauthorized);
    let (bobs, _) = create(&key.caller(), for_bob).unwrap();
    assert_eq!(create(&bobs.caller(), KeyDraft::new("k", of_user("bob"))).err(), refused);
}

#[test]
fn a_key_that_is_not_there_is_not_found() {
    let fixture = Fixture::new();
    let id = "key_0198c0de0000700080000000000000aa".parse().unwrap();
    let error = block_on(fixture.engine.revoke_key(&keeper(), &id)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let error = "key_*".parse::<cofio::model::KeyId>().unwrap_err();
    assert_eq!(error.to_string(), "no key \"key_*\"");
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn a_restore_brings_no_key_back() {
    let fixture = Fixture::new();
    let (gone, lost) = made(&fixture, KeyDraft::new("lost phone", of_user("alice")));
    let (_, laptop) = made(&fixture, KeyDraft::new("laptop", of_user("alice")));
    let copy = fixture.folder().join("copy.db");
    block_on(fixture.store.backup(&copy)).unwrap();
    block_on(fixture.engine.revoke_key(&keeper(), &gone.id)).unwrap();
    let (_, later) = made(&fixture, KeyDraft::new("later", of_user("alice")));
    let restored = block_on(fixture.store.restore(&copy, &keeper(), fixture.engine.now()));
    assert_eq!(restored.unwrap().revoked_keys, 0);
    refused(&fixture, lost.expose());
    assert!(admitted(&fixture, laptop.expose()).is_ok());
    assert!(admitted(&fixture, later.expose()).is_ok());
    // Elsewhere a copy opens no door, but it is known that there was one.
    let elsewhere = Fixture::new();
    let restored = block_on(elsewhere.store.restore(&copy, &keeper(), elsewhere.engine.now()));
    assert_eq!(restored.unwrap().revoked_keys, 2);
    refused(&elsewhere, lost.expose());
    refused(&elsewhere, laptop.expose());
    assert!(block_on(elsewhere.engine.has_keys()).unwrap());
    let keys = block_on(elsewhere.engine.keys(&keeper())).unwrap();
    let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
    assert_eq!(names, ["lost phone", "laptop"]);
    let (_, anew) =
        block_on(elsewhere.engine.rotate_key(&keeper(), &keys[1].id, entropy(3), Duration::ZERO))
            .unwrap();
    assert!(admitted(&elsewhere, anew.expose()).is_ok());
    block_on(elsewhere.engine.verify_audit(&keeper())).unwrap();
}

#[test]
fn what_was_revoked_in_a_copy_is_revoked_here() {
    let fixture = Fixture::new();
    let (key, token) = made(&fixture, KeyDraft::new("laptop", of_user("alice")));
    let older = fixture.folder().join("older.db");
    block_on(fixture.store.backup(&older)).unwrap();
    block_on(fixture.engine.revoke_key(&keeper(), &key.id)).unwrap();
    let newer = fixture.folder().join("newer.db");
    block_on(fixture.store.backup(&newer)).unwrap();
    // Somebody put the older file in the place of the store by hand.
    let store = SqliteStore::open(&older).unwrap();
    block_on(store.restore(&newer, &keeper(), fixture.engine.now())).unwrap();
    let now = fixture.engine.now();
    let engine = Engine::new(store, move || now);
    assert!(block_on(engine.authenticate(token.expose())).is_err());
}

#[test]
fn a_copy_with_keys_that_make_no_sense_is_refused() {
    let fixture = Fixture::new();
    made(&fixture, KeyDraft::new("laptop", of_user("alice")));
    let copy = fixture.folder().join("copy.db");
    block_on(fixture.store.backup(&copy)).unwrap();
    for change in [
        "UPDATE keys SET rights = 'everything'",
        "UPDATE keys SET rights = 'read', bound = '{\"user\": \"all\"}'",
        "UPDATE keys SET bound = '{\"planet\": \"any\"}'",
        "UPDATE keys SET bound = '{}', hash = x'00'",
    ] {
        rusqlite::Connection::open(&copy).unwrap().execute(change, []).unwrap();
        let elsewhere = Fixture::new();
        let restored = block_on(elsewhere.store.restore(&copy, &keeper(), elsewhere.engine.now()));
        assert_eq!(restored.unwrap_err().kind(), ErrorKind::Damaged, "{change}");
        assert!(!block_on(elsewhere.engine.has_keys()).unwrap());
        let store = SqliteStore::open(&copy).unwrap();
        let problems = block_on(store.check()).unwrap().problems;
        assert_eq!(problems, ["1 keys cannot be read"], "{change}");
    }
}

#[test]
fn a_key_comes_back_from_the_file_as_it_was() {
    let fixture = Fixture::new();
    let start: Timestamp = START.parse().unwrap();
    let bound = of_user("*")
        .with(Layer::User, named("any"))
        .with(Layer::Session, named("[\"any\"]"))
        .with(Layer::Project, Identifier::new("größe / %").unwrap())
        .with_any(Layer::Company);
    let draft = KeyDraft {
        rights: Rights::of(&[Right::Read, Right::Delete]),
        trust: Trust::Low,
        expires_at: Some(start + SignedDuration::from_hours(1)),
        ..KeyDraft::new("Alice's phone", bound)
    };
    let (key, token) = made(&fixture, draft);
    assert_eq!(block_on(fixture.engine.keys(&keeper())).unwrap(), std::slice::from_ref(&key));
    let caller = admitted(&fixture, token.expose()).unwrap().caller;
    assert_eq!((caller.rights(), caller.trust()), (key.rights, Trust::Low));
}
