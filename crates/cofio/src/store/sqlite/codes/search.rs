//! Finding the vectors nearest to a question.
//!
//! A small scope is compared vector by vector. In a larger one every code is looked at, and from
//! the best estimate downwards vectors are compared until no further one is likely to be among
//! the nearest.

mod best;
mod moments;
mod shortlist;

pub(in super::super) use best::Neighbour;

use rusqlite::Connection;

use super::cache::{Cache, Population};
use crate::error::Result;
use crate::model::{Groups, Spread};
use crate::store::vectors::{LANES, Question, direction};
use best::Best;
use moments::Tally;
use shortlist::Shortlist;

/// Up to how many vectors each is compared, which takes no longer than estimating first.
const EXACT: usize = 2_048;

/// How many times its standard error an estimate may be wrong before a neighbour is missed.
///
/// On vectors of sentences by MiniLM: recall@10 .996 with 2.0, .999 with 2.5, at 1.5 times the
/// work.
const MARGIN: f32 = 2.25;

/// After how many codes the best few are compared for the first time, and then whenever four times
/// as many were looked at: what is nearest so far tells which codes need no second look.
const FIRST_PAUSE: usize = 1_024;

/// What a search in the vectors of one scope found.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Neighbours {
    /// The nearest memories, best first, each by its best passage.
    pub(in super::super) nearest: Vec<Neighbour>,
    /// The cosines of all passages of the scope, whether admitted or not.
    pub(in super::super) spread: Groups<Spread>,
}

/// Returns the memories of a scope whose vectors are nearest to `vector`, best first.
///
/// Only memories that `admits` lets in are returned; it is asked only about those that come into
/// question. Cosines are those of vectors in half precision. In a scope of more than [`EXACT`]
/// vectors a neighbour can be missed, about one in 300, and the spread is an estimate.
pub(in super::super) fn nearest(
    connection: &Connection,
    cache: &Cache,
    (scope, model): (i64, i64),
    vector: &[f32],
    admits: &dyn Fn(i64) -> bool,
    limit: usize,
) -> Result<Neighbours> {
    let Some(population) = cache.population(connection, model, scope)? else {
        return Ok(Neighbours::default());
    };
    let before = population.vector_bytes();
    let question = Question::new(direction(vector, population.dimensions)?);
    let search = Search { connection, population: &population, question, admits, limit };
    let found =
        if population.len() <= EXACT { search.compare_all()? } else { search.estimate()? };
    if population.vector_bytes() > before {
        cache.trim();
    }
    Ok(found)
}

/// Reads the codes of a scope into memory, for searches that follow.
pub(in super::super) fn make_ready(
    connection: &Connection,
    cache: &Cache,
    (scope, model): (i64, i64),
) -> Result<()> {
    cache.population(connection, model, scope).map(drop)
}

/// Returns the best passage of each of these memories with its cosine, in their order.
///
/// Memories without a vector of the model in the scope are left out.
pub(in super::super) fn cosines(
    connection: &Connection,
    cache: &Cache,
    (scope, model): (i64, i64),
    vector: &[f32],
    memories: &[i64],
) -> Result<Vec<Neighbour>> {
    let Some(population) = cache.population(connection, model, scope)? else {
        return Ok(Vec::new());
    };
    let before = population.vector_bytes();
    let question = Question::new(direction(vector, population.dimensions)?);
    let mut sorted: Vec<(i64, Option<Neighbour>)> =
        memories.iter().map(|&memory| (memory, None)).collect();
    sorted.sort_unstable_by_key(|pair| pair.0);
    sorted.dedup_by_key(|pair| pair.0);
    for page in population.pages.iter() {
        let (lowest, highest) = page.codes.memories;
        let start = sorted.partition_point(|pair| pair.0 < lowest);
        let wanted = sorted[start..].iter_mut().take_while(|pair| pair.0 <= highest);
        for (memory, best) in wanted {
            for slot in page.codes.slots_of(*memory) {
                let cosine = question.cosine(population.vector(connection, page, slot)?);
                let neighbour = Neighbour::new(page.codes.keys[slot], cosine);
                if best.is_none_or(|best| neighbour.ranks_before(&best)) {
                    *best = Some(neighbour);
                }
            }
        }
    }
    if population.vector_bytes() > before {
        cache.trim();
    }
    let found = |memory: &i64| {
        let index = sorted.binary_search_by_key(memory, |pair| pair.0).ok()?;
        sorted[index].1
    };
    Ok(memories.iter().filter_map(found).collect())
}

