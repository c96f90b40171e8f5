//! What is forgotten is gone from every answer, and does not come back.

use std::slice::from_ref;

use super::fixtures::{
    access_to, all_of, commit, create, create_as, digest, embed, forget, id, ids, keeper, memory,
    mention, names, next, now, update, user, words,
};
use super::subject::Subject;
use crate::model::{Change, ChangeKind, Criteria, Filter, Memory, Outcome, Scope, State};
use crate::store::{Rejection, Tombstone};

fn alice() -> Scope {
    user("alice")
}

fn secret() -> Memory {
    let entities = vec![mention("Zanzibar", "Zanzibar")];
    Memory { entities, ..memory(&alice(), 1, "the treasure is buried in Zanzibar") }
}

fn sibling() -> Memory {
    let entities = vec![mention("Paris", "Paris")];
    Memory { entities, ..memory(&alice(), 2, "the museum stands in Paris") }
}

/// Asks for a memory in every way there is, and returns the ways that found it.
async fn traces(store: &Subject, memory: &Memory, word: &str) -> Vec<&'static str> {
    let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
    let everything = Filter { criteria, ..all_of(&memory.scope) };
    let by_words = store.candidates(&everything, &words(word)).await;
    let by_name = store.candidates(&everything, &names(&[word])).await;
    let entities = store.entities(from_ref(&memory.scope), None).await;
    let ways = [
        ("get", store.find(&memory.id).await.is_some()),
        ("list", store.list(&everything).await.contains(&memory.id)),
        ("words", by_words.lexical.contains(&memory.id)),
        ("names", by_name.entity.contains(&memory.id)),
        (
            "candidates",
            [by_words.memories, by_name.memories]
                .concat()
                .iter()
                .any(|found| found.id == memory.id),
        ),
        ("history", !store.history(&keeper(), &memory.id).await.is_empty()),
        ("entities", entities.iter().any(|entity| entity.name == word)),
        ("entity by name", !store.entities(from_ref(&memory.scope), Some(word)).await.is_empty()),
    ];
    ways.into_iter().filter(|(_, found)| *found).map(|(way, _)| way).collect()
}

pub(super) async fn forgetting_leaves_nothing(store: Subject) {
    store.keep(&[secret(), sibling()]).await;
    let (changed, other) =
        (next(&secret(), "the gold is in Zanzibar"), next(&sibling(), "a museum in Paris"));
    store.commit(vec![update(&changed), update(&other), embed(&changed)]).await;
    assert_eq!(traces(&store, &secret(), "Zanzibar").await.len(), 8, "every way finds it before");
    let summary = &store.scopes(&keeper()).await[0];
    assert_eq!((summary.entities, summary.pending_embeddings), (2, 1));

    store.forget(&[changed]).await;
    assert_eq!(traces(&store, &secret(), "Zanzibar").await, [""; 0]);
    assert_eq!(traces(&store, &sibling(), "Paris").await.len(), 8, "a sibling stays");
    let summary = &store.scopes(&keeper()).await[0];
    assert_eq!(summary.counts.iter().map(|(_, _, count)| count).sum::<u64>(), 1);
    assert_eq!((summary.entities, summary.pending_embeddings), (1, 1));
    assert_eq!(summary.content_bytes, other.content.as_str().len() as u64);
    assert_eq!(summary.latest_at, Some(sibling().created_at));
}

pub(super) async fn a_scope_without_memories_is_not_summarised(store: Subject) {
    store.keep(&[secret()]).await;
    assert_eq!(store.scopes(&keeper()).await.len(), 1);
    store.forget(&[secret()]).await;
    assert_eq!(store.scopes(&keeper()).await, []);
}

pub(super) async fn a_tombstone_says_what_whose_and_when(store: Subject) {
    store.keep(&[secret(), sibling()]).await;
    assert_eq!(store.tombstones(&keeper()).await, []);
    store.forget(&[secret()]).await;
    let tombstone = Tombstone { id: id(1), scope: alice(), at: now() };
    assert_eq!(store.tombstones(&keeper()).await, [tombstone]);
    let last = store.changes(&keeper()).await.pop();
    assert_eq!(last.map(|change| (change.id, change.kind)), Some((id(1), ChangeKind::Deleted)));
}

pub(super) async fn what_was_forgotten_is_never_created_again(store: Subject) {
    store.commit(vec![create_as(&secret(), digest(1))]).await;
    store.forget(&[secret()]).await;
    let before = store.snapshot(&[alice()]).await;
    let elsewhere = Memory { scope: user("bob"), ..secret() };
    for change in [create(&secret()), create_as(&secret(), digest(1)), create(&elsewhere)] {
        assert_eq!(store.commit(vec![change]).await, [Outcome::Missing(id(1))]);
    }
    assert_eq!(store.snapshot(&[alice()]).await, before);
    assert_eq!(traces(&store, &secret(), "Zanzibar").await, [""; 0]);
}

pub(super) async fn forgetting_twice_forgets_once(store: Subject) {
    store.keep(&[secret()]).await;
    let outcomes = store.commit(vec![forget(&secret()), forget(&secret())]).await;
    assert_eq!(outcomes, [Outcome::Forgotten(id(1)), Outcome::Missing(id(1))]);
    assert_eq!(store.commit(vec![forget(&secret())]).await, [Outcome::Missing(id(1))]);
    assert_eq!(store.tombstones(&keeper()).await.len(), 1);
}

