use cofio::model::MemoryId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view;
use crate::notes::Act;

/// Forgets a memory.
pub(crate) struct ForgetMemory;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// ID of memory to delete
    memory_id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    success: bool,
    id: String,
}

impl Reply for Output {
    fn text(&self) -> String {
        view::json(self)
    }
}

impl Tool for ForgetMemory {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "forget_memory";
    const TITLE: &'static str = "Forget a memory";
    const DESCRIPTION: &'static str = "Delete a specific memory. Returns success status.";
    const EFFECT: Effect = Effect::Forgets;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        // What cannot be an id is one that is not there.
        let success = match input.memory_id.parse::<MemoryId>() {
            Ok(id) => {
                call.notes.begins(Act::Delete).on(&id);
                !call.engine().await?.forget(call.caller(), &[id]).await?.ids.is_empty()
            }
            Err(_) => false,
        };
        Ok(Output { success, id: input.memory_id })
    }
}
