//! Memories, with all that goes when they go.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::contents::Contents;
use super::super::embedding::Claim;
use super::super::kept::Kept;
use super::super::vectors::Vectors;
use crate::error::Result;
use crate::model::{Embedding, MemoryId, PassageHash, PassageVector};
use crate::store::document::{decode, decode_analysed, encode};
use crate::store::moving::{CarriedMemory, CarriedVector, Field, Record, RecordKey};

impl Contents {
    /// Returns every memory, by its number.
    pub(super) fn carried_memories(&self) -> Result<Vec<Record>> {
        let mut all: Vec<&Kept> = self.all().collect();
        all.sort_by_key(|kept| kept.number);
        all.into_iter().map(|kept| Ok(Record::Memory(Box::new(self.carried(kept)?)))).collect()
    }

    fn carried(&self, kept: &Kept) -> Result<CarriedMemory> {
        let refused = |kept: &&Kept| self.is_pending(kept);
        let claim = Some(kept).filter(refused).map(|kept| kept.claim.clone()).unwrap_or_default();
        let vector = |(hash, vector): (PassageHash, Vec<f32>)| CarriedVector::new(hash, &vector);
        let embedded_by = match &kept.memory.embedding {
            Embedding::Ready(by) => Some(by.clone()),
            Embedding::Pending => None,
        };
        let mut stages: Vec<(String, String)> =
            kept.stages.iter().map(|(stage, job)| (stage.to_string(), job.to_string())).collect();
        stages.sort();
        Ok(CarriedMemory {
            number: kept.number.cast_signed(),
            document: encode(&kept.memory),
            identity: kept.identity,
            accesses: kept.memory.accesses,
            versions: kept.history.iter().map(|one| (one.version, encode(one))).collect(),
            stages,
            vectors: kept.vectors.each().map(vector).collect::<Result<_>>()?,
            embedded_by,
            dimensions_elsewhere: None,
            refusals: claim.refusals,
            refused_because: claim.refused_because,
            lost: false,
        })
    }

    /// Removes memories, and puts others in the place of those with the same numbers.
    pub(super) fn replace_memories(
        &mut self,
        gone: &[RecordKey],
        records: Vec<Record>,
    ) -> Result<()> {
        let memories = records.into_iter().filter_map(|record| match record {
            Record::Memory(memory) => Some(*memory),
            Record::Row(_) => None,
        });
        let kept: Vec<(Kept, Option<usize>)> =
            memories.map(|memory| self.kept(memory)).collect::<Result<_>>()?;
        let by_number: HashMap<u64, MemoryId> =
            self.all().map(|kept| (kept.number, kept.memory.id.clone())).collect();
        let replaced = kept.iter().map(|(kept, _)| kept.number);
        let gone = gone.iter().filter_map(|key| match key[..] {
            [Field::Number(number)] => Some(number.unsigned_abs()),
            _ => None,
        });
        for number in gone.chain(replaced) {
            if let Some(id) = by_number.get(&number) {
                self.replace(id, None);
            }
        }
        for (kept, dimensions) in kept {
            self.take_in(kept, dimensions);
        }
        Ok(())
    }

    fn take_in(&mut self, kept: Kept, dimensions: Option<usize>) {
        if let Some(identity) = kept.identity
            && let Some(holder) = self.identified(&kept.memory.scope, identity).cloned()
            && let Some(before) = self.replace(&holder, None)
        {
            // Whoever had the identity before is compared later.
            let without = Kept { identity: None, ..Kept::clone(&before) };
            self.replace(&holder, Some(Arc::new(without)));
        }
        if let (Embedding::Ready(by), Some(dimensions)) = (&kept.memory.embedding, dimensions) {
            self.dimensions_elsewhere.insert(by.clone(), dimensions);
        }
        self.last_number = self.last_number.max(kept.number);
        let id = kept.memory.id.clone();
        self.replace(&id, Some(Arc::new(kept)));
    }

    fn kept(&self, carried: CarriedMemory) -> Result<(Kept, Option<usize>)> {
        let (mut memory, analysed) = decode_analysed(&carried.document)?;
        memory.accesses = carried.accesses;
        if let Some(by) = carried.embedded_by {
            memory.embedding = Embedding::Ready(by);
        }
        let stages = carried.stages.iter().map(|(stage, job)| Ok((stage.parse()?, job.parse()?)));
        let stages = stages.filter(|stage| {
            stage.as_ref().map_or(true, |(_, job)| self.ledger.jobs.contains_key(job))
        });
        let vectors = carried.vectors.iter();
        let vectors = vectors.map(|one| PassageVector { hash: one.hash, vector: one.vector() });
        let history = carried.versions.iter().map(|(_, document)| decode(document));
        let kept = Kept {
            history: history.collect::<Result<_>>()?,
            number: carried.number.unsigned_abs(),
            analysed,
            vectors: Vectors::new(&vectors.collect::<Vec<_>>()),
            claim: Claim {
                refusals: carried.refusals,
                refused_because: carried.refused_because,
                ..Claim::default()
            },
            stages: stages.collect::<Result<_>>()?,
            ..Kept::new(memory, carried.identity)
        };
        Ok((kept, carried.dimensions_elsewhere))
    }
}
