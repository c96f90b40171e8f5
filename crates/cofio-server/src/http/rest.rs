//! The native API: the verbs of the engine at `/v1`, in camelCase JSON.

mod amount;
mod filter;
mod forgetting;
mod jobs;
mod keeping;
mod keys;
mod knowledge;
mod maintenance;
mod memories;
mod names;
mod origin;
mod review;
mod search;
mod sessions;
mod written;

use super::openapi::Entry;

pub(crate) use amount::amount;
pub(crate) use filter::{FactFilter, Filter};
pub(crate) use memories::OneMemory;
pub(crate) use names::Names;
pub(crate) use origin::Origin;
pub(crate) use written::{NewMemory, OnPossibleSecret, Statement, doubt, lifetime, of_statement};

/// Returns every endpoint.
pub(crate) fn endpoints() -> Vec<Entry> {
    let groups = [
        memories::ENDPOINTS,
        search::ENDPOINTS,
        forgetting::ENDPOINTS,
        knowledge::ENDPOINTS,
        sessions::ENDPOINTS,
        review::ENDPOINTS,
        maintenance::ENDPOINTS,
        keeping::ENDPOINTS,
        jobs::ENDPOINTS,
        keys::ENDPOINTS,
    ];
    groups.concat()
}
