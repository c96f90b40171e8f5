//! The codes of one page as the file has them.

use std::borrow::Cow;

use super::damaged;
use super::key::Key;
use crate::error::Result;
use crate::store::vectors::{Code, Half, LANES};

/// How many bytes the codes of a page may have, so that its row fits into a page of the file.
const BYTES: usize = 3_968;

/// How many bytes stand before the bits of a code.
const HEAD: usize = 13;

/// Codes one after another, all of the same size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Records<'a> {
    dimensions: usize,
    bytes: Cow<'a, [u8]>,
}

/// One code and what a search has to know about its vector.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    pub(super) key: Key,
    /// The end of the revision in which it was written; tells it from an earlier one of its key.
    pub(super) stamp: u16,
    pub(super) flags: u8,
    pub(super) code: Code,
}

impl<'a> Records<'a> {
    pub(super) fn new(dimensions: usize) -> Self {
        Self { dimensions, bytes: Cow::default() }
    }

    /// Takes the bytes of a row, which are damaged unless they hold whole records.
    pub(super) fn read(dimensions: usize, bytes: impl Into<Cow<'a, [u8]>>) -> Result<Self> {
        let records = Self { dimensions, bytes: bytes.into() };
        match records.bytes.len() % records.size() {
            0 => Ok(records),
            _ => Err(damaged()),
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() / self.size()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns how many more records fit.
    pub(super) fn room(&self) -> usize {
        let capacity = (BYTES / self.size() / LANES * LANES).max(LANES);
        capacity.saturating_sub(self.len())
    }

    pub(super) fn push(&mut self, record: &Record) {
        let bytes = self.bytes.to_mut();
        bytes.extend(record.key.0.to_le_bytes());
        bytes.extend(record.stamp.to_le_bytes());
        bytes.extend(Half::to_bytes(&[record.code.scale]));
        bytes.push(record.flags);
        bytes.extend(record.code.words.iter().flat_map(|word| word.to_le_bytes()));
    }

    /// Drops the records with these keys, and returns how many there were.
    pub(super) fn drop_all(&mut self, keys: &[Key]) -> usize {
        let before = self.len();
        let kept = self.raw().filter(|raw| !keys.contains(&raw.key()));
        self.bytes = kept.flat_map(|raw| raw.0.iter().copied()).collect();
        before - self.len()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = Key> {
        self.raw().map(Raw::key)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Record> {
        self.raw().map(|raw| Record {
            key: raw.key(),
            stamp: raw.stamp(),
            flags: raw.flags(),
            code: Code { words: raw.words().collect(), scale: raw.scale() },
        })
    }

    /// Reads records in place, where making a [`Record`] of each would take too long.
    pub(super) fn raw(&self) -> impl Iterator<Item = Raw<'_>> {
        self.bytes.chunks_exact(self.size()).map(Raw)
    }

    fn size(&self) -> usize {
        HEAD + 8 * Code::words(self.dimensions)
    }
}

/// The bytes of one record.
#[derive(Clone, Copy)]
pub(super) struct Raw<'a>(&'a [u8]);

impl Raw<'_> {
    pub(super) fn key(self) -> Key {
        Key(i64::from_le_bytes(self.take(0)))
    }

    pub(super) fn stamp(self) -> u16 {
        u16::from_le_bytes(self.take(8))
    }

    pub(super) fn scale(self) -> Half {
        Half::from_le_bytes(self.take(10))
    }

    pub(super) fn flags(self) -> u8 {
        self.0[12]
    }

    pub(super) fn words(&self) -> impl Iterator<Item = u64> {
        self.0[HEAD..].as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes))
    }

    fn take<const N: usize>(self, start: usize) -> [u8; N] {
        *self.0[start..].first_chunk().expect("a record has a whole head")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(memory: i64, dimensions: usize) -> Record {
        let vector: Vec<f32> = (0..dimensions).map(|n| (n as f32 * memory as f32).sin()).collect();
        let key = Key::new(memory, 3, 9).unwrap();
        Record { key, stamp: 513, flags: 1, code: Code::new(&vector) }
    }

    #[test]
    fn what_is_dropped_leaves_nothing_and_the_others_as_they_were() {
        let mut records = Records::new(100);
        let all: Vec<Record> = (1..=5).map(|memory| record(memory, 100)).collect();
        for record in &all {
            records.push(record);
        }
        assert_eq!(records.iter().collect::<Vec<_>>(), all);
        assert_eq!(records.drop_all(&[all[1].key, all[4].key]), 2);
        let left = [all[0].clone(), all[2].clone(), all[3].clone()];
        assert_eq!(records.iter().collect::<Vec<_>>(), left);
        let word = all[1].code.words[0].to_le_bytes();
        assert!(!records.as_bytes().windows(8).any(|window| window == word));
        assert_eq!(Records::read(100, records.as_bytes().to_vec()).unwrap(), records);
        assert!(Records::read(100, records.as_bytes()[1..].to_vec()).is_err());
    }

    #[test]
    fn a_full_page_fits_into_a_page_of_the_file() {
        for (dimensions, capacity) in [(64, 184), (384, 64), (768, 32), (1_536, 16), (4_096, 8)] {
            let records = Records::new(dimensions);
            assert_eq!(records.room(), capacity, "{dimensions}");
            assert!(capacity == LANES || capacity * records.size() <= BYTES);
        }
    }
}
