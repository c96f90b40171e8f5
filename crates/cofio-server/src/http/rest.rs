//! The native API: the verbs of the engine at `/v1`, in camelCase JSON.

mod filter;
mod memories;
mod names;
mod origin;
mod written;

use super::openapi::Entry;

pub(crate) use filter::{FactFilter, Filter};
pub(crate) use names::Names;
pub(crate) use origin::Origin;
pub(crate) use written::{NewMemory, OnPossibleSecret, doubt, of_statement};

/// Returns every endpoint.
pub(crate) fn endpoints() -> Vec<Entry> {
    [memories::ENDPOINTS].concat()
}
