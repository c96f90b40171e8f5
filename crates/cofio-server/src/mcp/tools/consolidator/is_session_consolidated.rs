use cofio::ErrorKind;
use cofio::model::Layer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MARK;
use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};

/// Tells whether a session was consolidated before.
pub(crate) struct IsSessionConsolidated;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    session_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    consolidated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    consolidated_at: Option<String>,
}

impl Reply for Output {
    fn text(&self) -> String {
        match &self.consolidated_at {
            Some(at) => format!("The session was consolidated at {at}: nothing is left to do."),
            None => "The session is not consolidated yet.".to_owned(),
        }
    }
}

impl Tool for IsSessionConsolidated {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "is_session_consolidated";
    const TITLE: &'static str = "Is the session consolidated?";
    const DESCRIPTION: &'static str =
        "Check whether a session was turned into facts already, before processing it.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let selection = call.place().selection(Some(Layer::Session), Some(&input.session_id))?;
        let mark = call.engine().await?.get_context(call.caller(), selection, MARK).await;
        match mark {
            Ok(mark) => Ok(Output {
                consolidated: true,
                consolidated_at: Some(mark.updated_at.to_string()),
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Output { consolidated: false, consolidated_at: None })
            }
            Err(error) => Err(error.into()),
        }
    }
}
