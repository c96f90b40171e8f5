//! What the facts found in a conversation mean for what is known already.
//!
//! A fact is compared by what it states: of whom, what, with which value, and whether it holds. It may
//! repeat what is known, end it, or be over itself by now. Nothing is decided by who is read first: of
//! two statements that cannot both hold, the one that was said later counts, and what was said earlier
//! is learnt as over. What is trusted less ends nothing that is trusted more; it waits, and names what
//! it contradicts.
//!
//! Only what is certain to be about the same ends anything. A memory that tells several things is not
//! ended because one of them is over, and of many values that may all hold none ends another, unless
//! the speaker puts right how many there are.

mod deciding;
mod finding;
mod owner;
mod reading;
mod statement;
mod timeline;

#[cfg(test)]
mod tests;

pub use deciding::{Decision, decide};
pub use finding::{Fact, Found, Telling, found, supported};
pub use owner::Owner;
pub use statement::{differ_in_form, likeness};

use crate::model::{Fraction, Memory};

/// How many memories of turns a fact names at most as those it was found in; the newest count.
pub const MOST_EVIDENCE: usize = 50;

/// How certain a fact still is once another took its place.
const REPLACED: f64 = 0.3;

/// The custom field that says what kind of fact it is.
const CATEGORY: &str = "category";

/// The category of what is known about the user themselves, with which every prompt begins.
const PROFILE: &str = "user_profile";

/// The custom field that says whether a fact holds, unless it does.
const STANDING: &str = "standing";

/// The custom field that says that an attribute has one value at a time.
const VALUES: &str = "values";

/// The custom field that says that a fact put something right.
const CORRECTS: &str = "corrects";

/// The custom field that says when a fact was last said, unless that is when it happened.
const SAID_AT: &str = "said_at";

/// The custom field that names the memories a fact contradicts without taking their place.
const CONTRADICTS: &str = "contradicts";

/// Returns how certain a memory is once another took its place.
pub fn doubted(memory: &Memory) -> Fraction {
    let before = memory.metadata.confidence.map_or(1.0, Fraction::get);
    Fraction::new(before.min(REPLACED)).unwrap_or(Fraction::ONE)
}
