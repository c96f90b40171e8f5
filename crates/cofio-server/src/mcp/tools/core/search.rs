use cofio::model::{Criteria, Kind, TimeRange};
use cofio::retrieval::MeaningUsed;
use cofio::{Mode, Query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::names::{KindName, LayerName};
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view::{self, MemoryView};
use crate::mcp::when;
use crate::notes::Act;

/// Finds what answers a question.
pub(crate) struct Search;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// A question or keywords, in any language
    query: String,
    /// How many at most; 10 by default
    limit: Option<usize>,
    /// Only these kinds
    kinds: Option<Vec<KindName>>,
    /// Only this layer
    layer: Option<LayerName>,
    /// Also what belongs to this conversation
    session: Option<String>,
    /// Only with one of these labels
    tags: Option<Vec<String>>,
    /// Only what happened since, as 2026-01-31 or with a time
    since: Option<String>,
    /// Only what happened before
    until: Option<String>,
    /// What was known then
    as_of: Option<String>,
    /// What was true then
    valid_at: Option<String>,
    /// By words and meaning (hybrid, default) or by one of them
    mode: Option<ModeName>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ModeName {
    Hybrid,
    Semantic,
    Keyword,
}

impl From<ModeName> for Mode {
    fn from(mode: ModeName) -> Self {
        match mode {
            ModeName::Hybrid => Self::Hybrid,
            ModeName::Semantic => Self::Semantic,
            ModeName::Keyword => Self::Keyword,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    memories: Vec<MemoryView>,
    /// How many were found
    total: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl Reply for Output {
    fn text(&self) -> String {
        let found = if self.memories.is_empty() {
            "Nothing is remembered about this. Other words may find more.".to_owned()
        } else {
            view::lines(&self.memories)
        };
        match self.note {
            Some(note) => format!("{found}\n{note}"),
            None => found,
        }
    }
}

impl Tool for Search {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search memories";
    const DESCRIPTION: &'static str = "Search long-term memory: recall what is known about a person, project, preference, decision or past event. Use before asking the user something they may have said.";
    const EFFECT: Effect = Effect::Reads;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let mut selection = call.selection(input.layer, input.session.as_deref())?;
        let zone = &call.engine().await?.config().expiry.time_zone;
        selection.criteria = Criteria {
            kinds: input.kinds.unwrap_or_default().into_iter().map(Kind::from).collect(),
            tags: input.tags.unwrap_or_default(),
            time: TimeRange {
                from: when::beginning(input.since.as_deref(), zone)?,
                to: when::end(input.until.as_deref(), zone)?,
            },
            as_of: when::end(input.as_of.as_deref(), zone)?,
            valid_at: when::end(input.valid_at.as_deref(), zone)?,
            ..Criteria::default()
        };
        let query = Query {
            limit: input.limit.unwrap_or(10),
            mode: input.mode.map_or(Mode::Hybrid, Mode::from),
            ..Query::new(selection, input.query)
        };
        call.notes.begins(Act::Search);
        let answer = call.engine().await?.search(call.caller(), &query).await?;
        call.notes.found(answer.hits.len());
        Ok(Output {
            memories: answer.hits.iter().map(MemoryView::from).collect(),
            total: answer.total,
            note: note(answer.meaning),
        })
    }
}

/// Says what the answer may lack.
fn note(meaning: MeaningUsed) -> Option<&'static str> {
    match meaning {
        MeaningUsed::NotAsked | MeaningUsed::Compared { pending: 0 } => None,
        MeaningUsed::NoEmbedder => Some("Searched by words and names only: no model is installed."),
        MeaningUsed::Failed => Some("Searched by words and names only: the model failed."),
        MeaningUsed::Compared { .. } => Some("The latest memories were searched by words only."),
    }
}
