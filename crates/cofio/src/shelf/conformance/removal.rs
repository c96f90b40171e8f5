//! What is removed is gone, and nothing else is.

use std::slice::from_ref;

use super::fixtures::{alice, bob, edition, model, near, other_model, question, slot};
use super::subject::Subject;
use crate::model::Meaning;

pub(super) async fn what_is_removed_is_gone(shelf: Subject) {
    let slots = [slot(&alice(), 1), slot(&alice(), 2)];
    shelf.put_each(&slots).await;
    shelf.has_each(&slots).await;
    shelf.remove(&slots).await;
    shelf.has_none(&slots).await;
    assert_eq!(shelf.slots(&alice()).await, []);
}

pub(super) async fn what_is_gone_may_be_removed_again(shelf: Subject) {
    let slots = [slot(&alice(), 1), slot(&alice(), 2)];
    shelf.remove(&slots).await;
    shelf.put_each(&slots[..1]).await;
    shelf.remove(&slots).await;
    shelf.remove(&slots).await;
    shelf.has_none(&slots).await;
}

pub(super) async fn removal_leaves_every_other_slot(shelf: Subject) {
    let gone = edition(&alice(), 1, 2);
    let kept = [
        edition(&alice(), 1, 1),
        edition(&alice(), 1, 20),
        edition(&alice(), 2, 2),
        edition(&bob(), 1, 2),
    ];
    shelf.put_each(&kept).await;
    shelf.put_each(from_ref(&gone)).await;
    shelf.remove(from_ref(&gone)).await;
    shelf.has_none(&[gone]).await;
    shelf.has_each(&kept).await;
    assert_eq!(shelf.slots(&alice()).await, kept[..3]);
}

pub(super) async fn removal_takes_the_vectors_too(shelf: Subject) {
    if !shelf.has_vectors() {
        return;
    }
    let [gone, kept] = [1, 2].map(|number| slot(&alice(), number));
    shelf.put_each(&[gone.clone(), kept.clone()]).await;
    shelf.put_vectors(&[near(&gone, &[0.9, 0.8]), near(&kept, &[0.5])]).await;
    let by_another = shelf.0.put_vectors(&other_model(), &[near(&gone, &[0.9])]).await;
    by_another.expect("vectors are put");
    assert_eq!(shelf.nearest_of(&alice(), 9).await, [(gone.clone(), 90), (kept.clone(), 50)]);
    shelf.remove(from_ref(&gone)).await;
    assert_eq!(shelf.nearest_of(&alice(), 9).await, [(kept.clone(), 50)]);
    assert_eq!(shelf.cosines(&[gone.clone(), kept.clone()]).await, [None, Some(50)]);
    assert_eq!(shelf.sample(&[alice()], 9).await, [(50, false)]);
    let asked = Meaning { fingerprint: other_model(), ..question() };
    assert_eq!(shelf.0.cosines(&asked, &[gone]).await.expect("slots are compared"), [None]);
    assert_eq!(shelf.slots(&alice()).await, [kept]);
    assert_ne!(model(), other_model());
}

pub(super) async fn what_was_removed_may_be_put_again(shelf: Subject) {
    let slots = [slot(&alice(), 1)];
    for _ in 0..3 {
        shelf.put_each(&slots).await;
        shelf.has_each(&slots).await;
        assert_eq!(shelf.slots(&alice()).await, slots);
        shelf.remove(&slots).await;
        shelf.has_none(&slots).await;
    }
}
