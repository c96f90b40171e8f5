//! Finding by words: BM25 over the memories of the scopes asked for.

use std::collections::HashMap;

use super::kept::Kept;
use super::latest_first;
use crate::text::document_terms;

/// How soon a repeated term stops counting; the usual choice.
const SATURATION: f64 = 1.2;

/// How much a long text is held back; the usual choice.
const LENGTH_WEIGHT: f64 = 0.75;

/// How often each term stands in a text.
#[derive(Clone)]
pub(super) struct Terms {
    frequencies: HashMap<String, u32>,
    length: u32,
}

impl Terms {
    /// Counts the terms of a text.
    pub fn of(text: &str) -> Self {
        let mut terms = Self { frequencies: HashMap::new(), length: 0 };
        for term in document_terms(text) {
            *terms.frequencies.entry(term).or_default() += 1;
            terms.length += 1;
        }
        terms
    }

    fn frequency(&self, term: &str) -> f64 {
        self.frequencies.get(term).copied().unwrap_or_default().into()
    }
}

/// Returns those of the memories in which a term stands, best first.
pub(super) fn ranked<'a>(inside: &[&'a Kept], terms: &[String]) -> Vec<&'a Kept> {
    let weights = weights(inside, terms);
    let total: f64 = inside.iter().map(|kept| f64::from(kept.terms.length)).sum();
    let mean_length = total / inside.len().max(1) as f64;
    let mut scored: Vec<(f64, &Kept)> = inside
        .iter()
        .map(|kept| (score(&kept.terms, &weights, mean_length), *kept))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|(one_score, one), (two_score, two)| {
        let newest = |kept: &Kept| kept.memory.created_at;
        two_score.total_cmp(one_score).then_with(|| {
            latest_first(newest(one), &one.memory).cmp(&latest_first(newest(two), &two.memory))
        })
    });
    scored.into_iter().map(|(_, kept)| kept).collect()
}

/// Returns the terms with how much each tells: the rarer the more, and always something.
fn weights<'a>(inside: &[&Kept], terms: &'a [String]) -> Vec<(&'a str, f64)> {
    let weight = |term: &str| {
        let having = inside.iter().filter(|kept| kept.terms.frequencies.contains_key(term)).count();
        let lacking = inside.len() - having;
        (1.0 + (lacking as f64 + 0.5) / (having as f64 + 0.5)).ln()
    };
    terms.iter().map(|term| (term.as_str(), weight(term))).collect()
}

fn score(terms: &Terms, weights: &[(&str, f64)], mean_length: f64) -> f64 {
    let relative_length = f64::from(terms.length) / mean_length.max(1.0);
    let norm = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * relative_length);
    let part = |(term, weight): &(&str, f64)| {
        let frequency = terms.frequency(term);
        weight * frequency * (SATURATION + 1.0) / (frequency + norm)
    };
    weights.iter().map(part).sum()
}
