//! Keys, for whoever keeps the store.

mod create;
mod list;
mod revoke;
mod rotate;
mod shapes;

use crate::http::openapi::Entry;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[
    Entry::of::<create::CreateKey>(),
    Entry::of::<list::ListKeys>(),
    Entry::of::<revoke::RevokeKey>(),
    Entry::of::<rotate::RotateKey>(),
];
