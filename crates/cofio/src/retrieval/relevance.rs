//! Whether a hit is about a prompt, which is more than being the best of what there is.

use super::merge::Hit;
use super::rank::{Part, Signal, weighted_score};
use super::weights::WEIGHTS;

/// Tells whether a hit, found by all the evidence there is, is what a prompt calls for.
///
/// That it is recent says nothing about that. Nor does standing out in meaning, unless it is near:
/// among thousands of unrelated memories some stand out. And what is known to be far in meaning
/// needs more than a word of the prompt.
pub fn is_relevant(hit: &Hit) -> bool {
    let far = hit.signals.cosine.is_some_and(|cosine| cosine < WEIGHTS.near);
    let counts = |part: &&Part| match part.signal {
        Signal::Recency => false,
        Signal::Meaning => !far || part.value < 0.0,
        _ => true,
    };
    let sum = hit.signals.parts.iter().filter(counts).map(|part| part.value).sum();
    weighted_score(sum) >= if far { WEIGHTS.relevant_far } else { WEIGHTS.relevant }
}
