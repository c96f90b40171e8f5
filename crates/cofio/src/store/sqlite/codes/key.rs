//! The number that a vector is kept under.

use crate::error::{Error, Result};

/// A memory, a model and a passage in one number; those of one memory are neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key(pub(super) i64);

/// How many bits tell the models and passages of a memory apart.
const MEMORY_SHIFT: u32 = 24;
const MODEL_SHIFT: u32 = 16;

/// Models have numbers from one to this.
pub(super) const LAST_MODEL: i64 = 255;

impl Key {
    /// Fails for numbers that no table gives.
    pub(super) fn new(memory: i64, model: i64, passage: u16) -> Result<Self> {
        let last_memory = i64::MAX >> MEMORY_SHIFT;
        if !(1..=last_memory).contains(&memory) || !(1..=LAST_MODEL).contains(&model) {
            return Err(Error::invalid("there is no vector with this number"));
        }
        Ok(Self(memory << MEMORY_SHIFT | model << MODEL_SHIFT | i64::from(passage)))
    }

    pub(super) fn memory(self) -> i64 {
        self.0 >> MEMORY_SHIFT
    }

    pub(super) fn model(self) -> i64 {
        self.0 >> MODEL_SHIFT & LAST_MODEL
    }

    pub(super) fn passage(self) -> u16 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "its place")]
        let passage = self.0 as u16;
        passage
    }

    /// Returns the first and last number that vectors of a memory can have.
    pub(super) fn all_of(memory: i64) -> Result<(i64, i64)> {
        let first = Self::new(memory, 1, 0)?;
        Ok((first.0, Self::new(memory, LAST_MODEL, u16::MAX)?.0))
    }

    /// Returns the first and last number that vectors of a memory by one model can have.
    pub(super) fn all_by(memory: i64, model: i64) -> Result<(i64, i64)> {
        Ok((Self::new(memory, model, 0)?.0, Self::new(memory, model, u16::MAX)?.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_key_come_back() {
        let last_memory = i64::MAX >> MEMORY_SHIFT;
        for (memory, model, passage) in [(1, 1, 0), (7, 255, 3), (last_memory, 255, u16::MAX)] {
            let key = Key::new(memory, model, passage).unwrap();
            assert_eq!((key.memory(), key.model(), key.passage()), (memory, model, passage));
            let (first, last) = Key::all_by(memory, model).unwrap();
            assert!((first..=last).contains(&key.0));
        }
        for (memory, model) in [(0, 1), (-1, 1), (1, 0), (1, 256), (last_memory + 1, 1)] {
            assert!(Key::new(memory, model, 0).is_err());
        }
    }
}
