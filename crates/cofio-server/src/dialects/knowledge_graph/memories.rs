//! How the parts of a graph are kept as memories. Pure: values in, values out.

use std::collections::HashMap;

use cofio::ingest;
use cofio::model::{Draft, Kind, Memory, Triple};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::shapes::{Entity, Graph, Relation};
use crate::dialects::{ToolError, Writer};

/// The field with the name of an entity.
const ENTITY: &str = "entity";

/// The field with the type of an entity.
const ENTITY_TYPE: &str = "entityType";

/// What a memory can be in a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Entity,
    Observation,
    Relation,
}

impl Part {
    fn as_str(self) -> &'static str {
        match self {
            Self::Entity => "entity",
            Self::Observation => "observation",
            Self::Relation => "relation",
        }
    }

    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Entity | Self::Relation => Kind::Procedure,
            Self::Observation => Kind::Fact,
        }
    }

    /// Returns what the keys of all such memories begin with.
    pub(super) fn prefix(self) -> String {
        format!("graph {} ", self.as_str())
    }

    fn of(memory: &Memory) -> Option<Self> {
        let key = memory.key.as_deref()?;
        let mut parts = [Self::Entity, Self::Observation, Self::Relation].into_iter();
        parts.find(|part| key.starts_with(&part.prefix()))
    }
}

/// Returns the drafts of an entity and of what was observed of it.
pub(super) fn drafts(writer: &Writer, entity: &Entity) -> Result<Vec<Draft>, ToolError> {
    let observed = entity.observations.iter();
    let observed = observed.map(|text| observation_draft(writer, &entity.name, text));
    Ok(std::iter::once(entity_draft(writer, entity)?).chain(observed).collect())
}

/// Returns the statement that there is an entity of a type.
fn entity_draft(writer: &Writer, entity: &Entity) -> Result<Draft, ToolError> {
    let Entity { name, entity_type, .. } = entity;
    refuse_secrets([name, entity_type])?;
    let statement = Triple {
        fact_type: "entity".to_owned(),
        subject: name.clone(),
        predicate: "is a".to_owned(),
        object: entity_type.clone(),
    };
    let complete = [name, entity_type].iter().all(|part| !part.trim().is_empty());
    let text = if complete { statement.sentence() } else { format!("{name}{entity_type}") };
    let draft = part(writer, Part::Entity, &text, entity_key(name));
    let mut draft = Draft { triple: complete.then_some(statement), ..draft };
    draft.metadata.custom.insert(ENTITY.to_owned(), name.as_str().into());
    draft.metadata.custom.insert(ENTITY_TYPE.to_owned(), entity_type.as_str().into());
    Ok(draft)
}

/// Returns the fact that something was observed of an entity.
pub(super) fn observation_draft(writer: &Writer, name: &str, text: &str) -> Draft {
    let key = format!("{}{}", observations_prefix(name), digest(&[text]));
    let mut draft = part(writer, Part::Observation, &format!("{}{text}", opening(name)), key);
    draft.metadata.custom.insert(ENTITY.to_owned(), name.into());
    draft
}

/// Returns the statement that an entity stands to another in some way.
pub(super) fn relation_draft(writer: &Writer, relation: &Relation) -> Result<Draft, ToolError> {
    refuse_secrets([&relation.from, &relation.relation_type, &relation.to])?;
    let statement = Triple {
        fact_type: "relation".to_owned(),
        subject: relation.from.clone(),
        predicate: relation.relation_type.clone(),
        object: relation.to.clone(),
    };
    let draft = part(writer, Part::Relation, &statement.sentence(), relation_key(relation));
    Ok(Draft { triple: Some(statement), ..draft })
}

fn part(writer: &Writer, part: Part, text: &str, key: String) -> Draft {
    Draft { key: Some(key), ..writer.draft(part.kind(), text) }
}

/// Refuses names that could not be kept as they are, so that nothing could be found by them.
fn refuse_secrets<'a>(names: impl IntoIterator<Item = &'a String>) -> Result<(), ToolError> {
    if names.into_iter().all(|name| ingest::findings(name).is_empty()) {
        return Ok(());
    }
    Err(ToolError::said("A name or a type looks like a secret, choose another one"))
}

/// Returns the key of the entity of a name.
pub(super) fn entity_key(name: &str) -> String {
    Part::Entity.prefix() + &digest(&[name])
}

/// Returns what the keys of everything begin with that was observed of an entity.
pub(super) fn observations_prefix(name: &str) -> String {
    format!("{}{} ", Part::Observation.prefix(), digest(&[name]))
}

/// Returns the key of a relation.
pub(super) fn relation_key(relation: &Relation) -> String {
    Part::Relation.prefix() + &digest(&[&relation.from, &relation.relation_type, &relation.to])
}

/// Returns a text of one length, whatever the length of that which it stands for.
///
/// It is a hash in short groups of letters, since anything else that is random could be a secret
/// for all that anybody can see.
fn digest(fields: &[&str]) -> String {
    let mut hash = Sha256::new();
    for field in fields {
        hash.update((field.len() as u64).to_le_bytes());
        hash.update(field);
    }
    let letters = |byte: &u8| [b'a' + (byte >> 4), b'a' + (byte & 15)].map(char::from);
    let group = |bytes: &[u8]| bytes.iter().flat_map(letters).collect::<String>();
    let groups: Vec<String> = hash.finalize()[..16].chunks(2).map(group).collect();
    groups.join(" ")
}

/// Puts memories together to a graph; each comes after those that it is part of.
pub(super) fn graph(memories: &[Memory]) -> Graph {
    let mut graph = Graph::default();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for memory in memories {
        match (Part::of(memory), field(memory, ENTITY)) {
            (Some(Part::Entity), Some(name)) => {
                places.insert(name, graph.entities.len());
                graph.entities.extend(entity(memory));
            }
            (Some(Part::Observation), Some(name)) => {
                let own = places.get(name).and_then(|&place| graph.entities.get_mut(place));
                if let Some(entity) = own {
                    entity.observations.extend(observation(memory));
                }
            }
            (Some(Part::Relation), _) => graph.relations.extend(relation(memory)),
            _ => {}
        }
    }
    graph
}

fn entity(memory: &Memory) -> Option<Entity> {
    let name = field(memory, ENTITY)?.to_owned();
    let entity_type = field(memory, ENTITY_TYPE).unwrap_or_default().to_owned();
    Some(Entity { name, entity_type, observations: Vec::new() })
}

/// Returns what a memory says was observed.
pub(super) fn observation(memory: &Memory) -> Option<String> {
    let text = memory.content.as_str();
    let opening = opening(field(memory, ENTITY)?);
    Some(text.strip_prefix(&opening).unwrap_or(text).to_owned())
}

/// Returns the relation that a memory states.
pub(super) fn relation(memory: &Memory) -> Option<Relation> {
    let Triple { subject, predicate, object, .. } = memory.triple.clone()?;
    Some(Relation { from: subject, to: object, relation_type: predicate })
}

/// Returns what an observation begins with, so that it says of whom it is.
fn opening(name: &str) -> String {
    format!("{name}: ")
}

fn field<'a>(memory: &'a Memory, name: &str) -> Option<&'a str> {
    memory.metadata.custom.get(name).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_looks_like_a_secret() {
        for number in 0..10_000 {
            let prefix = observations_prefix(&format!("entity {number}"));
            let key = prefix + &digest(&["observation"]);
            assert!(ingest::findings(&key).is_empty(), "{key}");
        }
    }
}