/// One search in one population.
struct Search<'a> {
    connection: &'a Connection,
    population: &'a Population,
    question: Question,
    admits: &'a dyn Fn(i64) -> bool,
    limit: usize,
}

impl Search<'_> {
    fn compare_all(&self) -> Result<Neighbours> {
        let mut best = Best::new(self.limit);
        let mut tally = Tally::default();
        let mut cosines = Vec::new();
        for page in self.population.pages.iter() {
            cosines.clear();
            cosines.resize(page.codes.scales.len(), [0.0; LANES]);
            for (slot, key) in page.codes.keys.iter().enumerate() {
                let vector = self.population.vector(self.connection, page, slot)?;
                let cosine = self.question.cosine(vector);
                cosines[slot / LANES][slot % LANES] = cosine;
                let neighbour = Neighbour::new(*key, cosine);
                if best.would_take(&neighbour) && (self.admits)(neighbour.memory) {
                    best.take(neighbour);
                }
            }
            tally.add(&page.codes, &cosines);
        }
        Ok(Neighbours { nearest: best.into_vec(), spread: tally.exact() })
    }

    fn estimate(&self) -> Result<Neighbours> {
        let mut capacity = shortlist::capacity(self.limit);
        loop {
            let mut shortlist = Shortlist::new(capacity);
            let mut best = Best::new(self.limit);
            let tally = self.scan(&mut shortlist, &mut best)?;
            let nearest = best.into_vec();
            // Many passages of few memories may have taken all places.
            if shortlist.has_all() || nearest.len() >= self.limit {
                return Ok(Neighbours { nearest, spread: tally.estimated(&self.question) });
            }
            capacity = capacity.saturating_mul(8);
        }
    }

    /// Looks at every code, and compares the vectors whose codes are best.
    fn scan<'a>(&'a self, shortlist: &mut Shortlist<'a>, best: &mut Best) -> Result<Tally> {
        let mut tally = Tally::default();
        let mut estimates = Vec::new();
        let mut looked_at = 0;
        let mut pause = FIRST_PAUSE;
        let pages = &self.population.pages;
        let (mut soon, mut sooner) = (pages.iter().skip(6), pages.iter().skip(2));
        for page in pages.iter() {
            // A million codes do not fit next to the processor, and waiting for them takes longest.
            soon.next().inspect(|page| page.foresee());
            sooner.next().inspect(|page| page.foresee_codes());
            let codes = &page.codes;
            estimates.resize(codes.scales.len(), [0.0; LANES]);
            self.question.estimate(&codes.words, &codes.scales, &mut estimates);
            let highest = tally.add(codes, &estimates);
            if highest > shortlist.threshold() {
                let admits = |slot: usize| (self.admits)(codes.keys[slot].memory());
                let estimates = estimates.as_flattened().iter().take(codes.keys.len());
                shortlist.add(page, estimates.copied(), admits);
            }
            looked_at += codes.keys.len();
            if looked_at >= pause {
                pause *= 4;
                self.compare(shortlist, best, tally.mean_square_scale(), self.limit)?;
            }
        }
        self.compare(shortlist, best, tally.mean_square_scale(), usize::MAX)?;
        Ok(tally)
    }

    /// Compares vectors from the best estimate down to where none is likely to be nearer, but no
    /// more than `most`.
    fn compare(
        &self,
        shortlist: &mut Shortlist<'_>,
        best: &mut Best,
        square: f32,
        most: usize,
    ) -> Result<()> {
        let margin = |cosine: f32| MARGIN * self.question.scatter(square, cosine.powi(2)).sqrt();
        shortlist.hand_over(most, |candidate| {
            if candidate.estimate + margin(candidate.estimate) < best.lowest() {
                return Ok(false);
            }
            let vector = self.population.vector(self.connection, candidate.page, candidate.slot)?;
            best.take(Neighbour::new(candidate.key(), self.question.cosine(vector)));
            Ok(true)
        })?;
        shortlist.raise(best.lowest() - margin(0.0));
        Ok(())
    }
}
