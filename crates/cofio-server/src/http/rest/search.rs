//! Finding memories, having them written up, and asking why one was not found.

mod context;
mod find;
mod question;
mod why_not;

use crate::http::openapi::Entry;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] =
    &[Entry::of::<find::Search>(), Entry::of::<context::Context>(), Entry::of::<why_not::WhyNot>()];
