use cofio::model::{Channel, Draft, Identifier, Kind, Layer, Lifetime, Source};
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
        "Record that a session was turned into facts, so that nobody processes it again.";
    const EFFECT: Effect = Effect::Adds;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let session = Some(input.session_id.as_str());
        let (scopes, scope) =
            (call.scopes(None, session)?, call.place().scope(Some(Layer::Session), session)?);
        let (engine, conversation) = (call.engine().await?, Identifier::new(&input.session_id)?);
        engine.mark_consolidated(call.caller(), &scopes, &conversation).await?;
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
        let mark = engine.remember(call.caller(), draft).await?.memory;
        Ok(Output { session_id: input.session_id, consolidated_at: mark.updated_at.to_string() })
    }
}
