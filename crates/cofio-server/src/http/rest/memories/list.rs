use axum::http::Method;
use cofio::engine::ListRequest;
use cofio::model::Right;
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

pub(super) struct List;

/// Which memories to list, and how.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListQuery {
    #[serde(flatten)]
    names: Names,
    /// The layers to list; without any, all that the names open. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
    /// What they are: working, context, episode, fact, procedure or reflection. May be repeated.
    #[serde(default)]
    kind: Vec<String>,
    /// Where they are in their life: active (the default), pending, decayed, superseded or
    /// archived. May be repeated.
    #[serde(default)]
    state: Vec<String>,
    /// A label of which they have at least one. May be repeated.
    #[serde(default)]
    tag: Vec<String>,
    /// They happened at this moment or later.
    from: Option<String>,
    /// They happened at this moment or earlier.
    to: Option<String>,
    /// They are as they were known at this moment: each as it was then, and none that was learnt
    /// later.
    as_of: Option<String>,
    /// They were true at this moment, as far as is known; those that were replaced since are meant
    /// too.
    valid_at: Option<String>,
    /// What a statement is about.
    subject: Option<String>,
    /// What a statement says of it.
    predicate: Option<String>,
    /// The key they are kept under.
    context_key: Option<String>,
    /// What the key they are kept under begins with.
    key_prefix: Option<String>,
    /// The order: newest (the default), latest-event, earliest-event or confidence.
    order: Option<OrderName>,
    /// How many at most: 50 if nothing is said, and at most 100.
    limit: Option<usize>,
    /// Where the page before ended, as it said.
    cursor: Option<String>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum OrderName {
    Newest,
    LatestEvent,
    EarliestEvent,
    Confidence,
}

impl Endpoint for List {
    type Path = Nothing;
    type Query = ListQuery;
    type Body = Empty;
    type Answer = Found<ListOutput>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/memories";
    const NAME: &'static str = "listMemories";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "List memories page by page";
    const ABOUT: &'static str =
        "What others write meanwhile moves nothing. A cursor belongs to its caller and its list.";
    const NEEDS: Right = Right::Read;

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let ListQuery { names, layer, kind, state, tag, from, to, subject, predicate, .. } =
            asked.query;
        let filter = Filter {
            kinds: kind,
            states: state,
            tags: tag,
            from,
            to,
            fact: FactFilter { subject, predicate, ..FactFilter::default() },
            as_of: asked.query.as_of,
            valid_at: asked.query.valid_at,
            context_key: asked.query.context_key,
            key_prefix: asked.query.key_prefix,
            ..Filter::default()
        };
        let layers = (!layer.is_empty()).then_some(&layer[..]);
        let request = ListRequest::new(visit.selection(&names, layers, filter)?);
        let request = ListRequest {
            order: asked.query.order.map_or(request.order, Order::from),
            limit: asked.query.limit.unwrap_or(request.limit),
            cursor: asked.query.cursor,
            ..request
        };
        Ok(Found(ListOutput::from(&visit.engine.list(visit.caller(), &request).await?)))
    }
}

impl From<OrderName> for Order {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::Newest => Self::Newest,
            OrderName::LatestEvent => Self::LatestEvent,
            OrderName::EarliestEvent => Self::EarliestEvent,
            OrderName::Confidence => Self::Confidence,
        }
    }
}
