mod looking;

use super::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Caller, Filter, Timestamp};
use crate::retrieval::{self, Answer, LookedUp, Merge, Query};

/// How many memories are looked for by meaning and by name for every hit wanted, and at least.
const DEPTH: (usize, usize) = (2, 20);

/// How many memories are loaded for every hit wanted, and more, where some may give way to others.
const SPARE: (usize, usize) = (2, 10);

impl Engine {
    /// Finds the memories that answer a question, each with the reason why it is there.
    pub async fn search(&self, caller: &Caller, query: &Query) -> Result<Answer> {
        let now = self.now();
        let answer =
            self.answer(caller, query, now).await.map_err(|error| error.during("search"))?;
        self.observe(caller, now, "search", answer.hits.iter().map(|hit| &hit.memory));
        Ok(answer)
    }

    pub(super) async fn answer(
        &self,
        caller: &Caller,
        query: &Query,
        now: Timestamp,
    ) -> Result<Answer> {
        self.check_query(query)?;
        let filter = super::filter(caller, &query.selection, now)?;
        let wanted = wanted(query, &filter);
        let looked = self.look(query, &filter, depth(query, &filter), wanted).await?;
        let looked_up = LookedUp { words: &looked.cues.words, names: &looked.cues.names };
        let (hits, left_out) = retrieval::merge(looked.found, query, looked_up);
        let (total, meaning) = (looked.total, looked.meaning);
        let unavailable = looked.unavailable;
        Ok(Answer { hits, total, left_out, searched: filter.scopes, meaning, unavailable })
    }

    pub(super) fn check_query(&self, query: &Query) -> Result<()> {
        let limits = &self.config.limits;
        if query.text.len() > limits.query_bytes {
            let message = format!(
                "the question has {} bytes and may have {}",
                query.text.len(),
                limits.query_bytes
            );
            return Err(Error::new(ErrorKind::QueryTooLong, message)
                .with("bytes", query.text.len())
                .with("limit", limits.query_bytes));
        }
        if query.limit == 0 || query.limit > limits.search_results {
            let message = format!("a search has 1 to {} hits", limits.search_results);
            return Err(Error::invalid(message));
        }
        if query.limit_per_layer == Some(0) {
            return Err(Error::invalid("a layer has at least one hit"));
        }
        if query.threshold.is_some_and(|threshold| !(-1.0..=1.0).contains(&threshold)) {
            return Err(Error::invalid("a threshold is a cosine, from -1 to 1"));
        }
        if !(0.0..=1.0).contains(&query.recency) {
            return Err(Error::invalid("recency counts from 0 to 1"));
        }
        Ok(())
    }
}

/// Returns among how many memories the best are looked for.
pub(super) fn depth(query: &Query, filter: &Filter) -> usize {
    DEPTH.1.max(query.limit * DEPTH.0).max(wanted(query, filter))
}

/// Returns how many memories are loaded: in one layer, nothing gives way to anything.
fn wanted(query: &Query, filter: &Filter) -> usize {
    match filter.scopes.as_slice() {
        [_] if query.limit_per_layer.is_none() => query.limit,
        _ => query.limit * SPARE.0 + SPARE.1,
    }
}

/// Tells whether a layer may have hits that others, for which more speaks, must not push aside.
fn is_by_layer(query: &Query, filter: &Filter) -> bool {
    filter.scopes.len() > 1 && (query.limit_per_layer.is_some() || query.merge == Merge::Precedence)
}
