//! What the tools take and answer.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Somebody or something, with what was observed of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    /// The name of the entity
    pub name: String,
    /// The type of the entity
    pub entity_type: String,
    /// An array of observation contents associated with the entity
    pub observations: Vec<String>,
}

/// How one entity stands to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Relation {
    /// The name of the entity where the relation starts
    pub from: String,
    /// The name of the entity where the relation ends
    pub to: String,
    /// The type of the relation
    pub relation_type: String,
}

impl Relation {
    /// Returns whether it begins or ends at an entity.
    pub(super) fn touches(&self, name: &str) -> bool {
        self.from == name || self.to == name
    }
}

/// Entities with their relations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Graph {
    /// Every entity
    pub entities: Vec<Entity>,
    /// Every relation
    pub relations: Vec<Relation>,
}

impl Graph {
    /// Returns some of the entities, and the relations that begin or end at one of them.
    pub(super) fn around(self, wanted: impl Fn(&Entity) -> bool) -> Self {
        let entities: Vec<Entity> = self.entities.into_iter().filter(wanted).collect();
        let names: HashSet<&str> = entities.iter().map(|entity| entity.name.as_str()).collect();
        let touches =
            |one: &Relation| names.contains(one.from.as_str()) || names.contains(one.to.as_str());
        let relations = self.relations.into_iter().filter(touches).collect();
        Self { entities, relations }
    }

    /// Returns what is told to a model that reads text only.
    pub fn text(&self) -> String {
        pretty(self)
    }
}

/// What `create_entities` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CreateEntities {
    /// The entities to add; those whose names are known stay as they are
    pub entities: Vec<Entity>,
}

/// What `create_relations` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct CreateRelations {
    /// The relations to add
    pub relations: Vec<Relation>,
}

/// What `add_observations` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddObservations {
    /// What to add to which entity
    pub observations: Vec<NewObservations>,
}

/// What to add to one entity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewObservations {
    /// The name of the entity to add the observations to
    pub entity_name: String,
    /// An array of observation contents to add
    pub contents: Vec<String>,
}

/// What `delete_entities` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteEntities {
    /// An array of entity names to delete
    pub entity_names: Vec<String>,
}

/// What `delete_observations` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct DeleteObservations {
    /// What to delete from which entity
    pub deletions: Vec<ObservationsToDelete>,
}

/// What to delete from one entity.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservationsToDelete {
    /// The name of the entity containing the observations
    pub entity_name: String,
    /// An array of observations to delete
    pub observations: Vec<String>,
}

/// What `delete_relations` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct DeleteRelations {
    /// An array of relations to delete
    pub relations: Vec<Relation>,
}

/// What `search_nodes` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SearchNodes {
    /// The search query to match against entity names, types, and observation content
    pub query: String,
}

/// What `open_nodes` takes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct OpenNodes {
    /// An array of entity names to retrieve
    pub names: Vec<String>,
}

/// What `create_entities` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreatedEntities {
    /// Those that are new
    pub entities: Vec<Entity>,
    /// What the user should know
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
}

/// What `create_relations` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CreatedRelations {
    /// Those that are new
    pub relations: Vec<Relation>,
    /// What the user should know
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
}

/// What `add_observations` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AddedObservations {
    /// What is new of each entity
    pub results: Vec<Observations>,
    /// What the user should know
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'static str>,
}

/// What is new of one entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observations {
    /// The name of the entity
    pub entity_name: String,
    /// What is new
    pub added_observations: Vec<String>,
}

/// What the tools answer that delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Deleted {
    /// Whether it is done
    pub success: bool,
    /// What is done
    pub message: String,
}

impl CreatedEntities {
    /// Returns what is told to a model that reads text only.
    pub fn text(&self) -> String {
        noted(pretty(&self.entities), self.note)
    }
}

impl CreatedRelations {
    /// Returns what is told to a model that reads text only.
    pub fn text(&self) -> String {
        noted(pretty(&self.relations), self.note)
    }
}

impl AddedObservations {
    /// Returns what is told to a model that reads text only.
    pub fn text(&self) -> String {
        noted(pretty(&self.results), self.note)
    }
}

impl Deleted {
    pub(super) fn of(what: &str) -> Self {
        Self { success: true, message: format!("{what} deleted successfully") }
    }

    /// Returns what is told to a model that reads text only.
    pub fn text(&self) -> String {
        self.message.clone()
    }
}

/// Adds what the user should know.
fn noted(text: String, note: Option<&str>) -> String {
    match note {
        Some(note) => format!("{text}\n{note}"),
        None => text,
    }
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("texts and lists have a JSON form")
}
