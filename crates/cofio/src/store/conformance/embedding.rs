//! Vectors find what is near, and every memory gets them once.

use std::collections::BTreeSet;
use std::slice::from_ref;

use super::fixtures::{
    all_of, create, fingerprint, id, ids, keeper, memory, moment, named, next, now, update, user,
    vectors, words,
};
use super::subject::{Subject, together};
use crate::model::{
    Change, Cues, Embedding, Evidence, Filter, Fingerprint, Meaning, Memory, MemoryId, Outcome,
    PassageHash, Scope, Spread, State, Vectors,
};
use crate::store::EmbeddingState;

/// How far a cosine may be off: vectors may be kept in half precision.
const TOLERANCE: f64 = 2e-3;

fn alice() -> Scope {
    user("alice")
}

fn other_model() -> Fingerprint {
    Fingerprint::new("model-2/3").expect("cases use valid fingerprints")
}

/// Returns the direction whose cosine to [`question`] is this.
fn towards(cosine: f32) -> [f32; 2] {
    [cosine, (1.0 - cosine * cosine).sqrt()]
}

/// Returns cues that mean a direction to a model, and nothing else.
fn meaning(fingerprint: &Fingerprint) -> Cues {
    let vector = vectors(&[&[1.0, 0.0]]).remove(0).vector;
    let meaning = Meaning { fingerprint: fingerprint.clone(), vector };
    Cues { meaning: Some(meaning), ..Cues::default() }
}

fn question() -> Cues {
    meaning(&fingerprint())
}

/// Gives a memory passages whose cosines to the question are these.
fn embed_by(fingerprint: &Fingerprint, memory: &Memory, cosines: &[f32]) -> Change {
    let directions: Vec<[f32; 2]> = cosines.iter().copied().map(towards).collect();
    let directions: Vec<&[f32]> = directions.iter().map(<[f32; 2]>::as_slice).collect();
    Change::Embed {
        id: memory.id.clone(),
        version: memory.version,
        fingerprint: fingerprint.clone(),
        vectors: Vectors::Here(vectors(&directions)),
    }
}

fn embed(memory: &Memory, cosines: &[f32]) -> Change {
    embed_by(&fingerprint(), memory, cosines)
}

/// Keeps memories with their vectors.
async fn keep_near(store: &Subject, memories: &[(Memory, &[f32])]) {
    store.keep(&memories.iter().map(|(memory, _)| memory.clone()).collect::<Vec<_>>()).await;
    let changes = memories.iter().map(|(memory, cosines)| embed(memory, cosines)).collect();
    let embedded: Vec<_> =
        memories.iter().map(|(memory, _)| Outcome::Embedded(memory.id.clone())).collect();
    assert_eq!(store.commit(changes).await, embedded);
}

fn note(number: u64) -> Memory {
    memory(&alice(), number, "a note")
}

fn turn(number: u64) -> Memory {
    let mut turn = note(number);
    turn.source.session = Some(named("s1"));
    turn
}

/// Returns the memories of the turns, by number, with their cosines in hundredths.
async fn cosines(
    store: &Subject,
    filter: &Filter,
    evidence: &Evidence,
) -> Vec<(MemoryId, Option<i64>)> {
    let mut found = Vec::new();
    for turn in &evidence.turns {
        let memories = store.at(filter, &[turn.place]).await;
        let (_, memory) = memories.into_iter().next().expect("a turn has a memory");
        #[expect(clippy::cast_possible_truncation, reason = "a cosine has hundred hundredths")]
        let hundredths = turn.cosine.map(|cosine| (f64::from(cosine) * 100.0).round() as i64);
        found.push((memory.id, hundredths));
    }
    found.sort();
    found
}

/// Checks which memories a question leads to, and how near they are.
async fn check(store: &Subject, cues: &Cues, expected: &[(u64, Option<i64>)]) {
    let filter = all_of(&alice());
    let evidence = store.evidence(&filter, cues).await;
    let expected: Vec<_> = expected.iter().map(|(number, cosine)| (id(*number), *cosine)).collect();
    assert_eq!(cosines(store, &filter, &evidence).await, expected);
}

