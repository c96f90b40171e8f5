//! What every contender is given, and what it tells.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::machine::percentile;

/// The same for every contender.
#[derive(Serialize, Deserialize)]
pub struct Work {
    /// What is added, in batches.
    pub texts: Vec<String>,
    /// What is added afterwards, one by one.
    pub singles: Vec<String>,
    /// What is asked.
    pub queries: Vec<String>,
    /// What is asked before anything is timed.
    pub warm_up: Vec<String>,
    /// How many texts are added at once.
    pub batch: usize,
}

/// What one contender needed.
#[derive(Serialize, Deserialize)]
pub struct Figures {
    pub versions: BTreeMap<String, String>,
    /// The hash of the weights, where they are read as published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_sha256: Option<String>,
    /// How long opening the model took; not part of any other figure.
    pub load_ms: f64,
    /// Texts per second, until each addition was answered.
    pub acknowledged_per_second: f64,
    /// Texts per second, until the last can be found by its meaning.
    pub embedded_per_second: f64,
    /// Searching by words and vectors, with the query's vector at hand.
    pub hybrid: Option<Percentiles>,
    /// Searching by vectors alone, with the query's vector at hand.
    pub semantic: Percentiles,
    /// Searching, the embedding of the query included.
    pub with_embedding: Percentiles,
    /// Adding one text, until it was answered.
    pub single_add: Percentiles,
    /// The most memory that the process had.
    pub peak_resident_megabytes: Option<f64>,
    /// Everything it left on disk.
    pub disk_megabytes: f64,
    /// The places of the ten nearest texts of every query, by vectors alone; not for people.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<Vec<usize>>,
}

/// The usual time and the one that few exceed.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Percentiles {
    pub p50_ms: f64,
    pub p95_ms: f64,
}

impl Percentiles {
    /// Takes them from samples in milliseconds.
    pub fn of(samples: &mut [f64]) -> Self {
        Self { p50_ms: percentile(samples, 0.5), p95_ms: percentile(samples, 0.95) }
    }
}

/// How Cofio compares with another, from one run; more than 1 is in Cofio's favour.
#[derive(Serialize)]
pub struct Ratios {
    pub acknowledged: f64,
    pub embedded: f64,
    /// Cofio with words, vectors and everything else, the other with what it has.
    pub search_p50: f64,
    /// Both with vectors alone.
    pub search_vectors_only_p50: f64,
    pub search_with_embedding_p50: f64,
    pub single_add_p50: f64,
    pub peak_resident: Option<f64>,
    pub disk: f64,
}

impl Ratios {
    /// Divides figure by figure.
    pub fn new(ours: &Figures, theirs: &Figures) -> Self {
        let memory = ours.peak_resident_megabytes.zip(theirs.peak_resident_megabytes);
        let best = |figures: &Figures| figures.hybrid.unwrap_or(figures.semantic).p50_ms;
        Self {
            acknowledged: ours.acknowledged_per_second / theirs.acknowledged_per_second,
            embedded: ours.embedded_per_second / theirs.embedded_per_second,
            search_p50: best(theirs) / best(ours),
            search_vectors_only_p50: theirs.semantic.p50_ms / ours.semantic.p50_ms,
            search_with_embedding_p50: theirs.with_embedding.p50_ms / ours.with_embedding.p50_ms,
            single_add_p50: theirs.single_add.p50_ms / ours.single_add.p50_ms,
            peak_resident: memory.map(|(ours, theirs)| theirs / ours),
            disk: theirs.disk_megabytes / ours.disk_megabytes,
        }
    }
}

/// Returns the mean share of `exact` that is in `found`.
pub fn agreement(found: &[Vec<usize>], exact: &[Vec<usize>]) -> f64 {
    let share = |(found, exact): (&Vec<usize>, &Vec<usize>)| {
        let common = exact.iter().filter(|place| found.contains(place)).count();
        common as f64 / exact.len().max(1) as f64
    };
    found.iter().zip(exact).map(share).sum::<f64>() / exact.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_agreement(found: &[&[usize]], exact: &[&[usize]], expected: f64) {
        let owned = |lists: &[&[usize]]| lists.iter().map(|list| list.to_vec()).collect::<Vec<_>>();
        let agreement = agreement(&owned(found), &owned(exact));
        assert!((agreement - expected).abs() < 1e-9, "{agreement} of {found:?} and {exact:?}");
    }

    #[test]
    fn agreement_is_the_share_of_the_exact_answer_that_was_found() {
        check_agreement(&[&[2, 1], &[3, 4]], &[&[1, 2], &[3, 5]], 0.75);
        check_agreement(&[&[]], &[&[1]], 0.0);
        check_agreement(&[], &[], 0.0);
    }
}
