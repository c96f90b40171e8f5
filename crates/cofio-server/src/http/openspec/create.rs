use axum::http::Method;
use cofio::model::{Draft, Right};

use super::write::{Status, Write, Written};
use crate::http::answer::Made;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Header, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Create;

impl Endpoint for Create {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<Write>;
    type Answer = Made<Written>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/openspec/v1/knowledge/create";
    const NAME: &'static str = "createKnowledge";
    const GROUP: Group = Group::OpenSpec;
    const SUMMARY: &'static str = "Keep an entry";
    const ABOUT: &'static str = "Once it is answered, the entry survives a crash and is found by its words; its vector follows. What is known already is answered with 200. A fact or procedure that is not trusted enough waits for approval, with the status pending_approval; so does one whose governance asks for it.";
    const NEEDS: Right = Right::Write;
    const HEADERS: &'static [Header] = &[Header::IdempotencyKey];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(write) = asked.body;
        let (draft, ignored) = write.draft(visit)?;
        let draft = Draft { idempotency_key: visit.idempotency_key()?, ..draft };
        visit.notes().begins(Act::Create).of(1);
        let remembered = visit.engine.remember(visit.caller(), draft).await?;
        let (memory, existing) = (&remembered.memory, remembered.existing);
        visit.notes().on(&memory.id);
        Ok(Made {
            new: !existing,
            version: memory.version,
            place: format!("/v1/memories/{}", memory.id),
            value: Written::new(visit, memory, Status::Created, existing, ignored),
        })
    }
}
