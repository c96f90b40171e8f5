//! What is asked of a store, and how long it takes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use cofio::engine::ListRequest;
use cofio::model::{Caller, Criteria, MemoryId, TimeRange, Timestamp, TriplePattern};
use cofio::store::Store;
use cofio::{Engine, Mode, Query, Selection};
use indicatif::ProgressBar;
use pollster::block_on;
use serde::Serialize;

use super::tier::{Goals, People, TIERS, Tier, subject};
use crate::machine::percentile;
use crate::texts::Texts;

/// How many memories are added together.
pub const BATCH: usize = 100;

/// How often something is done at least, even if it takes long.
const LEAST: usize = 10;

/// How long something took.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Times {
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub samples: usize,
}

/// A figure, and what it is to be.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    pub of: &'static str,
    pub what: &'static str,
    #[serde(flatten)]
    pub times: Times,
    pub goal_ms: Option<f64>,
}

impl Figure {
    /// Returns whether the median is what it is to be.
    pub fn meets(&self) -> bool {
        self.goal_ms.is_none_or(|goal| self.times.p50_ms <= goal)
    }
}

/// A store under measurement.
pub struct Trial<'a> {
    pub engine: &'a Engine,
    pub store: &'a Arc<dyn Store>,
    /// How long one thing is done again and again.
    pub patience: Duration,
    /// How often it is done at most.
    pub most: usize,
    pub progress: &'a ProgressBar,
    pub texts: Texts,
    /// Who reads.
    pub caller: Caller,
    /// Who adds, to memories of their own: what is read has as many as are told.
    pub adder: Caller,
}

