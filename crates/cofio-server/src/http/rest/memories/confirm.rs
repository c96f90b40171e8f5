use axum::http::Method;
use cofio::model::{Confirmation, Right};
use schemars::JsonSchema;
use serde::Deserialize;

use super::OneMemory;
use crate::http::answer::Changed;
use crate::http::body::Perhaps;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::Origin;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Confirm;

/// Who vouches for a memory.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct ConfirmInput {
    /// The exact text that its owner has read; without it, nothing is confirmed that waits for
    /// review.
    text: Option<String>,
    /// Where the confirmation comes from.
    source: Origin,
}

impl Endpoint for Confirm {
    type Path = ById;
    type Query = Nothing;
    type Body = Perhaps<ConfirmInput>;
    type Answer = Changed<OneMemory>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/memories/{id}/confirm";
    const NAME: &'static str = "confirmMemory";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Vouch for a memory";
    const ABOUT: &'static str = "It is certain then and never fades; one that was put away is in use again. If it says something else than the text, nothing is confirmed.";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Perhaps(input) = asked.body;
        let ConfirmInput { text, source } = input.unwrap_or_default();
        let source = source.source(text.as_deref().unwrap_or_default())?;
        let confirmation = Confirmation { text, ..Confirmation::new(source) };
        let id = asked.path.memory()?;
        visit.notes().begins(Act::Update).on(&id);
        Ok(visit.engine.confirm(visit.caller(), &id, &confirmation).await?.into())
    }
}
