//! How much the words of a question say about each turn, by itself and through its conversation.

use super::flow::Flow;
use super::weights::WEIGHTS;
use crate::model::Evidence;
use crate::text::bm25;

/// What words say about the turns, each list in the order of the turns.
///
/// 1 is everything that the words of the question tell, each once.
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
pub fn lexical(evidence: &Evidence, flow: &Flow) -> Lexical {
    let count = evidence.turns.len();
    let rarities: Vec<f64> = evidence
        .words
        .iter()
        .map(|word| bm25::rarity(word.passages_having, evidence.passages))
        .collect();
    let everything = rarities.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut lexical =
        Lexical { own: vec![0.0; count], flowing: vec![0.0; count], matched: vec![0; count] };
    let (mut said, mut told) = (vec![0.0; count], vec![0.0; count]);
    for (number, (word, rarity)) in evidence.words.iter().zip(&rarities).enumerate() {
        if word.found.is_empty() {
            continue;
        }
        said.fill(0.0);
        told.fill(0.0);
        for place in &word.found {
            let turn = place.turn as usize;
            // A note that asks tells what it asks.
            let is_spoken = evidence.turns[turn].is_spoken();
            let asked = if is_spoken { f64::from(place.asked) } else { 0.0 };
            let times = u32::from(place.told) + u32::from(place.asked);
            let value = rarity / everything * bm25::share(times, WEIGHTS.saturation);
            let asking = (1.0 - WEIGHTS.asked) * asked / f64::from(times.max(1));
            said[turn] = f64::max(said[turn], value);
            told[turn] = f64::max(told[turn], value * (1.0 - asking));
            lexical.matched[turn] |= bit(number);
        }
        for (sum, value) in lexical.own.iter_mut().zip(&told) {
            *sum += value;
        }
        flow.raise(&said, &mut told);
        for (sum, value) in lexical.flowing.iter_mut().zip(&told) {
            *sum += value;
        }
    }
    lexical
}

/// Returns the bit of a word in [`Lexical::matched`]; beyond the first few dozen there is none.
pub fn bit(word: usize) -> u64 {
    u32::try_from(word).ok().and_then(|word| 1_u64.checked_shl(word)).unwrap_or_default()
}
