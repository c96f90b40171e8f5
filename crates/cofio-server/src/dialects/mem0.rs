//! The API of Mem0's clients: memories of users, agents, apps and runs.
//!
//! A `user_id` is our user, an `agent_id` an agent of that user, a `run_id` one of their sessions
//! and an `app_id` a project. A memory has one home, so what the home does not say is kept with the
//! memory as a label. Whatever a request names, nothing is opened that is not the caller's.

mod condition;
mod entity;
mod home;
mod input;
mod looking;
mod moment;
mod output;
mod place;
mod test;

use std::collections::{BTreeMap, HashSet};

use cofio::engine::ForgetReason;
use cofio::model::{
    Caller, Channel, Criteria, Doubt, Draft, Identifiers, Kind, Lifetime, Memory, MemoryId, State,
    Timestamp,
};
use cofio::{Engine, Error, ErrorKind, Result};
use jiff::tz::TimeZone;

use crate::source;
use condition::Condition;
use entity::Entity;
use home::Home;
use looking::Looking;
use place::Places;

pub use input::{
    Add, BatchDelete, BatchUpdate, EntityName, List, Message, Named, OneDelete, OneUpdate, Search,
    Update,
};
pub use output::{
    Added, AddedMemory, Done, Entities, EntityEntry, HistoryEntry, Mem0Memory, Mem0Page, Pong,
    Results,
};

/// How many memories replaced one another at most before a request stops following them.
const LONGEST_CHAIN: usize = 1_000;

/// What Mem0's clients ask, for one caller.
#[derive(Debug, Clone)]
pub struct Mem0 {
    engine: Engine,
    caller: Caller,
    identifiers: Identifiers,
}

impl Mem0 {
    /// Takes who asks, with the names that need not be said.
    pub fn new(engine: Engine, caller: Caller, identifiers: Identifiers) -> Self {
        Self { engine, caller, identifiers }
    }

    /// Keeps messages, or none of them if one is refused.
    ///
    /// There is no language model that concludes anything from them: unless facts are asked for by
    /// `infer=False`, they are kept as what was said, and the answer says so.
    pub async fn add(&self, input: Add) -> Result<Added> {
        let unused = input::unused(&input.others, input::ADD_UNUSED)?;
        let home = Home::of(&self.caller, &self.identifiers, &input.named()?)?;
        let as_facts = input.infer == Some(false);
        let messages = input.messages.iter().filter(|message| message.role != "system");
        let drafts: Vec<Draft> = messages
            .map(|message| self.draft(&input, message, &home, as_facts))
            .collect::<Result<_>>()?;
        if drafts.is_empty() {
            return Err(Error::invalid("there is no message of a user or an assistant to keep"));
        }
        let remembered = self.engine.remember_all(&self.caller, drafts).await?;
        Ok(Added::new(&remembered, as_facts, &unused))
    }

    /// Finds memories, the best first.
    pub async fn search(&self, input: Search) -> Result<Results> {
        input::unused(&input.others, input::SEARCH_UNUSED)?;
        input::no_ended(input.show_expired)?;
        let condition = input.condition(self.zone())?;
        let reference_time =
            input.reference_date.as_ref().map(|date| moment::reference(date, self.zone()));
        let asked = looking::Question {
            text: &input.query,
            most: input.top_k.unwrap_or(10),
            threshold: input.threshold,
            reference_time: reference_time.transpose()?,
        };
        let hits = self.looking(&condition).await?.best(&asked).await?;
        let results = hits.iter().map(|hit| self.shown(&hit.memory, Some(hit.score)));
        Ok(Results::new(results, input.fields.as_deref()))
    }

    /// Lists memories page by page, the newest first.
    pub async fn list(&self, page: usize, size: usize, input: List) -> Result<Mem0Page> {
        input::unused(&input.others, input::LIST_UNUSED)?;
        input::no_ended(input.show_expired)?;
        let condition = input.condition(self.zone())?;
        let (memories, count) = self.looking(&condition).await?.page(page, size).await?;
        let results = memories.iter().map(|memory| self.shown(memory, None));
        Ok(Mem0Page::new(page, size, count, results, input.fields.as_deref()))
    }

    /// Returns one memory.
    pub async fn get(&self, id: &str) -> Result<Mem0Memory> {
        let memory = self.engine.get(&self.caller, &id.parse()?).await?;
        Ok(self.shown(&memory, None))
    }

    /// Changes the text or the metadata of a memory.
    pub async fn update(&self, id: &str, input: Update) -> Result<Mem0Memory> {
        let updated = self.engine.update(&self.caller, &id.parse()?, input.patch()?).await?;
        Ok(self.shown(&updated.memory, None))
    }

    /// Changes several memories together, or none of them.
    pub async fn update_all(&self, input: BatchUpdate) -> Result<Done> {
        let patches = input.patches().collect::<Result<_>>()?;
        let updated = self.engine.update_all(&self.caller, patches).await?;
        Ok(Done::new(format!("Successfully updated {} memories", updated.len())))
    }

    /// Returns everything that a memory was, the oldest first.
    pub async fn history(&self, id: &str) -> Result<Vec<HistoryEntry>> {
        let history = self.engine.history(&self.caller, &id.parse()?).await?;
        let versions: Vec<_> = history.earlier.iter().chain([&history.current]).collect();
        Ok(HistoryEntry::of(&versions))
    }

    /// Forgets a memory, and those that it replaced if that is asked for.
    pub async fn delete(&self, id: &str, with_replaced: bool) -> Result<Done> {
        let id: MemoryId = id.parse()?;
        let ids =
            if with_replaced { self.replaced_by(id.clone()).await? } else { vec![id.clone()] };
        let forgotten = self.engine.forget(&self.caller, &ids).await?;
        if forgotten.missing.contains(&id) {
            return Err(MemoryId::not_found(id.as_str()));
        }
        Ok(Done::new("Memory deleted successfully!"))
    }

