//! Putting results of several layers together.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::fuse::Ranked;
use super::query::{Merge, Query};
use crate::model::{Layer, Memory, MemoryId};
use crate::text;

/// Memories that share this much of their terms are the same to a reader.
const NEAR_DUPLICATE: f64 = 0.95;

/// A memory that answers a question, and why it is there.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// From 0 to 1; 1 is the best by every signal.
    pub score: f64,
    /// What brought it here.
    pub signals: Signals,
}

/// What brought a memory into an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signals {
    /// The place among those found by words, from 1.
    pub lexical_rank: Option<usize>,
    /// The place among those found by what they name, from 1.
    pub entity_rank: Option<usize>,
    /// The words of the question that it has, as the index knows them.
    pub matched_terms: Vec<String>,
    /// The names in the question that it has.
    pub matched_names: Vec<String>,
    /// Memories of less specific layers that say the same and gave way.
    pub overrides: Vec<MemoryId>,
}

/// Orders the hits, lets near-duplicates give way to the most specific layer, and cuts the list.
pub fn merge(
    ranked: Vec<Ranked>,
    memories: Vec<Memory>,
    query: &Query,
    names: &[String],
) -> Vec<Hit> {
    let mut by_id: HashMap<MemoryId, Memory> =
        memories.into_iter().map(|memory| (memory.id.clone(), memory)).collect();
    let terms: HashSet<String> = text::query_terms(&query.text).into_iter().collect();
    let mut candidates: Vec<Candidate> = ranked
        .into_iter()
        // A memory may be gone between ranking and loading, so pair by id.
        .filter_map(|ranked| Some(Candidate::new(by_id.remove(&ranked.id)?, &ranked)))
        .collect();
    if query.merge == Merge::Precedence {
        candidates.sort_by_key(|candidate| candidate.hit.memory.scope.layer());
    }
    let first_layer = candidates.first().map(Candidate::layer);
    let one_layer = candidates.iter().all(|candidate| Some(candidate.layer()) == first_layer);
    let mut hits: Vec<Hit> = if one_layer {
        candidates.into_iter().map(|candidate| candidate.hit).collect()
    } else {
        collapse(candidates)
    };
    cut(&mut hits, query);
    for hit in &mut hits {
        explain(hit, &terms, names);
    }
    hits
}

struct Candidate {
    hit: Hit,
    /// Its terms, once they were asked for.
    terms: OnceCell<HashSet<String>>,
}

impl Candidate {
    fn new(memory: Memory, ranked: &Ranked) -> Self {
        let signals = Signals {
            lexical_rank: ranked.ranks.first().copied().flatten(),
            entity_rank: ranked.ranks.get(1).copied().flatten(),
            ..Signals::default()
        };
        Self { hit: Hit { memory, score: ranked.score, signals }, terms: OnceCell::new() }
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
        self.layer() != other.layer() && similarity(self.terms(), other.terms()) >= NEAR_DUPLICATE
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

/// Returns the share of terms that two memories have in common.
fn similarity(one: &HashSet<String>, other: &HashSet<String>) -> f64 {
    let (fewer, more) = (one.len().min(other.len()), one.len().max(other.len()));
    // They share at most the fewer, so most pairs need no comparison.
    if (fewer as f64) < NEAR_DUPLICATE * more as f64 {
        return 0.0;
    }
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { common as f64 / all as f64 }
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

fn explain(hit: &mut Hit, terms: &HashSet<String>, names: &[String]) {
    let own: HashSet<String> = text::document_terms(&hit.memory.searchable()).into_iter().collect();
    let mut matched: Vec<String> = own.intersection(terms).cloned().collect();
    matched.sort();
    hit.signals.matched_terms = matched;
    if hit.signals.entity_rank.is_some() {
        let named = |name: &String| names.contains(&text::fold(name)).then(|| name.clone());
        let mut matched: Vec<String> =
            hit.memory.entities.iter().filter_map(|mention| named(&mention.name)).collect();
        matched.sort();
        matched.dedup();
        hit.signals.matched_names = matched;
    }
}
