//! The workspace of markdown files: knowledge of the world that all agents of a project share, and
//! each agent's own memory and daily log.
//!
//! A topic of the world is a fact under the key `world/{topic}.md`, an agent's memory is a
//! reflection under the key `MEMORY.md`, and an entry of the log is an episode. What is replaced is
//! an earlier version in the history.

mod excerpt;
mod input;
mod render;
mod topic;

pub use input::{LearnFact, Recall, Reflect, Remember, Search};
pub use topic::Topic;

use cofio::model::{
    Criteria, Doubt, Draft, Identifiers, Kind, Layer, Memory, Patch, Scope, State, TimeRange,
    Timestamp,
};
use cofio::{Query, Selection};
use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::writer::WAITS;
use super::{ToolError, Writer};

/// What a model is told about using the tools.
pub const DIRECTIVE: &str = "\
You have a memory that lasts beyond this conversation. Nothing is put into it or taken out of it \
unless you do so:
- `recall` reads what is known of the world, your own MEMORY.md and the log of the last days. Call \
it when a conversation begins, or when you lack context.
- `remember` adds an entry to today's log. Call it after you have learnt something.
- `reflect` without content reads your MEMORY.md, and with content replaces all of it. At the end \
of a session read it first, then write what is worth keeping.
- `learn_fact` replaces what all agents know about a topic, such as people or systems.
- `search_memory` finds what is older than the days that you recall, by words, meaning and dates.
Keep facts, not passwords or keys.";

/// The key of an agent's own memory.
const MEMORY: &str = "MEMORY.md";

/// The label of entries of the log.
const DAILY: &str = "daily";

/// What a model is told if not everything was kept.
const REDACTED: &str = " Secrets were taken out of it.";

/// The workspace of one agent.
#[derive(Debug, Clone)]
pub struct Workspace {
    world: Writer,
    agent: Writer,
}

impl Workspace {
    /// Makes the workspace of an agent: `world` writes for all agents, `agent` for this one.
    pub fn new(world: Writer, agent: Writer) -> Self {
        Self { world, agent }
    }

    /// Returns what is known of the world, the agent's memory, and the log of the last days.
    pub async fn recall(&self, input: Recall) -> Result<String, ToolError> {
        let world = self.world.under_all(Kind::Fact, Topic::FOLDER).await?;
        // The world is shared, and others should not read what nobody has approved.
        let world: Vec<Memory> =
            world.into_iter().filter(|memory| memory.state != State::Pending).collect();
        let memory = self.agent.under(Kind::Reflection, MEMORY).await?;
        let log = self.log(input.days).await?;
        Ok(render::everything(&world, memory.as_ref(), &log, self.zone()))
    }

    /// Adds an entry to today's log.
    pub async fn remember(&self, input: Remember) -> Result<String, ToolError> {
        let now = self.agent.engine.now();
        let mut draft = self.agent.draft(Kind::Episode, &input.content);
        draft.metadata.tags = vec![DAILY.to_owned()];
        // The same may happen again, which is another entry.
        let draft = Draft { event_at: Some(now), ..draft };
        let remembered = self.agent.engine.remember(&self.agent.caller, draft).await?;
        let day = now.to_zoned(self.zone().clone()).date();
        let file = self.agents_file(&format!("{DAILY}/{day}.md"));
        let taken_out = !remembered.redactions.is_empty();
        Ok(told(format!("Remembered in {file}."), &remembered.memory, taken_out))
    }

    /// Returns the agent's memory, or replaces it.
    pub async fn reflect(&self, input: Reflect) -> Result<String, ToolError> {
        let Some(content) = input.content else {
            let memory = self.agent.under(Kind::Reflection, MEMORY).await?;
            return Ok(render::current(memory.as_ref()));
        };
        let file = self.agents_file(MEMORY);
        let draft = self.agent.draft(Kind::Reflection, &content);
        let mut draft = Draft { key: Some(MEMORY.to_owned()), ..draft };
        draft.metadata.title = Some(file.clone());
        let (memory, taken_out) = replace(&self.agent, draft).await?;
        Ok(told(format!("Updated {file}."), &memory, taken_out))
    }

    /// Replaces what all agents know about a topic.
    pub async fn learn_fact(&self, input: LearnFact) -> Result<String, ToolError> {
        let topic = Topic::new(&input.topic)?;
        let draft = self.world.draft(Kind::Fact, &input.content);
        let mut draft = Draft { key: Some(topic.file()), ..draft };
        draft.metadata.title = Some(topic.as_str().to_owned());
        let (memory, taken_out) = replace(&self.world, draft).await?;
        Ok(told(format!("Updated {}.", topic.file()), &memory, taken_out))
    }

