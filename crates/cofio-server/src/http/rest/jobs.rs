//! Work that was accepted, and how far it is.

mod get;
mod list;

use crate::http::openapi::Entry;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[Entry::of::<list::List>(), Entry::of::<get::Get>()];
