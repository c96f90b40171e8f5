//! Nothing is read, found or changed from another scope.

use std::slice::from_ref;

use super::fixtures::{alice, bob, edition, near, slot};
use super::subject::Subject;
use crate::model::{Layer, Scope};
use crate::shelf::{Slot, Within};
use crate::store::conformance::fixtures::{layered, scope, user};

/// Returns scopes whose names something might take for one another, or for a pattern.
fn lookalikes() -> Vec<Scope> {
    let names = [
        "alice",
        "Alice",
        "alicé",
        "alice ",
        "*",
        "?",
        "[a-z]*",
        "{alice}",
        "a}b{c",
        "a:b",
        "a/b",
        "a%2Fb",
        "a b",
        "ålice",
        "$in",
        "user:alice",
        "'alice'",
        "\"alice\"",
        "アリス",
        "👩",
    ];
    let users = names.iter().map(|name| user(name.trim()));
    let layers = Layer::ALL.iter().map(|layer| layered(*layer, "alice"));
    let session =
        |user, name| scope(Layer::Session, &[(Layer::User, user), (Layer::Session, name)]);
    let mut all: Vec<Scope> = Vec::new();
    for scope in users.chain(layers).chain([session("a/b", "c"), session("a", "b/c")]) {
        if !all.contains(&scope) {
            all.push(scope);
        }
    }
    all
}

/// Returns the slot that has the same number in every scope.
fn same_in(scopes: &[Scope]) -> Vec<Slot> {
    scopes.iter().map(|scope| slot(scope, 1)).collect()
}

pub(super) async fn scopes_are_apart(shelf: Subject) {
    let (mine, theirs) = (slot(&alice(), 1), slot(&bob(), 1));
    shelf.put_each(from_ref(&theirs)).await;
    shelf.has_none(from_ref(&mine)).await;
    shelf.has_each(from_ref(&theirs)).await;
    shelf.put_each(from_ref(&mine)).await;
    shelf.has_each(&[mine, theirs]).await;
}

pub(super) async fn names_that_look_alike_are_different_scopes(shelf: Subject) {
    let slots = same_in(&lookalikes());
    for own in &slots {
        shelf.has_none(from_ref(own)).await;
        shelf.put_each(from_ref(own)).await;
    }
    shelf.has_each(&slots).await;
    for own in &slots {
        assert_eq!(shelf.slots(&own.scope).await, from_ref(own));
    }
    let (gone, kept): (Vec<_>, Vec<_>) = (0..).zip(slots).partition(|(place, _)| place % 2 == 0);
    let [gone, kept] = [gone, kept].map(|half: Vec<(u32, Slot)>| -> Vec<Slot> {
        half.into_iter().map(|(_, slot)| slot).collect()
    });
    shelf.remove(&gone).await;
    shelf.has_none(&gone).await;
    shelf.has_each(&kept).await;
}

pub(super) async fn lists_stay_in_their_scope(shelf: Subject) {
    let slots = [slot(&alice(), 1), slot(&alice(), 3), slot(&bob(), 2), slot(&bob(), 4)];
    shelf.put_each(&slots).await;
    assert_eq!(shelf.slots(&alice()).await, slots[..2]);
    assert_eq!(shelf.slots(&bob()).await, slots[2..]);
    assert_eq!(shelf.slots(&user("carol")).await, []);
    assert_eq!(shelf.slots(&layered(Layer::Session, "alice")).await, []);
}

pub(super) async fn nothing_is_removed_from_another_scope(shelf: Subject) {
    let mine = slot(&alice(), 1);
    shelf.put_each(from_ref(&mine)).await;
    shelf.remove(&[slot(&bob(), 1), slot(&layered(Layer::Agent, "alice"), 1)]).await;
    shelf.has_each(from_ref(&mine)).await;
    if shelf.has_vectors() {
        shelf.put_vectors(&[near(&mine, &[0.9])]).await;
        shelf.remove(&[slot(&bob(), 1)]).await;
        let removed = shelf.0.remove_vectors(&super::fixtures::model(), &[slot(&bob(), 1)]).await;
        removed.expect("vectors are removed");
        assert_eq!(shelf.nearest_of(&alice(), 9).await, [(mine, 90)]);
    }
}

pub(super) async fn vectors_are_found_in_their_scope_alone(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let scopes = lookalikes();
    let slots = same_in(&scopes);
    let embedded: Vec<_> = slots.iter().map(|slot| near(slot, &[0.7])).collect();
    shelf.put_vectors(&embedded).await;
    for (scope, own) in scopes.iter().zip(&slots) {
        assert_eq!(shelf.nearest_of(scope, 9).await, [(own.clone(), 70)]);
        assert_eq!(shelf.cosines(from_ref(own)).await, [Some(70)]);
        assert_eq!(shelf.sample(from_ref(scope), 9).await, [(70, false)]);
    }
    let stranger = user("stranger");
    assert_eq!(shelf.nearest_of(&stranger, 9).await, []);
    assert_eq!(shelf.cosines(&[slot(&stranger, 1), edition(&alice(), 1, 2)]).await, [None, None]);
    let several = Within::scopes(scopes[..4].to_vec());
    let mut found: Vec<Slot> =
        shelf.nearest(&several, 99).await.into_iter().map(|(slot, _)| slot).collect();
    found.sort_by_key(|slot| slots.iter().position(|own| own == slot));
    assert_eq!(found, slots[..4]);
}

pub(super) async fn no_scope_is_not_every_scope(shelf: Subject) {
    shelf.put_each(&[slot(&alice(), 1)]).await;
    if shelf.has_vectors() {
        shelf.put_vectors(&[near(&slot(&alice(), 1), &[0.9])]).await;
        assert_eq!(shelf.nearest(&Within::scopes(Vec::new()), 9).await, []);
        assert_eq!(shelf.sample(&[], 9).await, []);
        assert_eq!(shelf.nearest_of(&alice(), 9).await, [(slot(&alice(), 1), 90)]);
    }
    shelf.has_each(&[slot(&alice(), 1)]).await;
}
