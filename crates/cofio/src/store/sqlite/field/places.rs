//! Where the records of memories stand.

use super::chunks::Chunks;

/// Marks a number that no memory of the scope has.
const NOWHERE: u32 = u32::MAX;

/// How many numbers there may be for each memory of a scope, for places to be kept by number.
const ROOMY: usize = 16;

/// The places of memories by their numbers, unless these are too far apart.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    first: i64,
    /// From the first one's number on.
    by_number: Chunks<u32>,
    too_far_apart: bool,
}

impl Places {
    /// Adds the place of a memory whose number is larger than all others.
    pub(super) fn add(&mut self, memory: i64, place: u32) {
        if self.too_far_apart {
            return;
        }
        if self.by_number.len() == 0 {
            self.first = memory;
        }
        let offset = usize::try_from(memory - self.first).unwrap_or(usize::MAX);
        if offset > ROOMY * (place as usize + 2) {
            *self = Self { too_far_apart: true, ..Self::default() };
            return;
        }
        while self.by_number.len() < offset {
            self.by_number.push(NOWHERE);
        }
        self.by_number.push(place);
    }

    /// Tells whether places are known by number, and need not be looked for.
    pub(super) fn are_known(&self) -> bool {
        !self.too_far_apart
    }

    /// Returns the place of a memory that is known by its number.
    pub(super) fn of(&self, memory: i64) -> Option<usize> {
        let offset = usize::try_from(memory - self.first).ok()?;
        let place = *self.by_number.get(offset)?;
        (place != NOWHERE).then_some(place as usize)
    }

    /// Returns how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.by_number.len() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_known_unless_numbers_are_far_apart() {
        let mut places = Places::default();
        assert_eq!((places.are_known(), places.of(7)), (true, None));
        for (place, number) in (0..).zip([7, 8, 40]) {
            places.add(number, place);
        }
        let found = [6, 7, 8, 9, 40, 41].map(|number| places.of(number));
        assert_eq!(found, [None, Some(0), Some(1), None, Some(2), None]);
        assert!(places.are_known());
        places.add(1_000_000, 3);
        assert!(!places.are_known());
        places.add(1_000_001, 4);
        assert_eq!((places.are_known(), places.bytes()), (false, 0));
    }
}
