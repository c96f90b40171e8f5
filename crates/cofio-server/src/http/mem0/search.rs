use axum::http::Method;
use cofio::model::Right;

use super::dialect;
use crate::dialects::mem0;
use crate::http::answer::Found;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;
use crate::notes::Act;

pub(super) struct Search;

impl Endpoint for Search {
    type Path = Nothing;
    type Query = Nothing;
    type Body = Json<mem0::Search>;
    type Answer = Found<mem0::Results>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v3/memories/search/";
    const NAME: &'static str = "mem0Search";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "Find memories";
    const ABOUT: &'static str = "Where a filter says more than a store can look for, the best hits are looked at, twenty times as many as are wanted.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(input) = asked.body;
        visit.notes().begins(Act::Search);
        let results = dialect(visit)?.search(input).await?;
        visit.notes().found(results.count());
        Ok(Found(results))
    }
}
