//! People, things and statements that memories name.

mod brief;
mod entities;
mod entity;
mod procedures;

use cofio::model::Scope;
use cofio::wire::{EntityOutput, ScopeOutput};
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::openapi::Entry;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[
    Entry::of::<entities::Entities>(),
    Entry::of::<entity::Entity>(),
    Entry::of::<procedures::Procedures>(),
    Entry::of::<brief::Brief>(),
];

/// Entities, and where they are named.
#[derive(Debug, Serialize, JsonSchema)]
struct EntitiesOutput {
    entities: Vec<EntityOutput>,
    scopes: Vec<ScopeOutput>,
}

impl EntitiesOutput {
    fn new(entities: impl Iterator<Item = EntityOutput>, scopes: &[Scope]) -> Self {
        Self {
            entities: entities.collect(),
            scopes: scopes.iter().map(ScopeOutput::from).collect(),
        }
    }
}
