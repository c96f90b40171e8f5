//! PostgreSQL's index of vectors by itself, filled in bulk, at sizes that would take hours otherwise.

use std::time::Instant;

use anyhow::Result;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::database::Database;
use crate::machine::percentile;
use crate::providers::{DIMENSIONS, vector};

/// How many vectors are inserted together.
const BATCH: usize = 1_000;

/// How many questions are timed.
const QUESTIONS: usize = 50;

/// The index at one size.
#[derive(Debug, Clone, Serialize)]
pub struct IndexPoint {
    pub vectors: usize,
    pub table_bytes: f64,
    pub index_bytes: f64,
    /// Making it of all vectors, by one thread.
    pub build_seconds: f64,
    pub nearest_ms: f64,
}

/// Measures the index at every size, with at most so much memory to make it in.
pub fn measured(database: &Database, sizes: &[usize], megabytes: usize) -> Result<Vec<IndexPoint>> {
    let table = format!("cofio_bench_index_{}", std::process::id());
    database.run(&format!(
        "CREATE EXTENSION IF NOT EXISTS vector;
         CREATE UNLOGGED TABLE {table} (number bigint, vector halfvec({DIMENSIONS}));
         ALTER TABLE {table} ALTER COLUMN vector SET STORAGE PLAIN;
         SET maintenance_work_mem = '{megabytes}MB';
         SET max_parallel_maintenance_workers = 0;
         SET hnsw.ef_search = 200"
    ))?;
    let points = sizes.iter().scan(0, |kept, &size| {
        let from = std::mem::replace(kept, size);
        Some(point(database, &table, from, size))
    });
    let points = points.collect();
    database.run(&format!("DROP TABLE {table}"))?;
    points
}

fn point(database: &Database, table: &str, from: usize, to: usize) -> Result<IndexPoint> {
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}")?;
    let progress = ProgressBar::new((to - from) as u64).with_style(style);
    progress.set_message(format!("index: {to} vectors"));
    database.run(&format!("DROP INDEX IF EXISTS {table}_index"))?;
    for first in (from..to).step_by(BATCH) {
        let numbers = first..to.min(first + BATCH);
        progress.inc(numbers.len() as u64);
        let all: Vec<f32> = numbers.flat_map(|number| vector(&number.to_string())).collect();
        database.insert_vectors(table, first, DIMENSIONS, &all)?;
    }
    progress.set_message(format!("index: {to} vectors, being indexed"));
    let begun = Instant::now();
    database.run(&format!(
        "CREATE INDEX {table}_index ON {table} USING hnsw (vector halfvec_cosine_ops)"
    ))?;
    let build_seconds = begun.elapsed().as_secs_f64();
    let mut samples = Vec::new();
    for number in 0..QUESTIONS {
        let question = vector(&format!("question {number}"));
        let begun = Instant::now();
        database.nearest(table, &question)?;
        samples.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    progress.finish_and_clear();
    Ok(IndexPoint {
        vectors: to,
        table_bytes: database.number(&format!("SELECT pg_table_size('{table}')"))?,
        index_bytes: database.number(&format!("SELECT pg_indexes_size('{table}')"))?,
        build_seconds,
        nearest_ms: percentile(&mut samples, 0.5),
    })
}
