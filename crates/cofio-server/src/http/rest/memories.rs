//! Memories one by one, and together.

mod bulk;
mod change;
mod create;
mod delete;
mod get;
mod history;
mod list;

use crate::http::openapi::Entry;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[
    Entry::of::<create::Create>(),
    Entry::of::<list::List>(),
    Entry::of::<bulk::CreateMany>(),
    Entry::of::<get::Get>(),
    Entry::of::<change::Change>(),
    Entry::of::<delete::Delete>(),
    Entry::of::<history::History>(),
];
