//! What is put is there, as it was.

use super::fixtures::{alice, bob, edition, slot, text};
use super::subject::Subject;
use crate::model::Scope;
use crate::shelf::{Content, Slot, Status};
use crate::store::conformance::writing_systems::TEXTS;

pub(super) async fn texts_come_back_in_the_order_that_is_asked(shelf: Subject) {
    let slots: Vec<Slot> = (1..=20).map(|number| slot(&alice(), number)).collect();
    shelf.put_each(&slots).await;
    let mut asked: Vec<Slot> = slots.iter().rev().cloned().collect();
    asked.push(slots[3].clone());
    asked.insert(5, slots[3].clone());
    shelf.has_each(&asked).await;
    assert_eq!(shelf.slots(&alice()).await, slots, "lists are in order of the ids");
}

pub(super) async fn what_is_not_there_is_nothing(shelf: Subject) {
    shelf.has_none(&[slot(&alice(), 1)]).await;
    assert_eq!(shelf.slots(&alice()).await, []);
    shelf.put(&[text(&slot(&alice(), 2), "two")]).await;
    let asked = [slot(&alice(), 1), slot(&alice(), 2), slot(&alice(), 3)];
    assert_eq!(shelf.get(&asked).await, [None, Some("two".to_owned()), None]);
}

pub(super) async fn editions_are_kept_apart(shelf: Subject) {
    let editions = [1, 2, 10, u64::from(u32::MAX)].map(|number| edition(&alice(), 1, number));
    shelf.put_each(&editions).await;
    shelf.has_each(&editions).await;
    shelf.has_none(&[edition(&alice(), 1, 3)]).await;
    assert_eq!(shelf.slots(&alice()).await, editions, "lists are in order of the editions");
}

pub(super) async fn a_repeat_changes_nothing(shelf: Subject) {
    let slots = [slot(&alice(), 1), slot(&alice(), 2), slot(&bob(), 1)];
    for _ in 0..3 {
        shelf.put_each(&slots).await;
    }
    shelf.put_each(&[slots[0].clone(), slots[0].clone()]).await;
    shelf.has_each(&slots).await;
    assert_eq!(shelf.slots(&alice()).await, slots[..2]);
    shelf.remove(&slots[..1]).await;
    shelf.has_none(&slots[..1]).await;
    assert_eq!(shelf.slots(&alice()).await, slots[1..2]);
}

pub(super) async fn every_text_comes_back_as_it_was(shelf: Subject) {
    let contents: Vec<Content> =
        (1..).zip(TEXTS).map(|(number, told)| text(&slot(&alice(), number), told)).collect();
    shelf.put(&contents).await;
    let slots: Vec<Slot> = contents.iter().map(|content| content.slot.clone()).collect();
    let found = shelf.get(&slots).await;
    for (found, told) in found.iter().zip(TEXTS) {
        assert_eq!(found.as_deref(), Some(told));
    }
    assert_eq!(found.len(), TEXTS.len());
}

pub(super) async fn a_large_text_comes_back_whole(shelf: Subject) {
    let large = "é – 大きい 😀\n".repeat(12_000);
    assert!(large.len() > 256 * 1024);
    let contents = [1, 2, 3].map(|number| text(&slot(&alice(), number), &large));
    shelf.put(&contents).await;
    let found = shelf.get(&contents.map(|content| content.slot)).await;
    assert_eq!(found.len(), 3);
    // Not `assert_eq`, which would show all of it.
    assert!(found.iter().all(|found| found.as_deref() == Some(large.as_str())));
}

pub(super) async fn nothing_asked_is_nothing_done(shelf: Subject) {
    shelf.put(&[]).await;
    shelf.remove(&[]).await;
    assert_eq!(shelf.get(&[]).await, Vec::<Option<String>>::new());
    shelf.put_each(&[slot(&alice(), 1)]).await;
    assert_eq!(shelf.page(&alice(), None, 0).await, []);
    if shelf.has_vectors() {
        let nowhere: [Scope; 0] = [];
        shelf.put_vectors(&[]).await;
        assert_eq!(shelf.cosines(&[]).await, []);
        assert_eq!(shelf.sample(&nowhere, 10).await, []);
        assert_eq!(shelf.nearest_of(&alice(), 0).await, []);
    }
}

pub(super) async fn it_says_how_it_is(shelf: Subject) {
    let health = shelf.0.health().await.expect("it answers");
    assert_ne!(health.status, Status::Unhealthy, "{health:?}");
    assert!(health.components.iter().any(|component| component.name == "durability"), "{health:?}");
    assert!(health.components.iter().all(|component| !component.message.is_empty()));
}
