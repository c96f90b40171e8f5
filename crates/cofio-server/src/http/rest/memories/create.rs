use axum::http::Method;
use cofio::model::{Draft, Right};
use cofio::wire::AddOutput;

use crate::http::answer::Made;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Header, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::NewMemory;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Create;

impl Endpoint for Create {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<NewMemory>;
    type Answer = Made<AddOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/memories";
    const NAME: &'static str = "createMemory";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Remember something";
    const ABOUT: &'static str = "Once it is answered, the memory survives a crash and is found by its words; its vector follows. Secrets are taken out before anything is kept. What is known already is answered with 200. A fact that is not trusted enough is kept with the state pending, and is not used before it is approved.";
    const NEEDS: Right = Right::Write;
    const HEADERS: &'static [Header] = &[Header::IdempotencyKey];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(new) = asked.body;
        let draft = Draft { idempotency_key: visit.idempotency_key()?, ..new.draft(visit)? };
        visit.notes().begins(Act::Create).of(1);
        let remembered = visit.engine.remember(visit.caller(), draft).await?;
        let memory = &remembered.memory;
        visit.notes().on(&memory.id);
        Ok(Made {
            new: !remembered.existing,
            version: memory.version,
            place: format!("/v1/memories/{}", memory.id),
            value: AddOutput::from(&remembered),
        })
    }
}
