use cofio::Query;
use cofio::model::{Criteria, Kind, MemoryId};
use cofio::retrieval;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view::{self, MemoryView};

/// Finds facts that may contradict one.
pub(crate) struct DetectConflicts;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The new fact
    fact_id: String,
    /// How many at most
    #[serde(default = "five")]
    limit: usize,
}

fn five() -> usize {
    5
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Facts about the same thing; whether they contradict is yours to judge
    candidates: Vec<MemoryView>,
}

impl Reply for Output {
    fn text(&self) -> String {
        if self.candidates.is_empty() {
            return "No other fact is about this.".to_owned();
        }
        format!("Judge whether one of these contradicts it.\n{}", view::lines(&self.candidates))
    }
}

impl Tool for DetectConflicts {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "detect_conflicts";
    const TITLE: &'static str = "Detect conflicts";
    const DESCRIPTION: &'static str =
        "Search for facts that may contradict a new fact, by words, meaning and entities.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let engine = call.engine().await?;
        let id: MemoryId = input.fact_id.parse()?;
        let fact = engine.get(call.caller(), &id).await?;
        let mut selection = call.selection(None, None)?;
        selection.criteria = Criteria { kinds: vec![Kind::Fact], ..Criteria::default() };
        // The fact itself is usually the first hit.
        let limit = input.limit.saturating_add(1);
        let query = Query { limit, ..Query::new(selection, fact.content.as_str()) };
        let hits = engine.search(call.caller(), &query).await?.hits.into_iter();
        let others = hits.filter(|hit| hit.memory.id != id && retrieval::is_relevant(hit));
        let others = others.take(input.limit).map(|hit| MemoryView::from(&hit)).collect();
        Ok(Output { candidates: others })
    }
}
