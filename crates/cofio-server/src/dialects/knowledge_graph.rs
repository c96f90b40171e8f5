//! The tools of the reference server `@modelcontextprotocol/server-memory`: a graph of entities,
//! what was observed of them, and relations between them.
//!
//! An entity and a relation are statements, an observation is a fact that begins with the name of
//! its entity, so that every search finds them. Each is kept under a key, so that it is there once.
//! Answers and errors are those of the reference server, word for word.
//!
//! What is different: the same name, observation or relation twice in one call is kept once, each
//! part of a relation and the name or the type of an entity need a character, names that look like
//! secrets are refused, and secrets are taken out of observations. Where others read too, nobody
//! reads what waits for review, and whoever wrote it is told so.

mod import;
mod memories;
mod shapes;

pub use import::ImportedGraph;
pub use shapes::{
    AddObservations, AddedObservations, CreateEntities, CreateRelations, CreatedEntities,
    CreatedRelations, DeleteEntities, DeleteObservations, DeleteRelations, Deleted, Entity, Graph,
    NewObservations, Observations, ObservationsToDelete, OpenNodes, Relation, SearchNodes,
};

use std::collections::HashSet;

use cofio::engine::Remembered;
use cofio::model::{Criteria, Draft, Kind, Memory, MemoryId, TriplePattern};

use super::writer::WAITS;
use super::{ToolError, Writer};
use memories::Part;

/// A graph of what somebody knows.
#[derive(Debug, Clone)]
pub struct KnowledgeGraph {
    writer: Writer,
}

impl KnowledgeGraph {
    /// Makes the graph of somebody.
    pub fn new(writer: Writer) -> Self {
        Self { writer }
    }

    /// Adds entities that are not there yet, with what was observed of them.
    pub async fn create_entities(
        &self,
        input: CreateEntities,
    ) -> Result<CreatedEntities, ToolError> {
        let mut drafts = Vec::new();
        let mut names = HashSet::new();
        for entity in input.entities {
            if !names.insert(entity.name.clone()) || self.entity(&entity.name).await?.is_some() {
                continue;
            }
            drafts.extend(memories::drafts(&self.writer, &entity)?);
        }
        let mut kept = self.remember(drafts).await?;
        let note = self.note(&kept);
        // What others have written and nobody has approved is shown to nobody.
        kept.retain(|one| !one.existing || !self.writer.hides(&one.memory));
        let graph = memories::graph(&kept.into_iter().map(|one| one.memory).collect::<Vec<_>>());
        Ok(CreatedEntities { entities: graph.entities, note })
    }

    /// Adds relations that are not there yet.
    pub async fn create_relations(
        &self,
        input: CreateRelations,
    ) -> Result<CreatedRelations, ToolError> {
        let mut drafts = Vec::with_capacity(input.relations.len());
        for relation in &input.relations {
            drafts.push(memories::relation_draft(&self.writer, relation)?);
        }
        let kept = self.remember(drafts).await?;
        let note = self.note(&kept);
        let new = kept.into_iter().filter(|one| !one.existing).map(|one| one.memory);
        let relations = memories::graph(&new.collect::<Vec<_>>()).relations;
        Ok(CreatedRelations { relations, note })
    }

    /// Adds what was observed of entities, which have to be there.
    pub async fn add_observations(
        &self,
        input: AddObservations,
    ) -> Result<AddedObservations, ToolError> {
        let mut drafts = Vec::new();
        for new in &input.observations {
            let name = &new.entity_name;
            if self.entity(name).await?.is_none() {
                return Err(ToolError::said(format!("Entity with name {name} not found")));
            }
            let observed = new.contents.iter();
            drafts
                .extend(observed.map(|text| memories::observation_draft(&self.writer, name, text)));
        }
        let kept = self.remember(drafts).await?;
        let note = self.note(&kept);
        let mut kept = kept.into_iter();
        let results = input.observations.into_iter().map(|new| {
            let own = kept.by_ref().take(new.contents.len()).filter(|one| !one.existing);
            Observations {
                entity_name: new.entity_name,
                added_observations: own
                    .filter_map(|one| memories::observation(&one.memory))
                    .collect(),
            }
        });
        Ok(AddedObservations { results: results.collect(), note })
    }

