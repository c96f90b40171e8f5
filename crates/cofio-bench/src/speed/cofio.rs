//! Cofio's part of the comparison, through its public engine and on a durable file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result};
use cofio::ingest::{Level, redact};
use cofio::model::{
    Caller, Channel, Draft, Identifier, Identifiers, Kind, Layer, MemoryId, Scope, Source,
};
use cofio::store::SqliteStore;
use cofio::{Engine, Mode, Query, Selection};
use pollster::block_on;

use super::figures::{Figures, Percentiles, Work};
use crate::machine::peak_megabytes;
use crate::recall::embedder::{self, Model};

/// How many memories are embedded before the queue is looked at again.
const EMBEDDED_AT_ONCE: usize = 256;

/// The work, and where to do it.
#[derive(clap::Args)]
pub struct Arguments {
    work: PathBuf,
    folder: PathBuf,
    model: PathBuf,
}

/// Does the work and prints the figures of this process.
pub fn probe(arguments: &Arguments) -> Result<()> {
    let work = std::fs::read(&arguments.work)
        .with_context(|| format!("cannot read {}", arguments.work.display()))?;
    let work: Work = serde_json::from_slice(&work)?;
    let path = arguments.folder.join("cofio.db");
    println!("{}", serde_json::to_string(&measure(&work, &path, &arguments.model)?)?);
    Ok(())
}

fn measure(work: &Work, path: &Path, model: &Path) -> Result<Figures> {
    let begun = Instant::now();
    let embedder = embedder::open(Model::Minilm, Some(model))?.context("a model is needed")?;
    // The weights are read at first use.
    block_on(embedder.embed(&[redact("warm up", "", Level::Probable).text]))?;
    let load_ms = begun.elapsed().as_secs_f64() * 1e3;
    let fingerprint = embedder.fingerprint().to_string();
    let engine =
        Engine::new(SqliteStore::open(path)?, jiff::Timestamp::now).with_embedder(embedder);
    let memory = Memory { engine, user: Identifier::new("speed")? };

    let begun = Instant::now();
    let places = memory.remember(work)?;
    let acknowledged = begun.elapsed().as_secs_f64();
    while block_on(memory.engine.embed_pending(EMBEDDED_AT_ONCE))?.pending > 0 {}
    let embedded = begun.elapsed().as_secs_f64();

    memory.ask(&work.warm_up, Mode::Hybrid)?;
    let (_, with_embedding) = memory.ask(&work.queries, Mode::Hybrid)?;
    // The engine remembers what a question means, so asking again has no embedding in it.
    let (_, hybrid) = memory.ask(&work.queries, Mode::Hybrid)?;
    // The vector-only question may be read differently, so its first round is not timed.
    memory.ask(&work.queries, Mode::Semantic)?;
    let (answers, semantic) = memory.ask(&work.queries, Mode::Semantic)?;
    let single_add = memory.remember_singly(&work.singles)?;
    drop(memory);
    let place = |id: &MemoryId| places.get(id).copied();
    let nearest = answers.iter().map(|answer| answer.iter().filter_map(place).collect()).collect();
    let texts = work.texts.len() as f64;
    Ok(Figures {
        versions: [("cofio", env!("CARGO_PKG_VERSION").to_owned()), ("model", fingerprint)]
            .into_iter()
            .map(|(name, version)| (name.to_owned(), version))
            .collect(),
        model_sha256: None,
        load_ms,
        acknowledged_per_second: texts / acknowledged,
        embedded_per_second: texts / embedded,
        hybrid: Some(hybrid),
        semantic,
        with_embedding,
        single_add,
        peak_resident_megabytes: peak_megabytes(),
        disk_megabytes: disk_megabytes(path.parent().context("a file is in a folder")?)?,
        nearest,
    })
}

/// An engine, and whose memories are in it.
struct Memory {
    engine: Engine,
    user: Identifier,
}

impl Memory {
    fn remember(&self, work: &Work) -> Result<HashMap<MemoryId, usize>> {
        let caller = Caller::local(self.user.clone());
        let mut places = HashMap::with_capacity(work.texts.len());
        for (batch, texts) in work.texts.chunks(work.batch).enumerate() {
            let drafts = texts.iter().map(|text| self.draft(text)).collect();
            let remembered = block_on(self.engine.remember_all(&caller, drafts))?;
            places
                .extend(remembered.into_iter().map(|one| one.memory.id).zip(batch * work.batch..));
        }
        Ok(places)
    }

    fn remember_singly(&self, texts: &[String]) -> Result<Percentiles> {
        let caller = Caller::local(self.user.clone());
        let mut samples = Vec::with_capacity(texts.len());
        for text in texts {
            let begun = Instant::now();
            block_on(self.engine.remember(&caller, self.draft(text)))?;
            samples.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        Ok(Percentiles::of(&mut samples))
    }

    /// Asks for the ten best and returns which they are, and how long it took.
    fn ask(&self, queries: &[String], mode: Mode) -> Result<(Vec<Vec<MemoryId>>, Percentiles)> {
        let caller = Caller::local(self.user.clone());
        let mut answers = Vec::with_capacity(queries.len());
        let mut samples = Vec::with_capacity(queries.len());
        for text in queries {
            let mine = Identifiers::default().with(Layer::User, self.user.clone());
            // The others return the ten nearest, however far they are.
            let threshold = (mode == Mode::Semantic).then_some(-1.0);
            let query =
                Query { mode, threshold, ..Query::new(Selection::new(mine), text.as_str()) };
            let begun = Instant::now();
            let answer = block_on(self.engine.search(&caller, &query))?;
            samples.push(begun.elapsed().as_secs_f64() * 1e3);
            answers.push(answer.hits.into_iter().map(|hit| hit.memory.id).collect());
        }
        // The next round begins when this one has been recorded.
        block_on(self.engine.settle())?;
        Ok((answers, Percentiles::of(&mut samples)))
    }

    fn draft(&self, text: &str) -> Draft {
        let source = Source::through(Channel::ExplicitSave);
        Draft::new(Scope::user(self.user.clone()), Kind::Fact, text, source)
    }
}

fn disk_megabytes(folder: &Path) -> Result<f64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes as f64 / 1e6)
}
