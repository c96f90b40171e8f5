//! Updates follow the version before, and history keeps what was.

use jiff::SignedDuration;

use super::fixtures::{
    access_to, all_of, commit, create, create_with, forget_version, id, keeper, memory, moment,
    next, update, user, words,
};
use super::subject::{Subject, together};
use crate::model::{Accesses, Kind, Memory, Outcome, State};

fn first() -> Memory {
    memory(&user("alice"), 1, "the deploy takes minutes")
}

pub(super) async fn an_update_replaces_the_memory(store: Subject) {
    store.keep(&[first()]).await;
    let mut second = next(&first(), "the deploy takes seconds");
    second.state = State::Archived;
    second.kind = Kind::Episode;
    second.metadata.title = Some("Deploy".to_owned());
    second.valid_until = Some(second.updated_at + SignedDuration::from_hours(1));
    assert_eq!(store.commit(vec![update(&second)]).await, [Outcome::Updated(id(1))]);
    assert_eq!(store.find(&id(1)).await, Some(second));
}

pub(super) async fn an_update_of_an_older_version_is_a_conflict(store: Subject) {
    let second = next(&first(), "two");
    store.keep(&[first()]).await;
    store.commit(vec![update(&second)]).await;
    store.conflicts(commit(vec![update(&next(&first(), "another two"))])).await;
    assert_eq!(store.find(&id(1)).await, Some(second.clone()));
    let third = next(&second, "three");
    assert_eq!(store.commit(vec![update(&third)]).await, [Outcome::Updated(id(1))]);
}

pub(super) async fn an_older_version_is_not_forgotten(store: Subject) {
    let second = next(&first(), "two");
    store.keep(&[first()]).await;
    store.commit(vec![update(&second)]).await;
    store.conflicts(commit(vec![forget_version(&first())])).await;
    assert_eq!(store.find(&id(1)).await, Some(second.clone()));
    let forgotten = [Outcome::Forgotten(id(1))];
    assert_eq!(store.commit(vec![forget_version(&second)]).await, forgotten);
    let missing = [Outcome::Missing(id(1))];
    assert_eq!(store.commit(vec![forget_version(&second)]).await, missing);
}

pub(super) async fn an_update_cannot_skip_a_version(store: Subject) {
    store.keep(&[first()]).await;
    for version in [0, 1, 3, u64::from(u32::MAX)] {
        let skipping = Memory { version, ..next(&first(), "skipped") };
        store.conflicts(commit(vec![update(&skipping)])).await;
    }
    assert_eq!(store.find(&id(1)).await, Some(first()));
}

pub(super) async fn of_many_updates_at_once_one_wins(store: Subject) {
    store.keep(&[first()]).await;
    let attempts = (0..20).map(|number| {
        store.attempt(commit(vec![update(&next(&first(), &format!("attempt {number}")))]))
    });
    let answers = together(attempts.collect()).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    assert_eq!(store.history(&keeper(), &id(1)).await.len(), 1);
}

pub(super) async fn an_update_of_what_is_not_there_is_missing(store: Subject) {
    assert_eq!(store.commit(vec![update(&next(&first(), "two"))]).await, [Outcome::Missing(id(1))]);
    assert_eq!(store.find(&id(1)).await, None);
    store.keep(&[first()]).await;
    store.forget(&[first()]).await;
    assert_eq!(store.commit(vec![update(&next(&first(), "two"))]).await, [Outcome::Missing(id(1))]);
    assert_eq!(store.find(&id(1)).await, None);
}

pub(super) async fn changes_of_a_commit_follow_each_other(store: Subject) {
    let second = next(&first(), "two");
    let third = next(&second, "three");
    let outcomes = store.commit(vec![create(&first()), update(&second), update(&third)]).await;
    let updated = Outcome::Updated(id(1));
    assert_eq!(outcomes, [Outcome::Created(id(1)), updated.clone(), updated]);
    assert_eq!(store.find(&id(1)).await, Some(third));
    assert_eq!(store.history(&keeper(), &id(1)).await, [first(), second]);
}

pub(super) async fn history_keeps_the_earlier_versions_oldest_first(store: Subject) {
    let mut versions = vec![first()];
    store.keep(&versions).await;
    assert_eq!(store.history(&access_to(&user("alice")), &id(1)).await, []);
    for number in 2..=12 {
        let last = versions.last().expect("there is a first version");
        let following = next(last, &format!("version number {number}"));
        store.commit(vec![update(&following)]).await;
        versions.push(following);
    }
    let current = versions.pop();
    assert_eq!(store.history(&access_to(&user("alice")), &id(1)).await, versions);
    assert_eq!(store.find(&id(1)).await, current);
}

pub(super) async fn earlier_versions_are_neither_listed_nor_found(store: Subject) {
    store.keep(&[first()]).await;
    assert_eq!(store.candidates(&all_of(&user("alice")), &words("minutes")).await.lexical, [id(1)]);
    store.commit(vec![update(&next(&first(), "the deploy takes seconds"))]).await;
    assert_eq!(store.list(&all_of(&user("alice"))).await, [id(1)]);
    let found = |question| {
        let (store, cues) = (&store, words(question));
        async move { store.candidates(&all_of(&user("alice")), &cues).await.lexical }
    };
    assert!(found("minutes").await.is_empty());
    assert_eq!(found("seconds").await, [id(1)]);
}

pub(super) async fn an_update_keeps_the_count_of_readings(store: Subject) {
    let accesses = Accesses { count: 3, last_at: Some(moment(50)) };
    let read = Memory { accesses, ..first() };
    store.keep(&[read]).await;
    let second = Memory { accesses: Accesses::default(), ..next(&first(), "two") };
    store.commit(vec![update(&second)]).await;
    assert_eq!(store.find(&id(1)).await, Some(Memory { accesses, ..second }));
}

pub(super) async fn a_memory_brings_its_history_along(store: Subject) {
    let second = next(&first(), "the deploy takes seconds");
    let third = next(&second, "the deploy is instant");
    let history = vec![first(), second];
    let arrival = create_with(&third, None, history.clone());
    assert_eq!(store.commit(vec![arrival]).await, [Outcome::Created(id(1))]);
    assert_eq!(store.find(&id(1)).await, Some(third));
    assert_eq!(store.history(&keeper(), &id(1)).await, history);
    let found = store.candidates(&all_of(&user("alice")), &words("minutes")).await;
    assert!(found.memories.is_empty(), "only what it is now is searched");
}
