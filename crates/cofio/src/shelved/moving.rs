//! Giving everything to another store, and taking everything in, with what stands on shelves.
//!
//! Memories leave with their texts and vectors, wherever those stand, and are placed anew by the
//! rules of the store that takes them in.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::{fmt, mem};

use async_trait::async_trait;

use super::placing::{Placed, lay};
use super::{ATTEMPTS, Shelved, restless, told};
use crate::error::Result;
use crate::model::{CleanText, Fingerprint, Identifier, Memory, Slot};
use crate::store::{
    CarriedMemory, CarriedVector, Field, Movable, Part, Record, RecordKey, Store, Stretch, decode,
    encode,
};

/// A store with shelves, and its home as something that can be moved.
pub struct MovableShelved {
    shelved: Shelved,
    home: Arc<dyn Movable>,
}

impl MovableShelved {
    /// Takes a store around a home, and the home itself.
    pub fn new(shelved: Shelved, home: Arc<dyn Movable>) -> Self {
        Self { shelved, home }
    }

    /// Makes memories whole, with texts and vectors, and returns where texts of theirs are not.
    async fn fetch(&self, memories: &mut [CarriedMemory]) -> Result<HashSet<Slot>> {
        let mut whole = Whole::default();
        for (place, memory) in memories.iter().enumerate() {
            whole.add(place, memory)?;
        }
        whole.fetch(&self.shelved).await?;
        for (place, memory) in memories.iter_mut().enumerate() {
            whole.give(place, memory)?;
        }
        Ok(whole.absent.into_values().collect())
    }

    /// Returns memories that are whole, except what shelves have lost.
    async fn memories(&self, stretch: &Stretch, limit: usize) -> Result<Vec<CarriedMemory>> {
        let mut absent = HashSet::new();
        for _ in 0..ATTEMPTS {
            let records = self.home.records(Part::Memories, stretch, limit).await?;
            let mut memories: Vec<CarriedMemory> =
                records.into_iter().filter_map(carried).collect();
            let before = mem::replace(&mut absent, self.fetch(&mut memories).await?);
            // What is named although it was not there before is lost, and not only forgotten since.
            if absent.is_subset(&before) {
                return Ok(memories);
            }
        }
        Err(restless())
    }

    /// Puts texts and vectors on their shelves, and says in the memories where they stand.
    async fn place(&self, memories: &mut [CarriedMemory]) -> Result<Placed> {
        let mut placed = Placed::default();
        for carried in memories {
            for (_, document) in &mut carried.versions {
                let mut version = decode(document)?;
                self.shelved.place_text(&mut version, &mut placed);
                *document = encode(&version);
            }
            let mut memory = decode(&carried.document)?;
            self.shelved.place_text(&mut memory, &mut placed);
            if memory.content.has_vectors_elsewhere()
                && let Some(model) = &carried.embedded_by
            {
                let vectors: Vec<Vec<f32>> =
                    carried.vectors.drain(..).map(|one| one.vector()).collect();
                carried.dimensions_elsewhere = vectors.first().map(Vec::len);
                lay(&memory, model, vectors, &mut placed);
            }
            if memory.content.standing().is_some() {
                carried.document = encode(&memory);
            }
        }
        if let Err(error) = self.shelved.put(&placed).await {
            self.shelved.take_off(&placed).await;
            return Err(error);
        }
        Ok(placed)
    }

    /// Returns where texts stand of memories that are to be replaced.
    async fn standing(&self, numbers: &[i64]) -> Result<HashMap<Identifier, Vec<Slot>>> {
        let mut slots: HashMap<Identifier, Vec<Slot>> = HashMap::new();
        let (Some(first), Some(last)) = (numbers.iter().min(), numbers.iter().max()) else {
            return Ok(slots);
        };
        let key = |number: i64| Some(vec![Field::Number(number)]);
        let stretch = Stretch { after: key(first - 1), until: key(*last) };
        let records = self.home.records(Part::Memories, &stretch, usize::MAX).await?;
        for carried in records.into_iter().filter_map(carried) {
            if !numbers.contains(&carried.number) {
                continue;
            }
            for document in documents(&carried) {
                let memory = decode(document)?;
                if let (Some(standing), Some(slot)) = (memory.content.standing(), memory.slot()) {
                    slots.entry(standing.shelf.clone()).or_default().push(slot);
                }
            }
        }
        Ok(slots)
    }

    async fn replace_memories(&self, gone: Vec<RecordKey>, records: Vec<Record>) -> Result<()> {
        let mut memories: Vec<CarriedMemory> = records.into_iter().filter_map(carried).collect();
        let removed = gone.iter().filter_map(|key| match key[..] {
            [Field::Number(number)] => Some(number),
            _ => None,
        });
        let numbers: Vec<i64> =
            removed.chain(memories.iter().map(|memory| memory.number)).collect();
        let before = self.standing(&numbers).await?;
        let placed = self.place(&mut memories).await?;
        let records = memories.into_iter().map(|memory| Record::Memory(Box::new(memory)));
        match self.home.replace(Part::Memories, gone, records.collect()).await {
            // If it was made after all, memories name what was placed; if not, a sweep finds it.
            Err(error) if error.is_undecided() => Err(error),
            Err(error) => {
                self.shelved.take_off(&placed).await;
                Err(error)
            }
            Ok(()) => {
                for (shelf, slots) in before {
                    self.shelved.remove(&shelf, slots).await;
                }
                Ok(())
            }
        }
    }
}