pub(super) async fn the_nearest_are_found_with_their_cosines(store: Subject) {
    let near: Vec<f32> = (1..=40).map(|number| 0.02 * number as f32).collect();
    let memories: Vec<(Memory, &[f32])> =
        (1..).zip(&near).map(|(number, cosine)| (note(number), from_ref(cosine))).collect();
    keep_near(&store, &memories).await;
    let filter = all_of(&alice());
    let evidence = store.evidence_of(&filter, &question(), 3).await;
    let found = cosines(&store, &filter, &evidence).await;
    let expected = [(id(38), Some(76)), (id(39), Some(78)), (id(40), Some(80))];
    assert!(expected.iter().all(|near| found.contains(near)), "{found:?}");
}

pub(super) async fn the_best_passage_of_a_memory_counts(store: Subject) {
    keep_near(&store, &[(note(1), &[0.1, 0.9, 0.4]), (note(2), &[0.5]), (note(3), &[-0.5])]).await;
    check(&store, &question(), &[(1, Some(90)), (2, Some(50)), (3, Some(-50))]).await;
}

pub(super) async fn vectors_of_another_model_are_not_compared(store: Subject) {
    store.keep(&[note(1), note(2), note(3)]).await;
    let changes = vec![embed(&note(1), &[0.9]), embed_by(&other_model(), &note(2), &[0.8])];
    store.commit(changes).await;
    check(&store, &question(), &[(1, Some(90))]).await;
    check(&store, &meaning(&other_model()), &[(2, Some(80))]).await;
    let unknown = Fingerprint::new("model-3").expect("cases use valid fingerprints");
    check(&store, &meaning(&unknown), &[]).await;
    let spread = store.evidence(&all_of(&alice()), &question()).await.cosines.others;
    assert_eq!(spread.count, 1);
}

pub(super) async fn what_is_found_otherwise_is_compared_too(store: Subject) {
    let zebra = memory(&alice(), 4, "zebra");
    let pending = memory(&alice(), 5, "zebra too");
    let far: [(Memory, &[f32]); 4] =
        [(turn(1), &[0.9]), (turn(2), &[0.1]), (turn(3), &[-0.2]), (zebra, &[0.3])];
    keep_near(&store, &far).await;
    store.keep(from_ref(&pending)).await;
    let filter = all_of(&alice());
    let cues = Cues { words: words("zebra").words, ..question() };
    let evidence = store.evidence_of(&filter, &cues, 1).await;
    let expected = [(1, Some(90)), (2, Some(10)), (3, Some(-20)), (4, Some(30)), (5, None)];
    let expected = expected.map(|(number, cosine)| (id(number), cosine));
    assert_eq!(cosines(&store, &filter, &evidence).await, expected);
    let session: Vec<_> = evidence.turns.iter().filter(|turn| turn.session.is_some()).collect();
    assert_eq!(session.len(), 3, "a conversation comes with all its turns");
}

pub(super) async fn what_is_not_meant_takes_no_place_among_the_nearest(store: Subject) {
    let bobs: Vec<_> =
        (100..130).map(|number| (memory(&user("bob"), number, "b"), [0.9])).collect();
    let ended = |number| Memory { expires_at: Some(moment(0)), ..note(number) };
    let expired: Vec<_> = (200..230).map(|number| (ended(number), [0.9])).collect();
    let archived = (Memory { state: State::Archived, ..note(300) }, [0.9]);
    let all: Vec<_> = bobs
        .into_iter()
        .chain(expired)
        .chain([archived, (note(1), [0.2]), (note(2), [0.1])])
        .collect();
    let all: Vec<(Memory, &[f32])> = all.iter().map(|(m, c)| (m.clone(), c.as_slice())).collect();
    keep_near(&store, &all).await;
    let filter = all_of(&alice());
    let evidence = store.evidence_of(&filter, &question(), 2).await;
    let found = cosines(&store, &filter, &evidence).await;
    assert_eq!(found, [(id(1), Some(20)), (id(2), Some(10))]);
    let none = Filter::new(Vec::new(), now());
    let evidence = store.evidence(&none, &question()).await;
    assert_eq!((evidence.turns.len(), evidence.cosines.others.count), (0, 0));
}

