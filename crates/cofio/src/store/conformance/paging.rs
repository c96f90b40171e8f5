//! Lists keep their order, and pages join up whatever is written between them.

use std::collections::BTreeSet;

use super::fixtures::{
    all_of, canary, create, forget, id, ids, keeper, moment, named, next, now, update, user, whole,
};
use super::subject::Subject;
use crate::model::{
    AuditAction, AuditEvent, Filter, Fraction, Memory, MemoryId, Reading, Scope, Timestamp,
};
use crate::store::{Entries, Order, Page};

const ORDERS: [Order; 4] =
    [Order::Newest, Order::LatestEvent, Order::EarliestEvent, Order::Confidence];

fn alice() -> Scope {
    user("alice")
}

/// Returns a memory whose times and confidence are spread so that every order differs and has ties.
fn spread(number: u64) -> Memory {
    let place = i64::try_from(number).expect("cases use small numbers");
    let mut memory = canary(&alice(), number);
    memory.created_at = moment(place % 7);
    memory.event_at = moment(1_000 - 100 * (place % 5));
    memory.metadata.confidence = match number % 4 {
        0 => None,
        rest => Fraction::new(rest as f64 / 4.0).ok(),
    };
    memory
}

/// Returns ids in an order, sorted by what the order is about and not by the store's own keys.
fn sorted(memories: &[Memory], order: Order) -> Vec<MemoryId> {
    type Key = (Timestamp, u64);
    let confidence = |memory: &Memory| memory.metadata.confidence.map_or(1.0, Fraction::get);
    let key = |memory: &Memory| -> Key {
        match order {
            Order::Newest => (memory.created_at, 0),
            Order::LatestEvent | Order::EarliestEvent => (memory.event_at, 0),
            Order::Confidence => (Timestamp::UNIX_EPOCH, confidence(memory).to_bits()),
        }
    };
    let mut sorted = memories.to_vec();
    sorted.sort_by_key(|memory| (key(memory), memory.id.clone()));
    if order != Order::EarliestEvent {
        sorted.reverse();
    }
    sorted.into_iter().map(|memory| memory.id).collect()
}

/// Reads page after page, and lets `between` write before each next one.
async fn read_on<F: Future<Output = ()>>(
    store: &Subject,
    order: Order,
    limit: usize,
    between: impl Fn(u64) -> F,
) -> Vec<MemoryId> {
    let filter = all_of(&alice());
    let mut seen = Vec::new();
    let mut page = Page { limit, order, after: None, counted: true };
    for number in 0.. {
        assert!(number < 1_000, "a list ends");
        let listing = store.page(&filter, &page).await;
        assert!(listing.memories.len() <= limit, "a page is no larger than asked for");
        page.after = listing.memories.last().map(|memory| order.position(memory));
        seen.extend(listing.memories.into_iter().map(|memory| memory.id));
        if !listing.more {
            break;
        }
        between(number).await;
    }
    seen
}

pub(super) async fn every_order_is_kept(store: Subject) {
    let memories: Vec<Memory> = (1..=40).map(spread).collect();
    store.keep(&memories).await;
    for order in ORDERS {
        let listing = store.page(&all_of(&alice()), &whole(order)).await;
        let listed: Vec<_> = listing.memories.into_iter().map(|memory| memory.id).collect();
        assert_eq!(listed, sorted(&memories, order), "{order:?}");
    }
}

pub(super) async fn pages_join_up_to_the_whole_list(store: Subject) {
    let memories: Vec<Memory> = (1..=23).map(spread).collect();
    store.keep(&memories).await;
    for order in ORDERS {
        for limit in [1, 2, 5, 22, 23, 24] {
            let read = read_on(&store, order, limit, |_| async {}).await;
            assert_eq!(read, sorted(&memories, order), "{order:?} by {limit}");
        }
    }
}

pub(super) async fn pages_say_how_many_and_whether_more(store: Subject) {
    let memories: Vec<Memory> = (1..=5).map(spread).collect();
    store.keep(&memories).await;
    let filter = all_of(&alice());
    let mut page = Page { limit: 2, order: Order::Newest, after: None, counted: true };
    for (expected, more) in [(2, true), (2, true), (1, false)] {
        let listing = store.page(&filter, &page).await;
        assert_eq!((listing.memories.len(), listing.total, listing.more), (expected, 5, more));
        page.after = listing.memories.last().map(|memory| page.order.position(memory));
    }
    let exact = store
        .page(&filter, &Page { limit: 5, order: Order::Newest, after: None, counted: true })
        .await;
    assert!(!exact.more, "a page that ends with the list has none after it");
    let beyond = store.page(&filter, &page).await;
    assert_eq!((beyond.memories.len(), beyond.total, beyond.more), (0, 5, false));
    let none = store
        .page(&filter, &Page { limit: 0, order: Order::Newest, after: None, counted: true })
        .await;
    assert_eq!((none.memories.len(), none.total), (0, 5));
    let uncounted = Page { limit: 2, order: Order::Newest, after: None, counted: false };
    let uncounted = store.page(&filter, &uncounted).await;
    assert_eq!((uncounted.memories.len(), uncounted.total, uncounted.more), (2, 0, true));
    let nobody = store.page(&all_of(&user("bob")), &whole(Order::Newest)).await;
    assert_eq!((nobody.memories.len(), nobody.total, nobody.more), (0, 0, false));
}

