//! What a process remembers of codes and vectors between searches.
//!
//! Nothing here is believed: a population is used only if the snapshot has the same revision, and
//! a page only if the snapshot has it in the same revision. Revisions are never given twice, so
//! what agrees in them is the same.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, TransactionState};

use super::key::Key;
use super::records::{Raw, Records};
use super::{ASSISTANT, damaged, models, unexpected};
use crate::error::Result;
use crate::store::vectors::{Code, Half, LANES, Words};

/// How many bytes of codes are kept; a million vectors of 384 dimensions have 65 million.
const CODE_BYTES: usize = 128 << 20;

/// How many bytes of vectors are kept.
const VECTOR_BYTES: usize = 64 << 20;

/// Shares codes and vectors among the threads of a process, and drops what was not used for long.
#[derive(Default)]
pub(in super::super) struct Cache {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    populations: HashMap<Place, Kept>,
    /// How often something was asked for.
    uses: u64,
}

/// A model and a scope.
pub(super) type Place = (i64, i64);

struct Kept {
    population: Arc<Population>,
    last_use: u64,
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let populations = self.lock().populations.len();
        f.debug_struct("Cache").field("populations", &populations).finish()
    }
}

impl Cache {
    /// Returns the codes of a scope as the snapshot has them.
    pub(super) fn population(
        &self,
        connection: &Connection,
        model: i64,
        scope: i64,
    ) -> Result<Option<Arc<Population>>> {
        let place = (model, scope);
        let Some(state) = State::read(connection, place)? else { return Ok(None) };
        let known = self.known(place);
        if let Some(known) = known.as_ref().filter(|known| known.state == state) {
            return Ok(Some(Arc::clone(known)));
        }
        let fresh = Arc::new(Population::load(connection, place, state, known.as_deref())?);
        // What is not committed may never be, and its revision may come to mean something else.
        let committed = connection.transaction_state(None::<&str>).map_err(unexpected)?
            != TransactionState::Write;
        if committed && known.is_none_or(|known| known.state.revision < state.revision) {
            self.keep(place, &fresh);
        }
        Ok(Some(fresh))
    }

    /// Drops what is too much: the populations that were not used for longest, and if the last one
    /// alone is too large, its vectors.
    pub(super) fn trim(&self) {
        self.trim_to(CODE_BYTES, VECTOR_BYTES);
    }

    pub(super) fn trim_to(&self, code_bytes: usize, vector_bytes: usize) {
        let mut held = self.lock();
        let sum = |held: &Held, bytes: fn(&Population) -> usize| -> usize {
            held.populations.values().map(|kept| bytes(&kept.population)).sum()
        };
        while held.populations.len() > 1
            && (sum(&held, Population::code_bytes) > code_bytes
                || sum(&held, Population::vector_bytes) > vector_bytes)
        {
            let oldest = held.populations.iter().min_by_key(|(_, kept)| kept.last_use);
            let Some(place) = oldest.map(|(&place, _)| place) else { return };
            held.populations.remove(&place);
        }
        for kept in held.populations.values_mut() {
            if kept.population.vector_bytes() > vector_bytes {
                kept.population = Arc::new(kept.population.without_vectors());
            }
        }
    }

    fn known(&self, place: Place) -> Option<Arc<Population>> {
        let mut held = self.lock();
        held.uses += 1;
        let uses = held.uses;
        let kept = held.populations.get_mut(&place)?;
        kept.last_use = uses;
        Some(Arc::clone(&kept.population))
    }

    fn keep(&self, place: Place, population: &Arc<Population>) {
        let mut held = self.lock();
        let last_use = held.uses;
        held.populations.insert(place, Kept { population: Arc::clone(population), last_use });
        drop(held);
        self.trim();
    }

