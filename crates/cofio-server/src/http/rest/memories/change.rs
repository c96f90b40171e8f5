use axum::http::Method;
use cofio::model::{Patch, Right};
use cofio::wire::{self, UpdateOutput};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::http::answer::Changed;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Header, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::{OnPossibleSecret, Origin, doubt, lifetime};
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Change;

/// What to change; what is not named stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ChangeInput {
    /// The new text.
    content: Option<String>,
    /// Metadata to set, one level deep; null removes a field.
    #[serde(default)]
    metadata: Map<String, Value>,
    /// When it ends from now on: a moment, or by-kind for when its kind does.
    expires_at: Option<String>,
    /// In how many seconds it ends from now on.
    ttl_seconds: Option<u32>,
    /// Where the new text comes from; without it the memory keeps its source, and so its trust.
    source: Option<Origin>,
    /// What becomes of what may be a secret: ask (the default: nothing is changed), keep or redact.
    on_possible_secret: Option<OnPossibleSecret>,
}

impl Endpoint for Change {
    type Path = ById;
    type Query = Nothing;
    type Body = Json<ChangeInput>;
    type Answer = Changed<UpdateOutput>;

    const METHOD: Method = Method::PATCH;
    const PATH: &'static str = "/v1/memories/{id}";
    const NAME: &'static str = "updateMemory";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Change a memory";
    const ABOUT: &'static str = "Earlier versions stay in its history. With If-Match nothing is changed that somebody else changed since.";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];
    const HEADERS: &'static [Header] = &[Header::IfMatch];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        let text = input.content.as_deref().unwrap_or_default();
        let patch = Patch {
            source: input.source.map(|origin| origin.source(text)).transpose()?,
            metadata: wire::metadata_patch(input.metadata)?,
            doubt: doubt(input.on_possible_secret),
            lifetime: lifetime(input.expires_at.as_deref(), input.ttl_seconds)?,
            expected_version: visit.expected_version()?,
            content: input.content,
            ..Patch::default()
        };
        let id = asked.path.memory()?;
        visit.notes().begins(Act::Update).on(&id);
        let updated = visit.engine.update(visit.caller(), &id, patch).await;
        let updated = updated.map_err(|error| visit.refused(error))?;
        let version = updated.memory.version;
        Ok(Changed { version, value: UpdateOutput::from(&updated) })
    }
}
