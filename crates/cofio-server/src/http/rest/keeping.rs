//! Keeping the whole: the audit, the sequence of changes, transfer and statistics.

mod audit;
mod changes;
mod export;
mod import;
mod stats;
mod verify;

use crate::http::openapi::Entry;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[
    Entry::of::<export::Export>(),
    Entry::of::<import::Import>(),
    Entry::of::<stats::Stats>(),
    Entry::of::<changes::Changes>(),
    Entry::of::<audit::Audit>(),
    Entry::of::<verify::Verify>(),
];
