//! What was known at an earlier moment, and what was true at one.

use super::fixtures::{all_of, canary, canary_cues, create_with, id, moment, next, update, user};
use super::subject::Subject;
use crate::model::{Criteria, Filter, Fraction, Memory, Metadata, Scope, State};
use crate::store::{Order, Page};

fn alice() -> Scope {
    user("alice")
}

/// Means what was known so many seconds into 2060.
fn as_of(seconds: i64) -> Filter {
    meeting(Criteria { as_of: Some(moment(seconds)), ..Criteria::default() })
}

/// Means what is known to have been true so many seconds into 2060.
fn valid_at(seconds: i64) -> Filter {
    meeting(Criteria { valid_at: Some(moment(seconds)), ..Criteria::default() })
}

fn meeting(criteria: Criteria) -> Filter {
    Filter { criteria, ..all_of(&alice()) }
}

/// Returns the next version of a memory, written so many seconds into 2060.
fn then(memory: &Memory, seconds: i64, text: &str) -> Memory {
    Memory { updated_at: moment(seconds), ..next(memory, text) }
}

/// Makes a memory the next version of itself, as changed.
async fn change(store: &Subject, version: Memory) -> Memory {
    store.commit(vec![update(&version)]).await;
    version
}

/// Checks that a filter means exactly these memories, in every way of asking, saying this.
async fn check(store: &Subject, filter: &Filter, expected: &[(u64, &str)]) {
    let told = |memories: &[Memory]| {
        let mut told: Vec<_> =
            memories.iter().map(|one| (one.id.clone(), one.content.as_str().to_owned())).collect();
        told.sort();
        told
    };
    let expected: Vec<_> =
        expected.iter().map(|(number, text)| (id(*number), (*text).to_owned())).collect();
    let listing = store.page(filter, &whole(Order::Newest)).await;
    assert_eq!(told(&listing.memories), expected, "listed for {filter:?}");
    assert_eq!(listing.total, expected.len() as u64, "counted for {filter:?}");
    let found = store.candidates(filter, &canary_cues()).await;
    assert_eq!(told(&found.memories), expected, "found for {filter:?}");
    assert_eq!(found.lexical.len(), expected.len(), "found by words for {filter:?}");
}

fn whole(order: Order) -> Page {
    Page { limit: 1_000, order, after: None, counted: true }
}

pub(super) async fn what_was_learnt_later_was_not_known(store: Subject) {
    store.keep(&[canary(&alice(), 10), canary(&alice(), 20)]).await;
    let sings = "the canary sings";
    check(&store, &as_of(9), &[]).await;
    check(&store, &as_of(10), &[(10, sings)]).await;
    check(&store, &as_of(19), &[(10, sings)]).await;
    check(&store, &as_of(20), &[(10, sings), (20, sings)]).await;
}

pub(super) async fn what_was_changed_since_is_shown_as_it_was(store: Subject) {
    let first = canary(&alice(), 10);
    let second = then(&first, 20, "the canary sleeps");
    let third = then(&second, 30, "the canary flies");
    store.keep(&[first, canary(&alice(), 11)]).await;
    change(&store, second).await;
    change(&store, third).await;
    for (seconds, text) in [
        (12, "the canary sings"),
        (19, "the canary sings"),
        (20, "the canary sleeps"),
        (29, "the canary sleeps"),
        (30, "the canary flies"),
        (99, "the canary flies"),
    ] {
        check(&store, &as_of(seconds), &[(10, text), (11, "the canary sings")]).await;
    }
}

pub(super) async fn the_state_of_then_counts(store: Subject) {
    let mut canary = canary(&alice(), 10);
    canary.state = State::Pending;
    store.keep(std::slice::from_ref(&canary)).await;
    for (seconds, state) in
        [(20, State::Active), (30, State::Archived), (40, State::Active), (50, State::Superseded)]
    {
        let version = Memory { state, ..then(&canary, seconds, "the canary sings") };
        canary = change(&store, version).await;
    }
    for (seconds, active) in [(15, false), (25, true), (35, false), (45, true), (55, false)] {
        let expected: &[_] = if active { &[(10, "the canary sings")] } else { &[] };
        check(&store, &as_of(seconds), expected).await;
    }
    let put_away = Criteria { states: vec![State::Archived], ..as_of(35).criteria };
    check(&store, &meeting(put_away), &[(10, "the canary sings")]).await;
}

pub(super) async fn every_criterion_is_about_the_version_of_then(store: Subject) {
    let mut first = canary(&alice(), 10);
    first.metadata.tags = vec!["yellow".to_owned()];
    let mut second = then(&first, 20, "the canary sleeps");
    second.metadata.tags = vec!["green".to_owned()];
    store.keep(&[first]).await;
    change(&store, second).await;
    let tagged = |tag: &str, seconds| {
        meeting(Criteria { tags: vec![tag.to_owned()], ..as_of(seconds).criteria })
    };
    check(&store, &tagged("yellow", 15), &[(10, "the canary sings")]).await;
    check(&store, &tagged("green", 15), &[]).await;
    check(&store, &tagged("yellow", 25), &[]).await;
    check(&store, &tagged("green", 25), &[(10, "the canary sleeps")]).await;
}

