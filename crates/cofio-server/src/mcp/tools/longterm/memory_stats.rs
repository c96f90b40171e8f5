use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view::{self, StatsView};

/// Counts what is kept.
pub(crate) struct MemoryStats;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {}

impl Reply for StatsView {
    fn text(&self) -> String {
        view::json(self)
    }
}

impl Tool for MemoryStats {
    type Input = Input;
    type Output = StatsView;
    const NAME: &'static str = "memory_stats";
    const TITLE: &'static str = "Memory statistics";
    const DESCRIPTION: &'static str =
        "Count memories by kind and layer, with the time of the latest one.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, _: Input) -> Outcome<StatsView> {
        let scopes = call.scopes(None, None)?;
        let stats = call.engine().await?.stats(call.caller(), Some(&scopes)).await?;
        Ok(StatsView::from(&stats))
    }
}
