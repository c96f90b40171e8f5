//! A door to the tables of vectors for benchmarks, which measure them without anything around.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::super::{SqliteOptions, SqliteStore, connect, unexpected};
use super::{Cache, cosines, insert, model_number, nearest};
use crate::error::Result;
use crate::model::Fingerprint;

/// The scope that everything is in.
const SCOPE: i64 = 1;

/// The vectors of one scope and one model in a file of their own, one per memory.
#[derive(Debug)]
pub struct VectorTables {
    connection: Connection,
    cache: Cache,
    model: i64,
}

/// What a search found.
#[derive(Debug)]
pub struct Nearest {
    /// Numbers of memories with their cosines, best first.
    pub memories: Vec<(i64, f32)>,
    /// The standard deviation of the cosines of all vectors.
    pub deviation: f64,
}

impl VectorTables {
    /// Opens a file, making it where needed.
    pub fn open(path: &Path, dimensions: usize) -> Result<Self> {
        if !path.exists() {
            drop(SqliteStore::open(path)?);
        }
        let connection = connect(path, SqliteOptions::default())?;
        let model = model_number(&connection, &Fingerprint::new("bench")?, dimensions)?;
        Ok(Self { connection, cache: Cache::default(), model })
    }

    /// Keeps vectors of memories with numbers from `first` on, durably and all at once.
    pub fn insert<'a>(
        &mut self,
        first: i64,
        vectors: impl Iterator<Item = &'a [f32]>,
    ) -> Result<()> {
        let transaction = Transaction::new(&mut self.connection, TransactionBehavior::Immediate)
            .map_err(unexpected)?;
        for (memory, vector) in (first..).zip(vectors) {
            let mut text = [0; 16];
            // Spread like a hash.
            let stirred = memory.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15);
            text[..8].copy_from_slice(&stirred.to_le_bytes());
            insert(&transaction, SCOPE, self.model, memory, 0, &[(0, text, vector)])?;
        }
        transaction.commit().map_err(unexpected)
    }

    /// Returns the memories nearest to a vector.
    pub fn nearest(&mut self, vector: &[f32], limit: usize) -> Result<Nearest> {
        let snapshot = Transaction::new(&mut self.connection, TransactionBehavior::Deferred)
            .map_err(unexpected)?;
        let place = (SCOPE, self.model);
        let found = nearest(&snapshot, &self.cache, place, vector, &|_| true, limit)?;
        let memories = found.nearest.iter().map(|found| (found.memory, found.cosine)).collect();
        Ok(Nearest { memories, deviation: found.spread.others.deviation })
    }

    /// Returns the cosines of some memories to a vector.
    pub fn cosines(&mut self, vector: &[f32], memories: &[i64]) -> Result<Vec<f32>> {
        let snapshot = Transaction::new(&mut self.connection, TransactionBehavior::Deferred)
            .map_err(unexpected)?;
        let found = cosines(&snapshot, &self.cache, (SCOPE, self.model), vector, memories)?;
        Ok(found.iter().map(|found| found.cosine).collect())
    }
}