pub(super) async fn forgetting_removes_the_vectors(store: Subject) {
    keep_near(&store, &[(note(1), &[0.9]), (note(2), &[0.5])]).await;
    check(&store, &question(), &[(1, Some(90)), (2, Some(50))]).await;
    store.forget(&[note(1)]).await;
    check(&store, &question(), &[(2, Some(50))]).await;
    let spread = store.evidence(&all_of(&alice()), &question()).await.cosines.others;
    assert_eq!(spread.count, 1);
    keep_near(&store, &[(note(3), &[0.7])]).await;
    check(&store, &question(), &[(2, Some(50)), (3, Some(70))]).await;
}

pub(super) async fn a_new_text_waits_for_new_vectors(store: Subject) {
    store.adopt(&fingerprint()).await;
    keep_near(&store, &[(note(1), &[0.9]), (note(2), &[0.5])]).await;
    let pending = async || store.evidence(&all_of(&alice()), &question()).await.pending;
    assert_eq!(pending().await, 0);
    let rewritten = next(&note(1), "another text");
    store.commit(vec![update(&rewritten)]).await;
    check(&store, &question(), &[(2, Some(50))]).await;
    assert_eq!((pending().await, store.embedding_state().await.pending), (1, 1));
    store.commit(vec![embed(&rewritten, &[0.3])]).await;
    check(&store, &question(), &[(1, Some(30)), (2, Some(50))]).await;
    assert_eq!(pending().await, 0);
    let ready = Embedding::Ready(fingerprint());
    let retagged = Memory { embedding: ready, ..next(&rewritten, "another text") };
    store.commit(vec![update(&retagged)]).await;
    check(&store, &question(), &[(1, Some(30)), (2, Some(50))]).await;
}

fn assert_spread(spread: Spread, count: u64, mean: f64, deviation: f64) {
    assert_eq!(spread.count, count);
    assert!((spread.mean - mean).abs() < TOLERANCE, "{spread:?} has the mean {mean}");
    assert!((spread.deviation - deviation).abs() < TOLERANCE, "{spread:?} deviates {deviation}");
}

pub(super) async fn assistants_and_others_are_spread_apart(store: Subject) {
    let answer = |number| {
        let mut answer = turn(number);
        answer.source.role = Some("assistant".to_owned());
        answer
    };
    let bobs = memory(&user("bob"), 9, "b");
    let all: [(Memory, &[f32]); 6] = [
        (answer(1), &[0.8]),
        (answer(2), &[0.4]),
        (note(3), &[0.1]),
        (turn(4), &[0.3]),
        (note(5), &[0.2]),
        (bobs, &[0.9]),
    ];
    keep_near(&store, &all).await;
    let spreads = store.evidence(&all_of(&alice()), &question()).await.cosines;
    assert_spread(spreads.assistant, 2, 0.6, 0.2);
    assert_spread(spreads.others, 3, 0.2, (0.02_f64 / 3.0).sqrt());
    let both = Filter::new(vec![alice(), user("bob")], now());
    let spreads = store.evidence(&both, &question()).await.cosines;
    assert_spread(spreads.assistant, 2, 0.6, 0.2);
    assert_spread(spreads.others, 4, 0.375, 0.311_247);
}

pub(super) async fn without_a_meaning_nothing_is_compared(store: Subject) {
    keep_near(&store, &[(memory(&alice(), 1, "zebra"), &[0.9])]).await;
    let evidence = store.evidence(&all_of(&alice()), &words("zebra")).await;
    assert_eq!((evidence.turns[0].cosine, evidence.pending), (None, 0));
    assert_eq!(evidence.cosines.others, Spread::default());
}