    /// Returns how many bytes of codes and vectors of a place are kept.
    #[cfg(test)]
    pub(super) fn held_bytes(&self, place: Place) -> Option<(usize, usize)> {
        let held = self.lock();
        let population = &held.populations.get(&place)?.population;
        Some((population.code_bytes(), population.vector_bytes()))
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a population has to agree in to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    revision: i64,
    pages: usize,
    vectors: usize,
}

impl State {
    fn read(connection: &Connection, place: Place) -> Result<Option<Self>> {
        connection
            .prepare_cached(
                "SELECT revision, pages, vectors FROM populations WHERE model = ? AND scope = ?",
            )
            .and_then(|mut select| {
                let state = |row: &rusqlite::Row<'_>| {
                    Ok(Self { revision: row.get(0)?, pages: row.get(1)?, vectors: row.get(2)? })
                };
                select.query_row(place, state).optional()
            })
            .map_err(unexpected)
    }
}

/// All codes of one model in one scope, in one revision.
pub(super) struct Population {
    pub(super) dimensions: usize,
    /// In the order of their numbers.
    pub(super) pages: Vec<Arc<Page>>,
    state: State,
    vector_bytes: AtomicUsize,
}

impl Population {
    /// Returns how many vectors there are.
    pub(super) fn len(&self) -> usize {
        self.state.vectors
    }

    /// Returns a vector, reading it if it is not at hand.
    pub(super) fn vector<'a>(
        &self,
        connection: &Connection,
        page: &'a Page,
        slot: usize,
    ) -> Result<&'a [Half]> {
        if let Some(vector) = page.vectors().get(slot).and_then(OnceLock::get) {
            return Ok(vector);
        }
        let vector = read_vector(connection, page.codes.keys[slot], self.dimensions)?;
        self.vector_bytes.fetch_add(size_of_val(&*vector), Ordering::Relaxed);
        Ok(page.vectors()[slot].get_or_init(|| vector))
    }

    fn load(
        connection: &Connection,
        place: Place,
        state: State,
        known: Option<&Self>,
    ) -> Result<Self> {
        let dimensions = models::dimensions(connection, place.0)?;
        let known = known.filter(|known| known.dimensions == dimensions);
        let mut gathered = known.map_or_else(Gathered::default, Gathered::from);
        let since = known.map_or(-1, |known| known.state.revision);
        if since < state.revision {
            gathered.add_changed(connection, place, since, dimensions)?;
        }
        if since > state.revision || !gathered.is_all_of(state) {
            // The snapshot is older than what is known, or pages were deleted.
            gathered.make_match(connection, place, dimensions)?;
        }
        let Gathered { pages, vector_bytes, .. } = gathered;
        Ok(Self { dimensions, pages, state, vector_bytes: AtomicUsize::new(vector_bytes) })
    }

    fn without_vectors(&self) -> Self {
        let strip = |page: &Arc<Page>| Arc::new(Page::new(Arc::clone(&page.codes)));
        Self {
            dimensions: self.dimensions,
            pages: self.pages.iter().map(strip).collect(),
            state: self.state,
            vector_bytes: AtomicUsize::new(0),
        }
    }

    fn code_bytes(&self) -> usize {
        self.state.vectors * (self.dimensions / 8 + 20)
    }

    /// Returns how many bytes of vectors are at hand.
    pub(super) fn vector_bytes(&self) -> usize {
        self.vector_bytes.load(Ordering::Relaxed)
    }
}

/// The pages of a population that is being loaded.
#[derive(Default)]
struct Gathered {
    /// In the order of their numbers.
    pages: Vec<Arc<Page>>,
    vectors: usize,
    vector_bytes: usize,
}

impl From<&Population> for Gathered {
    fn from(known: &Population) -> Self {
        Self {
            pages: known.pages.clone(),
            vectors: known.state.vectors,
            vector_bytes: known.vector_bytes(),
        }
    }
}

impl Gathered {
    fn is_all_of(&self, state: State) -> bool {
        (self.pages.len(), self.vectors) == (state.pages, state.vectors)
    }

