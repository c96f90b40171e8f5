use cofio::engine::ListRequest;
use cofio::model::{Caller, Criteria, Memory, Scope, Timestamp};
use cofio::retrieval::Hit;
use cofio::{Engine, Error, Query, Result, Selection};

use super::condition::Condition;

/// How many memories one request may go through.
const MOST: usize = 10_000;

/// How many hits are looked at for every one that is wanted, where a store cannot look for all that
/// a condition says.
const SPARE: usize = 20;

/// Memories that meet a condition, in the scopes that it is about.
#[derive(Debug)]
pub(super) struct Looking<'a> {
    pub(super) engine: &'a Engine,
    pub(super) caller: &'a Caller,
    pub(super) scopes: Vec<Scope>,
    pub(super) condition: &'a Condition,
}

/// What is searched for.
#[derive(Debug)]
pub(super) struct Question<'a> {
    pub(super) text: &'a str,
    /// How many hits at most.
    pub(super) most: usize,
    /// The least score.
    pub(super) threshold: Option<f64>,
    /// The moment from which "yesterday" is meant.
    pub(super) reference_time: Option<Timestamp>,
}

impl Looking<'_> {
    /// Returns the hits, the best first.
    pub(super) async fn best(&self, question: &Question<'_>) -> Result<Vec<Hit>> {
        let mut best = Vec::new();
        for scope in &self.scopes {
            let (criteria, said) = self.condition.narrowed(scope, Criteria::default());
            let results = self.engine.config().limits.search_results;
            let deeper = question.most.saturating_mul(SPARE).min(results).max(question.most);
            let query = Query {
                limit: if said { question.most } else { deeper },
                reference_time: question.reference_time,
                ..Query::new(selection(scope, criteria), question.text)
            };
            best.extend(self.engine.search(self.caller, &query).await?.hits);
        }
        let least = question.threshold.unwrap_or(0.0);
        best.retain(|hit| hit.score >= least && self.condition.holds(&hit.memory));
        best.sort_by(|one, other| other.score.total_cmp(&one.score));
        best.truncate(question.most);
        Ok(best)
    }

    /// Returns a page of memories, the newest first, and how many there are in all.
    pub(super) async fn page(&self, page: usize, size: usize) -> Result<(Vec<Memory>, u64)> {
        let start = page.saturating_sub(1).saturating_mul(size);
        let end = start.saturating_add(size);
        if let [scope] = &self.scopes[..]
            && let (criteria, true) = self.condition.narrowed(scope, Criteria::default())
        {
            let (memories, total) = self.newest(selection(scope, criteria), end).await?;
            return Ok((memories.into_iter().skip(start).take(size).collect(), total));
        }
        let mut all = Vec::new();
        let mut seen = 0;
        for scope in &self.scopes {
            let (criteria, _) = self.condition.narrowed(scope, Criteria::default());
            let (memories, _) = self.newest(selection(scope, criteria), usize::MAX).await?;
            seen += memories.len();
            check_seen(seen)?;
            all.extend(memories.into_iter().filter(|memory| self.condition.holds(memory)));
        }
        all.sort_by(|one, other| (other.created_at, &other.id).cmp(&(one.created_at, &one.id)));
        let total = all.len() as u64;
        Ok((all.into_iter().skip(start).take(size).collect(), total))
    }

    /// Returns the newest memories up to a place, and how many there are in all.
    async fn newest(&self, selection: Selection, end: usize) -> Result<(Vec<Memory>, u64)> {
        let limit = self.engine.config().limits.page;
        let mut request = ListRequest { limit, ..ListRequest::new(selection) };
        let mut memories = Vec::new();
        loop {
            let listed = self.engine.list(self.caller, &request).await?;
            memories.extend(listed.memories);
            request.cursor = listed.next_cursor;
            if request.cursor.is_none() || memories.len() >= end {
                return Ok((memories, listed.total));
            }
            check_seen(memories.len() + limit)?;
        }
    }
}

/// Returns what means the memories of one scope.
pub(super) fn selection(scope: &Scope, criteria: Criteria) -> Selection {
    let layers = Some(vec![scope.layer()]);
    Selection { layers, ..Selection::with(scope.identifiers().clone(), criteria) }
}

fn check_seen(seen: usize) -> Result<()> {
    if seen <= MOST {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "this would go through more than {MOST} memories: narrow the filter, as by created_at, or \
         page through /v1/memories"
    )))
}
