//! What is forgotten is gone from every answer, and does not come back.

use std::slice::from_ref;

use super::fixtures::{
    access_to, all_of, create, create_as, digest, embed, forget, id, keeper, memory, mention,
    names, next, now, update, user, words,
};
use super::subject::Subject;
use crate::model::{ChangeKind, Criteria, Filter, Memory, Outcome, Scope, State};
use crate::store::Tombstone;

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
