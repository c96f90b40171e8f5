//! The `OpenSpec` knowledge provider protocol, in `snake_case` JSON.
//!
//! Everything is served at two prefixes and documented at the first. Whatever a request says that
//! changes nothing here is named in the answer, under `ignored`.

mod batch;
mod create;
mod delete;
mod discovery;
mod entry;
mod layer;
mod metadata;
mod query;
mod source;
mod update;
mod vocabulary;
mod write;

use super::openapi::Entry as Listed;
use super::stream::Changes;

pub(crate) use entry::Entry;
pub(crate) use vocabulary::places;

/// The prefix that the protocol gives, and the other one.
const PREFIXES: [&str; 2] = ["/openspec/v1/", "/api/v1/"];

/// Who answers.
const PROVIDER: &str = "Cofio";

/// Returns every endpoint, at both prefixes.
pub(crate) fn endpoints() -> Vec<Listed> {
    let own = [
        Listed::of::<discovery::Discover>(),
        Listed::of::<query::Ask>(),
        Listed::of::<create::Create>(),
        Listed::of::<batch::Batch>(),
        Listed::of::<Changes>(),
        Listed::of::<update::Update>(),
        Listed::of::<delete::Delete>(),
        Listed::of::<metadata::Describe>(),
    ];
    let again = own.clone().map(|entry| entry.repeated_at(PREFIXES));
    own.into_iter().chain(again).collect()
}
