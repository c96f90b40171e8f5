//! What makes two memories the same one, and two requests the same one.

use super::fixtures::{
    commit, create, create_as, digest, forget, id, keeper, memory, moment, named, next, update,
    update_as, user,
};
use super::subject::{Subject, together};
use crate::error::ErrorKind;
use crate::model::{Change, ChangeRecord, Commit, IdempotencyKey, Memory, Outcome};

fn tea(number: u64) -> Memory {
    memory(&user("alice"), number, "Alice drinks tea")
}

pub(super) async fn an_exact_duplicate_returns_what_is_there(store: Subject) {
    let first = store.commit(vec![create_as(&tea(1), digest(1))]).await;
    assert_eq!(first, [Outcome::Created(id(1))]);
    let second = store.commit(vec![create_as(&tea(2), digest(1))]).await;
    assert_eq!(second, [Outcome::Existing(id(1))]);
    assert_eq!(store.find(&id(2)).await, None);
    assert_eq!(store.find(&id(1)).await, Some(tea(1)));
    let other = store.commit(vec![create_as(&tea(3), digest(2))]).await;
    assert_eq!(other, [Outcome::Created(id(3))]);
}

pub(super) async fn what_has_ended_gives_way(store: Subject) {
    let ended = Memory { expires_at: Some(moment(-1)), ..tea(1) };
    store.commit(vec![create_as(&ended, digest(1))]).await;
    let second = store.commit(vec![create_as(&tea(2), digest(1))]).await;
    assert_eq!(second, [Outcome::Created(id(2))]);
    assert_eq!(store.find(&id(1)).await, None);
    assert_eq!(store.tombstones(&keeper()).await.len(), 1);
    assert_eq!(store.changes(&keeper()).await.len(), 3);
}

pub(super) async fn without_an_identity_nothing_is_a_duplicate(store: Subject) {
    store.keep(&[tea(1), tea(2)]).await;
    assert_eq!(store.get(&keeper(), &[id(1), id(2)]).await.len(), 2);
}

pub(super) async fn duplicates_within_a_commit_are_noticed(store: Subject) {
    let changes = [1, 2, 3].map(|number| create_as(&tea(number), digest(1)));
    let outcomes = store.commit(changes.to_vec()).await;
    let existing = Outcome::Existing(id(1));
    assert_eq!(outcomes, [Outcome::Created(id(1)), existing.clone(), existing]);
}

pub(super) async fn forgetting_frees_the_identity(store: Subject) {
    store.commit(vec![create_as(&tea(1), digest(1))]).await;
    store.forget(&[tea(1)]).await;
    let again = store.commit(vec![create_as(&tea(2), digest(1))]).await;
    assert_eq!(again, [Outcome::Created(id(2))]);
}

pub(super) async fn an_update_replaces_the_identity(store: Subject) {
    store.commit(vec![create_as(&tea(1), digest(1))]).await;
    let second = next(&tea(1), "Alice drinks coffee");
    store.commit(vec![update_as(&second, digest(2))]).await;
    let old = store.commit(vec![create_as(&tea(2), digest(1))]).await;
    assert_eq!(old, [Outcome::Created(id(2))], "the old identity is free");
    let new = store.commit(vec![create_as(&tea(3), digest(2))]).await;
    assert_eq!(new, [Outcome::Existing(id(1))], "the new identity is taken");

    store.commit(vec![update(&next(&second, "Alice drinks water"))]).await;
    let freed = store.commit(vec![create_as(&tea(4), digest(2))]).await;
    assert_eq!(freed, [Outcome::Created(id(4))], "an update without identity has none");
}

pub(super) async fn an_update_may_keep_its_identity(store: Subject) {
    store.commit(vec![create_as(&tea(1), digest(1))]).await;
    let outcomes = store.commit(vec![update_as(&next(&tea(1), "the same"), digest(1))]).await;
    assert_eq!(outcomes, [Outcome::Updated(id(1))]);
}

pub(super) async fn an_update_cannot_become_another_memory(store: Subject) {
    store.commit(vec![create_as(&tea(1), digest(1)), create_as(&tea(2), digest(2))]).await;
    let second = next(&tea(2), "Alice drinks tea");
    store.conflicts(commit(vec![update_as(&second, digest(1))])).await;
    assert_eq!(store.find(&id(2)).await, Some(tea(2)));
    store.commit(vec![update_as(&second, digest(3))]).await;
    assert_eq!(store.find(&id(2)).await, Some(second));
}

