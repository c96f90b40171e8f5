use cofio::ingest;
use cofio::model::{Edit, Fraction, MemoryId, MetadataPatch, Patch, State};
use cofio::{Error, ErrorKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::notes::Act;

/// Lets a new fact count more than an old one that it contradicts.
pub(crate) struct ResolveConflict;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    old_fact_id: String,
    new_fact_id: String,
}

/// How certain a fact is that a later one contradicts.
const DOUBTED: f64 = 0.3;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    old_fact_id: String,
    old_confidence: f64,
    new_fact_id: String,
}

impl Reply for Output {
    fn text(&self) -> String {
        let Self { old_fact_id: old, new_fact_id: new, .. } = self;
        format!("{new} supersedes {old}, whose confidence is {DOUBTED} now.")
    }
}

impl Tool for ResolveConflict {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "resolve_conflict";
    const TITLE: &'static str = "Resolve a conflict";
    const DESCRIPTION: &'static str = "Resolve a contradiction between two facts: lowers the old fact's confidence to 0.3 and records on the new one that it supersedes it.";
    const EFFECT: Effect = Effect::Changes;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let engine = call.engine().await?;
        let (old, new): (MemoryId, MemoryId) =
            (input.old_fact_id.parse()?, input.new_fact_id.parse()?);
        if old == new {
            return Err(Error::invalid("a fact does not contradict itself").into());
        }
        let (older, newer) =
            (engine.get(call.caller(), &old).await?, engine.get(call.caller(), &new).await?);
        if newer.state != State::Active {
            let message = format!("{new} is {} and decides nothing yet", newer.state);
            return Err(Error::new(ErrorKind::Refused, message).into());
        }
        ingest::refuse_lower_trust(&older, newer.source.trust())?;
        call.notes.begins(Act::Update).of(2);
        let confidence = Edit::Set(Fraction::new(DOUBTED)?);
        let doubted = MetadataPatch { confidence, ..MetadataPatch::default() };
        engine.update(call.caller(), &old, patch(doubted)).await?;
        let custom = [("supersedes".to_owned(), Value::from(old.as_str()))].into_iter().collect();
        let superseding = MetadataPatch { custom, ..MetadataPatch::default() };
        engine.update(call.caller(), &new, patch(superseding)).await?;
        Ok(Output {
            old_fact_id: old.to_string(),
            old_confidence: DOUBTED,
            new_fact_id: new.to_string(),
        })
    }
}

fn patch(metadata: MetadataPatch) -> Patch {
    Patch { metadata, ..Patch::default() }
}
