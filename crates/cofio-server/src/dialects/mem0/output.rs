use std::collections::BTreeMap;

use cofio::engine::Remembered;
use cofio::model::{Memory, State, Timestamp};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::entity::{Entity, is_label};
use super::moment;

/// What a client hears when it asks whether anybody is there.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mem0Pong")]
pub struct Pong {
    /// That all is well: ok.
    status: &'static str,
    /// A name that clients insist on: there are no organisations of Mem0 here.
    org_id: &'static str,
    /// A name that clients insist on: there are no projects of Mem0 here.
    project_id: &'static str,
    /// Nobody's address is known.
    user_email: Option<String>,
}

impl Default for Pong {
    fn default() -> Self {
        Self { status: "ok", org_id: "cofio", project_id: "cofio", user_email: None }
    }
}

/// That something was done.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mem0Done")]
pub struct Done {
    message: String,
}

impl Done {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// What was kept.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mem0Added")]
pub struct Added {
    results: Vec<AddedMemory>,
    /// How it was kept, for people.
    message: String,
    /// It is kept when this is answered: SUCCEEDED.
    status: &'static str,
}

/// What became of one message.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mem0AddedMemory")]
pub struct AddedMemory {
    id: String,
    /// The text as it is kept.
    memory: String,
    /// ADD, or NONE where it was known already.
    event: &'static str,
    /// Where it is in its life; what is pending is not found before somebody approves it.
    state: &'static str,
}

impl Added {
    pub(super) fn new(remembered: &[Remembered], as_facts: bool, unused: &[String]) -> Self {
        let mut said = Vec::new();
        if as_facts {
            said.push("Kept as written.".to_owned());
        } else {
            said.push(
                "Kept as it was said: nothing was extracted, as there is no language model; \
                 infer=False keeps what a user says as facts."
                    .to_owned(),
            );
        }
        let waiting = remembered.iter().filter(|one| one.memory.state == State::Pending).count();
        if waiting > 0 {
            said.push(format!("Waiting for review, and not found before: {waiting}."));
        }
        if remembered.iter().any(|one| !one.redactions.is_empty()) {
            said.push("Secrets were taken out.".to_owned());
        }
        if !unused.is_empty() {
            said.push(format!("Not used here: {}.", unused.join(", ")));
        }
        Self {
            results: remembered.iter().map(AddedMemory::from).collect(),
            message: said.join(" "),
            status: "SUCCEEDED",
        }
    }
}

impl From<&Remembered> for AddedMemory {
    fn from(remembered: &Remembered) -> Self {
        let memory = &remembered.memory;
        Self {
            id: memory.id.to_string(),
            memory: memory.content.as_str().to_owned(),
            event: if remembered.existing { "NONE" } else { "ADD" },
            state: memory.state.as_str(),
        }
    }
}

/// A memory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mem0Memory {
    id: String,
    /// The text.
    memory: String,
    user_id: Option<String>,
    agent_id: Option<String>,
    app_id: Option<String>,
    run_id: Option<String>,
    /// Is another if the text is.
    hash: String,
    /// Fields of your own.
    metadata: Option<Map<String, Value>>,
    /// Its tags, if it has any; nothing assigns them by itself.
    categories: Option<Vec<String>>,
    created_at: String,
    updated_at: String,
    /// The last day on which it is remembered.
    expiration_date: Option<String>,
    /// How well it answers a question, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
}

impl Mem0Memory {
    pub(super) fn new(memory: &Memory, score: Option<f64>, zone: &TimeZone) -> Self {
        let name = |entity: Entity| entity.of(memory).map(ToOwned::to_owned);
        Self {
            id: memory.id.to_string(),
            memory: memory.content.as_str().to_owned(),
            user_id: name(Entity::User),
            agent_id: name(Entity::Agent),
            app_id: name(Entity::App),
            run_id: name(Entity::Run),
            hash: hash(memory.content.as_str()),
            metadata: fields(memory),
            categories: tags(memory),
            created_at: memory.created_at.to_string(),
            updated_at: memory.updated_at.to_string(),
            expiration_date: memory.expires_at.map(|end| moment::last_day(end, zone)),
            score,
        }
    }

    /// Returns the fields that are wanted, and always the id.
    fn only(&self, wanted: Option<&[String]>) -> Map<String, Value> {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(self) else {
            return Map::new();
        };
        if let Some(wanted) = wanted {
            fields.retain(|name, _| name == "id" || wanted.contains(name));
        }
        fields
    }
}

/// As long as the hashes of Mem0 are.
fn hash(text: &str) -> String {
    use std::fmt::Write as _;
    Sha256::digest(text)[..16].iter().fold(String::new(), |mut hash, byte| {
        write!(hash, "{byte:02x}").expect("a string takes any text");
        hash
    })
}

