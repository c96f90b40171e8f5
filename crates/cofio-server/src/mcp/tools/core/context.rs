use cofio::engine::ContextRequest;
use cofio::model::Identifier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::notes::Act;

/// Writes a block for a prompt.
pub(crate) struct Context;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The task or question at hand
    prompt: String,
    /// The conversation's id, whose own memories are left out
    session: Option<String>,
    /// How long at most; 2000 by default
    tokens: Option<usize>,
    /// How many past events too; none by default
    episodes: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    markdown: String,
    /// Ids of the memories in it
    memories: Vec<String>,
}

impl Reply for Output {
    fn text(&self) -> String {
        if self.memories.is_empty() {
            return "Nothing is remembered that helps with this.".to_owned();
        }
        self.markdown.clone()
    }
}

/// How many tokens a block has if nothing is said.
const TOKENS: usize = 2_000;

impl Tool for Context {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "context";
    const TITLE: &'static str = "Context for a task";
    const DESCRIPTION: &'static str = "Get a briefing from memory at the start of a task: the user's profile, relevant facts, the latest reflection, as markdown.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let session = input.session.as_deref();
        let request = ContextRequest {
            tokens: input.tokens.unwrap_or(TOKENS),
            episodes: input.episodes.unwrap_or(0),
            session: session.map(Identifier::new).transpose()?,
            ..ContextRequest::new(call.selection(None, session)?, input.prompt)
        };
        call.notes.begins(Act::Search);
        let block = call.engine().await?.context(call.caller(), &request).await?;
        call.notes.of(block.memories.len());
        Ok(Output {
            markdown: block.markdown(),
            memories: block.memories.iter().map(ToString::to_string).collect(),
        })
    }
}