pub(super) async fn vectors_are_known_by_their_text_while_a_memory_has_it(store: Subject) {
    let bobs = memory(&user("bob"), 2, "a note");
    let vector = |cosine: f32| vectors(&[&towards(cosine)]).remove(0);
    let (shared, own) = (vector(0.9), vector(0.5));
    let nowhere = PassageHash::default();
    let check = async |known: [bool; 3]| {
        let hashes = [shared.hash, nowhere, own.hash];
        let found = store.known_vectors(&fingerprint(), &hashes).await;
        // Of a store that does not promise it, some may stand where it is done all the same.
        let recall = store.0.capabilities().recall;
        for (found, known) in found.iter().zip(known) {
            assert!(found.is_some() == known || found.is_none() && !recall, "{found:?}");
        }
        for (found, expected) in found.iter().zip([&shared, &shared, &own]) {
            let differ = |(a, b): (&f32, &f32)| f64::from((a - b).abs()) > TOLERANCE;
            let same = |found: &Vec<f32>| !found.iter().zip(&expected.vector).any(differ);
            assert!(
                found
                    .as_ref()
                    .is_none_or(|found| { found.len() == expected.vector.len() && same(found) })
            );
        }
        let others = store.known_vectors(&other_model(), &hashes).await;
        assert_eq!(others, [None, None, None]);
    };
    check([false, false, false]).await;
    assert_eq!(store.dimensions(&fingerprint()).await, None);
    keep_near(&store, &[(note(1), &[0.9, 0.5]), (bobs.clone(), &[0.9])]).await;
    assert_eq!(store.dimensions(&fingerprint()).await, Some(own.vector.len()));
    assert_eq!(store.dimensions(&other_model()).await, None);
    check([true, false, true]).await;
    store.forget(&[note(1)]).await;
    check([true, false, false]).await;
    store.commit(vec![update(&next(&bobs, "another text"))]).await;
    check([false, false, false]).await;
    assert_eq!(store.known_vectors(&fingerprint(), &[]).await, [] as [Option<Vec<f32>>; 0]);
}

pub(super) async fn a_memory_is_handed_out_once_until_its_time_is_over(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&[1, 2, 3].map(note)).await;
    assert_eq!(store.claim(10, 20, 2).await, ids(&[1, 2]));
    assert_eq!(store.claim(11, 30, 5).await, ids(&[3]));
    assert_eq!(store.claim(19, 40, 5).await, []);
    assert_eq!(store.claim(20, 40, 5).await, ids(&[1, 2]));
    assert_eq!(store.claim(30, 50, 5).await, ids(&[3]));
    assert_eq!(store.claim(60, 70, 0).await, []);
    store.commit(vec![embed(&note(2), &[0.5])]).await;
    assert_eq!(store.claim(60, 70, 5).await, ids(&[1, 3]), "what has its vector waits no more");
}

pub(super) async fn what_is_given_back_is_handed_out_again(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&[1, 2, 3].map(note)).await;
    assert_eq!(store.claim(10, 20, 3).await, ids(&[1, 2, 3]));
    store.commit(vec![embed(&note(1), &[0.5])]).await;
    store.release(&ids(&[1, 3, 99]), 20).await;
    assert_eq!(store.claim(11, 21, 3).await, ids(&[3]), "and what has its vector is not");
    store.release(&[], 21).await;
    assert_eq!(store.claim(11, 21, 3).await, []);
}

pub(super) async fn a_claim_that_others_have_taken_over_is_not_given_back(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&[note(1)]).await;
    assert_eq!(store.claim(10, 20, 1).await, ids(&[1]));
    assert_eq!(store.claim(25, 40, 1).await, ids(&[1]), "the first was too slow");
    store.release(&ids(&[1]), 20).await;
    store.extend(&ids(&[1]), 20, 22).await;
    store.refuse(&id(1), 20, 22, "too late").await;
    assert_eq!(store.claim(30, 50, 1).await, [], "and has no say any more");
    assert_eq!(store.embedding_state().await.refused, []);
    assert_eq!(store.claim(40, 50, 1).await, ids(&[1]));
}