pub(super) async fn an_id_that_is_taken_is_not_overwritten(store: Subject) {
    store.keep(&[tea(1)]).await;
    let other = memory(&user("alice"), 1, "something else");
    let outcome = store.attempt(commit(vec![create(&other)])).await;
    assert!(
        outcome.is_err() || outcome.is_ok_and(|outcomes| outcomes != [Outcome::Created(id(1))])
    );
    assert_eq!(store.find(&id(1)).await, Some(tea(1)));
}

pub(super) async fn of_many_at_once_one_is_created(store: Subject) {
    let attempts = (1..=20).map(|number| store.commit(vec![create_as(&tea(number), digest(1))]));
    let outcomes: Vec<Outcome> = together(attempts.collect()).await.concat();
    let created: Vec<_> =
        outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Created(_))).collect();
    assert_eq!(created.len(), 1);
    assert!(outcomes.iter().all(|outcome| outcome.id() == created[0].id()));
}

/// Returns a commit under an idempotency key.
fn keyed(actor: &str, key: &str, request: u8, changes: Vec<Change>) -> Commit {
    let key = IdempotencyKey::new(key).expect("cases use valid keys");
    Commit { actor: named(actor), idempotency: Some((key, digest(request))), ..commit(changes) }
}

pub(super) async fn a_repeated_request_returns_the_first_outcomes(store: Subject) {
    let first = keyed("alice", "k", 1, vec![create(&tea(1)), forget(&tea(9))]);
    let outcomes = store.attempt(first).await.expect("the first request is accepted");
    assert_eq!(outcomes, [Outcome::Created(id(1)), Outcome::Missing(id(9))]);
    let before = store.snapshot(&[user("alice")]).await;
    let repeated = keyed("alice", "k", 1, vec![create(&tea(2)), forget(&tea(1))]);
    let repeated = store.attempt(repeated).await.expect("the same request is answered");
    assert_eq!(repeated, outcomes);
    assert_eq!(store.snapshot(&[user("alice")]).await, before);
}

pub(super) async fn a_repeated_request_stays_answered_after_forgetting(store: Subject) {
    let request = || keyed("alice", "k", 1, vec![create_as(&tea(1), digest(1))]);
    store.attempt(request()).await.expect("the first request is accepted");
    store.forget(&[tea(1)]).await;
    let repeated = store.attempt(request()).await.expect("the same request is answered");
    assert_eq!(repeated, [Outcome::Created(id(1))]);
    assert_eq!(store.find(&id(1)).await, None);
}

pub(super) async fn a_request_that_changed_nothing_is_remembered_too(store: Subject) {
    store.commit(vec![create_as(&tea(1), digest(1))]).await;
    let request = || keyed("alice", "k", 1, vec![create_as(&tea(2), digest(1))]);
    let first = store.attempt(request()).await.expect("the first request is accepted");
    assert_eq!(first, [Outcome::Existing(id(1))]);
    store.forget(&[tea(1)]).await;
    let repeated = store.attempt(request()).await.expect("the same request is answered");
    assert_eq!(repeated, first);
    assert_eq!(store.find(&id(2)).await, None);
}

pub(super) async fn a_key_for_another_request_is_a_conflict(store: Subject) {
    let first = keyed("alice", "k", 1, vec![create(&tea(1))]);
    store.attempt(first).await.expect("the first request is accepted");
    let before = store.snapshot(&[user("alice")]).await;
    store.conflicts(keyed("alice", "k", 2, vec![create(&tea(2))])).await;
    assert_eq!(store.snapshot(&[user("alice")]).await, before);
    let other = keyed("alice", "K", 2, vec![create(&tea(2))]);
    let other = store.attempt(other).await.expect("another key is another request");
    assert_eq!(other, [Outcome::Created(id(2))]);
}