    /// Reads the pages that changed after a revision.
    fn add_changed(
        &mut self,
        connection: &Connection,
        (model, scope): Place,
        since: i64,
        dimensions: usize,
    ) -> Result<()> {
        let mut select = connection
            .prepare_cached(
                "SELECT page, revision, records FROM codes
                 WHERE model = ? AND scope = ? AND revision > ?",
            )
            .map_err(unexpected)?;
        let mut rows = select.query((model, scope, since)).map_err(unexpected)?;
        while let Some(row) = rows.next().map_err(unexpected)? {
            self.put(read_page(row, dimensions)?);
        }
        Ok(())
    }

    /// Reads the list of pages, and those that are not at hand in the same revision.
    fn make_match(
        &mut self,
        connection: &Connection,
        place: Place,
        dimensions: usize,
    ) -> Result<()> {
        let list: HashMap<i64, i64> = connection
            .prepare_cached("SELECT page, revision FROM codes WHERE model = ? AND scope = ?")
            .and_then(|mut select| {
                select.query_map(place, |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
            })
            .map_err(unexpected)?;
        let at_hand = std::mem::take(self);
        for page in at_hand.pages {
            match list.get(&page.codes.number) {
                Some(revision) if *revision == page.codes.revision => self.push(page),
                Some(_) => {
                    let now = read_page_number(connection, page.codes.number, dimensions)?;
                    now.inherit(&page);
                    self.push(Arc::new(now));
                }
                None => {}
            }
        }
        for number in list.into_keys() {
            if self.find(number).is_err() {
                self.put(read_page_number(connection, number, dimensions)?);
            }
        }
        Ok(())
    }

    /// Puts a page into its place, with the vectors that an earlier revision of it has at hand.
    fn put(&mut self, page: Page) {
        match self.find(page.codes.number) {
            Ok(index) => {
                page.inherit(&self.pages[index]);
                self.add_sizes(&page);
                let earlier = std::mem::replace(&mut self.pages[index], Arc::new(page));
                self.vectors -= earlier.codes.keys.len();
                // Others may have added vectors to it since they were counted.
                self.vector_bytes = self.vector_bytes.saturating_sub(earlier.vector_bytes());
            }
            Err(index) => {
                self.add_sizes(&page);
                self.pages.insert(index, Arc::new(page));
            }
        }
    }

    fn push(&mut self, page: Arc<Page>) {
        self.add_sizes(&page);
        self.pages.push(page);
    }

    fn add_sizes(&mut self, page: &Page) {
        self.vectors += page.codes.keys.len();
        self.vector_bytes += page.vector_bytes();
    }

    fn find(&self, number: i64) -> std::result::Result<usize, usize> {
        self.pages.binary_search_by_key(&number, |page| page.codes.number)
    }
}

fn read_page_number(connection: &Connection, number: i64, dimensions: usize) -> Result<Page> {
    let mut select = connection
        .prepare_cached("SELECT page, revision, records FROM codes WHERE page = ?")
        .map_err(unexpected)?;
    let mut rows = select.query([number]).map_err(unexpected)?;
    let row = rows.next().map_err(unexpected)?.ok_or_else(damaged)?;
    read_page(row, dimensions)
}

fn read_page(row: &rusqlite::Row<'_>, dimensions: usize) -> Result<Page> {
    let bytes = row.get_ref(2).map_err(unexpected)?.as_blob().map_err(|_| damaged())?;
    let records = Records::read(dimensions, bytes)?;
    let (number, revision) = (row.get(0).map_err(unexpected)?, row.get(1).map_err(unexpected)?);
    Ok(Page::new(Arc::new(Codes::new(number, revision, dimensions, &records))))
}

fn read_vector(connection: &Connection, key: Key, dimensions: usize) -> Result<Arc<[Half]>> {
    let mut select = connection
        .prepare_cached("SELECT numbers FROM vectors WHERE vector = ?")
        .map_err(unexpected)?;
    let mut rows = select.query([key.0]).map_err(unexpected)?;
    let row = rows.next().map_err(unexpected)?.ok_or_else(damaged)?;
    let bytes = row.get_ref(0).map_err(unexpected)?.as_blob().map_err(|_| damaged())?;
    if bytes.len() != size_of::<Half>() * dimensions {
        return Err(damaged());
    }
    Ok(Half::from_bytes(bytes).collect())
}

/// The codes of a page, and those of its vectors that were needed.
pub(super) struct Page {
    pub(super) codes: Arc<Codes>,
    vectors: OnceLock<Box<[Slot]>>,
}

type Slot = OnceLock<Arc<[Half]>>;

impl Page {
    fn new(codes: Arc<Codes>) -> Self {
        Self { codes, vectors: OnceLock::new() }
    }

