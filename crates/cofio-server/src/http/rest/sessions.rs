//! Conversations: their windows, and values by key.

mod clear;
mod get_value;
mod list;
mod push;
mod set_value;
mod window;

use cofio::engine::Turn;
use cofio::model::Scope;
use cofio::wire::{ScopeOutput, TurnOutput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Names;
use crate::http::openapi::Entry;
use crate::http::visit::Visit;

/// Every endpoint, in the order of the documentation.
pub(super) const ENDPOINTS: &[Entry] = &[
    Entry::of::<list::Sessions>(),
    Entry::of::<window::Window>(),
    Entry::of::<push::Push>(),
    Entry::of::<clear::Clear>(),
    Entry::of::<set_value::SetValue>(),
    Entry::of::<get_value::GetValue>(),
];

/// The name of a conversation in a path.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct BySession {
    /// The conversation.
    session_id: String,
}

/// Whose conversation it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfUser {
    /// The user, as far as the key is not bound to one.
    user_id: Option<String>,
}

/// A key in a path.
#[derive(Debug, Deserialize, JsonSchema)]
struct ByKey {
    /// The key.
    key: String,
}

/// The turns of a conversation.
#[derive(Debug, Serialize, JsonSchema)]
struct WindowOutput {
    /// The last turns, the oldest first.
    turns: Vec<TurnOutput>,
    #[serde(flatten)]
    scope: ScopeOutput,
}

impl BySession {
    /// Returns the scope of the conversation.
    fn scope(self, user: OfUser, visit: &Visit) -> cofio::Result<Scope> {
        let session_id = Some(self.session_id);
        visit.scope("session", &Names { session_id, user_id: user.user_id, ..Names::default() })
    }
}

impl WindowOutput {
    fn new(turns: &[Turn], session: &Scope) -> Self {
        let turns = turns.iter().map(TurnOutput::from).collect();
        Self { turns, scope: ScopeOutput::from(session) }
    }
}
