//! How near memories are to what a question means.

use std::collections::HashMap;

use super::super::inside::Member;
use super::Part;
use crate::model::{Cues, Groups, Meaning, Slot, Spread};
use crate::store::vectors::{Nearness, prefetch};

/// How near memories are to what a question means.
#[derive(Default)]
pub(super) struct Near {
    /// The best cosine of each memory, by its seat; of one without vectors of the model it is not a
    /// number. Nothing, if nobody knows what the question means.
    cosines: Vec<f32>,
    pub spreads: Groups<Spread>,
    /// How many have no vectors of the model.
    pub pending: u64,
}

impl Near {
    pub fn to(parts: &[Part<'_>], seats: usize, cues: &Cues) -> Self {
        let mut near = Self::default();
        let Some(meaning) = &cues.meaning else { return near };
        near.cosines.reserve(seats);
        let mut tally = Tally::default();
        for part in parts {
            near.compare(part, meaning, &mut tally);
        }
        near.spreads =
            Groups { assistant: Spread::of(tally.assistant), others: Spread::of(tally.others) };
        near.stand(parts, &cues.near);
        near
    }

    fn compare(&mut self, part: &Part<'_>, meaning: &Meaning, tally: &mut Tally) {
        let model = part.inside.model(&meaning.fingerprint);
        let question = Nearness::to(&meaning.vector);
        let mut members = part.inside.members().peekable();
        while let Some(Member { glance, .. }) = members.next() {
            if let Some(next) = members.peek() {
                prefetch(&next.glance.vectors);
            }
            if model.is_none() || glance.model != model {
                self.pending += 1;
                self.cosines.push(f32::NAN);
                continue;
            }
            let group =
                if glance.turn.assistant { &mut tally.assistant } else { &mut tally.others };
            let mut best = f32::NAN;
            for vector in glance.vectors.chunks_exact(meaning.vector.len().max(1)) {
                let cosine = question.cosine(vector);
                group.push(f64::from(cosine));
                best = best.max(cosine);
            }
            self.cosines.push(best);
        }
    }

    /// Takes the cosines of memories whose texts stand under slots.
    fn stand(&mut self, parts: &[Part<'_>], near: &[(Slot, f32)]) {
        if near.is_empty() {
            return;
        }
        let near: HashMap<&Slot, f32> = near.iter().map(|(slot, cosine)| (slot, *cosine)).collect();
        let all = parts.iter().flat_map(|part| part.inside.all());
        for (cosine, kept) in self.cosines.iter_mut().zip(all) {
            let standing = kept.memory.slot().and_then(|slot| near.get(&slot));
            *cosine = standing.copied().unwrap_or(*cosine);
        }
    }

    /// Returns the cosine of a memory, if it is known.
    pub fn cosine(&self, seat: usize) -> Option<f32> {
        self.cosines.get(seat).copied().filter(|cosine| !cosine.is_nan())
    }

    /// Returns the seats of the nearest of what is meant.
    pub fn nearest(&self, limit: usize, is_meant: impl Fn(usize) -> bool) -> Vec<usize> {
        let known = |seat: usize| Some((self.cosine(seat)?, seat)).filter(|_| is_meant(seat));
        let mut near: Vec<(f32, usize)> = (0..self.cosines.len()).filter_map(known).collect();
        let nearer_first = |one: &(f32, usize), two: &(f32, usize)| {
            two.0.total_cmp(&one.0).then(one.1.cmp(&two.1))
        };
        if limit < near.len() {
            near.select_nth_unstable_by(limit, nearer_first);
            near.truncate(limit);
        }
        near.into_iter().map(|(_, seat)| seat).collect()
    }
}

/// The cosines of all passages.
#[derive(Default)]
struct Tally {
    assistant: Vec<f64>,
    others: Vec<f64>,
}
