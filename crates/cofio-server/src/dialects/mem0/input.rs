use cofio::model::{Channel, Doubt, MemoryId, MetadataPatch, Patch};
use cofio::{Error, ErrorKind, Result};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::condition::Condition;
use super::entity::Entity;
use super::home::check_fields;
use crate::source;

/// What may be said with an addition and changes nothing here.
pub(super) const ADD_UNUSED: &[&str] = &[
    "agent_custom_instructions",
    "async_mode",
    "custom_categories",
    "custom_instructions",
    "enable_graph",
    "excludes",
    "immutable",
    "includes",
    "output_format",
    "structured_data_schema",
    "version",
];

/// What may be said with a search and changes nothing here.
pub(super) const SEARCH_UNUSED: &[&str] =
    &["enable_graph", "keyword_search", "latest_only", "output_format", "rerank", "version"];

/// What may be said with a list and changes nothing here.
pub(super) const LIST_UNUSED: &[&str] =
    &["enable_graph", "latest_only", "output_format", "version"];

/// Whose memories are meant.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0Names")]
pub struct Named {
    /// A user.
    pub user_id: Option<String>,
    /// An agent of the user.
    pub agent_id: Option<String>,
    /// An application, which is a project here.
    pub app_id: Option<String>,
    /// A run, which is a session of the user here.
    pub run_id: Option<String>,
}

impl Named {
    /// Returns those who are named.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Entity, &str)> {
        Entity::ALL.into_iter().filter_map(|entity| {
            let name = match entity {
                Entity::User => &self.user_id,
                Entity::Agent => &self.agent_id,
                Entity::App => &self.app_id,
                Entity::Run => &self.run_id,
            };
            Some((entity, name.as_deref()?))
        })
    }

    fn slot(&mut self, entity: Entity) -> &mut Option<String> {
        match entity {
            Entity::User => &mut self.user_id,
            Entity::Agent => &mut self.agent_id,
            Entity::App => &mut self.app_id,
            Entity::Run => &mut self.run_id,
        }
    }
}

/// A user, agent, app or run in a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct EntityName {
    /// What it is: user, agent, app or run.
    pub entity_type: String,
    /// Its name.
    pub entity_id: String,
}

impl EntityName {
    pub(super) fn named(&self) -> Result<Named> {
        let known = Entity::ALL.into_iter().find(|entity| entity.as_str() == self.entity_type);
        let unknown = || Error::invalid("the type of an entity is user, agent, app or run");
        let mut named = Named::default();
        *named.slot(known.ok_or_else(unknown)?) = Some(self.entity_id.clone());
        Ok(named)
    }
}

