use cofio::model::{Correction, MemoryId, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::source::SourceName;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::when;
use crate::mcp::write::{self, WAITS};

/// Confirms a memory, or puts the truth in its place.
pub(crate) struct Revise;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The memory, found by search
    id: String,
    /// What is true instead; without it the memory is confirmed
    correction: Option<String>,
    /// Since when, if the old one was true before
    since: Option<String>,
    /// Where it is from, if not the user
    source: Option<SourceName>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    id: String,
    /// confirmed, corrected or waiting
    status: &'static str,
    content: String,
    /// The memory that was replaced
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced: Option<String>,
}

impl Reply for Output {
    fn text(&self) -> String {
        let id = &self.id;
        match (&self.replaced, self.status) {
            (_, "waiting") => format!("{id} {WAITS}."),
            (Some(replaced), _) => format!("Corrected: {id} is in the place of {replaced} now."),
            (None, _) => format!("Confirmed {id}: it is certain and does not fade."),
        }
    }
}

impl Tool for Revise {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "revise";
    const TITLE: &'static str = "Confirm or correct";
    const DESCRIPTION: &'static str = "Confirm a memory that is still true, so that it never fades, or correct one that is wrong or outdated: the old one is kept as history.";
    const EFFECT: Effect = Effect::Changes;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let id: MemoryId = input.id.parse()?;
        match input.correction {
            Some(text) => {
                let zone = &call.engine().await?.config().expiry.time_zone;
                let since = when::beginning(input.since.as_deref(), zone)?;
                let source = call.source(input.source, &text, None)?;
                correct(call, &id, Correction { since, ..Correction::new(text, source) }).await
            }
            None => confirm(call, &id, input.source).await,
        }
    }
}

async fn confirm(call: &Call, id: &MemoryId, said: Option<SourceName>) -> Outcome<Output> {
    let memory = write::confirm(call, id, said).await?;
    Ok(Output {
        id: memory.id.to_string(),
        status: if memory.state == State::Pending { "waiting" } else { "confirmed" },
        content: memory.content.as_str().to_owned(),
        replaced: None,
    })
}

async fn correct(call: &Call, id: &MemoryId, correction: Correction) -> Outcome<Output> {
    let corrected = write::correct(call, id, correction).await?;
    let memory = corrected.memory;
    Ok(Output {
        id: memory.id.to_string(),
        status: if memory.state == State::Pending { "waiting" } else { "corrected" },
        content: memory.content.as_str().to_owned(),
        replaced: Some(corrected.replaced.id.to_string()),
    })
}
