//! Many at once are as good as one at a time.

use std::slice::from_ref;

use super::fixtures::{alice, bob, slot, text};
use super::subject::Subject;
use crate::shelf::Slot;
use crate::store::conformance::subject::together;

/// More than any shelf sends in one request.
const MANY: u64 = 1_200;

fn crowd(number: u64) -> Vec<Slot> {
    (1..=number).map(|number| slot(&alice(), number)).collect()
}

pub(super) async fn more_than_a_thousand_are_kept_in_one_call(shelf: Subject) {
    let crowd = crowd(MANY);
    let (first, rest) = crowd.split_at(1);
    shelf.put_each(&crowd).await;
    shelf.put_each(&[slot(&bob(), 1)]).await;
    let reversed: Vec<Slot> = crowd.iter().rev().cloned().collect();
    shelf.has_each(&reversed).await;
    assert_eq!(shelf.slots(&alice()).await, crowd);
    shelf.remove(rest).await;
    assert_eq!(shelf.slots(&alice()).await, first);
    shelf.has_none(rest).await;
    shelf.has_each(&[slot(&alice(), 1), slot(&bob(), 1)]).await;
}

pub(super) async fn pages_join_up_to_the_whole_list(shelf: Subject) {
    let crowd = crowd(57);
    shelf.put_each(&crowd).await;
    shelf.put_each(&[slot(&bob(), 5), slot(&bob(), 500)]).await;
    let mut joined: Vec<Slot> = Vec::new();
    loop {
        let page = shelf.page(&alice(), joined.last(), 10).await;
        assert!(page.len() <= 10);
        let is_last = page.len() < 10;
        joined.extend(page);
        if is_last {
            break;
        }
    }
    assert_eq!(joined, crowd);
}

pub(super) async fn a_place_stays_when_its_slot_is_gone(shelf: Subject) {
    let crowd = crowd(6);
    shelf.put_each(&crowd).await;
    shelf.remove(&crowd[2..4]).await;
    assert_eq!(shelf.page(&alice(), Some(&crowd[2]), 10).await, crowd[4..]);
    assert_eq!(shelf.page(&alice(), Some(&crowd[5]), 10).await, []);
}

pub(super) async fn many_writers_lose_nothing(shelf: Subject) {
    let (kept, gone): (Vec<u64>, Vec<u64>) = ((1..=60).collect(), (61..=90).collect());
    let leaving: Vec<Slot> = gone.iter().map(|number| slot(&alice(), *number)).collect();
    shelf.put_each(&leaving).await;
    let shelf = &shelf;
    let puts = kept.chunks(3).map(|numbers| {
        let slots: Vec<Slot> = numbers.iter().map(|number| slot(&alice(), *number)).collect();
        (slots, true)
    });
    let removals = leaving.chunks(3).map(|slots| (slots.to_vec(), false));
    let calls = puts.chain(removals).map(async |(slots, put)| {
        if put {
            shelf.put_each(&slots).await;
            shelf.has_each(&slots).await;
        } else {
            shelf.remove(&slots).await;
            shelf.has_none(&slots).await;
        }
    });
    together(calls.collect()).await;
    assert_eq!(shelf.slots(&alice()).await, crowd(60));
}

pub(super) async fn of_many_who_put_the_same_one_is_kept(shelf: Subject) {
    let same = slot(&alice(), 1);
    let same = &same;
    let shelf = &shelf;
    together((0..12).map(async |_| shelf.put(&[text(same, "the same")]).await).collect()).await;
    assert_eq!(shelf.get(from_ref(same)).await, [Some("the same".to_owned())]);
    assert_eq!(shelf.slots(&alice()).await, from_ref(same));
    shelf.remove(from_ref(same)).await;
    shelf.has_none(from_ref(same)).await;
    assert_eq!(shelf.slots(&alice()).await, []);
}
