//! What a store keeps beside the text: vectors, readings and counts.

use std::collections::BTreeMap;
use std::slice::from_ref;

use super::fixtures::{
    access_to, canary, create, embed, fingerprint, id, keeper, memory, mention, moment, named,
    next, now, update, user, vectors,
};
use super::subject::Subject;
use crate::model::{
    Accesses, AuditAction, AuditEvent, Change, Embedding, Fingerprint, Kind, Memory, MemoryId,
    Outcome, Reading, Scope, State, Vectors,
};

fn alice() -> Scope {
    user("alice")
}

async fn pending(store: &Subject) -> u64 {
    store.scopes(&keeper()).await.iter().map(|summary| summary.pending_embeddings).sum()
}

pub(super) async fn a_vector_makes_a_memory_ready(store: Subject) {
    let first = canary(&alice(), 1);
    store.keep(&[first.clone(), canary(&alice(), 2)]).await;
    let changes = store.changes(&keeper()).await;
    assert_eq!(pending(&store).await, 2);
    assert_eq!(store.commit(vec![embed(&first)]).await, [Outcome::Embedded(id(1))]);
    let ready = Memory { embedding: Embedding::Ready(fingerprint()), ..first };
    assert_eq!(store.find(&id(1)).await, Some(ready), "and changes nothing else");
    assert_eq!(pending(&store).await, 1);
    assert_eq!(store.history(&keeper(), &id(1)).await, [], "a vector is no version");
    assert_eq!(store.changes(&keeper()).await, changes, "a reader sees no change");
    let entered: Vec<_> =
        store.audit().await.into_iter().map(|entry| entry.record.changes.is_some()).collect();
    assert_eq!(entered, [true, false]);
}

pub(super) async fn a_vector_of_another_model_replaces_the_first(store: Subject) {
    let first = canary(&alice(), 1);
    store.keep(from_ref(&first)).await;
    store.commit(vec![embed(&first)]).await;
    let other = Fingerprint::new("model-2/3").expect("cases use valid fingerprints");
    let again = Change::Embed {
        id: id(1),
        version: 1,
        fingerprint: other.clone(),
        vectors: Vectors::Here(vectors(&[&[0.0, 1.0, 0.0]])),
    };
    assert_eq!(store.commit(vec![again]).await, [Outcome::Embedded(id(1))]);
    let found = store.find(&id(1)).await.expect("the memory is there");
    assert_eq!(found.embedding, Embedding::Ready(other));
}

pub(super) async fn a_vector_of_an_older_version_is_refused(store: Subject) {
    let first = canary(&alice(), 1);
    let second = next(&first, "the canary sings louder");
    store.keep(from_ref(&first)).await;
    store.commit(vec![update(&second)]).await;
    let later = embed(&Memory { version: 3, ..first.clone() });
    let outcomes = store.commit(vec![embed(&first), later]).await;
    assert_eq!(outcomes, [Outcome::Missing(id(1)), Outcome::Missing(id(1))]);
    assert_eq!(store.find(&id(1)).await, Some(second.clone()));
    assert_eq!(store.commit(vec![embed(&second)]).await, [Outcome::Embedded(id(1))]);
}

pub(super) async fn an_update_says_whether_the_vector_still_holds(store: Subject) {
    let first = canary(&alice(), 1);
    store.commit(vec![create(&first), embed(&first)]).await;
    let ready = Embedding::Ready(fingerprint());
    let mut retagged = Memory { embedding: ready, ..next(&first, first.content.as_str()) };
    retagged.metadata.tags.push("bird".to_owned());
    store.commit(vec![update(&retagged)]).await;
    assert_eq!(store.find(&id(1)).await, Some(retagged.clone()));
    assert_eq!(pending(&store).await, 0);
    let rewritten = Memory { embedding: Embedding::Pending, ..next(&retagged, "another text") };
    store.commit(vec![update(&rewritten)]).await;
    assert_eq!(store.find(&id(1)).await, Some(rewritten));
    assert_eq!(pending(&store).await, 1);
}

async fn read(store: &Subject, ids: Vec<MemoryId>, seconds: i64) {
    let audit = AuditEvent::new(AuditAction::Read);
    store.observe(Reading { actor: named("reader"), at: moment(seconds), ids, audit }).await;
}

