//! One page of codes in memory.

use std::sync::{Arc, OnceLock};

use super::super::key::Key;
use super::super::records::{Raw, Records};
use super::ASSISTANT;
use crate::store::vectors::{Code, Half, LANES, Words, prefetch};

/// The codes of a page, and those of its vectors that were needed.
#[derive(Clone)]
pub(in super::super) struct Page {
    pub(in super::super) codes: Arc<Codes>,
    vectors: Arc<OnceLock<Box<[Slot]>>>,
}

pub(super) type Slot = OnceLock<Arc<[Half]>>;

impl Page {
    pub(super) fn new(codes: Codes) -> Self {
        Self { codes: Arc::new(codes), vectors: Arc::default() }
    }

    /// Returns the page with no vectors at hand.
    pub(super) fn without_vectors(&self) -> Self {
        Self { codes: Arc::clone(&self.codes), vectors: Arc::default() }
    }

    /// Returns the places of the vectors.
    pub(super) fn vectors(&self) -> &[Slot] {
        let none = || self.codes.keys.iter().map(|_| OnceLock::new()).collect();
        self.vectors.get_or_init(none)
    }

    /// Asks for the page's addresses, which are needed soon.
    pub(in super::super) fn foresee(&self) {
        prefetch(std::slice::from_ref(&*self.codes));
    }

    /// Asks for the page's codes, which are needed even sooner.
    pub(in super::super) fn foresee_codes(&self) {
        prefetch(&self.codes.words);
        prefetch(&self.codes.scales);
        prefetch(&self.codes.marks);
    }

    /// Asks for a vector, if it is at hand, which is needed soon.
    pub(in super::super) fn foresee_vector(&self, slot: usize) {
        if let Some(vector) = self.vectors.get().and_then(|vectors| vectors[slot].get()) {
            prefetch(vector);
        }
    }

    /// Takes over the vectors of entries that are still there; those of others are dropped.
    pub(super) fn inherit(&self, earlier: &Self) {
        let Some(vectors) = earlier.vectors.get() else { return };
        for (slot, vector) in vectors.iter().enumerate() {
            let Some(vector) = vector.get() else { continue };
            let entry = (earlier.codes.keys[slot], earlier.codes.stamps[slot]);
            if may_be_between(entry.1, self.codes.revision, earlier.codes.revision) {
                continue;
            }
            let mut entries =
                self.codes.keys.iter().copied().zip(self.codes.stamps.iter().copied());
            if let Some(now) = entries.position(|other| other == entry) {
                // It was empty until now.
                let _ = self.vectors()[now].set(Arc::clone(vector));
            }
        }
    }

    /// Returns how many bytes of vectors are at hand.
    pub(super) fn vector_bytes(&self) -> usize {
        let loaded = self.vectors.get().into_iter().flatten().filter_map(OnceLock::get);
        loaded.map(|vector| size_of_val(&**vector)).sum()
    }
}

/// Returns whether a vector may have been written between two revisions, the later one included.
///
/// A stamp is the end of a revision and comes again, so the same stamp need not be the same vector.
fn may_be_between(stamp: u16, one: i64, other: i64) -> bool {
    let (earlier, later) = (one.min(other), one.max(other));
    let since = (i64::from(stamp) - earlier - 1).rem_euclid(1 << u16::BITS);
    since < later - earlier
}

/// The codes of a page, side by side as the kernels want them.
pub(in super::super) struct Codes {
    pub(super) number: i64,
    pub(super) revision: i64,
    pub(in super::super) keys: Box<[Key]>,
    /// Whether the keys ascend, as they do unless a memory was embedded anew.
    ascending: bool,
    stamps: Box<[u16]>,
    /// For each group of entries, one item per word of a code.
    pub(in super::super) words: Box<[Words]>,
    /// Zero for entries that only fill up the last group, so that their estimates are zero.
    pub(in super::super) scales: Box<[[f32; LANES]]>,
    /// One for entries of an assistant, zero for others.
    pub(in super::super) marks: Box<[[f32; LANES]]>,
    /// How many entries there are and the sum of their squared scales: of all, of an assistant's.
    pub(in super::super) tallied: [(f32, f32); 2],
    /// The lowest and the highest number of a memory on the page.
    pub(in super::super) memories: (i64, i64),
}

impl Codes {
    pub(super) fn new(
        number: i64,
        revision: i64,
        dimensions: usize,
        records: &Records<'_>,
    ) -> Self {
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
        let ascending = keys.is_sorted();
        let stamps = records.raw().map(Raw::stamp).collect();
        let mut tallied = [(0.0, 0.0); 2];
        for (scale, mark) in scales.as_flattened().iter().zip(marks.as_flattened()).take(keys.len())
        {
            for (sums, weight) in tallied.iter_mut().zip([1.0, *mark]) {
                sums.0 += weight;
                sums.1 += weight * scale * scale;
            }
        }
        Self { number, revision, keys, ascending, stamps, words, scales, marks, tallied, memories }
    }
    /// Returns the places of a memory's vectors on the page.
    pub(in super::super) fn slots_of(&self, memory: i64) -> impl Iterator<Item = usize> {
        let range = if self.ascending {
            let start = self.keys.partition_point(|key| key.memory() < memory);
            let of_memory = self.keys[start..].iter().take_while(|key| key.memory() == memory);
            start..start + of_memory.count()
        } else {
            0..self.keys.len()
        };
        range.filter(move |slot| self.keys[*slot].memory() == memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_tells_what_cannot_be_new() {
        let check = |stamp, one, other, expected| {
            assert_eq!(may_be_between(stamp, one, other), expected, "{stamp} {one} {other}");
            assert_eq!(may_be_between(stamp, other, one), expected, "{stamp} {other} {one}");
        };
        check(7, 7, 7, false);
        check(7, 7, 9, false);
        check(8, 7, 9, true);
        check(9, 7, 9, true);
        check(10, 7, 9, false);
        check(5, 65_540, 65_541, true);
        check(4, 65_540, 65_541, false);
        check(0, 65_535, 65_536, true);
        check(123, 1, 65_537, true);
    }
}
