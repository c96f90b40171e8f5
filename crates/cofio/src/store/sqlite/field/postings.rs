//! Where a term stands, as far as one state of a scope goes.

use std::sync::Arc;

use super::chunks::Chunks;
use super::lists::Placed;

/// The passages that have a term, by memory and passage.
#[derive(Debug)]
pub(in super::super) struct Postings {
    places: Arc<Chunks<Placed>>,
    /// How many of them belong to the state.
    count: usize,
}

impl Postings {
    /// Takes those of the first so many records.
    pub(super) fn new(places: Arc<Chunks<Placed>>, records: usize) -> Self {
        let count = places.partition_point(|placed| (placed.place as usize) < records);
        Self { places, count }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns them in slices, since there may be very many to go through.
    pub(in super::super) fn slices(&self) -> impl Iterator<Item = &[Placed]> {
        self.places.slices(self.count)
    }

    /// Returns the places of the memories that have the term, each once.
    pub(in super::super) fn memories(&self) -> impl Iterator<Item = u32> {
        let mut last = None;
        let places = self.slices().flatten().map(|placed| placed.place);
        places.filter(move |place| last.replace(*place) != Some(*place))
    }
}
