//! How memories fade that nobody uses.
//!
//! Strength follows from what is kept and from the time, so nothing is written while it wanes; a
//! memory changes only when it falls out of use, and when it is put away.

use super::extraction::FactType;
use super::plan::{Plan, Step};
use crate::config::{Decay, Formula};
use crate::model::{Fraction, Kind, Memory, State, Timestamp, Triple};

/// Seconds of a day.
const DAY: f64 = 24.0 * 60.0 * 60.0;

/// How fast a memory fades, per day, of which nobody knows what it states.
///
/// 5 % are left after 30 days without a reading.
const USUAL: f64 = 0.1;

/// How fast facts fade, per day, by what they state.
///
/// What somebody is changes in years and is asked for rarely: 64 % are left after 90 days without a
/// reading, 16 % after a year, and 5 % after 600 days. What somebody likes, has, does or decided
/// holds for months at least: 41 % after 90 days, 5 % after 300, 3 % after a year. What happens once
/// or soon is of no use a month later, and the turns that tell of it are kept for longer.
const RATES: &[(FactType, f64)] = &[
    (FactType::Identity, 0.005),
    (FactType::Relation, 0.005),
    (FactType::Preference, 0.01),
    (FactType::Possession, 0.01),
    (FactType::Habit, 0.01),
    (FactType::Decision, 0.01),
    (FactType::Plan, 0.1),
    (FactType::Event, 0.1),
];

/// Returns how fast a new memory fades, per day, by its kind and what it states.
pub fn rate(kind: Kind, triple: Option<&Triple>) -> f64 {
    if !kind.decays() {
        return 0.0;
    }
    let stated = triple.filter(|_| kind == Kind::Fact).and_then(|it| it.fact_type.parse().ok());
    let known = RATES.iter().find(|(fact_type, _)| Some(*fact_type) == stated);
    known.map_or(USUAL, |(_, rate)| *rate)
}

/// Returns how strong a memory is at a moment, from 0 to 1.
pub fn strength(memory: &Memory, policy: &Decay, now: Timestamp) -> f64 {
    let value = |fraction: Option<Fraction>| fraction.map_or(1.0, Fraction::get);
    let Memory { metadata, created_at, accesses, decay_rate, .. } = memory;
    let rate = decay_rate * policy.pace;
    if !fades(memory, policy) {
        return value(metadata.confidence);
    }
    match policy.formula {
        Formula::Ebbinghaus => {
            let used_at = accesses.last_at.map_or(*created_at, |read| read.max(*created_at));
            value(metadata.confidence) * (-rate * days(used_at, now)).exp()
        }
        Formula::Daily => {
            let kept = (1.0 - rate).clamp(0.0, 1.0);
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
        && memory.decay_rate * policy.pace > 0.0
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
    use crate::model::{Accesses, Layer};
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

    /// Returns a fact that states something of a type.
    fn of_type(fact_type: &str) -> Memory {
        let part = |text: &str| text.to_owned();
        let (subject, predicate, object) = (part("user"), part("home"), part("Cardiff"));
        let triple = Triple { fact_type: part(fact_type), subject, predicate, object };
        Memory { decay_rate: rate(Kind::Fact, Some(&triple)), triple: Some(triple), ..fact() }
    }

    #[test]
    fn what_a_fact_states_says_how_long_it_stays() {
        let days = |fact_type: &str, last: i64| {
            check(&of_type(fact_type), &Decay::default(), last, None);
            check(&of_type(fact_type), &Decay::default(), last + 1, Some(State::Decayed));
        };
        // 0.05 is reached after ln(20) / rate days.
        for lasting in ["identity", "relation"] {
            days(lasting, 599);
        }
        for settled in ["preference", "possession", "habit", "decision"] {
            days(settled, 299);
        }
        for passing in ["plan", "event", "entity", ""] {
            days(passing, 29);
        }
    }

    #[test]
    fn every_type_has_a_rate_and_only_facts_do() {
        for fact_type in FactType::ALL {
            assert!(RATES.iter().any(|(known, _)| known == fact_type), "{fact_type}");
        }
        let stated = of_type("identity").triple;
        let check = |kind: Kind, expected: f64| {
            assert!((rate(kind, stated.as_ref()) - expected).abs() < 1e-12, "{kind}");
        };
        check(Kind::Fact, 0.005);
        check(Kind::Procedure, USUAL);
        check(Kind::Reflection, 0.0);
        check(Kind::Episode, 0.0);
    }

    #[test]
    fn everything_fades_at_the_pace_that_is_set() {
        let at = |pace: f64| Decay { pace, ..Decay::default() };
        check(&of_type("preference"), &at(2.0), 149, None);
        check(&of_type("preference"), &at(2.0), 150, Some(State::Decayed));
        check(&fact(), &at(0.5), 59, None);
        check(&fact(), &at(0.5), 60, Some(State::Decayed));
        check(&fact(), &at(0.0), 9_999, None);
        let daily = Decay { formula: Formula::Daily, ..at(0.5) };
        // 0.95^58 is 0.0510, and 0.95^59 is 0.0485.
        check(&fact(), &daily, 58, None);
        check(&fact(), &daily, 59, Some(State::Decayed));
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
