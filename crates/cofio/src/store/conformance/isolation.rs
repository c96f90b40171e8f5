//! Nobody reads, counts or changes what is not theirs, on any pair of layers or tenants.
//!
//! Every scope of a crowd holds one canary with the same words and the same entity, so that
//! whatever leaks is found by every question.

use std::collections::BTreeSet;
use std::slice::from_ref;

use super::fixtures::{
    access_to, all_of, canary, canary_cues, commit, create, create_as, digest, forget, id, keeper,
    layered, memory, mention, named, names, next, now, scope, update, user,
};
use super::subject::Subject;
use crate::model::{
    Access, Caller, Change, Filter, Identifiers, Layer, Memory, MemoryId, Outcome, Scope,
};

/// Names that a careless store would take for each other, or for a pattern.
const TENANTS: [&str; 7] = ["acme", "zeta", "Acme", "%", "_cme", "*", "acme%"];

/// Returns every layer of every tenant, and pairs that share parts of their names.
fn crowd() -> Vec<Scope> {
    let layers = |tenant| Layer::ALL.iter().map(move |&layer| layered(layer, tenant));
    let mut crowd: Vec<Scope> = TENANTS.into_iter().flat_map(layers).collect();
    for layer in [Layer::Agent, Layer::Session] {
        for (owner, name) in [("acme", "zeta"), ("zeta", "acme"), ("a/b", "c"), ("a", "b/c")] {
            crowd.push(scope(layer, &[(Layer::User, owner), (layer, name)]));
        }
    }
    crowd.extend([user("a/b"), user("a")]);
    crowd
}

/// Keeps one canary in every scope of the crowd.
async fn canaries(store: &Subject) -> Vec<Memory> {
    let numbered = (1..).zip(crowd());
    let canaries: Vec<Memory> = numbered.map(|(number, scope)| canary(&scope, number)).collect();
    store.keep(&canaries).await;
    canaries
}

fn ids(memories: &[Memory]) -> Vec<MemoryId> {
    memories.iter().map(|memory| memory.id.clone()).collect()
}

/// Returns the canaries that the holder of one scope's names may see.
///
/// Those of an agent or a session come with the user they belong to; nothing else does.
fn open(canaries: &[Memory], own: &Memory) -> Vec<Memory> {
    let access = access_to(&own.scope);
    let open: Vec<Memory> =
        canaries.iter().filter(|canary| access.opens(&canary.scope)).cloned().collect();
    assert!(open.contains(own), "{} opens itself", own.scope);
    assert_eq!(open.len(), own.scope.layer().required().len(), "{} opens no more", own.scope);
    open
}

pub(super) async fn reading_by_id_opens_only_what_is_granted(store: Subject) {
    let canaries = canaries(&store).await;
    for own in &canaries {
        let read = store.get(&access_to(&own.scope), &ids(&canaries)).await;
        assert_eq!(read, open(&canaries, own), "{}", own.scope);
    }
    assert_eq!(store.get(&keeper(), &ids(&canaries)).await, canaries);
}

pub(super) async fn a_person_does_not_open_another_persons_sessions(store: Subject) {
    let canaries = canaries(&store).await;
    let acme = named("acme");
    let read = store.get(Caller::local(acme.clone()).access(), &ids(&canaries)).await;
    let is_foreign = |canary: &Memory| {
        canary.scope.identifiers().get(Layer::User).is_some_and(|owner| *owner != acme)
    };
    let expected: Vec<Memory> =
        canaries.iter().filter(|canary| !is_foreign(canary)).cloned().collect();
    assert_eq!(read, expected);
    assert!(read.iter().any(|memory| memory.scope.layer() == Layer::Session));
    assert!(read.len() < canaries.len());
}

pub(super) async fn what_is_not_yours_is_not_there(store: Subject) {
    let foreign = canary(&user("bob"), 1);
    store.keep(from_ref(&foreign)).await;
    store.commit(vec![update(&next(&foreign, "the canary sings again"))]).await;
    let alice = access_to(&user("alice"));
    let unknown = canary(&user("alice"), 2);
    for memory in [&foreign, &unknown] {
        let claimed = Change::Forget { id: memory.id.clone(), scope: user("alice"), version: None };
        assert_eq!(store.get(&alice, from_ref(&memory.id)).await, []);
        assert_eq!(store.history(&alice, &memory.id).await, []);
        assert_eq!(store.commit(vec![claimed]).await, [Outcome::Missing(memory.id.clone())]);
    }
    assert_eq!(store.history(&access_to(&user("bob")), &foreign.id).await, [foreign]);
}

pub(super) async fn lists_and_totals_stay_in_their_scope(store: Subject) {
    for own in &canaries(&store).await {
        assert_eq!(store.list(&all_of(&own.scope)).await, from_ref(&own.id), "{}", own.scope);
    }
}

