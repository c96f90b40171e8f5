use axum::http::Method;
use cofio::engine::ListRequest;
use cofio::model::{Kind, Right};
use cofio::store::Order;
use cofio::wire::ListOutput;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::answer::Found;
use crate::http::body::Empty;
use crate::http::endpoint::{Asked, Endpoint, Group, Nothing};
use crate::http::failure::Outcome;
use crate::http::rest::{FactFilter, Filter, Names};
use crate::http::visit::Visit;

pub(super) struct Procedures;

/// Which statements to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProceduresQuery {
    #[serde(flatten)]
    names: Names,
    /// The layers to list; without any, all that the names open. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
    /// What they are about.
    subject: Option<String>,
    /// What is said.
    predicate: Option<String>,
    /// With respect to what.
    object: Option<String>,
    /// What kind of statement.
    fact_type: Option<String>,
    /// How many at most: 50 if nothing is said, and at most 100.
    limit: Option<usize>,
    /// Where the page before ended, as it said.
    cursor: Option<String>,
}

impl Endpoint for Procedures {
    type Path = Nothing;
    type Query = ProceduresQuery;
    type Body = Empty;
    type Answer = Found<ListOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/procedures";
    const NAME: &'static str = "listProcedures";
    const GROUP: Group = Group::Knowledge;
    const SUMMARY: &'static str = "List statements of subject, predicate and object";
    const ABOUT: &'static str = "The most certain come first.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let ProceduresQuery { names, layer, subject, predicate, object, fact_type, .. } =
            asked.query;
        let fact = FactFilter { fact_type, subject, predicate, object };
        let kinds = vec![Kind::Procedure.to_string()];
        let filter = Filter { kinds, fact, ..Filter::default() };
        let layers = (!layer.is_empty()).then_some(&layer[..]);
        let request = ListRequest::new(visit.selection(&names, layers, filter)?);
        let request = ListRequest {
            order: Order::Confidence,
            limit: asked.query.limit.unwrap_or(request.limit),
            cursor: asked.query.cursor,
            ..request
        };
        Ok(Found(ListOutput::from(&visit.engine.list(visit.caller(), &request).await?)))
    }
}