    /// Finds what is known of the world and what the agent has learnt, of some days.
    pub async fn search(&self, input: Search) -> Result<String, ToolError> {
        let scopes = [&self.world.scope, &self.agent.scope];
        let identifiers = scopes.iter().flat_map(|scope| scope.identifiers().iter());
        let identifiers = identifiers
            .fold(Identifiers::default(), |all, (layer, name)| all.with(layer, name.clone()));
        let layers = Some(scopes.map(Scope::layer).to_vec());
        let (from, to) = (day(input.from.as_deref())?, day(input.to.as_deref())?);
        let time = TimeRange { from: self.start(from)?, to: self.end(to)? };
        let criteria = Criteria { time, ..Criteria::default() };
        let selection = Selection { layers, ..Selection::with(identifiers, criteria) };
        let query = Query { limit: input.limit, ..Query::new(selection, input.query) };
        let answer = self.agent.engine.search(&self.agent.caller, &query).await?;
        let found = answer.hits.iter().map(|hit| {
            let file = self.file_of(&hit.memory);
            (file, excerpt::excerpt(hit.memory.content.as_str(), &hit.signals.matched_terms))
        });
        Ok(render::found(&found.collect::<Vec<_>>()))
    }

    /// Returns where a day begins.
    fn start(&self, day: Option<Date>) -> Result<Option<Timestamp>, ToolError> {
        let start = day.map(|day| day.to_zoned(self.zone().clone())).transpose();
        let start = start.map_err(|_| ToolError::said("the calendar does not have that day"))?;
        Ok(start.map(|start| start.timestamp()))
    }

    /// Returns where a day ends.
    fn end(&self, day: Option<Date>) -> Result<Option<Timestamp>, ToolError> {
        let next = self.start(day.map(|day| day.saturating_add(1.day())))?;
        Ok(next.map(|next| next.saturating_sub(1.microsecond()).unwrap_or(next)))
    }

    /// Returns the file that something stands in, or what it is known by.
    fn file_of(&self, memory: &Memory) -> String {
        let shared = memory.scope == self.world.scope;
        match &memory.key {
            Some(key) if shared => key.clone(),
            Some(key) => self.agents_file(key),
            None if memory.metadata.tags.iter().any(|tag| tag == DAILY) => {
                let day = memory.event_at.to_zoned(self.zone().clone()).date();
                self.agents_file(&format!("{DAILY}/{day}.md"))
            }
            None => memory.id.to_string(),
        }
    }

    /// Returns the entries of the last days, today included, the oldest first.
    async fn log(&self, days: u16) -> Result<Vec<Memory>, ToolError> {
        let Some(before) = days.checked_sub(1) else { return Ok(Vec::new()) };
        let today = self.agent.engine.now().to_zoned(self.zone().clone()).date();
        let first = today.saturating_sub(i32::from(before).days());
        // A day that the calendar does not have is before everything.
        let from = first.to_zoned(self.zone().clone()).map(|start| start.timestamp());
        let from = Some(from.unwrap_or(Timestamp::MIN));
        let time = TimeRange { from, to: None };
        let (kinds, tags) = (vec![Kind::Episode], vec![DAILY.to_owned()]);
        let mut log =
            self.agent.written(Criteria { kinds, tags, time, ..Criteria::default() }).await?;
        log.sort_by(|one, other| (one.event_at, &one.id).cmp(&(other.event_at, &other.id)));
        Ok(log)
    }

    /// Returns where days begin and end.
    fn zone(&self) -> &TimeZone {
        &self.agent.engine.config().expiry.time_zone
    }

    /// Returns the path of one of the agent's files in a workspace.
    fn agents_file(&self, name: &str) -> String {
        let identifiers = self.agent.scope.identifiers();
        match (identifiers.get(Layer::Agent), identifiers.get(Layer::User)) {
            (Some(agent), _) => format!("agents/{agent}/{name}"),
            (None, Some(user)) => format!("users/{user}/{name}"),
            (None, None) => name.to_owned(),
        }
    }
}

/// Reads a day.
fn day(said: Option<&str>) -> Result<Option<Date>, ToolError> {
    let wrong = |_| ToolError::said("a day is written as 2026-03-01");
    said.map(|said| said.trim().parse().map_err(wrong)).transpose()
}

/// Keeps something under its key in place of whatever is there, and returns it with whether
/// something was taken out.
async fn replace(writer: &Writer, draft: Draft) -> Result<(Memory, bool), ToolError> {
    let Writer { engine, caller, .. } = writer;
    let remembered = engine.remember(caller, draft.clone()).await?;
    if !remembered.existing {
        return Ok((remembered.memory, !remembered.redactions.is_empty()));
    }
    let patch = Patch {
        content: Some(draft.content),
        source: Some(draft.source),
        doubt: Doubt::Redact,
        ..Patch::default()
    };
    let updated = engine.update(caller, &remembered.memory.id, patch).await?;
    Ok((updated.memory, !updated.redactions.is_empty()))
}

/// Returns what was done, with what a model should know of it.
fn told(mut done: String, memory: &Memory, taken_out: bool) -> String {
    if taken_out {
        done.push_str(REDACTED);
    }
    if memory.state == State::Pending {
        done.push(' ');
        done.push_str(WAITS);
    }
    done
}
