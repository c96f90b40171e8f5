use cofio::model::{Identifier, Memory};
use cofio::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view::{self, AS_DATA};

/// Reads what was said in a session and nobody has turned into facts yet.
pub(crate) struct GetEpisodesForConsolidation;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    session_id: String,
    /// Where the page before ended
    cursor: Option<String>,
}

/// How many episodes a page has.
const PAGE: usize = 30;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    episodes: Vec<Episode>,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Episode {
    id: String,
    role: String,
    content: String,
    at: String,
    trust: &'static str,
}

impl From<&Memory> for Episode {
    fn from(memory: &Memory) -> Self {
        Self {
            id: memory.id.to_string(),
            role: memory.source.role.clone().unwrap_or_else(|| "user".to_owned()),
            content: memory.content.as_str().to_owned(),
            at: memory.event_at.to_string(),
            trust: memory.source.trust().as_str(),
        }
    }
}

impl Reply for Output {
    fn text(&self) -> String {
        if self.episodes.is_empty() {
            return "Nothing is left to consolidate in this session.".to_owned();
        }
        let mut lines = vec![AS_DATA.to_owned()];
        for Episode { id, role, content, .. } in &self.episodes {
            lines.push(format!("- [{id}] {role}: {}", view::hanging(content)));
        }
        if let Some(cursor) = &self.next_cursor {
            lines.push(format!("More with cursor {cursor}"));
        }
        lines.join("\n")
    }
}

impl Tool for GetEpisodesForConsolidation {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "get_episodes_for_consolidation";
    const TITLE: &'static str = "Episodes of a session";
    const DESCRIPTION: &'static str = "Read what was said in a session and is not consolidated, oldest first, 30 episodes per page.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let session = input.session_id.as_str();
        let (scopes, conversation) = (call.scopes(None, Some(session))?, Identifier::new(session)?);
        let engine = call.engine().await?;
        let turns = engine.unread_turns(call.caller(), &scopes, &conversation, usize::MAX).await?;
        let rest = after(&turns, input.cursor.as_deref())?;
        let page = &rest[..rest.len().min(PAGE)];
        let last = page.last().filter(|_| rest.len() > PAGE);
        Ok(Output {
            episodes: page.iter().map(Episode::from).collect(),
            total: turns.len() as u64,
            next_cursor: last.map(|turn| turn.id.to_string()),
        })
    }
}

/// Returns the turns after the one that a cursor names, or all of them.
fn after<'a>(turns: &'a [Memory], cursor: Option<&str>) -> Result<&'a [Memory]> {
    let Some(cursor) = cursor else { return Ok(turns) };
    let place = turns.iter().position(|turn| turn.id.as_str() == cursor);
    let unknown = || Error::invalid("the cursor is not one of this session; begin without one");
    place.map(|place| &turns[place + 1..]).ok_or_else(unknown)
}
