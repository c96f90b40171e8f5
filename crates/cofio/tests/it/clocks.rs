//! Clocks that are wrong: nothing is lost that somebody did not agree to lose.

use std::collections::HashSet;

use cofio::engine::{ListRequest, Sweep, Swept};
use cofio::model::{Draft, Layer, Lifetime, MemoryId};
use cofio::store::{Entries, Order};
use cofio::{Config, Selection};
use jiff::SignedDuration;
use pollster::block_on;

use crate::fixture::{Fixture, episode, fact, identifiers, keeper, local};

fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}

/// Keeps some episodes, which end after 90 days, and some facts, which never do.
fn filled(episodes: usize, facts: usize) -> Fixture {
    let fixture = Fixture::new();
    let drafts = (0..episodes).map(|number| episode("alice", &format!("said {number}")));
    let drafts = drafts.chain((0..facts).map(|number| fact("alice", &format!("known {number}"))));
    block_on(fixture.engine.remember_all(&keeper(), drafts.collect())).unwrap();
    fixture
}

fn sweep(fixture: &Fixture) -> Swept {
    block_on(fixture.engine.sweep(&local("alice"), &Sweep::default())).unwrap()
}

fn sweep_some(fixture: &Fixture) -> Swept {
    block_on(fixture.engine.sweep_some(&local("alice"))).unwrap()
}

/// Returns how many memories alice sees.
fn seen(fixture: &Fixture) -> u64 {
    block_on(fixture.engine.stats(&local("alice"), None)).unwrap().total
}

fn newest(fixture: &Fixture) -> Vec<MemoryId> {
    let mine = Selection::new(identifiers(&[(Layer::User, "alice")]));
    let request = ListRequest { order: Order::Newest, limit: 100, ..ListRequest::new(mine) };
    let listed = block_on(fixture.engine.list(&local("alice"), &request)).unwrap();
    listed.memories.into_iter().map(|memory| memory.id).collect()
}

#[test]
fn ten_years_ahead_nothing_goes_and_afterwards_everything_is_there() {
    for (episodes, facts) in [(3, 2), (150, 10), (150, 5_000)] {
        let fixture = filled(episodes, facts);
        fixture.wait(days(3_650));
        assert_eq!(seen(&fixture), facts as u64, "what has ended is hidden");
        assert!(matches!(sweep_some(&fixture), Swept::Held { .. }));
        let Swept::Held { count, share } = sweep(&fixture) else { panic!("it must be held") };
        assert_eq!(count, episodes);
        assert!(share > 0.0 && share <= 1.0);
        fixture.fact("alice", "written under the wrong clock");
        assert!(matches!(sweep_some(&fixture), Swept::Held { .. }), "a write makes it no truer");
        fixture.wait(days(-3_650));
        assert_eq!(seen(&fixture), (episodes + facts + 1) as u64);
        block_on(fixture.engine.verify_audit(&keeper())).unwrap();
    }
}

#[test]
fn a_share_that_is_too_large_is_held_on_record_until_somebody_agrees() {
    let fixture = filled(150, 50);
    fixture.wait(days(91));
    assert_eq!(sweep(&fixture), Swept::Held { count: 150, share: 0.75 });
    let entries = block_on(fixture.engine.audit(&keeper(), Entries::Latest, 1)).unwrap();
    let record = &entries[0].record;
    assert_eq!(record.action.as_str(), "memory_ttl_cleanup");
    assert_eq!(record.details["held"], 150);
    assert_eq!(record.details["kinds"]["episode"], 150);
    assert!(record.changes.is_none());
    let agreed = block_on(fixture.engine.sweep_agreed(&local("alice"), &Sweep::default()));
    assert_eq!(agreed.unwrap(), 150);
    assert_eq!(sweep(&fixture), Swept::Removed(0));
}

#[test]
fn what_ended_lately_goes_by_itself_a_piece_at_a_time() {
    let fixture = filled(250, 2_000);
    fixture.wait(days(91));
    assert_eq!(sweep_some(&fixture), Swept::Removed(200));
    assert_eq!(sweep_some(&fixture), Swept::Removed(50));
    assert_eq!(sweep_some(&fixture), Swept::Removed(0));
}

#[test]
fn how_much_is_too_much_is_a_setting() {
    let mut config = Config::default();
    config.expiry.held.count = 2;
    let fixture = Fixture::with(config);
    for text in ["one", "two"] {
        fixture.remember(episode("alice", text)).unwrap();
    }
    fixture.wait(days(91));
    assert_eq!(sweep(&fixture), Swept::Held { count: 2, share: 1.0 });
}

#[test]
fn four_hundred_days_back_ids_stay_unique_and_lists_whole() {
    let fixture = Fixture::new();
    let mut ids = Vec::new();
    for jump in [0, -400, 0, 400, -1, 1, 3_650, -3_650, 7, -7] {
        fixture.wait(days(jump));
        for number in 0..5 {
            ids.push(fixture.fact("alice", &format!("note {jump} {number} {}", ids.len())).id);
        }
    }
    assert_eq!(ids.iter().collect::<HashSet<_>>().len(), 50);
    assert!(ids.is_sorted(), "what is learnt later has a later id, whatever the clock says");
    let listed = newest(&fixture);
    assert_eq!(listed.len(), 50);
    assert_eq!(listed.iter().collect::<HashSet<_>>().len(), 50);
    assert_eq!(block_on(fixture.engine.verify_audit(&keeper())).unwrap(), 50);
}

#[test]
fn what_was_learnt_under_a_clock_that_was_behind_is_not_swept_when_it_is_right() {
    let fixture = Fixture::new();
    fixture.wait(days(-400));
    fixture.remember(episode("alice", "said with a clock that was behind")).unwrap();
    let brief = Lifetime::For(SignedDuration::from_mins(5));
    fixture.remember(Draft { lifetime: brief, ..fact("alice", "brief") }).unwrap();
    fixture.wait(days(400));
    assert_eq!(seen(&fixture), 0);
    for _ in 0..3 {
        assert!(matches!(sweep_some(&fixture), Swept::Held { count: 2, .. }));
        fixture.wait(days(-400));
        assert_eq!(sweep_some(&fixture), Swept::Removed(0));
        fixture.wait(days(400));
    }
}
