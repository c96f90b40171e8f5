use cofio::Query;
use cofio::model::{Criteria, Identifier, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::names::KindName;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view::{self, MemoryView};
use crate::notes::Act;

/// Finds memories by words, meaning and names.
pub(crate) struct SearchMemory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What to search for
    query: String,
    /// Only this kind, such as fact, episode or reflection
    kind: Option<KindName>,
    /// How many at most
    #[serde(default = "ten")]
    limit: usize,
    /// A session whose memories are left out, such as the current one
    exclude_session_id: Option<String>,
}

fn ten() -> usize {
    10
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    memories: Vec<MemoryView>,
}

impl Reply for Output {
    fn text(&self) -> String {
        if self.memories.is_empty() {
            return "Nothing is remembered about this.".to_owned();
        }
        view::lines(&self.memories)
    }
}

impl Tool for SearchMemory {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "search_memory";
    const TITLE: &'static str = "Search memory";
    const DESCRIPTION: &'static str = "Hybrid search over long-term memory (words, meaning, entities): the main tool to recall what was said or learnt in earlier sessions.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let mut selection = call.selection(None, None)?;
        let session = input.exclude_session_id.as_deref().map(Identifier::new).transpose()?;
        selection.criteria = Criteria {
            kinds: input.kind.into_iter().map(Kind::from).collect(),
            excluded_session: session,
            ..Criteria::default()
        };
        let query = Query { limit: input.limit, ..Query::new(selection, input.query) };
        call.notes.begins(Act::Search);
        let answer = call.engine().await?.search(call.caller(), &query).await?;
        call.notes.found(answer.hits.len());
        Ok(Output { memories: answer.hits.iter().map(MemoryView::from).collect() })
    }
}