pub(super) async fn a_claim_lasts_longer_when_that_is_asked_for(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&[1, 2].map(note)).await;
    assert_eq!(store.claim(10, 20, 2).await, ids(&[1, 2]));
    store.extend(&ids(&[1, 99]), 20, 30).await;
    assert_eq!(store.claim(25, 60, 2).await, ids(&[2]));
    store.release(&ids(&[1]), 30).await;
    assert_eq!(store.claim(26, 60, 2).await, ids(&[1]), "it is known by its new end");
}

pub(super) async fn what_cannot_be_embedded_is_put_aside_with_the_reason(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&[1, 2, 3].map(note)).await;
    assert_eq!(store.claim(10, 20, 3).await, ids(&[1, 2, 3]));
    store.refuse(&id(1), 20, 100, "too strange").await;
    store.refuse(&id(2), 20, 100, "too strange").await;
    store.refuse(&id(3), 20, 200, "too long").await;
    let state = store.embedding_state().await;
    let refused = vec![("too strange".to_owned(), 2), ("too long".to_owned(), 1)];
    assert_eq!((state.pending, state.waiting(), state.refused), (3, 0, refused));
    assert_eq!(store.claim(99, 120, 3).await, []);
    let again = store.0.claim(moment(100), moment(120), 3).await.expect("memories are handed out");
    let refusals: Vec<_> = again.iter().map(|one| (one.memory.id.clone(), one.refusals)).collect();
    assert_eq!(refusals, [(id(1), 1), (id(2), 1)]);
    store.commit(vec![embed(&note(1), &[0.5])]).await;
    store.refuse(&id(2), 120, 130, "too long").await;
    let again = store.0.claim(moment(130), moment(140), 1).await.expect("memories are handed out");
    assert_eq!(again[0].refusals, 2);
    assert_eq!(store.embedding_state().await.refused, [("too long".to_owned(), 2)]);
}

pub(super) async fn what_was_put_aside_starts_anew_with_another_text_or_model(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&[1, 2].map(note)).await;
    assert_eq!(store.claim(10, 20, 2).await, ids(&[1, 2]));
    store.refuse(&id(1), 20, 100, "too strange").await;
    store.refuse(&id(2), 20, 100, "too strange").await;
    let retagged = next(&note(1), "a note");
    store.commit(vec![update(&retagged)]).await;
    assert_eq!(store.claim(21, 30, 2).await, [], "the text is the same");
    store.commit(vec![update(&next(&retagged, "another text"))]).await;
    assert_eq!(store.claim(21, 30, 2).await, ids(&[1]));
    assert_eq!(store.embedding_state().await.refused, [("too strange".to_owned(), 1)]);
    store.adopt(&other_model()).await;
    assert_eq!(store.embedding_state().await.refused, []);
    assert_eq!(store.claim(22, 30, 2).await, ids(&[1, 2]));
}

pub(super) async fn what_was_forgotten_is_not_handed_out(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&[1, 2, 3].map(note)).await;
    store.forget(&[note(1)]).await;
    assert_eq!(store.claim(10, 20, 1).await, ids(&[2]));
    store.forget(&[note(2)]).await;
    assert_eq!(store.commit(vec![embed(&note(2), &[0.5])]).await, [Outcome::Missing(id(2))]);
    assert_eq!(store.claim(30, 40, 5).await, ids(&[3]));
    let state = store.embedding_state().await;
    assert_eq!((state.embedded, state.pending), (0, 1));
}

