//! Which records the words of a question speak for most.

use std::cmp::Ordering;

use crate::store::analysed::Count;
use crate::text::bm25;

/// How soon repetition stops counting.
const SATURATION: f64 = 1.0;

/// How many repetitions are told apart from more.
const TIMES: u8 = 15;

/// What words say about the records of a scope, before any of these is looked at.
pub(super) struct Votes {
    heard: Vec<Heard>,
    /// The places of which anything was heard.
    places: Vec<u32>,
}

/// What was heard of one record.
#[derive(Clone, Copy, Default)]
struct Heard {
    sum: f32,
    /// The last word that it has, counted from 1, and how often that stands in one of its passages.
    word: u16,
    times: u8,
}

impl Votes {
    /// Begins with nothing heard of so many records.
    pub(super) fn new(records: usize) -> Self {
        Self { heard: vec![Heard::default(); records], places: Vec::new() }
    }

    /// Hears a word that stands at some places; of several passages, the one counts that has it most
    /// often.
    #[expect(clippy::cast_possible_truncation, reason = "to compare, a rough value will do")]
    pub(super) fn hear(
        &mut self,
        word: usize,
        rarity: f64,
        places: impl Iterator<Item = (u32, Count)>,
    ) {
        let word = u16::try_from(word).map_or(u16::MAX, |word| word.saturating_add(1));
        let mut values = [0.0; TIMES as usize + 1];
        for (times, value) in (0_u32..).zip(&mut values) {
            *value = (rarity * bm25::share(times, SATURATION)) as f32;
        }
        for (place, Count { told, asked }) in places {
            let heard = &mut self.heard[place as usize];
            if heard.word == 0 {
                self.places.push(place);
            }
            let before = if heard.word == word { heard.times } else { 0 };
            let times = told.saturating_add(asked).min(TIMES).max(before);
            heard.sum += values[usize::from(times)] - values[usize::from(before)];
            (heard.word, heard.times) = (word, times);
        }
    }

    /// Hands the places over for which most speaks, best first, until `enough` says so.
    ///
    /// Of those for which the same speaks, what was remembered last comes first.
    pub(super) fn each(mut self, at_once: usize, mut take: impl FnMut(u32) -> Enough) {
        let heard = &self.heard;
        let order = |one: &u32, two: &u32| -> Ordering {
            let sum = |place: &u32| heard[*place as usize].sum;
            sum(two).total_cmp(&sum(one)).then(two.cmp(one))
        };
        let mut rest = &mut self.places[..];
        while !rest.is_empty() {
            let count = at_once.clamp(1, rest.len());
            if count < rest.len() {
                rest.select_nth_unstable_by(count, order);
            }
            let (best, others) = rest.split_at_mut(count);
            best.sort_unstable_by(order);
            for place in best {
                if take(*place) == Enough::Yes {
                    return;
                }
            }
            rest = others;
        }
    }
}

/// Whether there are enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Enough {
    Yes,
    NotYet,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(place: u32) -> (u32, Count) {
        (place, Count { told: 1, asked: 0 })
    }

    fn order(votes: Votes, at_once: usize, most: usize) -> Vec<u32> {
        let mut taken = Vec::new();
        votes.each(at_once, |place| {
            taken.push(place);
            if taken.len() == most { Enough::Yes } else { Enough::NotYet }
        });
        taken
    }

    #[test]
    fn most_and_rarest_words_come_first_and_then_the_latest() {
        let make = || {
            let mut votes = Votes::new(9);
            votes.hear(0, 3.0, [once(2), once(5)].into_iter());
            let often = (7, Count { told: 1, asked: 2 });
            votes.hear(1, 1.0, [once(1), once(2), once(4), often, once(7)].into_iter());
            votes
        };
        for at_once in [1, 2, 3, 100] {
            assert_eq!(order(make(), at_once, 99), [2, 5, 7, 4, 1], "{at_once} at once");
            assert_eq!(order(make(), at_once, 2), [2, 5]);
        }
    }

    #[test]
    fn a_word_in_several_passages_counts_once() {
        let mut votes = Votes::new(3);
        votes.hear(0, 1.0, [once(0), once(0), once(0), once(1)].into_iter());
        votes.hear(1, 0.5, [once(1)].into_iter());
        assert_eq!(order(votes, 10, 10), [1, 0]);
    }
}
