use axum::http::Method;
use cofio::engine::Remembered;
use cofio::model::{Draft, Right};
use cofio::wire::AddOutput;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Header, Nothing, Size};
use crate::http::eventually::Eventually;
use crate::http::failure::Outcome;
use crate::http::rest::NewMemory;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct CreateMany;

/// Several things to remember.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateManyInput {
    memories: Vec<NewMemory>,
}

/// What became of them, in the same order.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CreateManyOutput {
    results: Vec<AddOutput>,
    /// How many are new.
    added: usize,
    /// How many were known already.
    existing: usize,
}

impl Endpoint for CreateMany {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<CreateManyInput>;
    type Answer = Eventually<CreateManyOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/memories/bulk";
    const NAME: &'static str = "createMemories";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Remember several things together, or none of them";
    const ABOUT: &'static str =
        "If one is refused, nothing is kept, and the details name its index.";
    const NEEDS: Right = Right::Write;
    const SIZE: Size = Size::Bulk;
    const HEADERS: &'static [Header] = &[Header::IdempotencyKey, Header::Prefer];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        let mut drafts: Vec<Draft> = Vec::with_capacity(input.memories.len());
        for (index, new) in input.memories.into_iter().enumerate() {
            drafts.push(new.draft(visit).map_err(|error| error.with("index", index))?);
        }
        if let Some(first) = drafts.first_mut() {
            first.idempotency_key = visit.idempotency_key()?;
        }
        visit.notes().begins(Act::Create).of(drafts.len());
        let (engine, caller) = (visit.engine.clone(), visit.caller().clone());
        let work = async move {
            let remembered = engine.remember_all(&caller, drafts).await?;
            Ok(CreateManyOutput::new(&remembered))
        };
        Eventually::of(visit, Self::NAME, work).await
    }
}

impl CreateManyOutput {
    fn new(remembered: &[Remembered]) -> Self {
        let existing = remembered.iter().filter(|one| one.existing).count();
        Self {
            added: remembered.len() - existing,
            existing,
            results: remembered.iter().map(AddOutput::from).collect(),
        }
    }
}
