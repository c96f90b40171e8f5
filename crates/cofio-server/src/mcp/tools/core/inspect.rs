use cofio::engine::ListRequest;
use cofio::model::{Criteria, Kind, MemoryId, State};
use cofio::wire::MemoryEntry;
use cofio::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::names::{KindName, LayerName};
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view::{self, EntityView, MemoryView, StatsView};

/// Shows what is kept.
pub(crate) struct Inspect;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// memory and history need id, entity needs name; waiting: not yet approved
    what: What,
    id: Option<String>,
    /// A person, project, place or topic
    name: Option<String>,
    kinds: Option<Vec<KindName>>,
    layer: Option<LayerName>,
    session: Option<String>,
    /// 20 by default
    limit: Option<usize>,
    /// Where the page before ended
    cursor: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum What {
    Stats,
    List,
    Waiting,
    Memory,
    History,
    Entity,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    memories: Vec<MemoryView>,
    /// Everything about one memory, entity or the store
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schemars(default)]
    details: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Reply for Output {
    fn text(&self) -> String {
        let mut parts = Vec::new();
        if !self.details.is_empty() {
            parts.push(Value::Object(self.details.clone()).to_string());
        }
        if !self.memories.is_empty() {
            parts.push(view::lines(&self.memories));
        }
        if let Some(cursor) = &self.next_cursor {
            parts.push(format!("More with cursor {cursor}"));
        }
        if parts.is_empty() { "Nothing is there.".to_owned() } else { parts.join("\n") }
    }
}

/// How many memories are on a page if nothing is said.
const LIMIT: usize = 20;

impl Tool for Inspect {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "inspect";
    const TITLE: &'static str = "Inspect memory";
    const DESCRIPTION: &'static str = "Look into memory: statistics, list of latest memories, those waiting for approval, one memory with its source, its earlier versions, or everything about a person or thing.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let output = match input.what {
            What::Stats => stats(call).await,
            What::List => list(call, input, State::Active).await,
            What::Waiting => list(call, input, State::Pending).await,
            What::Memory => memory(call, &input).await,
            What::History => history(call, &input).await,
            What::Entity => entity(call, &input).await,
        };
        Ok(output?)
    }
}

async fn stats(call: &Call) -> Result<Output> {
    let scopes = call.scopes(None, None)?;
    let stats = call.engine().await?.stats(call.caller(), Some(&scopes)).await?;
    let stats = StatsView::from(&stats);
    Ok(Output { total: Some(stats.total), details: view::fields(&stats), ..Output::default() })
}

async fn list(call: &Call, input: Input, state: State) -> Result<Output> {
    let mut selection = call.selection(input.layer, input.session.as_deref())?;
    let kinds = input.kinds.unwrap_or_default().into_iter().map(Kind::from).collect();
    selection.criteria = Criteria { kinds, states: vec![state], ..Criteria::default() };
    let request = ListRequest {
        limit: input.limit.unwrap_or(LIMIT),
        cursor: input.cursor,
        ..ListRequest::new(selection)
    };
    let listed = call.engine().await?.list(call.caller(), &request).await?;
    Ok(Output {
        memories: listed.memories.iter().map(MemoryView::from).collect(),
        total: Some(listed.total),
        next_cursor: listed.next_cursor,
        ..Output::default()
    })
}

async fn memory(call: &Call, input: &Input) -> Result<Output> {
    let memory = call.engine().await?.get(call.caller(), &id(input)?).await?;
    let details = view::fields(&MemoryEntry::from(&memory));
    Ok(Output { details, ..Output::default() })
}

async fn history(call: &Call, input: &Input) -> Result<Output> {
    let history = call.engine().await?.history(call.caller(), &id(input)?).await?;
    let versions = history.earlier.iter().chain([&history.current]);
    let memories: Vec<_> = versions.map(MemoryView::from).collect();
    Ok(Output { total: Some(memories.len() as u64), memories, ..Output::default() })
}

async fn entity(call: &Call, input: &Input) -> Result<Output> {
    let name = input.name.as_deref().ok_or_else(|| Error::invalid("entity needs a name"))?;
    let scopes = call.scopes(input.layer, input.session.as_deref())?;
    let limit = input.limit.unwrap_or(LIMIT);
    let profiles = call.engine().await?.entity(call.caller(), &scopes, name, limit).await?;
    let memories = profiles.iter().flat_map(|profile| &profile.memories).take(limit);
    let memories = memories.map(MemoryView::from).collect();
    let entities: Vec<_> = profiles.iter().map(EntityView::from).collect();
    let details = [("entities".to_owned(), json!(entities))].into_iter().collect();
    Ok(Output { memories, details, ..Output::default() })
}

fn id(input: &Input) -> Result<MemoryId> {
    input.id.as_deref().ok_or_else(|| Error::invalid("this needs the id of a memory"))?.parse()
}