pub(super) async fn words_and_names_find_only_in_their_scope(store: Subject) {
    for own in &canaries(&store).await {
        let found = store.candidates(&all_of(&own.scope), &canary_cues()).await;
        assert_eq!(found.lexical, from_ref(&own.id), "words in {}", own.scope);
        assert_eq!(found.entity, from_ref(&own.id), "names in {}", own.scope);
        assert_eq!(found.memories, from_ref(own), "{}", own.scope);
    }
}

pub(super) async fn entities_stay_in_their_scope(store: Subject) {
    for own in &canaries(&store).await {
        for name in [None, Some("canary")] {
            let entities = store.entities(from_ref(&own.scope), name).await;
            assert_eq!(entities.len(), 1, "{}", own.scope);
            assert_eq!(entities[0].mention_count, 1, "{}", own.scope);
            assert_eq!(entities[0].memories, from_ref(&own.id), "{}", own.scope);
        }
    }
}

pub(super) async fn an_alias_from_another_scope_links_nothing(store: Subject) {
    let naming = |scope: &Scope, number, alias| Memory {
        entities: vec![mention("Ada Lovelace", alias)],
        ..memory(scope, number, "about her")
    };
    let (alice, bob) = (user("alice"), user("bob"));
    store.keep(&[naming(&alice, 1, "Ada"), naming(&bob, 2, "the countess")]).await;
    let nickname = names(&["the countess"]);
    assert!(store.candidates(&all_of(&alice), &nickname).await.entity.is_empty());
    assert_eq!(store.entities(from_ref(&alice), Some("the countess")).await, []);
    let entities = store.entities(from_ref(&alice), None).await;
    assert_eq!(entities[0].aliases, ["Ada"]);
    assert_eq!(store.candidates(&all_of(&bob), &nickname).await.entity, [id(2)]);
}

pub(super) async fn histories_open_only_what_is_granted(store: Subject) {
    let canaries = canaries(&store).await;
    let updates = canaries.iter().map(|canary| update(&next(canary, "the canary is silent")));
    store.commit(updates.collect()).await;
    for own in &canaries {
        let access = access_to(&own.scope);
        let open = open(&canaries, own);
        for other in &canaries {
            let expected = if open.contains(other) { vec![other.clone()] } else { Vec::new() };
            let history = store.history(&access, &other.id).await;
            assert_eq!(history, expected, "{} for {}", other.scope, own.scope);
        }
    }
}

pub(super) async fn summaries_open_only_what_is_granted(store: Subject) {
    let canaries = canaries(&store).await;
    for own in &canaries {
        let summaries = store.scopes(&access_to(&own.scope)).await;
        let seen = summaries.iter().map(|summary| summary.scope.to_string());
        assert_eq!(seen.collect::<BTreeSet<_>>(), texts(&open(&canaries, own)), "{}", own.scope);
        for summary in &summaries {
            let count: u64 = summary.counts.iter().map(|(_, _, count)| count).sum();
            assert_eq!((count, summary.entities, summary.pending_embeddings), (1, 1, 1));
            assert_eq!(summary.content_bytes, own.content.as_str().len() as u64);
        }
    }
    assert_eq!(store.scopes(&keeper()).await.len(), canaries.len());
}

pub(super) async fn changes_open_only_what_is_granted(store: Subject) {
    let canaries = canaries(&store).await;
    for own in &canaries {
        let changes = store.changes(&access_to(&own.scope)).await;
        let seen: Vec<_> = changes.into_iter().map(|change| change.id).collect();
        assert_eq!(seen, ids(&open(&canaries, own)), "{}", own.scope);
    }
}

pub(super) async fn tombstones_open_only_what_is_granted(store: Subject) {
    let canaries = canaries(&store).await;
    store.forget(&canaries).await;
    for own in &canaries {
        let tombstones = store.tombstones(&access_to(&own.scope)).await;
        let seen: BTreeSet<_> = tombstones.into_iter().map(|tombstone| tombstone.id).collect();
        let expected = ids(&open(&canaries, own)).into_iter().collect();
        assert_eq!(seen, expected, "{}", own.scope);
    }
}

pub(super) async fn a_scope_is_known_before_and_after_it_holds_something(store: Subject) {
    let [alice, bob, carol] = ["alice", "bob", "carol"].map(user);
    for _ in 0..2 {
        store.know(&[bob.clone(), alice.clone()]).await;
        assert_eq!(store.known(&keeper()).await, [alice.clone(), bob.clone()]);
    }
    assert_eq!(store.known(&access_to(&bob)).await, from_ref(&bob));
    let kept = [memory(&bob, 1, "Bob keeps hens"), memory(&carol, 2, "Carol keeps bees")];
    store.keep(&kept).await;
    store.forget(&kept[..1]).await;
    store.know(&[bob.clone(), carol.clone()]).await;
    assert_eq!(store.known(&keeper()).await, [alice, bob, carol]);
}

