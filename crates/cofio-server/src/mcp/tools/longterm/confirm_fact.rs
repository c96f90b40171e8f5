use cofio::model::{Fraction, MemoryId, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::write::{self, WAITS};

/// Protects a fact that is true.
pub(crate) struct ConfirmFact;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The fact that is true
    fact_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    fact_id: String,
    confirmed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    decay_rate: f64,
}

impl Reply for Output {
    fn text(&self) -> String {
        let id = &self.fact_id;
        if !self.confirmed {
            return format!("{id} {WAITS}.");
        }
        format!("Confirmed {id}: it is certain and does not fade.")
    }
}

impl Tool for ConfirmFact {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "confirm_fact";
    const TITLE: &'static str = "Confirm a fact";
    const DESCRIPTION: &'static str =
        "Confirm that a fact is true, so that it is certain and permanently protected from fading.";
    const EFFECT: Effect = Effect::Adds;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let id: MemoryId = input.fact_id.parse()?;
        let memory = write::confirm(call, &id, None).await?;
        Ok(Output {
            fact_id: memory.id.to_string(),
            confirmed: memory.state != State::Pending,
            confidence: memory.metadata.confidence.map(Fraction::get),
            decay_rate: memory.decay_rate,
        })
    }
}
