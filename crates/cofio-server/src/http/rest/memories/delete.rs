use axum::http::Method;
use cofio::model::{MemoryId, Right};
use cofio::wire::DeleteOutput;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Header, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Delete;

impl Endpoint for Delete {
    type Path = ById;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Found<DeleteOutput>;

    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/v1/memories/{id}";
    const NAME: &'static str = "deleteMemory";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Forget a memory";
    const ABOUT: &'static str = "The memory, its earlier versions, its vectors and whatever was concluded from it are gone; the receipt says so and where the audit has it. With If-Match nothing is forgotten that somebody else changed since, and the key needs the right to read as well.";
    const NEEDS: Right = Right::Delete;
    const HEADERS: &'static [Header] = &[Header::IfMatch];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let id = asked.path.memory()?;
        visit.notes().begins(Act::Delete).on(&id);
        let forgotten = match visit.expected_version()? {
            Some(version) => visit.engine.forget_version(visit.caller(), &id, version).await,
            None => visit.engine.forget(visit.caller(), std::slice::from_ref(&id)).await,
        };
        let forgotten = forgotten.map_err(|error| visit.refused(error))?;
        if forgotten.ids.is_empty() {
            return Err(MemoryId::not_found(id.as_str()).into());
        }
        Ok(Found(DeleteOutput::from(&forgotten)))
    }
}
