//! All codes of one model in one scope.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rusqlite::{Connection, OptionalExtension as _};

use super::super::key::Key;
use super::super::records::Records;
use super::page::{Codes, Page};
use super::pages::Pages;
use super::{Place, damaged, models, unexpected};
use crate::error::Result;
use crate::store::vectors::Half;

/// What a population has to agree in to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    pub(super) revision: i64,
    pages: usize,
    vectors: usize,
}

impl State {
    pub(super) fn read(connection: &Connection, place: Place) -> Result<Option<Self>> {
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
pub(in super::super) struct Population {
    pub(in super::super) dimensions: usize,
    pub(in super::super) pages: Pages,
    pub(super) state: State,
    vector_bytes: AtomicUsize,
}

impl Population {
    /// Returns how many vectors there are.
    pub(in super::super) fn len(&self) -> usize {
        self.state.vectors
    }

    /// Returns a vector, reading it if it is not at hand.
    pub(in super::super) fn vector<'a>(
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

    pub(super) fn load(
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

    pub(super) fn without_vectors(&self) -> Self {
        let mut pages = Pages::default();
        for page in self.pages.iter() {
            pages.put(page.without_vectors());
        }
        Self {
            dimensions: self.dimensions,
            pages,
            state: self.state,
            vector_bytes: AtomicUsize::new(0),
        }
    }

    pub(super) fn code_bytes(&self) -> usize {
        self.state.vectors * (self.dimensions / 8 + 20)
    }

    /// Returns how many bytes of vectors are at hand.
    pub(in super::super) fn vector_bytes(&self) -> usize {
        self.vector_bytes.load(Ordering::Relaxed)
    }
}

/// The pages of a population that is being loaded.
#[derive(Default)]
struct Gathered {
    pages: Pages,
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
        let mut list: HashMap<i64, i64> = connection
            .prepare_cached("SELECT page, revision FROM codes WHERE model = ? AND scope = ?")
            .and_then(|mut select| {
                select.query_map(place, |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
            })
            .map_err(unexpected)?;
        let at_hand = std::mem::take(self);
        for page in at_hand.pages.iter() {
            match list.remove(&page.codes.number) {
                Some(revision) if revision == page.codes.revision => self.put(page.clone()),
                Some(_) => {
                    let now = read_page_number(connection, page.codes.number, dimensions)?;
                    now.inherit(page);
                    self.put(now);
                }
                None => {}
            }
        }
        for number in list.into_keys() {
            self.put(read_page_number(connection, number, dimensions)?);
        }
        Ok(())
    }

    /// Puts a page into its place, with the vectors that an earlier revision of it has at hand.
    fn put(&mut self, page: Page) {
        if let Some(earlier) = self.pages.find(page.codes.number) {
            page.inherit(earlier);
            self.vectors -= earlier.codes.keys.len();
            // Others may have added vectors to it since they were counted.
            self.vector_bytes = self.vector_bytes.saturating_sub(earlier.vector_bytes());
        }
        self.vectors += page.codes.keys.len();
        self.vector_bytes += page.vector_bytes();
        self.pages.put(page);
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
    Ok(Page::new(Codes::new(number, revision, dimensions, &records)))
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
