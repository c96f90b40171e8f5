//! Which memories belong to one conversation.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// In how many parts conversations are kept; each is shared or copied as a whole.
const PARTS: usize = 64;

/// The places of each conversation, in the order in which it happened.
#[derive(Debug, Clone, Default)]
pub(super) struct Sessions {
    /// None until there is a conversation.
    parts: Vec<Arc<Part>>,
}

type Part = HashMap<u64, Vec<u32>, BuildHasherDefault<KeyHasher>>;

impl Sessions {
    /// Adds a place to a conversation, after everything that did not happen later.
    pub(super) fn add(&mut self, session: u64, place: u32, happened_at: impl Fn(u32) -> i64) {
        if self.parts.is_empty() {
            self.parts.resize_with(PARTS, Arc::default);
        }
        let part = Arc::make_mut(&mut self.parts[part_of(session)]);
        let places = part.entry(session).or_default();
        let by_then = |other: &u32| happened_at(*other) <= happened_at(place);
        places.insert(places.partition_point(by_then), place);
    }

    /// Returns the places of a conversation.
    pub(super) fn of(&self, session: u64) -> &[u32] {
        let part = self.parts.get(part_of(session));
        part.and_then(|part| part.get(&session)).map_or(&[], Vec::as_slice)
    }
}

fn part_of(session: u64) -> usize {
    // The lower bits choose the place within a part.
    usize::try_from(session >> 32).unwrap_or_default() % PARTS
}

/// Hashes keys that are hashes already.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
