use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view::{self, EntityView, MemoryView};

/// Tells everything about something that memories name.
pub(crate) struct GetEntityInfo;

/// How many memories are told at most.
const LIMIT: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// A person, project, organisation, place, address or topic, however it is written
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    entities: Vec<EntityView>,
    memories: Vec<MemoryView>,
}

impl Reply for Output {
    fn text(&self) -> String {
        format!("{}\n{}", view::json(&self.entities), view::lines(&self.memories))
    }
}

impl Tool for GetEntityInfo {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "get_entity_info";
    const TITLE: &'static str = "Entity profile";
    const DESCRIPTION: &'static str = "Tell everything about a person, project or thing: its profile, aliases, and the memories linked to it.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let scopes = call.scopes(None, None)?;
        let engine = call.engine().await?;
        let profiles = engine.entity(call.caller(), &scopes, &input.name, LIMIT).await?;
        let memories = profiles.iter().flat_map(|profile| &profile.memories);
        Ok(Output {
            memories: memories.map(MemoryView::from).collect(),
            entities: profiles.iter().map(EntityView::from).collect(),
        })
    }
}
