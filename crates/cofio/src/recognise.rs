//! Finding what a text names: people, organisations, places, projects, addresses, dates.
//!
//! A [`Recogniser`] finds spans of a text, a [`Pipeline`] asks several and settles who is right
//! where they disagree, and [`unite`] brings the spellings of one name together.
//! Pure: values in, values out. What needs a model or a network implements the trait elsewhere.

mod names;
mod overlap;
mod patterns;
mod pipeline;
mod projects;
mod spelling;
mod unite;

use std::ops::Range;

use crate::error::Result;
use crate::model::EntityType;

pub use names::Names;
pub use overlap::settle;
pub use patterns::Patterns;
pub use pipeline::{Pipeline, mentions};
pub use projects::Projects;
pub use unite::{Register, unite};

/// Finds what a text names.
pub trait Recogniser: Send + Sync {
    /// Returns what tells it from the others, for people.
    fn name(&self) -> &'static str;

    /// Returns what asking it costs, and what that buys.
    fn cost(&self) -> Cost;

    /// Makes ready what it needs, or says why it cannot; once it is ready, this returns at once.
    fn prepare(&self) -> Result<()>;

    /// Returns what the text names, in any order; nothing if what it needs cannot be made ready.
    ///
    /// Every span lies on the boundaries of characters of `text` and is not empty; spans may
    /// overlap, and the same name may be found in several places.
    fn recognise(&self, text: &str) -> Vec<Span>;
}

/// What asking a recogniser costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cost {
    /// Little enough to ask while somebody waits for a memory to be kept; what it finds is
    /// certain by its form, or a guess that says so.
    Fast,
    /// Enough to be asked afterwards; what it finds was judged by its context.
    Accurate,
}

/// A part of a text that names something.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// What it names.
    pub entity_type: EntityType,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
}
