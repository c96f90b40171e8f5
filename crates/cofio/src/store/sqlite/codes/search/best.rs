//! The nearest memories found so far.

use super::super::key::Key;

/// A memory with its best passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super::super) struct Neighbour {
    /// The number of the memory.
    pub(in super::super::super) memory: i64,
    /// The number of its passage that is nearest.
    pub(in super::super::super) passage: u16,
    /// How near that is.
    pub(in super::super::super) cosine: f32,
}

impl Neighbour {
    pub(super) fn new(key: Key, cosine: f32) -> Self {
        Self { memory: key.memory(), passage: key.passage(), cosine }
    }

    /// Returns whether this is nearer, or equally near and older.
    pub(super) fn ranks_before(&self, other: &Self) -> bool {
        let order = other.cosine.total_cmp(&self.cosine);
        order.then((self.memory, self.passage).cmp(&(other.memory, other.passage))).is_lt()
    }
}

/// Up to `limit` memories, best first.
pub(super) struct Best {
    limit: usize,
    neighbours: Vec<Neighbour>,
}

impl Best {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, neighbours: Vec::with_capacity(limit.min(1_024) + 1) }
    }

    /// Returns the cosine below which nothing is taken any more.
    pub(super) fn lowest(&self) -> f32 {
        match self.neighbours.last() {
            _ if self.neighbours.len() < self.limit => f32::NEG_INFINITY,
            Some(last) => last.cosine,
            None => f32::INFINITY,
        }
    }

    /// Returns whether a passage is near enough.
    pub(super) fn would_take(&self, neighbour: &Neighbour) -> bool {
        self.neighbours.len() < self.limit
            || self.neighbours.last().is_some_and(|last| neighbour.ranks_before(last))
    }

    /// Takes a passage if it is near enough and its memory has no better one.
    pub(super) fn take(&mut self, neighbour: Neighbour) {
        if !self.would_take(&neighbour) {
            return;
        }
        match self.neighbours.iter().position(|known| known.memory == neighbour.memory) {
            Some(known) if !neighbour.ranks_before(&self.neighbours[known]) => return,
            Some(known) => drop(self.neighbours.remove(known)),
            None => {}
        }
        let place = self.neighbours.partition_point(|known| known.ranks_before(&neighbour));
        self.neighbours.insert(place, neighbour);
        self.neighbours.truncate(self.limit);
    }

    pub(super) fn into_vec(self) -> Vec<Neighbour> {
        self.neighbours
    }
}
