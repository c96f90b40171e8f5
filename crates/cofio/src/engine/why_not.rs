use std::fmt;

use super::{Engine, search};
use crate::error::Result;
use crate::model::{Caller, Filter, Memory, MemoryId, Objection, Right};
use crate::retrieval::{Answer, Hit, Mode, Query, Scored, estimated_tokens};

/// Among how many memories the place of one is looked for.
const DEPTH: usize = 1_000;

/// Why a memory is not part of an answer.
#[derive(Debug, Clone)]
pub struct WhyNot {
    /// The memory, as it is now.
    pub memory: Memory,
    /// Every reason, or none if it is part of the answer.
    pub reasons: Vec<Absence>,
    /// Its place among everything that was found, from 1.
    pub rank: Option<usize>,
    /// How many were found.
    pub found: usize,
    /// The cosine of its best passage and the question.
    pub cosine: Option<f64>,
}

/// Why a memory is absent.
#[derive(Debug, Clone, PartialEq)]
pub enum Absence {
    /// It is not among those that are meant.
    NotMeant(Objection),
    /// Nothing in it has to do with the question.
    NothingSpeaksForIt,
    /// Its meaning is unknown until it is embedded, and vectors alone are asked.
    NotEmbedded,
    /// Its cosine is below the threshold.
    BelowThreshold {
        /// The cosine.
        cosine: f64,
        /// The least that is wanted.
        threshold: f64,
    },
    /// Others come first.
    BeyondLimit {
        /// Its place, unless it is far behind.
        rank: Option<usize>,
        /// How many are wanted.
        limit: usize,
    },
    /// As many of its layer come first as are wanted of one.
    BeyondLayerLimit {
        /// How many are wanted.
        limit: usize,
    },
    /// Another memory, of a more specific layer, says the same.
    Overridden {
        /// The other memory.
        by: MemoryId,
    },
    /// It does not fit into the tokens that are left.
    BeyondTokens {
        /// How many tokens it has, about.
        tokens: usize,
        /// How many all hits may have.
        budget: usize,
    },
}

impl Engine {
    /// Says why a memory is not part of the answer to a question.
    ///
    /// A memory that the caller may not open is not found, like one that is not there.
    pub async fn why_not(&self, caller: &Caller, query: &Query, id: &MemoryId) -> Result<WhyNot> {
        self.find_out(caller, query, id).await.map_err(|error| error.during("why_not"))
    }

    async fn find_out(&self, caller: &Caller, query: &Query, id: &MemoryId) -> Result<WhyNot> {
        self.check_query(query)?;
        let now = self.now();
        caller.require(Right::Read)?;
        let found = self.store.get(caller.access(), std::slice::from_ref(id)).await?;
        let memory = found.into_iter().next().ok_or_else(|| MemoryId::not_found(id.as_str()))?;
        let filter = super::filter(caller, &query.selection, now)?;
        let earlier = match filter.criteria.as_of {
            Some(_) => self.store.history(caller.access(), id).await?,
            None => Vec::new(),
        };
        let reasons = objections(&filter, &memory, &earlier);
        let mut why = WhyNot { memory, reasons, rank: None, found: 0, cosine: None };
        if !why.reasons.is_empty() {
            return Ok(why);
        }
        let answer = self.answer(caller, query, now).await?;
        self.find_place(query, &filter, &mut why).await?;
        if !answer.hits.iter().any(|hit| hit.memory.id == *id) {
            let reason = self.absence(query, &why, &answer);
            why.reasons.push(reason);
        }
        Ok(why)
    }

