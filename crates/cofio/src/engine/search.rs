use std::collections::HashMap;

use super::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{self, Level};
use crate::model::{Caller, Cues, Evidence, Filter, Meaning, Memory, Place, Timestamp};
use crate::retrieval::dates;
use crate::retrieval::{
    self, Aim, Answer, Interpretation, LookedUp, MeaningUsed, Merge, Mode, Query, Question, Scored,
};
use crate::text;

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
        Ok(Answer { hits, total, left_out, searched: filter.scopes, meaning })
    }

    /// Ranks everything that speaks for an answer to a question, and loads the best.
    pub(super) async fn look(
        &self,
        query: &Query,
        filter: &Filter,
        depth: usize,
        wanted: usize,
    ) -> Result<Looked> {
        // A secret is known by the words around it, so it goes before any of them is left out.
        let text =
            ingest::redact(&query.text, &self.config.secret_replacement, Level::Probable).text;
        let question = Question::new(text.as_str());
        let reading = self.interpret(query, &question, filter).await?;
        let (meaning, used) = self.meaning(query, &reading.by_meaning).await?;
        let names = if query.mode == Mode::Hybrid { question.names() } else { Vec::new() };
        let words = match query.mode {
            Mode::Semantic => Vec::new(),
            Mode::Hybrid | Mode::Keyword => text::query_words(&reading.by_words),
        };
        let aim = self.aim(query, reading, filter.now);
        let times = if query.mode == Mode::Hybrid { times(&aim) } else { Vec::new() };
        // Nothing is farther than the opposite.
        let every_cosine = aim.threshold.is_some_and(|threshold| threshold > -1.0);
        let cues = Cues { words, names, times, meaning, every_cosine };
        let by_layer = is_by_layer(query, filter);
        let depth = if by_layer { usize::MAX } else { depth };
        let (report, ranking) = async_channel::bounded(1);
        let choose = Box::new(move |evidence: &Evidence| {
            let (ranked, total) = retrieval::rank(evidence, &aim, depth);
            let best = if by_layer { best_of_each(&ranked, wanted) } else { best(&ranked, wanted) };
            // It is heard below, unless nobody waits for the answer any more.
            let _ = report.try_send((ranked, total, evidence.pending));
            best
        });
        let memories = self.store.find(filter, &cues, depth, choose).await?;
        let (ranked, total, pending) = ranking.try_recv().map_err(|_| {
            Error::new(ErrorKind::Provider, "the store answered without looking at the evidence")
        })?;
        let meaning = match used {
            MeaningUsed::Compared { .. } => MeaningUsed::Compared { pending },
            other => other,
        };
        Ok(Looked { cues, found: paired(ranked, memories), total, meaning })
    }

    async fn interpret(
        &self,
        query: &Query,
        question: &Question<'_>,
        filter: &Filter,
    ) -> Result<Interpretation> {
        if query.mode == Mode::Keyword {
            let by_words = question.text().to_owned();
            return Ok(Interpretation { by_words, ..Interpretation::default() });
        }
        let survey = self.store.survey(&filter.scopes, &question.words()).await?;
        Ok(question.interpret(&survey))
    }

    /// Returns what a question means, if that is wanted and can be had.
    async fn meaning(&self, query: &Query, text: &str) -> Result<(Option<Meaning>, MeaningUsed)> {
        if query.mode == Mode::Keyword {
            return Ok((None, MeaningUsed::NotAsked));
        }
        let alone = query.mode == Mode::Semantic;
        if !self.has_embedder() && !alone {
            return Ok((None, MeaningUsed::NoEmbedder));
        }
        match self.embed_question(text).await {
            Ok(meaning) => Ok((Some(meaning), MeaningUsed::Compared { pending: 0 })),
            Err(error) if alone => Err(error),
            Err(_) => Ok((None, MeaningUsed::Failed)),
        }
    }

    fn aim(&self, query: &Query, reading: Interpretation, now: Timestamp) -> Aim {
        let reference = query.reference_time.unwrap_or(now);
        let own = &self.config.expiry.time_zone;
        let time_zone = query.time_zone.as_ref().unwrap_or(own).clone();
        let day = time_zone.to_datetime(reference).date();
        Aim {
            mode: query.mode,
            fusion: query.fusion,
            speakers: reading.speakers,
            to_assistant: reading.to_assistant,
            dates: dates::mentioned(&query.text, day),
            threshold: query.least_cosine(),
            recency: query.recency,
            time_zone,
            now: reference.as_microsecond(),
        }
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

fn best(ranked: &[Scored], wanted: usize) -> Vec<Place> {
    ranked.iter().take(wanted).map(|scored| scored.place).collect()
}

fn best_of_each(ranked: &[Scored], wanted: usize) -> Vec<Place> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let mut is_wanted = |scored: &&Scored| {
        let count = counts.entry(scored.scope).or_default();
        *count += 1;
        *count <= wanted
    };
    ranked.iter().filter(|scored| is_wanted(scored)).map(|scored| scored.place).collect()
}

/// Returns the spans of time that a question certainly names, unless they are longer than a year.
fn times(aim: &Aim) -> Vec<(i64, i64)> {
    let named = aim
        .dates
        .iter()
        .filter(|mention| mention.certain && mention.precision() < dates::Precision::Longer);
    named.filter_map(|mention| mention.span(&aim.time_zone)).collect()
}

/// What was found out about a question.
pub(super) struct Looked {
    pub(super) cues: Cues,
    /// The best, best first.
    pub(super) found: Vec<(Scored, Memory)>,
    /// For how many something speaks.
    pub(super) total: usize,
    pub(super) meaning: MeaningUsed,
}

/// Pairs what was ranked with what is kept there, in the same order.
fn paired(ranked: Vec<Scored>, memories: Vec<(Place, Memory)>) -> Vec<(Scored, Memory)> {
    let mut memories = memories.into_iter().peekable();
    let pair = |scored: Scored| {
        let (_, memory) = memories.next_if(|(place, _)| *place == scored.place)?;
        Some((scored, memory))
    };
    ranked.into_iter().filter_map(pair).collect()
}