/// Messages to keep.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0Add")]
pub struct Add {
    /// What was said; messages of the system are left out.
    pub messages: Vec<Message>,
    /// Whose they are.
    #[serde(flatten)]
    pub named: Named,
    /// The same, where it is not said above.
    pub filters: Option<Map<String, Value>>,
    /// Fields of your own.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// False keeps what the user says as facts. Otherwise messages are kept as what was said: there
    /// is no language model that extracts anything.
    pub infer: Option<bool>,
    /// When it was said, in seconds since 1970.
    pub timestamp: Option<i64>,
    /// The last day on which they are remembered, such as 2026-01-31.
    pub expiration_date: Option<String>,
    /// Names that Mem0 knows and that change nothing here.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A message of a conversation.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0Message")]
pub struct Message {
    /// Who speaks: user, assistant, tool or system.
    pub role: String,
    /// A text, or a list of parts that are texts.
    pub content: Value,
    /// The name of the speaker.
    pub name: Option<String>,
}

/// What to look for.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0Search")]
pub struct Search {
    /// The question.
    pub query: String,
    /// What must hold of memories: names of users, agents, apps and runs, times, metadata, put
    /// together by AND, OR and NOT. Without a user, the key's is meant.
    pub filters: Option<Map<String, Value>>,
    /// How many at most; 10 if nothing is said.
    pub top_k: Option<usize>,
    /// The least score, from 0 to 1.
    pub threshold: Option<f64>,
    /// The fields to answer; all of them, if nothing is said.
    pub fields: Option<Vec<String>>,
    /// Labels of which they have at least one.
    pub categories: Option<Vec<String>>,
    /// Fields of your own that they have.
    pub metadata: Option<Map<String, Value>>,
    /// The day from which "yesterday" is meant, or seconds since 1970.
    pub reference_date: Option<Value>,
    /// What has ended is not there, so that only false is taken.
    pub show_expired: Option<bool>,
    /// Names that Mem0 knows and that change nothing here.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// What to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0List")]
pub struct List {
    /// What must hold of memories, as in a search.
    pub filters: Option<Map<String, Value>>,
    /// The fields to answer; all of them, if nothing is said.
    pub fields: Option<Vec<String>>,
    /// Labels of which they have at least one.
    pub categories: Option<Vec<String>>,
    /// They were kept at this time or later.
    pub start_date: Option<Value>,
    /// They were kept at this time or earlier.
    pub end_date: Option<Value>,
    /// What has ended is not there, so that only false is taken.
    pub show_expired: Option<bool>,
    /// Names that Mem0 knows and that change nothing here.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// What to change in a memory; what is not named stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0Update")]
pub struct Update {
    /// The new text.
    pub text: Option<String>,
    /// Fields of your own to set; null removes one.
    pub metadata: Option<Map<String, Value>>,
    /// Names that Mem0 knows and that cannot be changed here: timestamp and `expiration_date`.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// Several changes.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0BatchUpdate")]
pub struct BatchUpdate {
    /// The memories, each with what to change in it.
    pub memories: Vec<OneUpdate>,
}

/// One of several changes.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0OneUpdate")]
pub struct OneUpdate {
    /// The id of the memory.
    pub memory_id: String,
    /// What to change.
    #[serde(flatten)]
    pub update: Update,
}

/// Several memories to forget.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0BatchDelete")]
pub struct BatchDelete {
    /// The memories.
    pub memories: Vec<OneDelete>,
}

/// One of several memories to forget.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Mem0OneDelete")]
pub struct OneDelete {
    /// The id of the memory.
    pub memory_id: String,
}

impl Add {
    /// Returns whose the messages are, wherever it is said.
    pub(super) fn named(&self) -> Result<Named> {
        let mut named = self.named.clone();
        for (field, value) in self.filters.iter().flatten() {
            let entity = Entity::ALL.into_iter().find(|entity| entity.field() == field);
            let (Some(entity), Value::String(name)) = (entity, value) else {
                return Err(Error::invalid(
                    "filters of an addition name user_id, agent_id, app_id or run_id",
                ));
            };
            let slot = named.slot(entity);
            if slot.as_ref().is_some_and(|said| said != name) {
                let message = format!("{field} is said twice, and differently");
                return Err(Error::invalid(message));
            }
            *slot = Some(name.clone());
        }
        Ok(named)
    }
}

impl Message {
    /// Returns the text.
    pub(super) fn text(&self) -> Result<String> {
        match &self.content {
            Value::String(text) => Ok(text.clone()),
            Value::Array(parts) => {
                let texts: Option<Vec<&str>> = parts.iter().map(part).collect();
                texts.map(|texts| texts.join("\n")).ok_or_else(only_text)
            }
            _ => Err(only_text()),
        }
    }
}

fn part(part: &Value) -> Option<&str> {
    let is_text = part.get("type").is_none_or(|kind| kind == "text");
    part.get("text").filter(|_| is_text)?.as_str()
}

fn only_text() -> Error {
    let message = "only text is kept: the content of a message is a text, or parts of type text";
    Error::new(ErrorKind::Unsupported, message)
}

impl Search {
    pub(super) fn condition(&self, zone: &TimeZone) -> Result<Condition> {
        let condition = condition(self.filters.as_ref(), self.categories.as_deref(), zone)?;
        let Some(metadata) = &self.metadata else { return Ok(condition) };
        Ok(condition.and(Condition::read(&fields([("metadata", json!(metadata))]), zone)?))
    }
}

impl List {
    pub(super) fn condition(&self, zone: &TimeZone) -> Result<Condition> {
        let mut all = condition(self.filters.as_ref(), self.categories.as_deref(), zone)?;
        for (operator, date) in [("gte", &self.start_date), ("lte", &self.end_date)] {
            if let Some(date) = date {
                let kept = fields([("created_at", json!({ operator: date }))]);
                all = all.and(Condition::read(&kept, zone)?);
            }
        }
        Ok(all)
    }
}

fn condition(
    filters: Option<&Map<String, Value>>,
    categories: Option<&[String]>,
    zone: &TimeZone,
) -> Result<Condition> {
    let condition = Condition::read(filters.unwrap_or(&Map::new()), zone)?;
    let Some(categories) = categories else { return Ok(condition) };
    let labelled = fields([("categories", json!({ "in": categories }))]);
    Ok(condition.and(Condition::read(&labelled, zone)?))
}

fn fields<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl Update {
    /// Returns the change, under the rules of every other.
    pub(super) fn patch(self) -> Result<Patch> {
        if let Some(name) = self.others.keys().next() {
            return Err(unchangeable(name));
        }
        let metadata = self.metadata.unwrap_or_default();
        check_fields(&metadata)?;
        if self.text.is_none() && metadata.is_empty() {
            return Err(Error::invalid("there is nothing to change: give text or metadata"));
        }
        let source = self.text.as_deref().map(|text| source::through(Channel::ExplicitSave, text));
        Ok(Patch {
            source,
            content: self.text,
            metadata: MetadataPatch { custom: metadata, ..MetadataPatch::default() },
            // Nobody can be asked what may be a secret.
            doubt: Doubt::Redact,
            ..Patch::default()
        })
    }
}

fn unchangeable(name: &str) -> Error {
    if ["timestamp", "expiration_date"].contains(&name) {
        let message = format!("{name} is said when a memory is added, and not changed afterwards");
        return Error::new(ErrorKind::Unsupported, message);
    }
    unknown(name)
}

impl BatchUpdate {
    /// Returns the changes, each with the memory it is made to.
    pub(super) fn patches(self) -> impl Iterator<Item = Result<(MemoryId, Patch)>> {
        self.memories.into_iter().map(|one| Ok((one.memory_id.parse()?, one.update.patch()?)))
    }
}

impl BatchDelete {
    /// Returns the memories.
    pub(super) fn ids(&self) -> impl Iterator<Item = Result<MemoryId>> {
        self.memories.iter().map(|one| one.memory_id.parse())
    }
}

/// Returns the names that change nothing; one that means nothing to Mem0 either is refused.
pub(super) fn unused(others: &Map<String, Value>, known: &[&str]) -> Result<Vec<String>> {
    let name = |name: &String| {
        if known.contains(&name.as_str()) {
            return Ok(name.clone());
        }
        match Entity::ALL.iter().find(|entity| entity.field() == name) {
            Some(_) => Err(Error::invalid(format!("{name} belongs into filters"))),
            None => Err(unknown(name)),
        }
    };
    others.keys().map(name).collect()
}

fn unknown(name: &str) -> Error {
    let shown: String = name.chars().take(40).collect();
    Error::invalid(format!("unknown parameter {shown:?}"))
}

/// Refuses to show what has ended.
pub(super) fn no_ended(show_expired: Option<bool>) -> Result<()> {
    if show_expired != Some(true) {
        return Ok(());
    }
    let message = "what has ended is not shown: show_expired can only be false";
    Err(Error::new(ErrorKind::Unsupported, message))
}
