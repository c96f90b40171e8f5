use cofio::model::{Channel, Draft, Kind, Layer, Lifetime, Source};
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MARK;
use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};

/// Puts on record that a session is consolidated.
pub(crate) struct MarkSessionConsolidated;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    session_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    session_id: String,
    consolidated_at: String,
}

impl Reply for Output {
    fn text(&self) -> String {
        format!("The session {} is consolidated.", self.session_id)
    }
}

/// How long it is known: as long as an episode may live, after which there is nothing to consolidate.
const KNOWN: Lifetime = Lifetime::For(SignedDuration::from_hours(365 * 24));

impl Tool for MarkSessionConsolidated {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "mark_session_consolidated";
    const TITLE: &'static str = "Mark the session consolidated";
    const DESCRIPTION: &'static str =
        "Record that a session was turned into facts, so that it is not processed again.";
    const EFFECT: Effect = Effect::Adds;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let scope = call.place().scope(Some(Layer::Session), Some(&input.session_id))?;
        let draft = Draft {
            key: Some(MARK.to_owned()),
            lifetime: KNOWN,
            ..Draft::new(
                scope,
                Kind::Context,
                "This session was consolidated.",
                Source::through(Channel::Inference),
            )
        };
        let mark = call.engine().await?.remember(call.caller(), draft).await?.memory;
        Ok(Output { session_id: input.session_id, consolidated_at: mark.updated_at.to_string() })
    }
}
