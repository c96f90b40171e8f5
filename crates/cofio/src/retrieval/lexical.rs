//! How much the words of a question say about each turn, by itself and through its conversation.

use super::weights::WEIGHTS;
use crate::model::{Evidence, Turn};
use crate::text::bm25;

/// What words say about the turns, each list in the order of the turns.
#[derive(Debug, Clone, Default)]
pub struct Lexical {
    /// What a turn's own words say.
    pub own: Vec<f64>,
    /// What its own words say and those around it.
    pub flowing: Vec<f64>,
    /// Which words of the question a turn has itself, one bit each.
    pub matched: Vec<u64>,
}

/// Weighs the words of a question.
pub fn lexical(evidence: &Evidence) -> Lexical {
    let count = evidence.turns.len();
    let hops = hops(&evidence.turns);
    let mut lexical =
        Lexical { own: vec![0.0; count], flowing: vec![0.0; count], matched: vec![0; count] };
    let mut said = vec![0.0; count];
    for (number, word) in evidence.words.iter().enumerate() {
        if word.found.is_empty() {
            continue;
        }
        said.fill(0.0);
        let rarity = bm25::rarity(word.passages_having, evidence.passages);
        for place in &word.found {
            let share =
                bm25::share(place.count.into(), place.length.into(), evidence.mean_length);
            let turn = place.turn as usize;
            said[turn] = f64::max(said[turn], rarity * share);
            lexical.matched[turn] |= 1_u64.checked_shl(number as u32).unwrap_or_default();
        }
        for (sum, value) in lexical.own.iter_mut().zip(&said) {
            *sum += value;
        }
        flow(&said, &hops, &mut lexical.flowing);
    }
    lexical
}

/// Returns how much of what one turn says also speaks for the next; nothing between conversations.
fn hops(turns: &[Turn]) -> Vec<f64> {
    let mut hops = vec![0.0; turns.len()];
    for (hop, pair) in hops.iter_mut().skip(1).zip(turns.windows(2)) {
        let [before, after] = pair else { continue };
        let together = before.scope == after.scope && before.session == after.session;
        if together && after.session.is_some() {
            *hop = (-f64::from(before.length + after.length) / WEIGHTS.reach).exp();
        }
    }
    hops
}

/// Adds what is said in each turn, or what reaches it from the turns before and after it.
fn flow(said: &[f64], hops: &[f64], sums: &mut [f64]) {
    let mut reaching = said.to_vec();
    let mut forward = 0.0;
    for turn in 1..said.len() {
        forward = f64::max(forward, said[turn - 1]) * hops[turn];
        reaching[turn] = f64::max(reaching[turn], forward);
    }
    let mut backward = 0.0;
    for turn in (0..said.len().saturating_sub(1)).rev() {
        backward = f64::max(backward, said[turn + 1]) * hops[turn + 1];
        reaching[turn] = f64::max(reaching[turn], WEIGHTS.backwards * backward);
    }
    for (sum, value) in sums.iter_mut().zip(reaching) {
        *sum += value;
    }
}
