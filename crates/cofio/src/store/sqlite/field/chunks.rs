//! Lists that grow at their end and share what they have in common with their earlier states.

use std::ops::Index;
use std::sync::Arc;

/// How many items are shared or copied together.
const CHUNK: usize = 512;

/// A list whose copies are cheap, however long it is.
#[derive(Debug, Clone)]
pub(in super::super) struct Chunks<T> {
    /// All but the last are full.
    chunks: Vec<Arc<Vec<T>>>,
    length: usize,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), length: 0 }
    }
}

impl<T: Clone> Chunks<T> {
    /// Adds an item; copies of the list stay as they are.
    pub(super) fn push(&mut self, item: T) {
        if self.length.is_multiple_of(CHUNK) {
            self.chunks.push(Arc::default());
        }
        if let Some(last) = self.chunks.last_mut() {
            Arc::make_mut(last).push(item);
            self.length += 1;
        }
    }
}

impl<T> Chunks<T> {
    pub(in super::super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn get(&self, place: usize) -> Option<&T> {
        self.chunks.get(place / CHUNK)?.get(place % CHUNK)
    }

    pub(super) fn last(&self) -> Option<&T> {
        self.chunks.last()?.last()
    }

    pub(in super::super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// Returns the first so many items, those together that are kept together.
    pub(super) fn slices(&self, count: usize) -> impl Iterator<Item = &[T]> {
        let firsts = (0..count).step_by(CHUNK);
        firsts.zip(&self.chunks).map(move |(first, chunk)| &chunk[..chunk.len().min(count - first)])
    }

    /// Returns how many items there are before the first that does not meet a condition, if none
    /// after it does.
    pub(super) fn partition_point(&self, meets: impl Fn(&T) -> bool) -> usize {
        let whole = self.chunks.partition_point(|chunk| chunk.last().is_some_and(&meets));
        let rest = self.chunks.get(whole).map_or(0, |chunk| chunk.partition_point(&meets));
        // The last chunk need not be full.
        (whole * CHUNK + rest).min(self.length)
    }
}

impl<T> Index<usize> for Chunks<T> {
    type Output = T;

    fn index(&self, place: usize) -> &T {
        &self.chunks[place / CHUNK][place % CHUNK]
    }
}

impl<T: Clone> FromIterator<T> for Chunks<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut chunks = Self::default();
        for item in items {
            chunks.push(item);
        }
        chunks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_does_not_see_what_is_added_to_the_other() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK] {
            let mut list: Chunks<usize> = (0..length).collect();
            let copy = list.clone();
            list.push(length);
            assert_eq!((copy.len(), list.len()), (length, length + 1));
            assert!(copy.iter().copied().eq(0..length), "{length}");
            assert!(list.iter().copied().eq(0..=length), "{length}");
            assert!(list.slices(length).flatten().copied().eq(0..length), "{length}");
            assert_eq!((list.last(), list[length]), (Some(&length), length));
            assert_eq!((copy.get(length), list.get(length)), (None, Some(&length)));
        }
    }

    #[test]
    fn places_are_found_by_halving() {
        for length in [0, 1, CHUNK, 3 * CHUNK + 7] {
            let list: Chunks<usize> = (0..length).map(|item| item * 2).collect();
            for bound in 0..=2 * length + 1 {
                let expected = (0..length).filter(|item| item * 2 < bound).count();
                assert_eq!(list.partition_point(|item| *item < bound), expected, "{bound}");
            }
        }
    }
}
