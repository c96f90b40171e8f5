//! What stores have in common besides the contract: for those in this crate and for those outside.
//!
//! A store works out with [`Ready`] what follows from a commit before it takes its turn to write,
//! keeps [`Derived`] and [`Analysed`] in whatever form suits it, and refuses in the same words as the
//! others.

mod analysed;
mod bell;
mod bound;
mod conflict;
mod derived;
mod outcomes;

pub use analysed::{Analysed, Count, Passage};
pub use bell::Bell;
pub use bound::{decode_bound, encode_bound};
pub use conflict::{
    already_known, check_work, key_conflict, key_exists, key_replaced, version_conflict,
};
pub use derived::{Derived, Named, Ready};
pub use outcomes::{decode_outcomes, encode_outcomes, key_digest};

pub use super::chain::broken;
pub use super::document::moment;