pub(super) async fn writes_between_pages_move_nothing(store: Subject) {
    for (round, order) in (0..).zip(ORDERS) {
        let numbers = 1_000 * round + 1..=1_000 * round + 40;
        let memories: Vec<Memory> = numbers.map(spread).collect();
        store.keep(&memories).await;
        let read = read_on(&store, order, 3, |page| {
            write(&store, &memories, 100_000 + 1_000 * round + 2 * page)
        })
        .await;

        let distinct: BTreeSet<_> = read.iter().cloned().collect();
        assert_eq!(distinct.len(), read.len(), "{order:?} repeats nothing");
        let now_there = store.get(&keeper(), &sorted(&memories, order)).await;
        assert!(now_there.len() < memories.len(), "some were forgotten between pages");
        let missed = now_there.iter().find(|memory| !distinct.contains(&memory.id));
        assert_eq!(missed, None, "{order:?} misses nothing that stayed");
        let rest = store.list(&all_of(&alice())).await;
        store.forget(&store.get(&keeper(), &rest).await).await;
    }
}

/// Forgets one memory, changes and reads another, and adds two at both ends of every order.
async fn write(store: &Subject, memories: &[Memory], fresh: u64) {
    let place = usize::try_from(fresh % 1_000 / 2).expect("cases use few pages");
    let Some([forgotten, changed]) = memories.as_chunks().0.get(place) else { return };
    let (first, last) = (moment(-100), moment(9_000));
    let earliest = Memory { created_at: first, event_at: first, ..spread(fresh) };
    let latest = Memory { created_at: last, event_at: last, ..spread(fresh + 1) };
    let changed_since = next(changed, "the canary sang between pages");
    let changes =
        vec![forget(forgotten), update(&changed_since), create(&earliest), create(&latest)];
    store.commit(changes).await;
    let audit = AuditEvent::new(AuditAction::Read);
    let ids = vec![changed.id.clone()];
    store.observe(Reading { actor: named("reader"), at: now(), ids, audit }).await;
}

pub(super) async fn a_place_stays_when_its_memory_is_gone(store: Subject) {
    let memories: Vec<Memory> = (1..=4).map(|number| canary(&alice(), number)).collect();
    store.keep(&memories).await;
    store.forget(&memories[1..3]).await;
    for (order, expected) in [(Order::Newest, 1), (Order::EarliestEvent, 4)] {
        let after = Some(order.position(&memories[1]));
        let listing =
            store.page(&all_of(&alice()), &Page { limit: 9, order, after, counted: true }).await;
        let listed: Vec<_> = listing.memories.into_iter().map(|memory| memory.id).collect();
        assert_eq!(listed, [id(expected)], "{order:?}");
    }
}

pub(super) async fn a_place_from_another_scope_shows_nothing_of_it(store: Subject) {
    let (own, foreign) = (canary(&alice(), 1), canary(&user("bob"), 2));
    store.keep(&[own.clone(), foreign.clone()]).await;
    for order in ORDERS {
        let page = Page { limit: 9, order, after: Some(order.position(&foreign)), counted: true };
        let listing = store.page(&all_of(&alice()), &page).await;
        assert!(listing.memories.iter().all(|memory| memory.scope == alice()), "{order:?}");
        assert_eq!(listing.total, 1, "{order:?}");
    }
    let page = Page {
        limit: 9,
        order: Order::Newest,
        after: Some(Order::Newest.position(&foreign)),
        counted: true,
    };
    assert_eq!(store.page(&all_of(&alice()), &page).await.memories, [own]);
}

pub(super) async fn any_limit_is_honoured(store: Subject) {
    let memories: Vec<Memory> = (1..=3).map(|number| canary(&alice(), number)).collect();
    store.keep(&memories).await;
    let filter: Filter = all_of(&alice());
    let subject = &store.0;
    for (limit, expected) in [(0, 0), (1, 1), (2, 2), (usize::MAX, 3)] {
        let page = Page { limit, order: Order::Newest, after: None, counted: true };
        assert_eq!(store.page(&filter, &page).await.memories.len(), expected);
        let changes = subject.changes(&keeper(), 0, limit).await.expect("changes are read");
        assert_eq!(changes.len(), expected);
        let audit = subject.audit(None, Entries::After(0), limit).await.expect("the audit is read");
        assert_eq!(audit.len(), expected.min(1));
        let entities =
            subject.entities(&[alice()], now(), None, limit).await.expect("entities are read");
        assert_eq!(entities.len(), expected.min(1));
    }
    let changes = subject.changes(&keeper(), u64::MAX, 9).await.expect("changes are read");
    assert_eq!(changes, [], "nothing comes after the last place there can be");
    assert_eq!(
        subject.audit(None, Entries::After(u64::MAX), 9).await.expect("the audit is read"),
        []
    );
    assert_eq!(store.list(&filter).await, ids(&[3, 2, 1]));
}