impl Trial<'_> {
    /// Measures every kind by itself, of which half came before a moment, and a search over all of
    /// them.
    pub fn figures(&mut self, halves: &[Timestamp; TIERS.len()]) -> Result<Vec<Figure>> {
        let mut figures = Vec::new();
        for (tier, half) in TIERS.iter().zip(halves) {
            figures.extend(self.tier(tier, *half)?);
        }
        let all = Selection::new(People::Asking.identifiers()?);
        for (what, mode) in MODES {
            figures.push(self.figure("all", what, None, |trial, _| trial.search(&all, mode))?);
        }
        Ok(figures)
    }

    fn tier(&mut self, tier: &Tier, half: Timestamp) -> Result<Vec<Figure>> {
        let (of, goals, selection) = (tier.name, tier.goals, tier.selection()?);
        let Goals { add, batch, get, range, query } = goals;
        let mut figures = Vec::new();
        let ids = self.some(&selection)?;
        let id = |number: usize| ids.get(number % ids.len()).context("there are memories");
        figures.push(self.figure(of, "get", get, |trial, number| trial.get(id(number)?))?);
        figures.push(self.figure(of, "get, store alone", get, |trial, number| {
            let access = trial.caller.access();
            timed(|| block_on(trial.store.get(access, std::slice::from_ref(id(number)?))).done())
        })?);
        let time = TimeRange { from: Some(half), to: None };
        let times = Criteria { time, ..Criteria::default() };
        let recent = Selection { criteria: times, ..selection.clone() };
        figures.push(self.figure(of, "range", range, |trial, _| trial.list(&recent))?);
        if tier.has_statements() {
            figures.push(self.figure(of, "statements", query, |trial, number| {
                let triple = TriplePattern {
                    subject: Some(subject(number * 7)),
                    predicate: Some("prefers".to_owned()),
                    ..TriplePattern::default()
                };
                let criteria = Criteria { triple, ..Criteria::default() };
                trial.list(&Selection { criteria, ..selection.clone() })
            })?);
        }
        for (what, mode) in MODES {
            figures.push(self.figure(of, what, query, |trial, _| trial.search(&selection, mode))?);
        }
        figures.push(self.figure(of, "add", add, |trial, number| trial.add(tier, number, 1))?);
        figures.push(self.embedded(tier)?);
        figures.push(
            self.figure(of, "add 100", batch, |trial, number| trial.add(tier, number, BATCH))?,
        );
        self.embed_all()?;
        Ok(figures)
    }

    /// Does something again and again.
    fn figure(
        &mut self,
        of: &'static str,
        what: &'static str,
        goal_ms: Option<f64>,
        mut once: impl FnMut(&mut Self, usize) -> Result<f64>,
    ) -> Result<Figure> {
        self.progress.set_message(format!("{of}: {what}"));
        let begun = Instant::now();
        let mut samples = Vec::new();
        while samples.len() < LEAST.min(self.most)
            || (samples.len() < self.most && begun.elapsed() < self.patience)
        {
            self.progress.tick();
            let number = samples.len();
            samples.push(once(self, number)?);
        }
        let times = Times {
            p50_ms: percentile(&mut samples, 0.5),
            p95_ms: percentile(&mut samples, 0.95),
            samples: samples.len(),
        };
        Ok(Figure { of, what, times, goal_ms })
    }

    fn add(&mut self, tier: &Tier, number: usize, count: usize) -> Result<f64> {
        let texts = &mut self.texts;
        let drafts = (0..count)
            .map(|_| tier.draft(People::Adding, texts, number))
            .collect::<Result<Vec<_>>>()?;
        timed(|| block_on(self.engine.remember_all(&self.adder, drafts)).done())
    }

    /// Measures how long it takes until what is added is found by its meaning too.
    fn embedded(&mut self, tier: &Tier) -> Result<Figure> {
        self.embed_all()?;
        self.figure(tier.name, "add, with its vector", None, |trial, number| {
            let added = trial.add(tier, number, 1)?;
            Ok(added + timed(|| block_on(trial.engine.embed_pending(1)).done())?)
        })
    }

    fn embed_all(&self) -> Result<()> {
        while block_on(self.engine.embed_pending(1_024))?.pending > 0 {}
        Ok(())
    }

    fn some(&self, selection: &Selection) -> Result<Vec<MemoryId>> {
        let request = ListRequest { limit: 100, ..ListRequest::new(selection.clone()) };
        let listed = block_on(self.engine.list(&self.caller, &request))?;
        Ok(listed.memories.into_iter().map(|memory| memory.id).collect())
    }

    fn get(&self, id: &MemoryId) -> Result<f64> {
        self.settled(|| block_on(self.engine.get(&self.caller, id)).done())
    }

    fn list(&self, selection: &Selection) -> Result<f64> {
        let request = ListRequest::new(selection.clone());
        self.settled(|| block_on(self.engine.list(&self.caller, &request)).done())
    }

    fn search(&mut self, selection: &Selection, mode: Mode) -> Result<f64> {
        let query = Query { mode, ..Query::new(selection.clone(), self.texts.question()) };
        self.settled(|| block_on(self.engine.search(&self.caller, &query)).done())
    }

    /// Times an answer; recording that it was read is not part of it.
    fn settled(&self, task: impl FnOnce() -> Result<()>) -> Result<f64> {
        let elapsed = timed(task)?;
        block_on(self.engine.settle())?;
        Ok(elapsed)
    }
}

const MODES: [(&str, Mode); 3] =
    [("words", Mode::Keyword), ("meaning", Mode::Semantic), ("hybrid", Mode::Hybrid)];

impl<'a> Trial<'a> {
    /// Begins with a store that is filled.
    pub fn new(
        engine: &'a Engine,
        store: &'a Arc<dyn Store>,
        progress: &'a ProgressBar,
        limits: (Duration, usize),
        memories: usize,
    ) -> Result<Self> {
        let (patience, most) = limits;
        // Other notes than those that are there, and than those that were added at another size.
        let texts = Texts::new(1 + memories as u64);
        let (caller, adder) = (People::Asking.caller()?, People::Adding.caller()?);
        Ok(Self { engine, store, patience, most, progress, texts, caller, adder })
    }
}

fn timed(task: impl FnOnce() -> Result<()>) -> Result<f64> {
    let begun = Instant::now();
    task()?;
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}

/// Forgets an answer, but not that there was none.
trait Done {
    fn done(self) -> Result<()>;
}

impl<T> Done for cofio::Result<T> {
    fn done(self) -> Result<()> {
        self.map(drop).map_err(Into::into)
    }
}
