use cofio::model::{Caller, Identifier, Identifiers, Layer, Scope};
use cofio::{Error, Result};
use serde_json::{Map, Value};

use super::entity::{self, Entity};
use super::input::Named;

/// Where new memories are kept, and what is known of whose they are beyond that.
#[derive(Debug)]
pub(super) struct Home {
    scope: Scope,
    labels: Map<String, Value>,
}

impl Home {
    /// Finds the home for those who are named: the run's, else the agent's, else the app's if
    /// nobody else is named, else the user's.
    ///
    /// All of them must be open to the caller, also those that become a label.
    pub(super) fn of(caller: &Caller, at_hand: &Identifiers, named: &Named) -> Result<Self> {
        let mut identifiers = at_hand.clone();
        for (entity, name) in named.iter() {
            let name = named_one(entity, name)?;
            entity.check_open(caller, &name)?;
            identifiers = identifiers.with(entity.layer(), name);
        }
        let is_named = |entity: Entity| named.iter().any(|(named, _)| named == entity);
        let layer = if is_named(Entity::Run) {
            Layer::Session
        } else if is_named(Entity::Agent) {
            Layer::Agent
        } else if is_named(Entity::App) && !is_named(Entity::User) {
            Layer::Project
        } else {
            Layer::User
        };
        let scope = Scope::new(layer, &identifiers)?;
        let labels = named.iter().filter_map(|(entity, _)| {
            let label = entity.label().filter(|_| !entity.is_settled_by(layer))?;
            let name = identifiers.get(entity.layer())?;
            Some((label.to_owned(), Value::from(name.as_str())))
        });
        Ok(Self { labels: labels.collect(), scope })
    }

    /// Returns whose the memories are.
    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Returns the conversation they belong to.
    pub(super) fn run(&self) -> Option<&Identifier> {
        self.scope.identifiers().get(Layer::Session)
    }

    /// Returns custom fields with the labels among them.
    pub(super) fn labelled(&self, mut fields: Map<String, Value>) -> Result<Map<String, Value>> {
        check_fields(&fields)?;
        fields.extend(self.labels.clone());
        Ok(fields)
    }
}

/// Refuses metadata with names that are ours.
pub(super) fn check_fields(fields: &Map<String, Value>) -> Result<()> {
    match fields.keys().find(|name| entity::is_label(name)) {
        Some(name) => Err(Error::invalid(format!("metadata may not have the name {name:?}"))),
        None => Ok(()),
    }
}

/// Reads the name of one user, agent, app or run.
pub(super) fn named_one(entity: Entity, name: &str) -> Result<Identifier> {
    if name == "*" {
        let message = format!("{}: \"*\" stands for any name and is none", entity.field());
        return Err(Error::invalid(message));
    }
    Identifier::new(name)
}
