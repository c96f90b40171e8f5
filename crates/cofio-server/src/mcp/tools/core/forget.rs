use cofio::model::MemoryId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::notes::Act;

/// Forgets memories by their ids.
pub(crate) struct Forget;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Ids of the memories, found by search
    ids: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    forgotten: Vec<String>,
    /// Not there, or not the user's
    missing: Vec<String>,
    /// How many concluded from those went too
    derived: usize,
}

impl Reply for Output {
    fn text(&self) -> String {
        let mut text = match self.forgotten.len() {
            0 => "Nothing was forgotten.".to_owned(),
            _ => format!("Forgotten for good: {}.", self.forgotten.join(", ")),
        };
        if !self.missing.is_empty() {
            text = format!("{text} Not there: {}.", self.missing.join(", "));
        }
        text
    }
}

impl Tool for Forget {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "forget";
    const TITLE: &'static str = "Forget memories";
    const DESCRIPTION: &'static str = "Delete memories for good, with what was concluded from them, because the user wants them gone. Search for their ids first.";
    const EFFECT: Effect = Effect::Forgets;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let read: Vec<_> = input.ids.iter().map(|id| id.parse::<MemoryId>()).collect();
        // What cannot be an id is answered as one that is not there.
        let strange = input.ids.iter().zip(&read).filter(|(_, read)| read.is_err());
        let mut missing: Vec<String> =
            strange.map(|(id, _)| id.chars().take(48).collect()).collect();
        let ids: Vec<MemoryId> = read.into_iter().flatten().collect();
        call.notes.begins(Act::Delete).these(&ids);
        let forgotten = call.engine().await?.forget(call.caller(), &ids).await?;
        missing.extend(forgotten.missing.iter().map(ToString::to_string));
        Ok(Output {
            forgotten: forgotten.ids.iter().map(ToString::to_string).collect(),
            missing,
            derived: forgotten.derived,
        })
    }
}