pub(super) async fn of_many_who_ask_at_once_each_is_handed_others(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&(1..=40).map(note).collect::<Vec<_>>()).await;
    let handed = together((0..10).map(|_| store.claim(10, 20, 5)).collect()).await;
    let all: Vec<MemoryId> = handed.into_iter().flatten().collect();
    assert_eq!(all.len(), 40);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 40);
}

pub(super) async fn a_new_text_is_handed_out_as_it_is_now(store: Subject) {
    store.adopt(&fingerprint()).await;
    keep_near(&store, &[(note(1), &[0.5])]).await;
    assert_eq!(store.claim(10, 20, 5).await, []);
    let rewritten = next(&note(1), "another text");
    store.commit(vec![update(&rewritten)]).await;
    let claimed = store.0.claim(moment(30), moment(40), 5).await.expect("memories are handed out");
    let texts: Vec<_> =
        claimed.iter().map(|one| (one.memory.content.as_str(), one.memory.version)).collect();
    assert_eq!(texts, [("another text", 2)]);
}

pub(super) async fn another_model_begins_anew_and_the_first_answers_meanwhile(store: Subject) {
    assert_eq!(store.embedding_state().await, EmbeddingState::default());
    assert!(store.adopt(&fingerprint()).await);
    assert!(!store.adopt(&fingerprint()).await);
    let zebra = memory(&alice(), 1, "zebra");
    keep_near(&store, &[(zebra.clone(), &[0.9]), (note(2), &[0.5])]).await;
    store.keep(&[note(3)]).await;
    let counts = async || {
        let state = store.embedding_state().await;
        (state.model, state.embedded, state.pending)
    };
    assert_eq!(counts().await, (Some(fingerprint()), 2, 1));
    assert_eq!(store.claim(10, 20, 1).await, ids(&[3]));
    assert!(store.adopt(&other_model()).await);
    assert_eq!(counts().await, (Some(other_model()), 0, 3));
    let found = store.candidates(&all_of(&alice()), &words("zebra")).await;
    assert_eq!(found.lexical, [id(1)]);
    check(&store, &question(), &[(1, Some(90)), (2, Some(50))]).await;
    check(&store, &meaning(&other_model()), &[]).await;
    assert_eq!(store.claim(30, 40, 1).await, ids(&[1]));
    store.commit(vec![embed_by(&other_model(), &zebra, &[0.3])]).await;
    assert_eq!(counts().await, (Some(other_model()), 1, 2));
    check(&store, &meaning(&other_model()), &[(1, Some(30))]).await;
    let pending = store.evidence(&all_of(&alice()), &meaning(&other_model())).await.pending;
    assert_eq!(pending, 2);
}

pub(super) async fn a_late_vector_of_the_earlier_model_changes_nothing(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&[note(1)]).await;
    assert_eq!(store.claim(10, 20, 1).await, ids(&[1]));
    store.adopt(&other_model()).await;
    let late = || vec![embed(&note(1), &[0.9])];
    assert_eq!(store.commit(late()).await, [Outcome::Missing(id(1))]);
    let state = store.embedding_state().await;
    assert_eq!((state.embedded, state.pending), (0, 1));
    check(&store, &meaning(&other_model()), &[]).await;
    assert_eq!(store.claim(30, 40, 1).await, ids(&[1]));
    store.commit(vec![embed_by(&other_model(), &note(1), &[0.3])]).await;
    assert_eq!(store.commit(late()).await, [Outcome::Missing(id(1))]);
    check(&store, &meaning(&other_model()), &[(1, Some(30))]).await;
    let embedding = store.find(&id(1)).await.expect("it is there").embedding;
    assert_eq!(embedding, Embedding::Ready(other_model()));
}

pub(super) async fn scopes_count_what_waits_for_the_adopted_model(store: Subject) {
    store.adopt(&fingerprint()).await;
    keep_near(&store, &[(note(1), &[0.9]), (note(2), &[0.5])]).await;
    store.keep(&[note(3), Memory { expires_at: Some(moment(0)), ..note(4) }]).await;
    let waiting = async || store.scopes(&keeper()).await[0].pending_embeddings;
    assert_eq!(waiting().await, 1, "what has ended waits for nothing");
    store.adopt(&other_model()).await;
    assert_eq!(waiting().await, 3);
    store.commit(vec![embed_by(&other_model(), &note(1), &[0.3])]).await;
    assert_eq!(waiting().await, 2);
}

