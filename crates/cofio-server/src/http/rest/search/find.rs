use axum::http::Method;
use cofio::model::Right;
use cofio::wire::SearchOutput;

use super::question::Question;
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
    type Body = Json<Question>;
    type Answer = Found<SearchOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/search";
    const NAME: &'static str = "searchMemories";
    const GROUP: Group = Group::Search;
    const SUMMARY: &'static str = "Find the memories that answer a question";
    const ABOUT: &'static str = "Every hit says what brought it in. Where no embedder is at hand or it fails, words and names answer alone, and `meaning` says so. As of an earlier moment, memories are found by what they say now and shown as they were then.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(question) = asked.body;
        let query = question.query(visit)?;
        visit.notes().begins(Act::Search);
        let answer = visit.engine.search(visit.caller(), &query).await?;
        visit.notes().found(answer.hits.len());
        Ok(Found(SearchOutput::from(&answer)))
    }
}
