use axum::http::Method;
use cofio::model::Right;
use schemars::JsonSchema;
use serde::Deserialize;

use super::dialect;
use crate::dialects::mem0;
use crate::http::answer::Found;
use crate::http::body::Perhaps;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::{Failure, Outcome};
use crate::http::visit::Visit;

pub(super) struct List;

/// The most memories on a page.
const LARGEST: usize = 1_000;

/// Which page to list.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListQuery {
    /// The page, from 1.
    page: Option<usize>,
    /// How many a page has: 100 if nothing is said, and at most 1,000.
    page_size: Option<usize>,
}

impl Endpoint for List {
    type Path = Nothing;
    type Query = ListQuery;
    type Body = Perhaps<mem0::List>;
    type Answer = Found<mem0::Mem0Page>;

    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/v3/memories/";
    const NAME: &'static str = "mem0List";
    const GROUP: Group = Group::Mem0;
    const SUMMARY: &'static str = "List memories page by page";
    const ABOUT: &'static str = "The newest first. A filter that says more than a store can look for goes through ten thousand memories at most.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let ListQuery { page, page_size } = asked.query;
        let (page, size) = (page.unwrap_or(1), page_size.unwrap_or(100));
        if page == 0 || !(1..=LARGEST).contains(&size) {
            let message = format!("pages count from 1, and page_size goes from 1 to {LARGEST}");
            return Err(Failure::unreadable(message));
        }
        let Perhaps(input) = asked.body;
        Ok(Found(dialect(visit)?.list(page, size, input.unwrap_or_default()).await?))
    }
}