pub(super) async fn nothing_is_changed_from_another_scope(store: Subject) {
    let canaries = canaries(&store).await;
    let before = store.snapshot(&crowd()).await;
    for own in &canaries {
        let others = || canaries.iter().filter(|canary| canary.scope != own.scope);
        let forgettings =
            others().map(|other| forget(&Memory { id: own.id.clone(), ..other.clone() }));
        let takeovers = others().map(|other| {
            update(&Memory { scope: other.scope.clone(), ..next(own, "the canary was taken") })
        });
        let outcomes = store.commit(forgettings.chain(takeovers).collect()).await;
        assert!(
            outcomes.iter().all(|outcome| *outcome == Outcome::Missing(own.id.clone())),
            "{} was changed from another scope",
            own.scope
        );
    }
    assert_eq!(store.snapshot(&crowd()).await, before);
    store.forget(&canaries).await;
}

pub(super) async fn the_same_thing_is_kept_once_in_every_scope(store: Subject) {
    let canaries: Vec<Memory> =
        (1..).zip(crowd()).map(|(number, scope)| canary(&scope, number)).collect();
    let first = canaries.iter().map(|canary| create_as(canary, digest(7))).collect();
    let created: Vec<_> =
        canaries.iter().map(|canary| Outcome::Created(canary.id.clone())).collect();
    assert_eq!(store.commit(first).await, created);

    let again = (1_001..).zip(&canaries);
    let again = again.map(|(number, own)| create_as(&canary(&own.scope, number), digest(7)));
    let existing: Vec<_> =
        canaries.iter().map(|canary| Outcome::Existing(canary.id.clone())).collect();
    assert_eq!(store.commit(again.collect()).await, existing);
}

pub(super) async fn an_id_of_another_scope_cannot_be_taken(store: Subject) {
    let own = canary(&user("bob"), 1);
    store.keep(from_ref(&own)).await;
    let stolen = Memory { scope: user("alice"), ..own.clone() };
    let outcome = store.attempt(commit(vec![create(&stolen)])).await;
    let created = Outcome::Created(own.id.clone());
    assert!(outcome.is_err() || outcome.is_ok_and(|outcomes| outcomes != [created]));
    assert_eq!(store.find(&own.id).await, Some(own));
    assert!(store.list(&all_of(&user("alice"))).await.is_empty());
}

pub(super) async fn no_scope_is_not_every_scope(store: Subject) {
    let canaries = canaries(&store).await;
    let nowhere = Filter::new(Vec::new(), now());
    assert!(store.list(&nowhere).await.is_empty());
    let found = store.candidates(&nowhere, &canary_cues()).await;
    assert!(found.lexical.is_empty() && found.entity.is_empty() && found.memories.is_empty());
    assert_eq!(store.entities(&[], None).await, []);

    let nobody: Access = Caller::bound(named("nobody"), &Identifiers::default()).access().clone();
    store.commit(vec![forget(&canaries[0])]).await;
    assert_eq!(store.get(&nobody, &ids(&canaries)).await, []);
    assert_eq!(store.scopes(&nobody).await, []);
    assert_eq!(store.changes(&nobody).await, []);
    assert_eq!(store.tombstones(&nobody).await, []);
}

pub(super) async fn several_scopes_are_read_together_and_told_apart(store: Subject) {
    let canaries = canaries(&store).await;
    let all: Vec<Scope> = Layer::ALL.iter().map(|&layer| layered(layer, "acme")).collect();
    let expected: BTreeSet<MemoryId> = canaries
        .iter()
        .filter(|canary| all.contains(&canary.scope))
        .map(|canary| canary.id.clone())
        .collect();
    assert_eq!(expected.len(), Layer::ALL.len());

    let filter = Filter::new(all.clone(), now());
    assert_eq!(store.list(&filter).await.into_iter().collect::<BTreeSet<_>>(), expected);
    let found = store.candidates(&filter, &canary_cues()).await;
    assert_eq!(found.lexical.into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(found.entity.into_iter().collect::<BTreeSet<_>>(), expected);
    for memory in found.memories {
        assert!(canaries.contains(&memory), "a memory keeps the scope it was given");
    }
    let entities = store.entities(&all, None).await;
    assert_eq!(entities.len(), 1, "an entity of several scopes is returned once");
    assert_eq!(entities[0].mention_count, expected.len() as u64);
}

fn texts(memories: &[Memory]) -> BTreeSet<String> {
    memories.iter().map(|memory| memory.scope.to_string()).collect()
}
