use std::collections::BTreeMap;

use super::Engine;
use super::inspect::check_readable;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Caller, Criteria, Entity, Filter, Memory, Scope, State, Timestamp, TriplePattern,
};
use crate::retrieval::{Companion, Period, companions, spellings, timeline};
use crate::store::{Order, Page};

/// How many things that are called the same are told of.
const MOST_CALLED_SO: usize = 10;

/// In how many spellings statements about something are looked for.
const MOST_SPELLINGS: usize = 8;

/// What is known of one entity.
#[derive(Debug, Clone)]
pub struct EntityProfile {
    /// The entity.
    pub entity: Entity,
    /// Memories in use that name it, the latest first.
    pub memories: Vec<Memory>,
    /// Statements in use whose subject it is, the most certain first.
    pub statements: Vec<Memory>,
    /// What is named together with it, most often first.
    pub companions: Vec<Companion>,
    /// The latest memories that name it, with those that were replaced, the oldest first.
    pub timeline: Vec<Period>,
}

impl Engine {
    /// Returns what memories of the scopes name, most often named first.
    pub async fn entities(
        &self,
        caller: &Caller,
        scopes: &[Scope],
        limit: usize,
    ) -> Result<Vec<Entity>> {
        check_readable(caller, scopes)?;
        self.store.entities(scopes, self.now(), None, limit).await
    }

    /// Returns what is known of an entity, by its name or any way it is written, with at most
    /// `limit` memories of each sort.
    ///
    /// Different things may be called the same; what most memories name comes first.
    pub async fn entity(
        &self,
        caller: &Caller,
        scopes: &[Scope],
        name: &str,
        limit: usize,
    ) -> Result<Vec<EntityProfile>> {
        let profiles = self.entity_profiles(caller, scopes, name, limit).await;
        profiles.map_err(|error| error.during("entity"))
    }

    async fn entity_profiles(
        &self,
        caller: &Caller,
        scopes: &[Scope],
        name: &str,
        limit: usize,
    ) -> Result<Vec<EntityProfile>> {
        check_readable(caller, scopes)?;
        let most = self.config.limits.search_results;
        if limit == 0 || limit > most {
            return Err(Error::invalid(format!("a profile has 1 to {most} memories")));
        }
        let now = self.now();
        let name = name.trim_start_matches(['@', '#']);
        let entities = self.store.entities(scopes, now, Some(name), MOST_CALLED_SO).await?;
        if entities.is_empty() {
            return Err(Error::new(ErrorKind::NotFound, "no memory names this entity"));
        }
        let mut profiles = Vec::new();
        for entity in entities {
            profiles.push(self.entity_profile(scopes, entity, limit, now).await?);
        }
        self.observe(caller, now, "entity", shown(&profiles));
        Ok(profiles)
    }

    async fn entity_profile(
        &self,
        scopes: &[Scope],
        entity: Entity,
        limit: usize,
        now: Timestamp,
    ) -> Result<EntityProfile> {
        let most = self.config.limits.search_results;
        let states = vec![State::Active, State::Superseded];
        let criteria = Criteria { states, ..Criteria::default() };
        let filter = Filter { scopes: scopes.to_vec(), now, criteria };
        let named = self.naming(&filter, (&entity.name, entity.entity_type), most).await?;
        let statements = self.statements(scopes, &entity, limit, now).await?;
        let latest = &named[..limit.min(named.len())];
        let timeline = timeline(latest, &self.config.expiry.time_zone);
        let mut memories = named;
        memories.retain(|memory| memory.state == State::Active);
        let companions = companions(&memories, &entity.name, entity.entity_type);
        memories.truncate(limit);
        Ok(EntityProfile { entity, memories, statements, companions, timeline })
    }

    /// Returns what is stated of an entity.
    async fn statements(
        &self,
        scopes: &[Scope],
        entity: &Entity,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let mut statements: Vec<Memory> = Vec::new();
        for subject in spellings(&entity.name, &entity.aliases).into_iter().take(MOST_SPELLINGS) {
            let triple =
                TriplePattern { subject: Some(subject.to_owned()), ..TriplePattern::default() };
            let criteria = Criteria { triple, ..Criteria::default() };
            let filter = Filter { scopes: scopes.to_vec(), now, criteria };
            let page = Page { limit, order: Order::Confidence, after: None, counted: false };
            statements.extend(self.store.list(&filter, &page).await?.memories);
        }
        statements.truncate(limit);
        Ok(statements)
    }
}

/// Returns every memory that profiles show, once.
fn shown(profiles: &[EntityProfile]) -> impl Iterator<Item = &Memory> {
    let memories = profiles.iter().flat_map(|profile| {
        let dated = profile.timeline.iter().flat_map(|period| &period.memories);
        profile.memories.iter().chain(&profile.statements).chain(dated)
    });
    let by_id: BTreeMap<_, _> = memories.map(|memory| (memory.id.as_str(), memory)).collect();
    by_id.into_values()
}
