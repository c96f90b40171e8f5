//! Bringing together memories that say the same, for somebody who looks at it.

use std::cmp::Reverse;

use super::consolidation::differ_in_form;
use super::plan::Step;
use crate::model::{Fraction, Memory, MemoryId, Timestamp};

/// How many facts are compared with each other at most; the newest count.
pub const MOST: usize = 2_000;

/// Proposes which facts take the place of others that say the same.
///
/// `alike` returns how alike two facts are, by their places, and `replaced` returns the next version
/// of one that another takes the place of. What is trusted less never takes the place of what is
/// trusted more, and each fact is part of one proposal at most.
pub fn plan(
    facts: &[Memory],
    similarity: f64,
    now: Timestamp,
    alike: impl Fn(usize, usize) -> f64,
    replaced: impl Fn(&Memory, MemoryId, Timestamp) -> (Memory, Option<[u8; 32]>),
) -> Vec<Step> {
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by_key(|&place| Reverse(worth(&facts[place])));
    let mut taken = vec![false; facts.len()];
    let mut steps = Vec::new();
    for (rank, &kept) in order.iter().enumerate() {
        if taken[kept] {
            continue;
        }
        for &other in &order[rank + 1..] {
            if !taken[other]
                && say_the_same(&facts[kept], &facts[other], alike(kept, other), similarity)
            {
                taken[other] = true;
                let (after, identity) = replaced(&facts[other], facts[kept].id.clone(), now);
                steps.push(Step::update(
                    facts[other].clone(),
                    after,
                    identity,
                    "another memory says the same",
                ));
            }
        }
    }
    steps
}

fn say_the_same(one: &Memory, other: &Memory, alike: f64, similarity: f64) -> bool {
    let stated = |memory: &Memory| {
        let triple = memory.triple.as_ref()?;
        Some((triple.subject.to_lowercase(), triple.predicate.to_lowercase()))
    };
    let about_others = matches!((stated(one), stated(other)), (Some(a), Some(b)) if a != b);
    alike >= similarity
        && !about_others
        && !differ_in_form(one.content.as_str(), other.content.as_str())
}

/// Returns what makes one of two facts stay: trust, somebody's word, certainty, how much it says, and
/// how long it is known.
fn worth(memory: &Memory) -> impl Ord + use<> {
    let confirmed = memory.decay_rate == 0.0;
    let confidence = memory.metadata.confidence.map_or(1.0, Fraction::get);
    #[expect(clippy::cast_possible_truncation, reason = "a fraction times a thousand fits")]
    let confidence = (confidence * 1e3) as i64;
    let length = memory.content.as_str().chars().count();
    (memory.source.trust(), confirmed, confidence, length, Reverse(memory.id.clone()))
}

#[cfg(test)]
mod tests {
    use super::super::consolidation::likeness;
    use super::super::fixtures::{after, fact};
    use super::*;
    use crate::model::{Channel, Source, State};

    fn check(facts: &[Memory], expected: &[(u64, u64)]) {
        let alike = |one: usize, other: usize| {
            likeness(facts[one].content.as_str(), facts[other].content.as_str())
        };
        let replaced = |memory: &Memory, by: MemoryId, _: Timestamp| {
            let mut after = Memory { state: State::Superseded, ..memory.clone() };
            after.provenance.superseded_by = Some(by);
            (after, None)
        };
        let steps = plan(facts, 0.7, after(1), alike, replaced);
        let found: Vec<(MemoryId, MemoryId)> = steps
            .iter()
            .map(|step| {
                let by = step.after().unwrap().provenance.superseded_by.clone();
                (step.id().clone(), by.unwrap())
            })
            .collect();
        let id = |number: u64| fact(number, "").id;
        let expected: Vec<_> = expected.iter().map(|(old, new)| (id(*old), id(*new))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn of_facts_that_say_the_same_the_one_that_is_trusted_and_says_more_stays() {
        let one = fact(1, "Alice drinks black tea");
        let two = fact(2, "Alice drinks black tea mostly");
        check(&[one.clone(), two.clone()], &[(1, 2)]);
        let web = Source::through(Channel::WebFetch);
        check(&[one.clone(), Memory { source: web, ..two.clone() }], &[(2, 1)]);
        check(&[Memory { decay_rate: 0.0, ..one.clone() }, two.clone()], &[(2, 1)]);
        let three = fact(3, "Alice drinks black tea");
        check(&[one, two, three], &[(1, 2), (3, 2)]);
    }

    #[test]
    fn numbers_and_negations_make_a_difference() {
        check(&[fact(1, "Alice has two old cats"), fact(2, "Alice has three old cats")], &[]);
        check(&[fact(1, "Alice drinks black tea"), fact(2, "Alice does not drink black tea")], &[]);
        check(&[fact(1, "Alice drinks black tea"), fact(2, "Bob plays the organ")], &[]);
    }
}
