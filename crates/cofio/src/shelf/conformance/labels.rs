//! What has ended is gone.

use super::fixtures::{alice, ending, in_centuries, long_ago, slot, text};
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
