//! Changes as they happen, for everyone who may see them, from the durable sequence of changes.
//!
//! Every stream reads the store at the pace of its own reader and keeps a few events at most, so a
//! slow one costs nobody anything. One task for all of them looks for new changes, as other
//! processes may write too; where a stream broke off, it goes on without a gap.

mod body;
mod event;
mod follower;
mod streams;
mod wanted;

use std::marker::PhantomData;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use cofio::model::Right;
use cofio::{Error, Result};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::Answer;
use super::body::Empty;
use super::endpoint::{Asked, Endpoint, Group, Header, Nothing};
use super::failure::Outcome;
use super::openspec::places;
use super::rest::Names;
use super::visit::{Visit, parse_layers};
use event::{Event, MemoryEvent, OpenSpecEvent};
use follower::Follower;
use wanted::{Type, Wanted};

pub(super) use streams::Streams;
pub(crate) use wanted::TYPES;

/// How long a stream is silent at most.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How many pieces wait for a reader; what is being written is beside them.
const WAITING: usize = 1;

/// The stream of the native API.
pub(crate) struct Follow;

/// The stream of the knowledge provider protocol.
pub(crate) struct Changes;

/// Which changes to follow.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct FollowQuery {
    #[serde(flatten)]
    names: Names,
    /// What to tell: `updates` (the default) tells every change with the memory as it is now,
    /// `notifications` without it, and `query` those of memories that have all words of `query`.
    #[serde(rename = "type")]
    kind_of_stream: Option<Type>,
    /// The words, for `type=query`.
    query: Option<String>,
    /// The place in the sequence after which to begin; without it, and without Last-Event-ID, now.
    since: Option<u64>,
    /// Only memories on this layer. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
    /// Only memories of this kind. May be repeated.
    #[serde(default)]
    kind: Vec<String>,
}

/// Which changes to follow.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ChangesQuery {
    /// What to tell: `updates` (the default) tells every change with the entry as it is now,
    /// `notifications` without it, and `query` those of entries that have all words of `query`.
    #[serde(rename = "type")]
    kind_of_stream: Option<Type>,
    /// The words, for `type=query`.
    query: Option<String>,
    /// The place in the sequence after which to begin; without it, and without Last-Event-ID, now.
    since: Option<u64>,
    /// Only entries of this layer or kind, in either vocabulary. May be repeated.
    #[serde(default)]
    layer: Vec<String>,
    /// Only entries of this agent.
    agent_id: Option<String>,
    /// Only entries of this user.
    user_id: Option<String>,
}

impl Endpoint for Follow {
    type Path = Nothing;
    type Query = FollowQuery;
    type Body = Empty;
    type Answer = Events<MemoryEvent>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/v1/stream";
    const NAME: &'static str = "followMemories";
    const GROUP: Group = Group::Memories;
    const SUMMARY: &'static str = "Follow changes as they happen";
    const ABOUT: &'static str = "Events are `created`, `updated` and `deleted`; the id of each is its place in the sequence of changes, and whoever comes back with it misses nothing and gets nothing twice. A memory is told as it is when it is told; one that is gone by then has its id only. Deletions are told to `query` too, whatever the memory said. A comment comes at least every 15 seconds.";
    const NEEDS: Right = Right::Read;
    const HEADERS: &'static [Header] = &[Header::LastEventId];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let query = asked.query;
        let wanted = Wanted {
            names: query.names.iter().map(wanted::named).collect::<Result<_>>()?,
            layers: parse_layers(&query.layer)?,
            kinds: query.kind.iter().map(|kind| kind.parse()).collect::<Result<_>>()?,
            ..Wanted::new(query.kind_of_stream, query.query.as_deref())?
        };
        begin(visit, wanted, query.since).await
    }
}

impl Endpoint for Changes {
    type Path = Nothing;
    type Query = ChangesQuery;
    type Body = Empty;
    type Answer = Events<OpenSpecEvent>;

    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/openspec/v1/knowledge/stream";
    const NAME: &'static str = "streamKnowledge";
    const GROUP: Group = Group::OpenSpec;
    const SUMMARY: &'static str = "Follow changes as they happen";
    const ABOUT: &'static str = Follow::ABOUT;
    const NEEDS: Right = Right::Read;
    const HEADERS: &'static [Header] = &[Header::LastEventId];

    async fn run(visit: &Visit, asked: Asked<Self>) -> Outcome<Self::Answer> {
        let query = asked.query;
        let said = places(&query.layer)?;
        let names = Names { agent_id: query.agent_id, user_id: query.user_id, ..Names::default() };
        let wanted = Wanted {
            names: names.iter().map(wanted::named).collect::<Result<_>>()?,
            layers: said.layers,
            kinds: said.kinds,
            states: said.states,
            ..Wanted::new(query.kind_of_stream, query.query.as_deref())?
        };
        begin(visit, wanted, query.since).await
    }
}

/// Begins a stream, if there is room for one more.
async fn begin<E: Event>(visit: &Visit, wanted: Wanted, since: Option<u64>) -> Outcome<Events<E>> {
    visit.caller().require(Right::Read)?;
    let seat = visit.house.streams().seat(visit.caller().actor())?;
    let last = visit.engine.last_change().await?;
    let position = position(visit, since, last)?;
    let ticks = visit.house.streams().ticks(&visit.engine, last);
    let (out, pieces) = tokio::sync::mpsc::channel(WAITING);
    let follower = Follower::<E>::new(visit, wanted, position, ticks);
    tokio::spawn(follower.run(out));
    Ok(Events { body: Body::new(body::Pieces::new(pieces, seat)), events: PhantomData })
}

/// Returns the place after which to begin.
fn position(visit: &Visit, since: Option<u64>, last: u64) -> Result<u64> {
    let resumed = visit.header("last-event-id").map(|place| {
        let place = place.trim().parse::<u64>();
        place.map_err(|_| Error::invalid("Last-Event-ID takes the id of an event as it was given"))
    });
    let position = resumed.transpose()?.or(since).unwrap_or(last);
    if position > last {
        // Waiting for it would leave out whatever happens until then.
        return Err(Error::invalid(format!("nothing has happened at {position} yet")));
    }
    Ok(position)
}

/// A stream of events, whose data is a `T`.
pub(crate) struct Events<T> {
    body: Body,
    events: PhantomData<fn() -> T>,
}

impl<T: JsonSchema> Answer for Events<T> {
    fn respond(self, _: &Visit) -> Response {
        // A proxy that waits until there is more to send would keep events back.
        let unbuffered = HeaderName::from_static("x-accel-buffering");
        ([(header::CONTENT_TYPE, "text/event-stream"), (unbuffered, "no")], self.body)
            .into_response()
    }

    fn documented(generator: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        let schema = json!({
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": generator.subschema_for::<T>(),
        });
        let about = "Events, the data of each being JSON";
        let stream = json!({
            "description": about,
            "content": { "text/event-stream": { "schema": schema } },
        });
        vec![(StatusCode::OK, stream)]
    }
}