    /// Looks for the place of a memory as the search itself looks, and deeper if it is not there.
    async fn find_place(&self, query: &Query, filter: &Filter, why: &mut WhyNot) -> Result<()> {
        let unlimited = Query { threshold: Some(-1.0), ..query.clone() };
        let mut searched = 0;
        for depth in [search::depth(query, filter), DEPTH] {
            let looked = self.look(&unlimited, filter, depth, depth).await?;
            why.found = looked.total;
            let is_it = |(_, memory): &(Scored, Memory)| memory.id == why.memory.id;
            if let Some(place) = looked.found.iter().position(is_it) {
                // What only a deeper look finds comes after everything that the search ranks.
                why.rank = Some(place.max(searched) + 1);
                why.cosine = looked.found[place].0.cosine;
                return Ok(());
            }
            searched = looked.found.len();
        }
        Ok(())
    }

    /// Says why a memory that is meant is not in an answer.
    fn absence(&self, query: &Query, why: &WhyNot, answer: &Answer) -> Absence {
        if let Some(reason) = below_threshold(query, why.cosine) {
            return reason;
        }
        match why.rank {
            Some(rank) => crowded_out(&why.memory, rank, query, answer),
            None if query.mode == Mode::Semantic && !self.has_embedded(&why.memory) => {
                Absence::NotEmbedded
            }
            None if why.found >= DEPTH => Absence::BeyondLimit { rank: None, limit: query.limit },
            None => Absence::NothingSpeaksForIt,
        }
    }
}

/// Returns everything for which a memory is not meant, by the version that counts.
fn objections(filter: &Filter, current: &Memory, earlier: &[Memory]) -> Vec<Absence> {
    let version = filter.version(current, earlier);
    let unknown = version.is_none().then_some(Objection::NotKnown);
    let ended = current.expired(filter.now).then_some(Objection::Expiry);
    let mut all: Vec<Objection> = filter.objections(version.unwrap_or(current)).collect();
    for objection in unknown.into_iter().chain(ended) {
        if !all.contains(&objection) {
            all.push(objection);
        }
    }
    all.into_iter().map(Absence::NotMeant).collect()
}

fn below_threshold(query: &Query, cosine: Option<f64>) -> Option<Absence> {
    let (threshold, cosine) = (query.least_cosine()?, cosine?);
    (cosine < threshold).then_some(Absence::BelowThreshold { cosine, threshold })
}

/// Says what keeps a memory out that was ranked.
fn crowded_out(memory: &Memory, rank: usize, query: &Query, answer: &Answer) -> Absence {
    let stands_for = |hit: &&Hit| hit.signals.overrides.contains(&memory.id);
    if let Some(hit) = answer.hits.iter().find(stands_for) {
        return Absence::Overridden { by: hit.memory.id.clone() };
    }
    let tokens = estimated_tokens(memory.content.as_str());
    match (query.tokens, query.limit_per_layer) {
        (Some(budget), _) if answer.left_out > 0 && rank <= query.limit => {
            Absence::BeyondTokens { tokens, budget }
        }
        (_, Some(limit)) if rank <= query.limit => Absence::BeyondLayerLimit { limit },
        _ => Absence::BeyondLimit { rank: Some(rank), limit: query.limit },
    }
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotMeant(objection) => f.write_str(objection.reason()),
            Self::NothingSpeaksForIt => {
                f.write_str("nothing in it or around it has to do with the question")
            }
            Self::NotEmbedded => {
                f.write_str("it has no vector yet, and only vectors were to be compared")
            }
            Self::BelowThreshold { cosine, threshold } => {
                write!(f, "its cosine is {cosine:.2}, and at least {threshold:.2} was wanted")
            }
            Self::BeyondLimit { rank: Some(rank), limit } => {
                write!(f, "it is number {rank}, and {limit} were wanted")
            }
            Self::BeyondLimit { rank: None, limit } => {
                write!(f, "{DEPTH} or more come first, and {limit} were wanted")
            }
            Self::BeyondLayerLimit { limit } => {
                write!(f, "{limit} of its layer were wanted, and others of it come first")
            }
            Self::Overridden { by } => {
                write!(f, "{by} says the same and belongs to a more specific layer")
            }
            Self::BeyondTokens { tokens, budget } => {
                write!(f, "it has about {tokens} tokens, and the {budget} wanted were used up")
            }
        }
    }
}
