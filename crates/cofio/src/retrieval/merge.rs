//! Putting results of several layers together.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::block::estimated_tokens;
use super::lexical::bit;
use super::query::{Merge, Query};
use super::rank::{Dated, Part, Scored};
use super::weights::WEIGHTS;
use crate::model::{Layer, Memory, MemoryId};
use crate::text;

/// A memory that answers a question, and why it is there.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// From 0 to 1, the best first; a cosine where vectors alone are asked.
    pub score: f64,
    /// What brought it here.
    pub signals: Signals,
}

/// What brought a memory into an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signals {
    /// What its place is made of: what speaks for it and, below zero, against it.
    pub parts: Vec<Part>,
    /// The cosine of its best passage and the question.
    pub cosine: Option<f64>,
    /// The words of the question that it has, as the index knows them.
    pub matched_terms: Vec<String>,
    /// The names in the question that it has.
    pub matched_names: Vec<String>,
    /// When it happened, where the question names a time.
    pub dated: Option<Dated>,
    /// Memories of less specific layers that say the same and gave way.
    pub overrides: Vec<MemoryId>,
}

/// What a question was looked up by.
#[derive(Debug, Clone, Copy)]
pub struct LookedUp<'a> {
    /// Its words, each with the terms that stand for it.
    pub words: &'a [Vec<String>],
    /// Its names, folded.
    pub names: &'a [String],
}

/// Orders the hits, lets near-duplicates give way to the most specific layer, and cuts the list.
///
/// Returns the hits and how many did not fit into the tokens.
pub fn merge(
    found: Vec<(Scored, Memory)>,
    query: &Query,
    looked_up: LookedUp<'_>,
) -> (Vec<Hit>, usize) {
    let mut candidates: Vec<Candidate> = found
        .into_iter()
        .map(|(scored, memory)| Candidate::new(scored, memory, looked_up))
        .collect();
    if query.merge == Merge::Precedence {
        candidates.sort_by_key(Candidate::layer);
    }
    let first_layer = candidates.first().map(Candidate::layer);
    let one_layer = candidates.iter().all(|candidate| Some(candidate.layer()) == first_layer);
    let mut hits: Vec<Hit> = if one_layer {
        candidates.into_iter().map(|candidate| candidate.hit).collect()
    } else {
        collapse(candidates)
    };
    cut(&mut hits, query);
    let before = hits.len();
    fit(&mut hits, query);
    let left_out = before - hits.len();
    (hits, left_out)
}

struct Candidate {
    hit: Hit,
    /// Its terms, once they were asked for.
    terms: OnceCell<HashSet<String>>,
}

impl Candidate {
    fn new(scored: Scored, memory: Memory, looked_up: LookedUp<'_>) -> Self {
        let has = |number: usize| scored.matched & bit(number) != 0;
        let words = looked_up.words.iter().enumerate().filter(|(number, _)| has(*number));
        let matched_terms = words.filter_map(|(_, terms)| terms.first().cloned()).collect();
        let mut matched_names: Vec<String> = Vec::new();
        if scored.named > 0 {
            let is_asked = |name: &str| looked_up.names.contains(&text::fold(name));
            let mentions = memory.entities.iter();
            let named =
                mentions.filter(|mention| is_asked(&mention.name) || is_asked(&mention.alias));
            matched_names = named.map(|mention| mention.name.clone()).collect();
            matched_names.sort();
            matched_names.dedup();
        }
        let signals = Signals {
            parts: scored.parts,
            cosine: scored.cosine,
            matched_terms,
            matched_names,
            dated: scored.dated,
            overrides: Vec::new(),
        };
        Self { hit: Hit { memory, score: scored.score, signals }, terms: OnceCell::new() }
    }

    fn terms(&self) -> &HashSet<String> {
        let content = self.hit.memory.content.as_str();
        self.terms.get_or_init(|| text::document_terms(content).into_iter().collect())
    }

    fn layer(&self) -> Layer {
        self.hit.memory.scope.layer()
    }

    /// Returns whether two memories of different layers say the same.
    fn repeats(&self, other: &Self) -> bool {
        self.layer() != other.layer()
            && text::overlap(self.terms(), other.terms()) >= WEIGHTS.near_duplicate
    }
}

/// Keeps, of memories that say the same, the one of the most specific layer, in the best place.
fn collapse(candidates: Vec<Candidate>) -> Vec<Hit> {
    let mut kept: Vec<Candidate> = Vec::new();
    for mut candidate in candidates {
        let Some(same) = kept.iter_mut().find(|known| known.repeats(&candidate)) else {
            kept.push(candidate);
            continue;
        };
        if candidate.layer() < same.layer() {
            candidate.hit.score = candidate.hit.score.max(same.hit.score);
            std::mem::swap(same, &mut candidate);
        }
        let mut overridden = std::mem::take(&mut candidate.hit.signals.overrides);
        overridden.push(candidate.hit.memory.id);
        same.hit.signals.overrides.extend(overridden);
    }
    kept.into_iter().map(|candidate| candidate.hit).collect()
}

fn cut(hits: &mut Vec<Hit>, query: &Query) {
    if let Some(most) = query.limit_per_layer {
        let mut seen: HashMap<Layer, usize> = HashMap::new();
        hits.retain(|hit| {
            let count = seen.entry(hit.memory.scope.layer()).or_default();
            *count += 1;
            *count <= most
        });
    }
    hits.truncate(query.limit);
}

/// Leaves out hits that do not fit into the tokens that are left when it is their turn.
fn fit(hits: &mut Vec<Hit>, query: &Query) {
    let Some(mut left) = query.tokens else { return };
    hits.retain(|hit| {
        let cost = estimated_tokens(hit.memory.content.as_str());
        let fits = cost <= left;
        left -= if fits { cost } else { 0 };
        fits
    });
}