pub(super) async fn keys_belong_to_their_actor(store: Subject) {
    for (request, actor) in [(1_u8, "alice"), (2, "bob"), (3, "Alice")] {
        let number = u64::from(request);
        let own = keyed(actor, "k", request, vec![create(&tea(number))]);
        let outcomes = store.attempt(own).await.expect("another actor's key is another key");
        assert_eq!(outcomes, [Outcome::Created(id(number))]);
    }
}

pub(super) async fn a_failed_request_leaves_its_key_unused(store: Subject) {
    let stale = next(&next(&tea(1), "two"), "three");
    store.keep(&[tea(1)]).await;
    store.conflicts(keyed("alice", "k", 1, vec![update(&stale)])).await;
    let corrected = keyed("alice", "k", 2, vec![update(&next(&tea(1), "two"))]);
    let outcomes = store.attempt(corrected).await.expect("the key is still unused");
    assert_eq!(outcomes, [Outcome::Updated(id(1))]);
}

pub(super) async fn a_request_sent_twice_at_once_is_made_once(store: Subject) {
    let request = |number| keyed("alice", "k", 1, vec![create(&tea(number))]);
    let attempts = (1..=10).map(|number| store.attempt(request(number)));
    let answers: Vec<_> = together(attempts.collect()).await;
    let answers: Vec<_> =
        answers.into_iter().map(|answer| answer.expect("the same request is answered")).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(store.changes(&keeper()).await.len(), 1);
}

pub(super) async fn what_came_of_a_request_can_be_asked_for(store: Subject) {
    let request = |request| keyed("alice", "k", request, vec![create(&tea(1))]);
    let earlier = async |commit| store.0.earlier(&commit).await;
    assert_eq!(earlier(request(1)).await.expect("nothing came of it yet"), None);
    assert_eq!(store.find(&id(1)).await, None);
    let outcomes = store.attempt(request(1)).await.expect("the request is accepted");
    assert_eq!(earlier(request(1)).await.expect("it was made"), Some(outcomes));
    let other = earlier(request(2)).await.expect_err("the key is another request's");
    assert_eq!(other.kind(), ErrorKind::Conflict);
    let others = keyed("bob", "k", 1, Vec::new());
    assert_eq!(earlier(others).await.expect("keys belong to their actor"), None);
    assert_eq!(earlier(commit(Vec::new())).await.expect("without a key there is none"), None);
}

pub(super) async fn what_is_committed_soon_is_there_before_what_comes_after(store: Subject) {
    let soon = || keyed("alice", "k", 1, vec![create(&tea(1))]);
    store.0.commit_soon(soon());
    store.keep(&[tea(2)]).await;
    let sequence = |changes: &[ChangeRecord]| -> Vec<_> {
        changes.iter().map(|change| change.id.clone()).collect()
    };
    assert_eq!(sequence(&store.changes(&keeper()).await), [id(1), id(2)]);
    store.0.commit_soon(commit(vec![create(&tea(3))]));
    store.0.settle().await.expect("everything is settled");
    assert_eq!(sequence(&store.changes(&keeper()).await), [id(1), id(2), id(3)]);
    let outcomes = store.0.earlier(&soon()).await.expect("its outcomes are known");
    assert_eq!(outcomes, Some(vec![Outcome::Created(id(1))]));
}

pub(super) async fn what_has_ended_can_still_be_updated(store: Subject) {
    let ended = Memory { expires_at: Some(moment(5)), ..tea(1) };
    store.commit(vec![create_as(&ended, digest(1))]).await;
    let renewed = Memory { expires_at: None, ..next(&ended, "Alice drinks tea") };
    assert_eq!(store.commit(vec![update_as(&renewed, digest(1))]).await, [Outcome::Updated(id(1))]);
    assert_eq!(store.find(&id(1)).await, Some(renewed));
}

pub(super) async fn a_refused_creation_makes_no_room(store: Subject) {
    let ended = Memory { expires_at: Some(moment(5)), ..tea(1) };
    store.commit(vec![create_as(&ended, digest(1)), create(&tea(2)), forget(&tea(2))]).await;
    let before = store.snapshot(&[user("alice")]).await;
    assert_eq!(store.commit(vec![create_as(&tea(2), digest(1))]).await, [Outcome::Missing(id(2))]);
    assert_eq!(store.find(&id(1)).await, Some(ended));
    assert_eq!(store.snapshot(&[user("alice")]).await, before);
}