    fn vectors(&self) -> &[Slot] {
        let none = || self.codes.keys.iter().map(|_| OnceLock::new()).collect();
        self.vectors.get_or_init(none)
    }

    /// Takes over the vectors of entries that are still there; those of others are dropped.
    fn inherit(&self, earlier: &Self) {
        let Some(vectors) = earlier.vectors.get() else { return };
        for (slot, vector) in vectors.iter().enumerate() {
            let Some(vector) = vector.get() else { continue };
            let entry = (earlier.codes.keys[slot], earlier.codes.stamps[slot]);
            let mut entries =
                self.codes.keys.iter().copied().zip(self.codes.stamps.iter().copied());
            if let Some(now) = entries.position(|other| other == entry) {
                // It was empty until now.
                let _ = self.vectors()[now].set(Arc::clone(vector));
            }
        }
    }

    fn vector_bytes(&self) -> usize {
        let loaded = self.vectors.get().into_iter().flatten().filter_map(OnceLock::get);
        loaded.map(|vector| size_of_val(&**vector)).sum()
    }
}

/// The codes of a page, side by side as the kernels want them.
pub(super) struct Codes {
    number: i64,
    revision: i64,
    pub(super) keys: Box<[Key]>,
    stamps: Box<[u16]>,
    /// For each group of entries, one item per word of a code.
    pub(super) words: Box<[Words]>,
    /// Zero for entries that only fill up the last group, so that their estimates are zero.
    pub(super) scales: Box<[[f32; LANES]]>,
    /// One for entries of an assistant, zero for others.
    pub(super) marks: Box<[[f32; LANES]]>,
    /// How many entries there are and the sum of their squared scales: of all, of an assistant's.
    pub(super) tallied: [(f32, f32); 2],
    /// The lowest and the highest number of a memory on the page.
    pub(super) memories: (i64, i64),
}

impl Codes {
    fn new(number: i64, revision: i64, dimensions: usize, records: &Records<'_>) -> Self {
        let width = Code::words(dimensions);
        let groups = records.len().div_ceil(LANES);
        let mut words = vec![[0; LANES]; groups * width].into_boxed_slice();
        let mut scales = vec![[0.0; LANES]; groups].into_boxed_slice();
        let mut marks = scales.clone();
        for (entry, record) in records.raw().enumerate() {
            let (group, lane) = (entry / LANES, entry % LANES);
            for (item, word) in words[group * width..].iter_mut().zip(record.words()) {
                item[lane] = word;
            }
            scales[group][lane] = record.scale().value();
            marks[group][lane] = f32::from(record.flags() & ASSISTANT);
        }
        let keys: Box<[Key]> = records.keys().collect();
        let memory = |key: Option<&Key>| key.map_or(0, |key| key.memory());
        let memories = (memory(keys.iter().min()), memory(keys.iter().max()));
        let stamps = records.raw().map(Raw::stamp).collect();
        let mut tallied = [(0.0, 0.0); 2];
        for (scale, mark) in scales.as_flattened().iter().zip(marks.as_flattened()).take(keys.len())
        {
            for (sums, weight) in tallied.iter_mut().zip([1.0, *mark]) {
                sums.0 += weight;
                sums.1 += weight * scale * scale;
            }
        }
        Self { number, revision, keys, stamps, words, scales, marks, tallied, memories }
    }
}
