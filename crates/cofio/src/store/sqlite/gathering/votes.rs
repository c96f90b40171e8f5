//! Which records the words of a question speak for most.

use crate::store::kit::Count;
use crate::store::sqlite::field::Placed;
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
    pub(super) fn hear<'a>(
        &mut self,
        word: usize,
        rarity: f64,
        slices: impl Iterator<Item = &'a [Placed]>,
    ) {
        let word = u16::try_from(word).map_or(u16::MAX, |word| word.saturating_add(1));
        let mut values = [0.0; TIMES as usize + 1];
        for (times, value) in (0_u32..).zip(&mut values) {
            *value = (rarity * bm25::share(times, SATURATION)) as f32;
        }
        for slice in slices {
            for Placed { place, count: Count { told, asked } } in slice.iter().copied() {
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
    }

    /// Hands the places over for which most speaks, best first, until `enough` says so.
    ///
    /// Of those for which the same speaks, what was remembered last comes first.
    pub(super) fn each(self, at_once: usize, mut take: impl FnMut(u32) -> Enough) {
        let mut ranked: Vec<u64> = self.places.iter().map(|place| self.ranked(*place)).collect();
        let mut rest = &mut ranked[..];
        while !rest.is_empty() {
            let count = at_once.clamp(1, rest.len());
            if count < rest.len() {
                rest.select_nth_unstable_by(count, |one, two| two.cmp(one));
            }
            let (best, others) = rest.split_at_mut(count);
            best.sort_unstable_by(|one, two| two.cmp(one));
            for ranked in best {
                if take(place(*ranked)) == Enough::Yes {
                    return;
                }
            }
            rest = others;
        }
    }

    /// Returns a place behind what speaks for it, as one number: sums are not negative, so that
    /// their bits are in their order.
    fn ranked(&self, place: u32) -> u64 {
        let sum = self.heard[place as usize].sum;
        u64::from(sum.to_bits()) << 32 | u64::from(place)
    }
}

/// Returns the place in what [`Votes::ranked`] made.
#[expect(clippy::cast_possible_truncation, reason = "the place is the lower half")]
fn place(ranked: u64) -> u32 {
    ranked as u32
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

    fn once(place: u32) -> Placed {
        Placed { place, count: Count { told: 1, asked: 0 } }
    }

    fn hear(votes: &mut Votes, word: usize, rarity: f64, places: &[Placed]) {
        votes.hear(word, rarity, places.chunks(2));
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
            hear(&mut votes, 0, 3.0, &[once(2), once(5)]);
            let often = Placed { place: 7, count: Count { told: 1, asked: 2 } };
            hear(&mut votes, 1, 1.0, &[once(1), once(2), once(4), often, once(7)]);
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
        hear(&mut votes, 0, 1.0, &[once(0), once(0), once(0), once(1)]);
        hear(&mut votes, 1, 0.5, &[once(1)]);
        assert_eq!(order(votes, 10, 10), [1, 0]);
    }
}