fn fields(memory: &Memory) -> Option<Map<String, Value>> {
    let custom = memory.metadata.custom.iter().filter(|(name, _)| !is_label(name));
    let custom: Map<_, _> = custom.map(|(name, value)| (name.clone(), value.clone())).collect();
    (!custom.is_empty()).then_some(custom)
}

fn tags(memory: &Memory) -> Option<Vec<String>> {
    let tags = &memory.metadata.tags;
    (!tags.is_empty()).then(|| tags.clone())
}

/// Memories that were found.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mem0Results")]
pub struct Results {
    /// The best first.
    #[schemars(with = "Vec<Mem0Memory>")]
    results: Vec<Map<String, Value>>,
}

impl Results {
    pub(super) fn new(
        memories: impl Iterator<Item = Mem0Memory>,
        wanted: Option<&[String]>,
    ) -> Self {
        Self { results: memories.map(|memory| memory.only(wanted)).collect() }
    }

    /// Returns how many there are.
    pub fn count(&self) -> usize {
        self.results.len()
    }
}

/// One page of memories.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Mem0Page {
    /// How many there are in all.
    count: u64,
    /// Where the next page is, if there is one.
    next: Option<String>,
    /// Where the page before is, if there is one.
    previous: Option<String>,
    /// The newest first.
    #[schemars(with = "Vec<Mem0Memory>")]
    results: Vec<Map<String, Value>>,
}

impl Mem0Page {
    pub(super) fn new(
        page: usize,
        size: usize,
        count: u64,
        memories: impl Iterator<Item = Mem0Memory>,
        wanted: Option<&[String]>,
    ) -> Self {
        let place = |page: usize| format!("/v3/memories/?page={page}&page_size={size}");
        let more = (page as u64).saturating_mul(size as u64) < count;
        Self {
            count,
            next: more.then(|| place(page + 1)),
            previous: (page > 1).then(|| place(page - 1)),
            results: memories.map(|memory| memory.only(wanted)).collect(),
        }
    }
}

/// What happened to a memory.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mem0HistoryEntry")]
pub struct HistoryEntry {
    id: String,
    memory_id: String,
    /// The messages that it was made of are not kept beside it.
    input: Vec<Value>,
    old_memory: Option<String>,
    new_memory: String,
    user_id: Option<String>,
    /// ADD for the first, and UPDATE for every other; what is forgotten has no history.
    event: &'static str,
    metadata: Option<Map<String, Value>>,
    categories: Option<Vec<String>>,
    created_at: String,
    updated_at: String,
}

impl HistoryEntry {
    pub(super) fn of(versions: &[&Memory]) -> Vec<Self> {
        let before = std::iter::once(None).chain(versions.iter().map(Some));
        let one = |(old, memory): (Option<&&Memory>, &&Memory)| Self {
            id: format!("{}.{}", memory.id, memory.version),
            memory_id: memory.id.to_string(),
            input: Vec::new(),
            old_memory: old.map(|old| old.content.as_str().to_owned()),
            new_memory: memory.content.as_str().to_owned(),
            user_id: Entity::User.of(memory).map(ToOwned::to_owned),
            event: if old.is_none() { "ADD" } else { "UPDATE" },
            metadata: fields(memory),
            categories: tags(memory),
            created_at: memory.created_at.to_string(),
            updated_at: memory.updated_at.to_string(),
        };
        before.zip(versions).map(one).collect()
    }
}

/// For whom there are memories.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mem0Entities")]
pub struct Entities {
    count: usize,
    next: Option<String>,
    previous: Option<String>,
    results: Vec<EntityEntry>,
}

/// Somebody for whom there are memories.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mem0Entity")]
pub struct EntityEntry {
    id: String,
    name: String,
    /// What it is: user, agent, app or run.
    #[serde(rename = "type")]
    kind: &'static str,
    /// How many memories are its own, in use.
    total_memories: u64,
    /// When the last one was kept.
    updated_at: Option<String>,
}

impl Entities {
    pub(super) fn new(counts: BTreeMap<(Entity, String), (u64, Option<Timestamp>)>) -> Self {
        let entry = |((entity, name), (total_memories, latest)): (
            (Entity, String),
            (u64, Option<Timestamp>),
        )| EntityEntry {
            id: name.clone(),
            name,
            kind: entity.as_str(),
            total_memories,
            updated_at: latest.map(|latest| latest.to_string()),
        };
        let results: Vec<EntityEntry> = counts.into_iter().map(entry).collect();
        Self { count: results.len(), next: None, previous: None, results }
    }
}
