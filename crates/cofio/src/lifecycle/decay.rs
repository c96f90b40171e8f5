//! How memories fade that nobody uses.
//!
//! Strength follows from what is kept and from the time, so nothing is written while it wanes; a
//! memory changes only when it falls out of use, and when it is put away.

use super::plan::{Plan, Step};
use crate::config::{Decay, Formula};
use crate::model::{Fraction, Memory, State, Timestamp};

/// Seconds of a day.
const DAY: f64 = 24.0 * 60.0 * 60.0;

/// Returns how strong a memory is at a moment, from 0 to 1.
pub fn strength(memory: &Memory, policy: &Decay, now: Timestamp) -> f64 {
    let value = |fraction: Option<Fraction>| fraction.map_or(1.0, Fraction::get);
    let Memory { metadata, created_at, accesses, decay_rate, .. } = memory;
    if !fades(memory, policy) {
        return value(metadata.confidence);
    }
    match policy.formula {
        Formula::Ebbinghaus => {
            let used_at = accesses.last_at.map_or(*created_at, |read| read.max(*created_at));
            value(metadata.confidence) * (-decay_rate * days(used_at, now)).exp()
        }
        Formula::Daily => {
            let kept = (1.0 - decay_rate).clamp(0.0, 1.0);
            value(metadata.relevance) * kept.powf(days(*created_at, now))
        }
    }
}

/// Plans which memories fall out of use and which are put away.
///
/// `identity` is what a memory has in common with its duplicates.
pub fn plan(
    memories: Vec<Memory>,
    policy: &Decay,
    now: Timestamp,
    identity: impl Fn(&Memory) -> Option<[u8; 32]>,
) -> Plan {
    let looked_at = memories.len() as u64;
    let step = |memory: Memory| {
        let (state, why) = next(&memory, policy, now)?;
        let version = memory.version + 1;
        let after = Memory { state, version, updated_at: now, ..memory.clone() };
        let identity = identity(&after);
        Some(Step::update(memory, after, identity, why))
    };
    Plan { steps: memories.into_iter().filter_map(step).collect(), looked_at, refused: 0 }
}

/// Returns what becomes of a memory, if anything does, and why.
fn next(memory: &Memory, policy: &Decay, now: Timestamp) -> Option<(State, &'static str)> {
    if !fades(memory, policy) {
        return None;
    }
    let rested = || memory.updated_at.checked_add(policy.rest).is_ok_and(|end| end <= now);
    match memory.state {
        State::Active if strength(memory, policy, now) < policy.threshold => {
            Some((State::Decayed, "nobody has used it for long"))
        }
        State::Decayed if rested() => Some((State::Archived, "it has been out of use for long")),
        _ => None,
    }
}

/// Returns whether a memory fades at all; one that is kept under a name is looked up by it, however
/// rarely.
fn fades(memory: &Memory, policy: &Decay) -> bool {
    memory.kind.decays()
        && memory.decay_rate > 0.0
        && memory.key.is_none()
        && !policy.exempt.contains(&memory.scope.layer())
}

/// Returns how many days lie between two moments; none if they are the other way round.
fn days(from: Timestamp, to: Timestamp) -> f64 {
    (to.duration_since(from).as_secs_f64() / DAY).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{after, fact as numbered};
    use super::*;
    use crate::model::{Accesses, Kind, Layer};
    use proptest::prelude::*;

    fn fact() -> Memory {
        numbered(1, "tea")
    }

    fn check(memory: &Memory, policy: &Decay, days: i64, expected: Option<State>) {
        let plan = plan(vec![memory.clone()], policy, after(days), |_| None);
        let found = plan.steps.first().and_then(Step::after);
        assert_eq!(found.map(|after| after.state), expected, "after {days} days");
        if let Some(found) = found {
            let unchanged = Memory {
                state: memory.state,
                version: memory.version,
                updated_at: memory.updated_at,
                ..found.clone()
            };
            assert_eq!(unchanged, *memory);
        }
    }

    #[test]
    fn a_fact_that_nobody_reads_falls_out_of_use_and_is_put_away_later() {
        let policy = Decay::default();
        // 0.05 is reached after ln(20) / 0.1 days, which is 29.96.
        check(&fact(), &policy, 29, None);
        check(&fact(), &policy, 30, Some(State::Decayed));
        let faded = Memory { state: State::Decayed, updated_at: after(30), ..fact() };
        check(&faded, &policy, 59, None);
        check(&faded, &policy, 60, Some(State::Archived));
        check(&Memory { state: State::Archived, ..faded }, &policy, 900, None);
    }

    #[test]
    fn a_reading_makes_it_strong_again() {
        let read = Accesses { count: 1, last_at: Some(after(20)) };
        let memory = Memory { accesses: read, ..fact() };
        check(&memory, &Decay::default(), 49, None);
        check(&memory, &Decay::default(), 50, Some(State::Decayed));
    }

    #[test]
    fn what_is_confirmed_exempt_kept_by_name_or_of_another_kind_never_fades() {
        let policy = Decay::default();
        let year = 3_650;
        check(&fact(), &policy, year, Some(State::Decayed));
        check(&Memory { decay_rate: 0.0, ..fact() }, &policy, year, None);
        check(&Memory { kind: Kind::Reflection, ..fact() }, &policy, year, None);
        check(&Memory { kind: Kind::Episode, ..fact() }, &policy, year, None);
        check(&Memory { key: Some("notes.md".to_owned()), ..fact() }, &policy, year, None);
        check(&fact(), &Decay { exempt: vec![Layer::User], ..policy.clone() }, year, None);
        for state in [State::Superseded, State::Pending] {
            check(&Memory { state, ..fact() }, &policy, year, None);
        }
    }

    #[test]
    fn the_other_formula_counts_from_the_beginning_whoever_reads() {
        let policy = Decay { formula: Formula::Daily, ..Decay::default() };
        let read = Accesses { count: 9, last_at: Some(after(28)) };
        let memory = Memory { accesses: read, ..fact() };
        // 0.9^28 is 0.0523, and 0.9^29 is 0.0471.
        check(&memory, &policy, 28, None);
        check(&memory, &policy, 29, Some(State::Decayed));
    }

    #[test]
    fn a_clock_that_is_behind_makes_nothing_stronger() {
        for formula in [Formula::Ebbinghaus, Formula::Daily] {
            let policy = Decay { formula, ..Decay::default() };
            assert!((strength(&fact(), &policy, after(-400)) - 1.0).abs() < 1e-9);
        }
    }

    proptest! {
        #[test]
        fn strength_wanes_and_stays_between_nothing_and_all(
            rate in 0.0..2.0_f64, confidence in 0.0..=1.0_f64, days in 0..4_000_i64,
        ) {
            for formula in [Formula::Ebbinghaus, Formula::Daily] {
                let policy = Decay { formula, ..Decay::default() };
                let mut memory = Memory { decay_rate: rate, ..fact() };
                memory.metadata.confidence = Fraction::new(confidence).ok();
                let (now, later) =
                    (strength(&memory, &policy, after(days)), strength(&memory, &policy, after(days + 1)));
                prop_assert!((0.0..=1.0).contains(&now) && later <= now);
            }
        }
    }
}
