use cofio::model::{Correction, MemoryId, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::source::SourceName;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::write::{self, WAITS};

/// Puts the truth in the place of a fact that is wrong.
pub(crate) struct CorrectFact;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The fact that is wrong
    fact_id: String,
    /// What is true instead
    new_content: String,
    /// Where that comes from, if not from the user
    source: Option<SourceName>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    old_fact_id: String,
    new_fact_id: String,
    /// Whether the new one waits for the user's approval
    waiting: bool,
}

impl Reply for Output {
    fn text(&self) -> String {
        let Self { old_fact_id: old, new_fact_id: new, waiting } = self;
        if *waiting {
            return format!("{new} is in the place of {old}, but {WAITS}.");
        }
        format!("{new} is in the place of {old} now.")
    }
}

impl Tool for CorrectFact {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "correct_fact";
    const TITLE: &'static str = "Correct a fact";
    const DESCRIPTION: &'static str = "Correct a fact that is wrong or outdated: the old one is no longer recalled but kept as history, and a replacement linked to it is created.";
    const EFFECT: Effect = Effect::Changes;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let id: MemoryId = input.fact_id.parse()?;
        let source = call.source(input.source, &input.new_content, None)?;
        let correction = Correction::new(input.new_content, source);
        let corrected = write::correct(call, &id, correction).await?;
        Ok(Output {
            old_fact_id: corrected.replaced.id.to_string(),
            new_fact_id: corrected.memory.id.to_string(),
            waiting: corrected.memory.state == State::Pending,
        })
    }
}