#[async_trait]
impl Movable for MovableShelved {
    fn store(&self) -> &dyn Store {
        &self.shelved
    }

    async fn count(&self, part: Part) -> Result<u64> {
        self.home.count(part).await
    }

    async fn records(&self, part: Part, stretch: &Stretch, limit: usize) -> Result<Vec<Record>> {
        if part != Part::Memories {
            return self.home.records(part, stretch, limit).await;
        }
        let memories = self.memories(stretch, limit).await?;
        Ok(memories.into_iter().map(|memory| Record::Memory(Box::new(memory))).collect())
    }

    async fn replace(&self, part: Part, gone: Vec<RecordKey>, records: Vec<Record>) -> Result<()> {
        if part == Part::Memories {
            return self.replace_memories(gone, records).await;
        }
        self.home.replace(part, gone, records).await
    }

    async fn unfinished(&self) -> Result<Option<String>> {
        self.home.unfinished().await
    }

    async fn mark(&self, unfinished_copy_of: Option<&str>) -> Result<()> {
        self.home.mark(unfinished_copy_of).await
    }
}

impl fmt::Debug for MovableShelved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MovableShelved").field("shelved", &self.shelved).finish_non_exhaustive()
    }
}

fn carried(record: Record) -> Option<CarriedMemory> {
    if let Record::Memory(memory) = record { Some(*memory) } else { None }
}

fn documents(memory: &CarriedMemory) -> impl Iterator<Item = &String> {
    memory.versions.iter().map(|(_, document)| document).chain([&memory.document])
}

/// What is in every document of a memory whose text stands elsewhere.
const SIGN: &str = "\"standing\":";

/// Memories whose texts stand on shelves, by their place and version.
#[derive(Default)]
struct Whole {
    memories: HashMap<(usize, u64), Memory>,
    /// Where those stand whose texts are not there.
    absent: HashMap<(usize, u64), Slot>,
    /// Whose vectors stand on shelves, by where and whose they are.
    embedded: HashMap<(Identifier, Fingerprint), Vec<(usize, Slot)>>,
    vectors: HashMap<usize, Vec<Vec<f32>>>,
}

impl Whole {
    fn add(&mut self, place: usize, carried: &CarriedMemory) -> Result<()> {
        for document in documents(carried).filter(|document| document.contains(SIGN)) {
            let memory = decode(document)?;
            let Some((standing, slot)) = memory.content.standing().zip(memory.slot()) else {
                continue;
            };
            let is_current = *document == carried.document;
            if let Some(model) = carried.embedded_by.as_ref().filter(|_| is_current)
                && standing.vectors
            {
                let on = (standing.shelf.clone(), model.clone());
                self.embedded.entry(on).or_default().push((place, slot));
            }
            self.memories.insert((place, memory.version), memory);
        }
        Ok(())
    }

    async fn fetch(&mut self, shelved: &Shelved) -> Result<()> {
        for ((name, model), wanted) in &self.embedded {
            let slots: Vec<Slot> = wanted.iter().map(|(_, slot)| slot.clone()).collect();
            let vectors = shelved.shelf(name)?.vectors(model, &slots).await;
            let vectors = vectors.map_err(|error| told(name, error))?;
            let there = wanted.iter().zip(vectors);
            let there = there.filter_map(|((place, _), vectors)| Some((*place, vectors?)));
            self.vectors.extend(there);
        }
        let (keys, mut memories): (Vec<_>, Vec<_>) = self.memories.drain().unzip();
        if let Some((_, error)) = shelved.fetched(&mut memories).await.into_iter().next() {
            return Err(error);
        }
        for (key, mut memory) in keys.into_iter().zip(memories) {
            match memory.slot() {
                Some(slot) if !shelved.may_have_ended(&memory) => {
                    self.absent.insert(key, slot);
                    continue;
                }
                // What has ended may be gone from its shelf already.
                Some(_) => memory.content = CleanText::default(),
                None => {}
            }
            self.memories.insert(key, memory);
        }
        Ok(())
    }

    /// Gives a memory its texts and vectors; one whose vectors are lost waits for others.
    fn give(&mut self, place: usize, carried: &mut CarriedMemory) -> Result<()> {
        carried.lost = self.absent.keys().any(|(of, _)| *of == place);
        for (version, document) in &mut carried.versions {
            if let Some(memory) = self.memories.get(&(place, *version)) {
                *document = encode(memory);
            }
        }
        if !carried.document.contains(SIGN) {
            return Ok(());
        }
        let current = decode(&carried.document)?;
        let Some(memory) = self.memories.get(&(place, current.version)) else { return Ok(()) };
        carried.document = encode(memory);
        if !current.content.has_vectors_elsewhere() {
            return Ok(());
        }
        match self.vectors.remove(&place) {
            None => carried.embedded_by = None,
            Some(vectors) => {
                let passages = memory.passages();
                let vectors = passages.iter().zip(&vectors);
                let vectors = vectors
                    .map(|(passage, vector)| CarriedVector::new(passage.passage_hash(), vector));
                carried.vectors = vectors.collect::<Result<_>>()?;
            }
        }
        Ok(())
    }
}
