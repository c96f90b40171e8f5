use cofio::model::{Draft, Kind, Lifetime, Metadata, State};
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{kind, memory_type};
use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view;
use crate::mcp::write::{self, WAITS};

/// Keeps a memory.
pub(crate) struct StoreMemory;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// What to remember
    content: String,
    /// "conversation" (30d), "fact" (permanent), or "context" (today)
    #[serde(default = "fact")]
    memory_type: String,
    /// Optional key-value pairs
    metadata: Option<Map<String, Value>>,
}

fn fact() -> String {
    "fact".to_owned()
}

/// How long a conversation is remembered.
const CONVERSATION: Lifetime = Lifetime::For(SignedDuration::from_hours(30 * 24));

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    id: String,
    content: String,
    #[serde(rename = "type")]
    memory_type: &'static str,
    created_at: String,
    /// What the user should know
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Reply for Output {
    fn text(&self) -> String {
        view::json(self)
    }
}

impl Tool for StoreMemory {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "store_memory";
    const TITLE: &'static str = "Store a memory";
    const DESCRIPTION: &'static str = "Store a new memory. Returns the stored memory.";
    const EFFECT: Effect = Effect::Adds;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let kind = kind(&input.memory_type)?;
        let source = call.source(None, &input.content, None)?;
        let custom = input.metadata.unwrap_or_default();
        let draft = Draft {
            metadata: Metadata { custom, ..Metadata::default() },
            lifetime: if kind == Kind::Episode { CONVERSATION } else { Lifetime::ByKind },
            ..Draft::new(call.scope(None, None)?, kind, input.content, source)
        };
        let memory = write::remember(call, draft).await?.memory;
        Ok(Output {
            id: memory.id.to_string(),
            content: memory.content.as_str().to_owned(),
            memory_type: memory_type(memory.kind),
            created_at: memory.created_at.to_string(),
            note: (memory.state == State::Pending).then(|| format!("it {WAITS}")),
        })
    }
}
