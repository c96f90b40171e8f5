use super::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Caller, Memory};
use crate::retrieval::{self, Answer, Mode, Query};

/// How many candidates each list has for every hit wanted, and at least.
const DEPTH: (usize, usize) = (5, 50);

impl Engine {
    /// Finds the memories that answer a question, each with the reason why it is there.
    pub async fn search(&self, caller: &Caller, query: &Query) -> Result<Answer> {
        self.answer(caller, query).await.map_err(|error| error.during("search"))
    }

    async fn answer(&self, caller: &Caller, query: &Query) -> Result<Answer> {
        self.check_query(query)?;
        let now = self.now();
        let filter = super::filter(caller, &query.selection, now)?;
        let cues = retrieval::cues(&query.text, query.mode);
        let depth = (query.limit * DEPTH.0).max(DEPTH.1);
        let found = self.store.candidates(&filter, &cues, depth).await?;
        let total = found.memories.len();
        let ranked = match query.mode {
            Mode::Keyword => retrieval::fuse(&[&found.lexical]),
            // A list that is empty for everyone must not halve every score.
            _ if found.entity.is_empty() => retrieval::fuse(&[&found.lexical]),
            _ => retrieval::fuse(&[&found.lexical, &found.entity]),
        };
        let hits = retrieval::merge(ranked, found.memories, query, &cues.names);
        let shown: Vec<Memory> = hits.iter().map(|hit| hit.memory.clone()).collect();
        self.observe(caller, now, "search", &shown);
        Ok(Answer { hits, total, searched: filter.scopes })
    }

    fn check_query(&self, query: &Query) -> Result<()> {
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
        if query.mode == Mode::Semantic {
            let message = "semantic search needs an embedder, and none is configured";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        Ok(())
    }
}