pub(super) async fn an_edit_beside_the_text_keeps_vectors_that_came_meanwhile(store: Subject) {
    store.adopt(&fingerprint()).await;
    store.keep(&[note(1)]).await;
    let loaded = store.find(&id(1)).await.expect("it is there");
    store.commit(vec![embed(&note(1), &[0.9])]).await;
    let retagged = next(&loaded, "a note");
    store.commit(vec![update(&retagged)]).await;
    check(&store, &question(), &[(1, Some(90))]).await;
    assert_eq!(store.embedding_state().await.pending, 0);
    let embedding = async || store.find(&id(1)).await.expect("it is there").embedding;
    assert_eq!(embedding().await, Embedding::Ready(fingerprint()));
    let rewritten =
        Memory { embedding: Embedding::Ready(fingerprint()), ..next(&retagged, "another text") };
    store.commit(vec![update(&rewritten)]).await;
    check(&store, &question(), &[]).await;
    assert_eq!((embedding().await, store.embedding_state().await.pending), (Embedding::Pending, 1));
}

pub(super) async fn what_becomes_an_assistants_waits_for_other_vectors(store: Subject) {
    store.adopt(&fingerprint()).await;
    keep_near(&store, &[(note(1), &[0.9])]).await;
    let mut answer = next(&store.find(&id(1)).await.expect("it is there"), "a note");
    answer.metadata.author = Some("assistant".to_owned());
    store.commit(vec![update(&answer)]).await;
    check(&store, &question(), &[]).await;
    assert_eq!(store.embedding_state().await.pending, 1);
    store.commit(vec![embed(&answer, &[0.9])]).await;
    let spreads = store.evidence(&all_of(&alice()), &question()).await.cosines;
    assert_eq!((spreads.assistant.count, spreads.others.count), (1, 0));
}

pub(super) async fn the_vectors_of_an_earlier_model_are_retired(store: Subject) {
    store.adopt(&fingerprint()).await;
    let memories: Vec<Memory> = (1..=30).map(note).collect();
    store.commit(memories.iter().map(create).collect()).await;
    store.commit(memories.iter().map(|memory| embed(memory, &[0.9])).collect()).await;
    assert_eq!(store.retire(10).await, 0, "the adopted model is none of those");
    assert_eq!(store.embedding_state().await.embedded, 30);
    store.adopt(&other_model()).await;
    let again = memories.iter().map(|memory| embed_by(&other_model(), memory, &[0.4]));
    store.commit(again.collect()).await;
    let mut left = 30;
    for _ in 0..6 {
        left = store.retire(5).await.min(left);
    }
    assert_eq!(left, 0);
    let state = store.embedding_state().await;
    let expected = EmbeddingState {
        model: Some(other_model()),
        embedded: 30,
        pending: 0,
        refused: Vec::new(),
        retiring: Vec::new(),
    };
    assert_eq!(state, expected);
    let evidence = store.evidence(&all_of(&alice()), &question()).await;
    assert_eq!((evidence.turns.len(), evidence.cosines.others.count), (0, 0));
    let evidence = store.evidence(&all_of(&alice()), &meaning(&other_model())).await;
    assert_eq!((evidence.turns.len(), evidence.cosines.others.count), (30, 30));
}

pub(super) async fn every_passage_counts_in_the_spread(store: Subject) {
    keep_near(&store, &[(note(1), &[0.1, 0.5]), (note(2), &[0.3])]).await;
    let spread = store.evidence(&all_of(&alice()), &question()).await.cosines.others;
    assert_spread(spread, 3, 0.3, (0.08_f64 / 3.0).sqrt());
}
