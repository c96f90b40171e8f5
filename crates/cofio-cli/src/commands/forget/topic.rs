//! Choosing from what a search for a topic finds.

use anyhow::Result;
use cofio::model::{MemoryId, State};
use cofio::retrieval::Hit;
use cofio::{Error, ErrorKind, Query, Selection};
use serde::Serialize;

use crate::app::App;
use crate::consent::Choice;
use crate::failure::Refusal;
use crate::{output, present};

/// What could be forgotten.
#[derive(Debug, Serialize)]
struct CandidatesOutput {
    candidates: Vec<Candidate>,
}

/// A memory that could be forgotten, and the number by which it is chosen.
#[derive(Debug, Serialize)]
struct Candidate {
    number: usize,
    id: String,
    scope: String,
    score: f64,
    content: String,
}

impl Candidate {
    fn new((place, hit): (usize, &Hit)) -> Self {
        Self {
            number: place + 1,
            id: hit.memory.id.to_string(),
            scope: hit.memory.scope.to_string(),
            score: hit.score,
            content: present::beginning(hit.memory.content.as_str()),
        }
    }

    fn line(&self) -> String {
        let Self { number, score, content, id, .. } = self;
        format!("{number:>3}  {score:.2}  {content}  ({id})")
    }
}

/// Searches for a topic, and returns what somebody chose of what was found.
///
/// Where nobody chose, what was found is the answer, and nothing is forgotten.
pub async fn choose(
    app: &App,
    topic: &str,
    mut selection: Selection,
    limit: usize,
) -> Result<Vec<MemoryId>> {
    // What waits for review or was put away is forgotten as well.
    selection.criteria.states = State::ALL.to_vec();
    let query = Query { limit, ..Query::new(selection, topic) };
    let answer = app.engine.search(&app.caller, &query).await?;
    if answer.hits.is_empty() {
        let message =
            format!("nothing like that was found in {}", output::listed(&answer.searched));
        return Err(Error::new(ErrorKind::NotFound, message).into());
    }
    let candidates: Vec<Candidate> = answer.hits.iter().enumerate().map(Candidate::new).collect();
    let lines: Vec<String> = candidates.iter().map(Candidate::line).collect();
    let chosen = match app.consent.choose(&lines.join("\n"), lines.len())? {
        Choice::All => (0..lines.len()).collect(),
        Choice::Places(places) => places,
        Choice::NobodyToAsk => {
            app.output.answer(
                || CandidatesOutput { candidates },
                |page| lines.iter().for_each(|line| page.line(line)),
            )?;
            let message = "this needs to be confirmed: add --yes to forget all of these, or give \
                           the ids of some";
            return Err(Refusal::Confirmation(message.to_owned()).into());
        }
    };
    if chosen.is_empty() {
        let message = "none was chosen: nothing was changed";
        return Err(Refusal::Confirmation(message.to_owned()).into());
    }
    Ok(chosen.into_iter().map(|place| answer.hits[place].memory.id.clone()).collect())
}
