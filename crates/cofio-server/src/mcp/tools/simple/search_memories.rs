use cofio::Query;
use cofio::retrieval::Hit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{KINDS, kind, memory_type};
use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view;
use crate::notes::Act;

/// Finds memories by what they mean.
pub(crate) struct SearchMemories;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// What to search for
    query: String,
    /// Optional filter: "conversation", "fact" or "context"
    memory_type: Option<String>,
    /// Max results to return
    #[serde(default = "five")]
    limit: usize,
}

fn five() -> usize {
    5
}

/// The least cosine of a memory whose meaning is known.
const LEAST_SCORE: f64 = 0.3;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    result: Vec<Found>,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    /// For `forget_memory`
    id: String,
    content: String,
    #[serde(rename = "type")]
    memory_type: &'static str,
    score: f64,
    created_at: String,
    metadata: Map<String, Value>,
}

impl From<&Hit> for Found {
    fn from(hit: &Hit) -> Self {
        let memory = &hit.memory;
        Self {
            id: memory.id.to_string(),
            content: memory.content.as_str().to_owned(),
            memory_type: memory_type(memory.kind),
            score: hit.score,
            created_at: memory.created_at.to_string(),
            metadata: memory.metadata.custom.clone(),
        }
    }
}

impl Reply for Output {
    fn text(&self) -> String {
        view::json(&self.result)
    }
}

impl Tool for SearchMemories {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "search_memories";
    const TITLE: &'static str = "Search memories";
    const DESCRIPTION: &'static str =
        "Search memories semantically. Returns matching memories with relevance scores.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let mut selection = call.selection(None, None)?;
        selection.criteria.kinds = match input.memory_type.as_deref() {
            Some(wanted) => vec![kind(wanted)?],
            None => KINDS.to_vec(),
        };
        let query = Query {
            limit: input.limit,
            threshold: Some(LEAST_SCORE),
            ..Query::new(selection, input.query)
        };
        call.notes.begins(Act::Search);
        let answer = call.engine().await?.search(call.caller(), &query).await?;
        call.notes.found(answer.hits.len());
        Ok(Output { result: answer.hits.iter().map(Found::from).collect() })
    }
}
