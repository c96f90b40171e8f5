//! What has ended is gone, by the labels of now.

use std::slice::from_ref;

use super::fixtures::{alice, ending, in_centuries, labels, long_ago, slot, text};
use super::subject::Subject;
use crate::shelf::Content;

pub(super) async fn what_has_ended_is_gone(shelf: Subject) {
    let ended = Content { labels: ending(long_ago()), ..text(&slot(&alice(), 1), "ended") };
    let lasting = Content { labels: ending(in_centuries()), ..text(&slot(&alice(), 2), "lasts") };
    let endless = text(&slot(&alice(), 3), "has no end");
    shelf.put(&[ended.clone(), lasting.clone(), endless.clone()]).await;
    let slots = [&ended, &lasting, &endless].map(|content| content.slot.clone());
    let found = shelf.get(&slots).await;
    assert_eq!(found[1..], [Some("lasts".to_owned()), Some("has no end".to_owned())]);
    if shelf.0.abilities().expiry {
        assert_eq!(found[0], None);
        assert_eq!(shelf.slots(&alice()).await, slots[1..]);
    } else {
        assert_eq!(found[0].as_deref(), Some("ended"), "it stays until it is removed");
    }
    shelf.remove(&slots).await;
    assert_eq!(shelf.slots(&alice()).await, []);
}

pub(super) async fn an_end_can_be_moved(shelf: Subject) {
    let [one, two, three] = [1, 2, 3].map(|number| slot(&alice(), number));
    let soon = Content { labels: ending(in_centuries()), ..text(&one, "one") };
    shelf.put(&[soon, text(&two, "two"), text(&three, "three")]).await;
    shelf.relabel(&one, labels()).await;
    shelf.relabel(&two, ending(long_ago())).await;
    shelf.relabel(&three, ending(in_centuries())).await;
    let ends = shelf.0.abilities().expiry;
    let expected = [Some("one"), Some("two").filter(|_| !ends), Some("three")];
    let found = shelf.get(&[one, two, three]).await;
    assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
}

pub(super) async fn labels_bring_nothing_back(shelf: Subject) {
    let [gone, never] = [1, 2].map(|number| slot(&alice(), number));
    shelf.put_each(from_ref(&gone)).await;
    shelf.remove(from_ref(&gone)).await;
    shelf.relabel(&gone, labels()).await;
    shelf.relabel(&never, ending(in_centuries())).await;
    shelf.has_none(&[gone, never]).await;
    assert_eq!(shelf.slots(&alice()).await, []);
}
