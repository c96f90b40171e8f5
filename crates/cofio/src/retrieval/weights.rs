//! The weights of ranking: every number that was chosen, in one table, with the reason for it.

use crate::text::hex;

use sha2::{Digest as _, Sha256};

/// How much each piece of evidence counts.
///
/// Evidence that can be more or less is measured in standard deviations over all memories of the
/// scopes, so that words and vectors weigh the same whatever their scales; what is there or not is
/// worth about as much as standing out by one deviation or two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Words: as much as meaning. Either alone finds what the other misses.
    pub lexical: f64,
    /// Meaning: as much as words.
    pub semantic: f64,
    /// A name of the question: a name is rarely there by chance.
    pub named: f64,
    /// The one author whom the question names said it.
    pub speaker: f64,
    /// It happened in the month, year or season that the question names.
    pub period: f64,
    /// It happened on about the day that the question names: a day says more than a month.
    pub day: f64,
    /// An assistant said it: what people tell is asked for far more often than what they were told.
    pub assistant: f64,
    /// It is long, for each e-fold beyond `long_from`: long texts have every word by chance.
    pub long: f64,
    /// From how many words with content a text counts as long.
    pub long_from: f64,
    /// It is a short question: the answer comes after it, and shares its words.
    pub question: f64,
    /// Below how many words with content a question is short.
    pub question_below: u32,
    /// It came from outside or was inferred.
    pub low_trust: f64,
    /// It is as recent as can be, where recency is asked for in full.
    pub recency: f64,
    /// After how many days recency is worth e times less.
    pub recency_days: f64,
    /// Over how many words with content evidence fades by e along a conversation: about ten short
    /// turns, or one long answer.
    pub reach: f64,
    /// How much of it flows back to what was said before: answers follow questions.
    pub backwards: f64,
    /// The cosine below which meaning alone brings nothing: unrelated texts get there by chance.
    pub floor: f64,
    /// From which share of the memories an author's name tells nothing about any one of them.
    pub author_share: f64,
    /// From which share of the memories a capitalised word tells nothing about any one of them.
    pub common_share: f64,
    /// How often such a word must be capitalised.
    pub common_capitalised: f64,
}

/// The weights in use.
pub const WEIGHTS: Weights = Weights {
    lexical: 0.5,
    semantic: 0.5,
    named: 0.5,
    speaker: 1.0,
    period: 1.0,
    day: 2.0,
    assistant: -3.0,
    long: -0.6,
    long_from: 40.0,
    question: -0.5,
    question_below: 15,
    low_trust: -0.5,
    recency: 2.0,
    recency_days: 30.0,
    reach: 140.0,
    backwards: 0.5,
    floor: 0.15,
    author_share: 0.1,
    common_share: 0.2,
    common_capitalised: 0.8,
};

/// Returns what tells these weights from others, for benchmarks to print.
pub fn weights_hash() -> String {
    hex(&Sha256::digest(format!("{WEIGHTS:?}"))[..8])
}