    /// Forgets entities, what was observed of them, and their relations.
    pub async fn delete_entities(&self, input: DeleteEntities) -> Result<Deleted, ToolError> {
        let mut memories = Vec::new();
        for name in &input.entity_names {
            memories.extend(self.entity(name).await?);
            memories.extend(self.observations(name).await?);
            memories.extend(self.relations_of(name).await?);
        }
        self.forget(&memories).await?;
        Ok(Deleted::of("Entities"))
    }

    /// Forgets some of what was observed of entities.
    pub async fn delete_observations(
        &self,
        input: DeleteObservations,
    ) -> Result<Deleted, ToolError> {
        let mut memories = Vec::new();
        for deletion in &input.deletions {
            let kept = self.observations(&deletion.entity_name).await?;
            memories.extend(kept.into_iter().filter(|memory| {
                memories::observation(memory)
                    .is_some_and(|text| deletion.observations.contains(&text))
            }));
        }
        self.forget(&memories).await?;
        Ok(Deleted::of("Observations"))
    }

    /// Forgets relations.
    pub async fn delete_relations(&self, input: DeleteRelations) -> Result<Deleted, ToolError> {
        let mut memories = Vec::new();
        for relation in &input.relations {
            let key = memories::relation_key(relation);
            memories.extend(self.writer.under(Kind::Procedure, &key).await?);
        }
        self.forget(&memories).await?;
        Ok(Deleted::of("Relations"))
    }

    /// Returns everything.
    pub async fn read_graph(&self) -> Result<Graph, ToolError> {
        let mut memories = Vec::new();
        for part in [Part::Entity, Part::Observation, Part::Relation] {
            memories.extend(self.writer.under_all(part.kind(), &part.prefix()).await?);
        }
        Ok(memories::graph(&memories))
    }

    /// Returns the entities that name, type or an observation of which contains a text, with their
    /// relations.
    pub async fn search_nodes(&self, input: SearchNodes) -> Result<Graph, ToolError> {
        let wanted = input.query.to_lowercase();
        let contains = |text: &String| text.to_lowercase().contains(&wanted);
        let graph = self.read_graph().await?;
        Ok(graph.around(|entity| {
            contains(&entity.name)
                || contains(&entity.entity_type)
                || entity.observations.iter().any(contains)
        }))
    }

    /// Returns entities by their names, with their relations.
    pub async fn open_nodes(&self, input: OpenNodes) -> Result<Graph, ToolError> {
        let graph = self.read_graph().await?;
        Ok(graph.around(|entity| input.names.contains(&entity.name)))
    }

    async fn entity(&self, name: &str) -> Result<Option<Memory>, ToolError> {
        Ok(self.writer.under(Kind::Procedure, &memories::entity_key(name)).await?)
    }

    async fn observations(&self, name: &str) -> Result<Vec<Memory>, ToolError> {
        let prefix = memories::observations_prefix(name);
        Ok(self.writer.under_all(Kind::Fact, &prefix).await?)
    }

    /// Returns the relations that begin or end at an entity.
    async fn relations_of(&self, name: &str) -> Result<Vec<Memory>, ToolError> {
        let mut relations = Vec::new();
        for triple in [
            TriplePattern { subject: Some(name.to_owned()), ..TriplePattern::default() },
            TriplePattern { object: Some(name.to_owned()), ..TriplePattern::default() },
        ] {
            let key_prefix = Some(Part::Relation.prefix());
            let criteria = Criteria { triple, key_prefix, ..Criteria::default() };
            relations.extend(self.writer.written(criteria).await?);
        }
        // A pattern means every spelling of a name.
        relations.retain(|memory| memories::relation(memory).is_some_and(|one| one.touches(name)));
        Ok(relations)
    }

    async fn remember(&self, drafts: Vec<Draft>) -> Result<Vec<Remembered>, ToolError> {
        if drafts.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.writer.engine.remember_all(&self.writer.caller, drafts).await?)
    }

    /// Returns what the user should know if something waits that nobody reads meanwhile.
    fn note(&self, kept: &[Remembered]) -> Option<&'static str> {
        kept.iter().any(|one| self.writer.hides(&one.memory)).then_some(WAITS)
    }

    async fn forget(&self, memories: &[Memory]) -> Result<(), ToolError> {
        let ids: HashSet<MemoryId> = memories.iter().map(|memory| memory.id.clone()).collect();
        if !ids.is_empty() {
            let ids: Vec<MemoryId> = ids.into_iter().collect();
            self.writer.engine.forget(&self.writer.caller, &ids).await?;
        }
        Ok(())
    }
}