    /// Forgets several memories; it fails if none of them is there.
    pub async fn delete_batch(&self, input: BatchDelete) -> Result<Done> {
        let ids: Vec<MemoryId> = input.ids().collect::<Result<_>>()?;
        let forgotten = self.engine.forget(&self.caller, &ids).await?;
        let gone = ids.len() - forgotten.missing.len();
        match forgotten.missing.first() {
            Some(first) if gone == 0 => Err(MemoryId::not_found(first.as_str())),
            _ => Ok(Done::new(format!("Successfully deleted {gone} memories"))),
        }
    }

    /// Forgets everything of those who are named, in whatever state it is.
    pub async fn delete_all(&self, named: &Named) -> Result<Done> {
        if named.iter().next().is_none() {
            let message =
                "say whose memories are to be deleted: user_id, agent_id, app_id or run_id";
            return Err(Error::invalid(message));
        }
        let condition = Condition::naming(named)?;
        let places = Places::of_all(&self.caller, &self.identifiers, &condition)?;
        let mut ids = Vec::new();
        for scope in places.all(&self.engine, &self.caller).await? {
            let every = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
            let (criteria, _) = condition.narrowed(&scope, every);
            let selection = looking::selection(&scope, criteria);
            let memories = self.engine.matching_outlines(&self.caller, &selection).await?;
            let meant = memories.into_iter().filter(|memory| condition.holds(memory));
            ids.extend(meant.map(|memory| memory.id));
        }
        for ids in ids.chunks(self.engine.config().limits.batch) {
            self.engine.forget_chosen(&self.caller, ids, ForgetReason::Filter).await?;
        }
        Ok(Done::new("Memories deleted successfully!"))
    }

    /// Returns for whom there are memories.
    pub async fn entities(&self) -> Result<Entities> {
        let mut counts: BTreeMap<(Entity, String), (u64, Option<Timestamp>)> = BTreeMap::new();
        for summary in self.engine.stats(&self.caller, None).await?.scopes {
            let active = summary.counts.iter().filter(|(_, state, _)| *state == State::Active);
            let active: u64 = active.map(|(.., count)| count).sum();
            for entity in Entity::ALL {
                let Some(name) = entity.of_scope(&summary.scope) else { continue };
                let (count, latest) = counts.entry((entity, name.to_owned())).or_default();
                *count += active;
                *latest = (*latest).max(summary.latest_at);
            }
        }
        Ok(Entities::new(counts))
    }

    /// Forgets everything of a user, agent, app or run.
    pub async fn delete_entity(&self, entity: &EntityName) -> Result<Done> {
        self.delete_all(&entity.named()?).await?;
        Ok(Done::new("Entity deleted successfully!"))
    }

    /// Makes the draft of one message.
    fn draft(&self, input: &Add, message: &Message, home: &Home, as_facts: bool) -> Result<Draft> {
        let text = message.text()?;
        let by_user = message.role == "user";
        let (kind, channel) = match message.role.as_str() {
            "user" if as_facts => (Kind::Fact, Channel::ExplicitSave),
            "user" => (Kind::Episode, Channel::OwnerMessage),
            "tool" | "function" => (Kind::Episode, Channel::ToolRead),
            _ => (Kind::Episode, Channel::OtherMessage),
        };
        let mut source = source::through(channel, &text);
        source.session = home.run().cloned();
        source.role = (!by_user || !as_facts).then(|| message.role.clone());
        // Nobody can be asked what may be a secret.
        let mut draft = Draft {
            doubt: Doubt::Redact,
            event_at: input.timestamp.map(moment::of_seconds).transpose()?,
            lifetime: self.lifetime(input.expiration_date.as_deref())?,
            ..Draft::new(home.scope().clone(), kind, text, source)
        };
        draft.metadata.author.clone_from(&message.name);
        draft.metadata.custom = home.labelled(input.metadata.clone())?;
        Ok(draft)
    }

    fn lifetime(&self, last_day: Option<&str>) -> Result<Lifetime> {
        let end = last_day.map(|day| moment::end_of_day(day, self.zone())).transpose()?;
        Ok(end.map_or(Lifetime::ByKind, Lifetime::Until))
    }

    /// Returns a memory with all those that it replaced, one after the other.
    async fn replaced_by(&self, id: MemoryId) -> Result<Vec<MemoryId>> {
        let (mut known, mut ids) = (HashSet::from([id.clone()]), vec![id.clone()]);
        let mut next = Some(id);
        while let Some(id) = next.take().filter(|_| ids.len() < LONGEST_CHAIN) {
            let memory = match self.engine.get(&self.caller, &id).await {
                Ok(memory) => memory,
                Err(error) if error.kind() == ErrorKind::NotFound => break,
                Err(error) => return Err(error),
            };
            next = memory.provenance.supersedes.filter(|id| known.insert(id.clone()));
            ids.extend(next.clone());
        }
        Ok(ids)
    }

    /// Returns where memories are looked for that meet a condition.
    async fn looking<'a>(&'a self, condition: &'a Condition) -> Result<Looking<'a>> {
        let places = Places::of(&self.caller, &self.identifiers, condition)?;
        let scopes = places.scopes(&self.engine, &self.caller).await?;
        Ok(Looking { engine: &self.engine, caller: &self.caller, scopes, condition })
    }

    fn shown(&self, memory: &Memory, score: Option<f64>) -> Mem0Memory {
        Mem0Memory::new(memory, score, self.zone())
    }

    fn zone(&self) -> &TimeZone {
        &self.engine.config().expiry.time_zone
    }
}
