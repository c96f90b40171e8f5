use axum::http::Method;
use cofio::model::{Correction, Right, Triple};
use cofio::wire::{self, CorrectOutput};
use cofio::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::answer::Changed;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::{OnPossibleSecret, Origin, Statement, doubt};
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Correct;

/// What is true in the place of what is not.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CorrectInput {
    /// The text; a statement without one is its own text.
    content: Option<String>,
    /// What is true as a statement; without it a statement becomes a plain text.
    fact: Option<Statement>,
    /// Since when it holds, if the old memory was true before; without it, the old one never was.
    since: Option<String>,
    /// Where it comes from.
    #[serde(default)]
    source: Origin,
    /// What becomes of what may be a secret: ask (the default: nothing is changed), keep or redact.
    on_possible_secret: Option<OnPossibleSecret>,
}

impl Endpoint for Correct {
    type Path = ById;
    type Query = Nothing;
    type Body = Json<CorrectInput>;
    type Answer = Changed<CorrectOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/memories/{id}/correct";
    const NAME: &'static str = "correctMemory";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Put what is true in the place of a memory that is wrong";
    const ABOUT: &'static str = "The old memory stays in the history and is found on request only; each names the other. What is trusted less never replaces what is trusted more. The ETag is that of the new memory.";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        let (id, correction) = (asked.path.memory()?, input.correction()?);
        visit.notes().begins(Act::Update).on(&id);
        let corrected = visit.engine.correct(visit.caller(), &id, correction).await?;
        let version = corrected.memory.version;
        Ok(Changed { version, value: CorrectOutput::from(&corrected) })
    }
}

impl CorrectInput {
    fn correction(self) -> Result<Correction> {
        let triple = self.fact.map(Triple::from);
        let content = self.content.or_else(|| triple.as_ref().map(Triple::sentence));
        let content = content.ok_or_else(|| Error::invalid("content is missing"))?;
        let source = self.source.source(&content)?;
        let doubt = doubt(self.on_possible_secret);
        let since = self.since.as_deref().map(wire::moment).transpose()?;
        Ok(Correction { triple, since, doubt, ..Correction::new(content, source) })
    }
}
