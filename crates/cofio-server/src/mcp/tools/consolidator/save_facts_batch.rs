mod duplicates;

use cofio::model::{Criteria, Doubt, Draft, Fraction, Kind, MemoryId, Metadata, Scope, State};
use cofio::{Error, ErrorKind, Query, Selection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::duplicates::{Words, are_the_same, say_the_same};
use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::source::SourceName;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::view;
use crate::notes::Act;

/// Keeps several facts, each once.
pub(crate) struct SaveFactsBatch;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    session_id: String,
    /// At most 100
    facts: Vec<Fact>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Fact {
    /// One self-contained statement
    content: String,
    /// Labels to find it by
    tags: Option<Vec<String>>,
    /// From 0 to 1
    confidence: Option<f64>,
    /// The episodes it is from; without any it waits for the user's approval
    source_ids: Option<Vec<String>>,
}

/// How many facts are kept at once.
const MOST: usize = 100;

/// How many facts of the store each one is compared with.
const COMPARED: usize = 10;

/// What became of the facts, by their places in the batch, the first being 0.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    saved: Vec<Saved>,
    duplicates: Vec<Duplicate>,
    refused: Vec<Refused>,
}

#[derive(Serialize, JsonSchema)]
struct Saved {
    index: usize,
    id: String,
    /// Whether it waits for the user's approval
    waiting: bool,
}

#[derive(Serialize, JsonSchema)]
struct Duplicate {
    index: usize,
    /// The fact that says the same
    id: String,
}

#[derive(Serialize, JsonSchema)]
struct Refused {
    index: usize,
    reason: String,
}

impl Reply for Output {
    fn text(&self) -> String {
        view::json(self)
    }
}

impl Tool for SaveFactsBatch {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "save_facts_batch";
    const TITLE: &'static str = "Save facts";
    const DESCRIPTION: &'static str = "Save facts extracted from a session, leaving out duplicates: the same text in the batch, and texts that share three quarters of their words with a known fact.";
    const EFFECT: Effect = Effect::Adds;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        if input.facts.len() > MOST {
            return Err(Error::invalid(format!("at most {MOST} facts are saved at once")).into());
        }
        let scope = call.scope(None, None)?;
        call.notes.begins(Act::Create).of(input.facts.len());
        let mut output = Output::default();
        let mut seen: Vec<(Words, String)> = Vec::new();
        let total = input.facts.len();
        for (index, fact) in input.facts.into_iter().enumerate() {
            call.progress(index, total).await;
            let words = Words::of(&fact.content);
            let in_batch = seen.iter().find(|(known, _)| are_the_same(known, &words));
            let known = match in_batch {
                Some((_, id)) => Some(id.clone()),
                None => known(call, &scope, &fact.content, &words).await?,
            };
            match known {
                Some(id) => output.duplicates.push(Duplicate { index, id }),
                None => match save(call, &scope, &input.session_id, fact).await {
                    Ok((id, state)) => {
                        seen.push((words, id.to_string()));
                        let waiting = state == State::Pending;
                        output.saved.push(Saved { index, id: id.to_string(), waiting });
                    }
                    Err(error) if is_about_the_fact(error.kind()) => {
                        output.refused.push(Refused { index, reason: error.to_string() });
                    }
                    Err(error) => return Err(error.into()),
                },
            }
        }
        call.progress(total, total).await;
        Ok(output)
    }
}

/// Returns the fact of the store that says the same, if there is one.
async fn known(
    call: &Call,
    scope: &Scope,
    content: &str,
    words: &Words,
) -> cofio::Result<Option<String>> {
    let engine = call.engine().await?;
    let criteria = Criteria {
        kinds: vec![Kind::Fact],
        states: vec![State::Active, State::Pending],
        ..Criteria::default()
    };
    let layers = Some(vec![scope.layer()]);
    let selection = Selection { layers, ..Selection::with(scope.identifiers().clone(), criteria) };
    let most = engine.config().limits.query_bytes;
    let text: String =
        content.char_indices().take_while(|(at, _)| at + 4 <= most).map(|(_, c)| c).collect();
    let query = Query { limit: COMPARED, ..Query::new(selection, text) };
    let hits = engine.search(call.caller(), &query).await?.hits;
    let same = hits.iter().find(|hit| say_the_same(words, &Words::of(hit.memory.content.as_str())));
    Ok(same.map(|hit| hit.memory.id.to_string()))
}

async fn save(
    call: &Call,
    scope: &Scope,
    session: &str,
    fact: Fact,
) -> cofio::Result<(MemoryId, State)> {
    let from: Vec<MemoryId> =
        fact.source_ids.iter().flatten().map(|id| id.parse()).collect::<cofio::Result<_>>()?;
    // What was said counts as those did who said it; what nobody said is the model's own.
    let said = if from.is_empty() { SourceName::Inference } else { SourceName::User };
    let source = call.source(Some(said), &fact.content, Some(session))?;
    let metadata = Metadata {
        tags: fact.tags.unwrap_or_default(),
        confidence: fact.confidence.map(Fraction::new).transpose()?,
        ..Metadata::default()
    };
    let draft = Draft {
        metadata,
        derived_from: from,
        // A batch asks nobody.
        doubt: Doubt::Redact,
        ..Draft::new(scope.clone(), Kind::Fact, fact.content, source)
    };
    let memory = call.engine().await?.remember(call.caller(), draft).await?.memory;
    Ok((memory.id, memory.state))
}

/// Returns whether an error says that one fact cannot be kept, while others can.
fn is_about_the_fact(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::Refused | ErrorKind::Invalid | ErrorKind::ContentTooLong | ErrorKind::NotFound
    )
}
