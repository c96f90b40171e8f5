//! Forgetting several memories for good.

use axum::http::Method;
use cofio::engine::{Forgetting, Forgotten};
use cofio::model::{Caller, MemoryId, Right};
use cofio::wire::DeleteOutput;
use cofio::{Engine, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Filter, Names};
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Header, Nothing};
use crate::http::eventually::Eventually;
use crate::http::failure::Outcome;
use crate::http::openapi::Entry;
use crate::http::visit::Visit;
use crate::notes::Act;

/// Every endpoint.
pub(super) const ENDPOINTS: &[Entry] = &[Entry::of::<Forget>()];

/// How much is repeated of what cannot be an id.
const SHOWN: usize = 48;

struct Forget;

/// What to forget: ids, a selection (a filter, layers or both), or a source; exactly one of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ForgetInput {
    /// The memories, by their ids.
    ids: Option<Vec<String>>,
    /// What must hold of the memories; a filter without anything needs layers.
    filter: Option<Filter>,
    /// The layers on which; without any, all that the names open.
    layers: Option<Vec<String>>,
    /// Whose memories a filter means, as far as the key is not bound to them.
    #[serde(default)]
    identifiers: Names,
    /// The page, file, call, conversation or tool that they came from; everything from there goes,
    /// in every scope that is open to the caller.
    source: Option<String>,
    /// Whether to say only what would go.
    #[serde(default)]
    dry_run: bool,
}

/// What was forgotten, or would be.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ForgetOutput {
    #[serde(flatten)]
    forgotten: DeleteOutput,
    /// How many of them were concluded from the others.
    derived: usize,
    /// Whether nothing was forgotten, and this only says what would be.
    dry_run: bool,
}

impl Endpoint for Forget {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<ForgetInput>;
    type Answer = Eventually<ForgetOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/forget";
    const NAME: &'static str = "forgetMemories";
    const GROUP: Group = Group::Forgetting;
    const SUMMARY: &'static str = "Forget memories by id, by what they are like, or by source";
    const ABOUT: &'static str = "They go together, with their earlier versions, their vectors and whatever was concluded from them; the receipt says so and where the audit has it. Ids that are not there, or not the caller's, are listed as failed. With dryRun nothing goes, and the answer says what would. Unless they are chosen by id, the key needs the right to read as well.";
    const NEEDS: Right = Right::Delete;
    const HEADERS: &'static [Header] = &[Header::Prefer];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        let dry_run = input.dry_run;
        let (forgetting, strange) = input.read(visit)?;
        if !dry_run {
            visit.notes().begins(Act::Delete);
        }
        if let Forgetting::Ids(ids) = &forgetting {
            visit.notes().these(ids);
        }
        let (engine, caller) = (visit.engine.clone(), visit.caller().clone());
        let work = async move {
            let forgotten = if dry_run {
                engine.would_forget(&caller, &forgetting).await?
            } else {
                forget(&engine, &caller, &forgetting).await?
            };
            Ok(ForgetOutput::new(&forgotten, strange, dry_run))
        };
        Eventually::of(visit, Self::NAME, work).await
    }
}

async fn forget(engine: &Engine, caller: &Caller, forgetting: &Forgetting) -> Result<Forgotten> {
    match forgetting {
        Forgetting::Ids(ids) => engine.forget(caller, ids).await,
        Forgetting::Matching(selection) => engine.forget_matching(caller, selection).await,
        Forgetting::Source(origin) => engine.forget_source(caller, origin).await,
    }
}

impl ForgetInput {
    /// Returns what to forget, and what was named that cannot be an id.
    fn read(self, visit: &Visit) -> Result<(Forgetting, Vec<String>)> {
        let selects = self.filter.is_some() || self.layers.is_some();
        match (self.ids, selects, self.source) {
            (Some(ids), false, None) => {
                let (known, strange) = sorted(ids);
                Ok((Forgetting::Ids(known), strange))
            }
            (None, true, None) => {
                let filter = self.filter.unwrap_or_default();
                if self.layers.is_none() && filter == Filter::default() {
                    return Err(Error::invalid("a filter without anything needs layers"));
                }
                let selection =
                    visit.selection(&self.identifiers, self.layers.as_deref(), filter)?;
                Ok((Forgetting::Matching(Box::new(selection)), Vec::new()))
            }
            (None, false, Some(source)) => Ok((Forgetting::Source(source), Vec::new())),
            _ => Err(Error::invalid("give exactly one of ids, filter or layers, and source")),
        }
    }
}

/// Tells ids from what cannot be one, which is answered as one that is not there.
fn sorted(ids: Vec<String>) -> (Vec<MemoryId>, Vec<String>) {
    let (mut known, mut strange) = (Vec::new(), Vec::new());
    for id in ids {
        match id.parse() {
            Ok(id) => known.push(id),
            Err(_) => strange.push(id.chars().take(SHOWN).collect()),
        }
    }
    (known, strange)
}

impl ForgetOutput {
    fn new(forgotten: &Forgotten, strange: Vec<String>, dry_run: bool) -> Self {
        let derived = forgotten.derived;
        let mut forgotten = DeleteOutput::from(forgotten);
        forgotten.success &= strange.is_empty();
        forgotten.failed.extend(strange);
        Self { forgotten, derived, dry_run }
    }
}