pub(super) async fn what_is_gone_by_now_is_not_shown_as_of_earlier(store: Subject) {
    let ended = Memory { expires_at: Some(moment(500)), ..canary(&alice(), 10) };
    let forgotten = canary(&alice(), 11);
    let shortened = Memory { expires_at: Some(moment(15)), ..canary(&alice(), 12) };
    let revived = Memory { expires_at: None, ..then(&shortened, 30, "the canary is back") };
    store.keep(&[ended, forgotten.clone(), shortened]).await;
    let sings = "the canary sings";
    let asked_at = |seconds| Filter { now: moment(seconds), ..as_of(13) };
    check(&store, &asked_at(14), &[(10, sings), (11, sings), (12, sings)]).await;
    check(&store, &asked_at(499), &[(10, sings), (11, sings)]).await;
    check(&store, &asked_at(500), &[(11, sings)]).await;
    store.forget(&[forgotten]).await;
    check(&store, &asked_at(14), &[(10, sings), (12, sings)]).await;
    change(&store, revived).await;
    check(&store, &as_of(13), &[(12, sings)]).await;
    check(&store, &as_of(20), &[]).await;
    check(&store, &as_of(30), &[(12, "the canary is back")]).await;
}

pub(super) async fn a_first_version_counts_since_it_was_learnt(store: Subject) {
    let kept_anew = Memory { updated_at: moment(50), ..canary(&alice(), 10) };
    let imported = Memory { version: 4, updated_at: moment(50), ..canary(&alice(), 11) };
    let first = canary(&alice(), 12);
    let second = then(&first, 50, "the canary sleeps");
    let arrival = create_with(&second, None, vec![first]);
    store.keep(&[kept_anew, imported]).await;
    store.commit(vec![arrival]).await;
    let sings = "the canary sings";
    check(&store, &as_of(20), &[(10, sings), (12, sings)]).await;
    check(&store, &as_of(50), &[(10, sings), (11, sings), (12, "the canary sleeps")]).await;
}

pub(super) async fn pages_of_an_earlier_moment_join_up_in_its_order(store: Subject) {
    let certain = |memory: Memory, hundredths: u32| {
        let confidence = Fraction::new(f64::from(hundredths) / 100.0).ok();
        let metadata = Metadata { confidence, ..memory.metadata.clone() };
        Memory { metadata, ..memory }
    };
    for number in 1..=9 {
        let hundredths = u32::try_from(number * 37 % 10).unwrap_or_default();
        let first = certain(canary(&alice(), number), hundredths);
        store.keep(std::slice::from_ref(&first)).await;
        if number % 2 == 0 {
            let later = certain(then(&first, 50, "the canary sleeps"), 100 - hundredths);
            let event_at = moment(1_000 - i64::try_from(number).unwrap_or_default());
            change(&store, Memory { event_at, ..later }).await;
        }
    }
    for order in [Order::Newest, Order::LatestEvent, Order::EarliestEvent, Order::Confidence] {
        let whole = store.page(&as_of(20), &whole(order)).await.memories;
        assert_eq!(whole.len(), 9);
        assert!(whole.iter().all(|memory| memory.version == 1));
        let key = |memory: &Memory| order.position(memory).key;
        let in_order = |two: &[Memory]| {
            let (one, next) = (key(&two[0]), key(&two[1]));
            if order.descending() { one >= next } else { one <= next }
        };
        assert!(whole.windows(2).all(in_order), "{order:?}");
        let mut page = Page { limit: 2, order, after: None, counted: true };
        let mut joined = Vec::new();
        loop {
            let listing = store.page(&as_of(20), &page).await;
            assert_eq!(listing.total, 9);
            page.after = listing.memories.last().map(|memory| order.position(memory));
            joined.extend(listing.memories);
            if !listing.more {
                break;
            }
        }
        assert_eq!(joined, whole, "{order:?}");
    }
}

pub(super) async fn what_was_true_is_told_by_when_it_began_and_ended(store: Subject) {
    let from_to = |number, state, from, until: Option<i64>| Memory {
        state,
        event_at: moment(from),
        valid_until: until.map(moment),
        ..canary(&alice(), number)
    };
    store
        .keep(&[
            from_to(1, State::Superseded, 100, Some(200)),
            from_to(2, State::Active, 200, None),
            from_to(3, State::Superseded, 100, Some(100)),
            from_to(4, State::Archived, 100, Some(300)),
            from_to(5, State::Active, 100, Some(150)),
        ])
        .await;
    let sings = "the canary sings";
    check(&store, &valid_at(99), &[]).await;
    check(&store, &valid_at(100), &[(1, sings), (5, sings)]).await;
    check(&store, &valid_at(150), &[(1, sings)]).await;
    check(&store, &valid_at(200), &[(2, sings)]).await;
    let replaced = Criteria { states: vec![State::Superseded], ..valid_at(120).criteria };
    check(&store, &meeting(replaced), &[(1, sings)]).await;
    let put_away = Criteria { states: vec![State::Archived], ..valid_at(120).criteria };
    check(&store, &meeting(put_away), &[(4, sings)]).await;
}

pub(super) async fn what_was_held_to_be_true_is_told_by_the_version_of_then(store: Subject) {
    let first = canary(&alice(), 10);
    let second = Memory {
        state: State::Superseded,
        valid_until: Some(moment(20)),
        ..then(&first, 100, "the canary sings")
    };
    store.keep(&[first]).await;
    change(&store, second).await;
    let believed = |as_of, valid_at| {
        let (as_of, valid_at) = (Some(moment(as_of)), Some(moment(valid_at)));
        meeting(Criteria { as_of, valid_at, ..Criteria::default() })
    };
    check(&store, &believed(50, 30), &[(10, "the canary sings")]).await;
    check(&store, &believed(100, 30), &[]).await;
    check(&store, &believed(100, 19), &[(10, "the canary sings")]).await;
    check(&store, &believed(50, 9), &[]).await;
}
