use axum::http::Method;
use cofio::model::Right;

use super::write::{Status, Write, Written};
use crate::http::answer::Changed;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Header, Nothing};
use crate::http::failure::{Failure, Outcome};
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Update;

impl Endpoint for Update {
    type Path = ById;
    type Query = Nothing;
    type Body = Json<Write>;
    type Answer = Changed<Written>;

    const METHOD: Method = Method::PUT;
    const PATH: &'static str = "/openspec/v1/knowledge/{id}";
    const NAME: &'static str = "updateKnowledge";
    const GROUP: Group = Group::OpenSpec;
    const SUMMARY: &'static str = "Change an entry";
    const ABOUT: &'static str = "What is not sent stays, and null removes a field of the metadata. Layer, names, kind, statement and end stay what they were. Earlier versions stay in its history. With If-Match nothing is changed that somebody else changed since.";
    const NEEDS: Right = Right::Write;
    const ALSO_NEEDS: &'static [Right] = &[Right::Read];
    const HEADERS: &'static [Header] = &[Header::IfMatch];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(write) = asked.body;
        let id = asked.path.memory()?;
        if write.id().is_some_and(|other| other != id.as_str()) {
            return Err(Failure::unreadable("the entry has another id than the path"));
        }
        let (patch, ignored) = write.patch(visit.expected_version()?)?;
        visit.notes().begins(Act::Update).on(&id);
        let updated = visit.engine.update(visit.caller(), &id, patch).await;
        let memory = updated.map_err(|error| visit.refused(error))?.memory;
        let value = Written::new(visit, &memory, Status::Updated, true, ignored);
        Ok(Changed { version: memory.version, value })
    }
}
