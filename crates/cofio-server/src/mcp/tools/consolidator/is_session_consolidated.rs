use cofio::engine::ListRequest;
use cofio::model::{Criteria, Identifier, Kind, Layer};
use cofio::{ErrorKind, Result};
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
            None if self.consolidated => {
                "The session is consolidated: nothing is left to do.".to_owned()
            }
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
        let session = input.session_id.as_str();
        let (scopes, conversation) = (call.scopes(None, Some(session))?, Identifier::new(session)?);
        let unread =
            call.engine().await?.unread_turns(call.caller(), &scopes, &conversation, 1).await?;
        if !unread.is_empty() {
            return Ok(Output { consolidated: false, consolidated_at: None });
        }
        let consolidated_at = marked_at(call, session).await?;
        let consolidated = consolidated_at.is_some() || has_turns(call, session).await?;
        Ok(Output { consolidated, consolidated_at })
    }
}

/// Returns when a model said that a session is consolidated.
async fn marked_at(call: &Call, session: &str) -> Result<Option<String>> {
    let selection = call.place().selection(Some(Layer::Session), Some(session))?;
    match call.engine().await?.get_context(call.caller(), selection, MARK).await {
        Ok(mark) => Ok(Some(mark.updated_at.to_string())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns whether anything was said in a session.
async fn has_turns(call: &Call, session: &str) -> Result<bool> {
    let mut selection = call.selection(None, Some(session))?;
    selection.criteria = Criteria {
        kinds: vec![Kind::Episode],
        origin: Some(session.to_owned()),
        ..Criteria::default()
    };
    let request = ListRequest { limit: 1, ..ListRequest::new(selection) };
    Ok(call.engine().await?.list(call.caller(), &request).await?.total > 0)
}
