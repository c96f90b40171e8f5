use cofio::model::{Draft, Kind, Metadata, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::source::SourceName;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::write::{self, WAITS};

/// Keeps a fact.
pub(crate) struct RememberFact;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The fact, one self-contained statement
    content: String,
    /// Labels to find it by
    tags: Option<Vec<String>>,
    /// The session it was learnt in
    session_id: Option<String>,
    /// Where it comes from, if not from the user
    source: Option<SourceName>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    fact_id: String,
    /// remembered, known or waiting
    status: &'static str,
}

impl Reply for Output {
    fn text(&self) -> String {
        let id = &self.fact_id;
        match self.status {
            "waiting" => format!("{id} {WAITS}."),
            "known" => format!("Known already: {id}."),
            _ => format!("Remembered {id}."),
        }
    }
}

impl Tool for RememberFact {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "remember_fact";
    const TITLE: &'static str = "Remember a fact";
    const DESCRIPTION: &'static str = "Explicitly save a fact to long-term memory: a preference, a decision, something about a person or project. Never passwords or keys.";
    const EFFECT: Effect = Effect::Adds;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let session = input.session_id.as_deref();
        let source = call.source(input.source, &input.content, session)?;
        let metadata = Metadata { tags: input.tags.unwrap_or_default(), ..Metadata::default() };
        let scope = call.scope(None, None)?;
        let draft = Draft { metadata, ..Draft::new(scope, Kind::Fact, input.content, source) };
        let remembered = write::remember(call, draft).await?;
        Ok(Output {
            fact_id: remembered.memory.id.to_string(),
            status: match remembered.memory.state {
                State::Pending => "waiting",
                _ if remembered.existing => "known",
                _ => "remembered",
            },
        })
    }
}