pub(super) async fn readings_are_counted(store: Subject) {
    let canaries = [1, 2, 3].map(|number| canary(&alice(), number));
    store.keep(&canaries).await;
    read(&store, vec![id(1), id(2), id(99)], 50).await;
    read(&store, vec![id(1)], 60).await;
    read(&store, Vec::new(), 70).await;
    let counted = [
        Accesses { count: 2, last_at: Some(moment(60)) },
        Accesses { count: 1, last_at: Some(moment(50)) },
        Accesses::default(),
    ];
    for (before, accesses) in canaries.into_iter().zip(counted) {
        let after = store.find(&before.id).await;
        assert_eq!(after, Some(Memory { accesses, ..before }), "and nothing else changes");
    }
    assert_eq!(store.find(&id(99)).await, None);
    assert_eq!(store.audit().await.len(), 4);
}

pub(super) async fn readings_count_on_from_what_a_memory_came_with(store: Subject) {
    let accesses = Accesses { count: 40, last_at: Some(moment(1)) };
    let first = Memory { accesses, ..canary(&alice(), 1) };
    store.keep(from_ref(&first)).await;
    assert_eq!(store.find(&id(1)).await.map(|memory| memory.accesses), Some(accesses));
    read(&store, vec![id(1)], 50).await;
    store.commit(vec![update(&next(&first, "another text"))]).await;
    let counted = Accesses { count: 41, last_at: Some(moment(50)) };
    assert_eq!(store.find(&id(1)).await.map(|memory| memory.accesses), Some(counted));
}

pub(super) async fn summaries_count_kinds_and_states(store: Subject) {
    let kinds = [Kind::Fact, Kind::Fact, Kind::Episode, Kind::Fact, Kind::Fact];
    let states = [State::Active, State::Active, State::Active, State::Archived, State::Superseded];
    let text = "né"; // Three bytes, two characters.
    let memories = (1..).zip(kinds.into_iter().zip(states)).map(|(number, (kind, state))| Memory {
        kind,
        state,
        entities: vec![mention("Ada", "ada"), mention("ADA", "Ada")],
        ..memory(&alice(), number, text)
    });
    let mut memories: Vec<Memory> = memories.collect();
    memories[0].entities.push(mention("Grace", "Grace"));
    store.keep(&memories).await;
    let summaries = store.scopes(&access_to(&alice())).await;
    assert_eq!(summaries.len(), 1);
    let summary = &summaries[0];
    assert_eq!(summary.scope, alice());
    let counts: BTreeMap<_, _> = summary
        .counts
        .iter()
        .map(|(kind, state, count)| ((kind.as_str(), state.as_str()), *count))
        .collect();
    let expected = [
        (("episode", "active"), 1),
        (("fact", "active"), 2),
        (("fact", "archived"), 1),
        (("fact", "superseded"), 1),
    ];
    assert_eq!(counts, expected.into());
    assert_eq!(summary.counts.len(), expected.len(), "each pair stands there once");
    assert_eq!((summary.content_bytes, summary.pending_embeddings), (15, 5));
    assert_eq!((summary.entities, summary.latest_at), (2, Some(moment(5))));
}

pub(super) async fn summaries_leave_out_what_has_expired(store: Subject) {
    let expired = Memory { expires_at: Some(now()), ..memory(&alice(), 1, "gone") };
    let alone = Memory { scope: user("bob"), id: id(2), ..expired.clone() };
    store.keep(&[expired, alone, memory(&alice(), 3, "here")]).await;
    let summaries = store.scopes(&keeper()).await;
    let alices = summaries.iter().find(|summary| summary.scope == alice());
    let counts = &alices.expect("there is something in the scope").counts;
    assert_eq!(*counts, [(Kind::Fact, State::Active, 1)]);
    let counted: u64 = summaries
        .iter()
        .filter(|summary| summary.scope != alice())
        .flat_map(|summary| &summary.counts)
        .map(|(_, _, count)| count)
        .sum();
    assert_eq!(counted, 0);
    let earlier = store.0.scopes(&keeper(), moment(0)).await.expect("scopes are counted");
    assert_eq!(
        earlier.iter().flat_map(|summary| &summary.counts).map(|(_, _, count)| count).sum::<u64>(),
        3
    );
}
