use axum::body::Body;
use axum::http::Method;
use cofio::engine::Exporting;
use cofio::model::Right;
use futures_util::stream::{self, StreamExt as _};

use crate::http::answer::Streamed;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct Export;

impl Endpoint for Export {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Empty;
    type Answer = Streamed;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/export";
    const NAME: &'static str = "exportMemories";
    const GROUP: Group = Group::Keeping;
    const SUMMARY: &'static str = "Read everything that is open to the caller, as a bundle";
    const ABOUT: &'static str = "A memory per line, with its earlier versions; the last line has a checksum of all others. A bundle without its last line was cut off. It is made while it is read.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, _: Asked<Self>) -> Outcome<Self::Answer> {
        let mut exporting = visit.engine.exporting(visit.caller()).await?;
        // What goes wrong at once can still be answered as a failure.
        let first = exporting.next().await?;
        let pieces = stream::iter(first.map(Ok)).chain(stream::try_unfold(exporting, next));
        Ok(Streamed(Body::from_stream(pieces)))
    }
}

async fn next(mut exporting: Exporting) -> cofio::Result<Option<(Vec<u8>, Exporting)>> {
    let piece = exporting.next().await?;
    Ok(piece.map(|piece| (piece, exporting)))
}
