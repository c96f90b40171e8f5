use axum::http::Method;
use cofio::model::Right;
use cofio::wire::WhyNotOutput;

use super::question::Question;
use crate::http::answer::Found;
use crate::http::body::Json;
use crate::http::endpoint::{Asked, ById, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::visit::Visit;

pub(super) struct WhyNot;

impl Endpoint for WhyNot {
    type Path = ById;
    type Query = Nothing;
    type Body = Json<Question>;
    type Answer = Found<WhyNotOutput>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v1/memories/{id}/why-not";
    const NAME: &'static str = "whyNot";
    const GROUP: Group = Group::Search;
    const SUMMARY: &'static str = "Say why a memory is not in the answer to a question";
    const ABOUT: &'static str = "The question is the one that a search was asked.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let Json(question) = asked.body;
        let (id, query) = (asked.path.memory()?, question.query(visit)?);
        Ok(Found(WhyNotOutput::from(&visit.engine.why_not(visit.caller(), &query, &id).await?)))
    }
}