pub(super) async fn what_comes_and_goes_in_one_commit_is_gone(store: Subject) {
    let outcomes =
        store.commit(vec![create(&secret()), forget(&secret()), create(&secret())]).await;
    let (created, forgotten) = (Outcome::Created(id(1)), Outcome::Forgotten(id(1)));
    assert_eq!(outcomes, [created, forgotten, Outcome::Missing(id(1))]);
    assert_eq!(traces(&store, &secret(), "Zanzibar").await, [""; 0]);
    assert_eq!(store.changes(&keeper()).await.len(), 2);
}

pub(super) async fn what_has_ended_can_be_swept(store: Subject) {
    let (alice, bob) = (user("alice"), user("bob"));
    let ended = Memory { expires_at: Some(now()), ..memory(&alice, 1, "over") };
    let foreign = Memory { scope: bob.clone(), ..ended.clone() };
    let foreign = Memory { id: id(2), ..foreign };
    store.keep(&[ended.clone(), foreign, memory(&alice, 3, "goes on")]).await;
    let swept = store.0.ended(&access_to(&alice), now(), 10).await.expect("what ended is told");
    assert_eq!(swept, [(id(1), alice.clone())]);
    let all = store.0.ended(&keeper(), now(), 10).await.expect("what ended is told");
    assert_eq!(all.len(), 2);
    assert_eq!(store.0.ended(&keeper(), now(), 1).await.expect("what ended is told").len(), 1);
    store.forget(&[ended]).await;
    assert_eq!(store.0.ended(&access_to(&alice), now(), 10).await.expect("nothing is left"), []);
}

pub(super) async fn what_was_concluded_from_others_is_known(store: Subject) {
    let (alice, bob) = (user("alice"), user("bob"));
    let from = |scope: &Scope, number: u64, parents: &[u64]| {
        let mut memory = memory(scope, number, &format!("number {number}"));
        memory.provenance.derived_from = ids(parents);
        memory
    };
    let child = from(&alice, 3, &[1, 2]);
    store.keep(&[memory(&alice, 1, "one"), memory(&alice, 2, "two"), child.clone()]).await;
    store.keep(&[from(&alice, 4, &[3]), from(&bob, 5, &[1])]).await;
    let check = async |parents: &[u64], expected: &[u64]| {
        let access = access_to(&alice);
        let found = store.0.derived(&access, &ids(parents)).await.expect("children are told");
        let expected: Vec<_> = ids(expected).into_iter().map(|id| (id, alice.clone())).collect();
        assert_eq!(found, expected, "of {parents:?}");
    };
    check(&[1], &[3]).await;
    check(&[1, 2, 3], &[3, 4]).await;
    check(&[4, 9], &[]).await;
    let mut elsewhere = next(&child, "number 3 again");
    elsewhere.provenance.derived_from = ids(&[2]);
    store.commit(vec![update(&elsewhere)]).await;
    check(&[1], &[]).await;
    store.forget(&[memory(&alice, 2, "two")]).await;
    check(&[2], &[3]).await;
    store.forget(&[elsewhere]).await;
    check(&[2], &[]).await;
}

fn reject(memory: &Memory, value: u8) -> Change {
    let (id, scope) = (memory.id.clone(), memory.scope.clone());
    Change::Reject { id, scope, value: digest(value) }
}

pub(super) async fn what_is_rejected_is_known_until_it_is_permitted(store: Subject) {
    let (alice, bob) = (user("alice"), user("bob"));
    store.keep(&[secret(), sibling(), Memory { scope: bob.clone(), ..memory(&bob, 3, "b") }]).await;
    let rejected = async |scope: &Scope| {
        let values = [digest(1), digest(2)];
        store.0.are_rejected(scope, &values).await.expect("rejections are told")
    };
    assert_eq!(rejected(&alice).await, [false, false]);
    let outcomes = store.commit(vec![reject(&secret(), 1), reject(&secret(), 2)]).await;
    assert_eq!(outcomes, [Outcome::Forgotten(id(1)), Outcome::Missing(id(1))]);
    assert_eq!(traces(&store, &secret(), "Zanzibar").await, [""; 0]);
    assert_eq!(rejected(&alice).await, [true, false]);
    assert_eq!(rejected(&bob).await, [false, false]);
    let listed = store.0.rejections(&access_to(&alice)).await.expect("rejections are listed");
    assert_eq!(listed, [Rejection { scope: alice.clone(), value: digest(1), at: now() }]);
    assert_eq!(store.0.rejections(&access_to(&bob)).await.expect("rejections are listed"), []);
    assert!(!store.0.permit(&bob, &digest(1)).await.expect("nothing is permitted"));
    assert!(store.0.permit(&alice, &digest(1)).await.expect("it is permitted"));
    assert_eq!(rejected(&alice).await, [false, false]);
}

pub(super) async fn a_rejection_is_undone_with_its_commit(store: Subject) {
    store.keep(&[secret(), sibling()]).await;
    let stale = Memory { version: 9, ..sibling() };
    store.conflicts(commit(vec![reject(&secret(), 1), update(&stale)])).await;
    let rejected = store.0.are_rejected(&alice(), &[digest(1)]).await.expect("it is told");
    assert_eq!(rejected, [false]);
    assert_eq!(traces(&store, &secret(), "Zanzibar").await.len(), 7, "there is no history yet");
}
