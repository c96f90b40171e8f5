//! What can be asked over HTTP: a type for each endpoint, from which its documentation is made too.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{FromRequestParts as _, RawPathParams, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use cofio::model::{Caller, MemoryId, Right};
use cofio::{Error, ErrorKind};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::answer::Answer;
use super::body::{self, Body};
use super::failure::{Failure, Outcome};
use super::house::House;
use super::limits::Limits;
use super::manner::Manner;
use super::openapi;
use super::progress::Progress;
use super::shape::Shape;
use super::visit::{Visit, Visitor};
use crate::notes::Notes;

/// Something that can be asked.
pub(crate) trait Endpoint: Sized + Send + 'static {
    /// The names in the path.
    type Path: Parameters;
    /// What stands behind the question mark.
    type Query: Parameters;
    /// What is sent along.
    type Body: Body;
    /// What comes back.
    type Answer: Answer;

    /// How it is asked.
    const METHOD: Method;
    /// Where, with the names of the path in braces.
    const PATH: &'static str;
    /// What generated clients call it, and what a failure says was attempted.
    const NAME: &'static str;
    /// What it belongs to.
    const GROUP: Group;
    /// What it does, in one line.
    const SUMMARY: &'static str;
    /// What else a caller must know.
    const ABOUT: &'static str = "";
    /// What a key must be allowed to do; the engine sees to it.
    const NEEDS: Right;
    /// What it must be allowed beside that, as whoever changes a memory is shown it.
    const ALSO_NEEDS: &'static [Right] = &[];
    /// How much may be sent along.
    const SIZE: Size = Size::Document;
    /// Which headers make a difference.
    const HEADERS: &'static [Header] = &[];

    /// Does it.
    fn run(visit: &Visit, asked: Asked<Self>)
    -> impl Future<Output = Outcome<Self::Answer>> + Send;
}

/// What is asked of an endpoint.
pub(crate) struct Asked<E: Endpoint> {
    /// The names in the path.
    pub(crate) path: E::Path,
    /// What stands behind the question mark.
    pub(crate) query: E::Query,
    /// What was sent along.
    pub(crate) body: E::Body,
}

/// Names with values, in a path or behind the question mark.
pub(crate) trait Parameters: DeserializeOwned + JsonSchema + Send {}

impl<T: DeserializeOwned + JsonSchema + Send> Parameters for T {}

/// No names at all.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// The id of a memory in a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ById {
    /// The id of a memory.
    id: String,
}

impl ById {
    /// Returns the id; one that no memory can have is not there.
    pub(crate) fn memory(&self) -> cofio::Result<MemoryId> {
        self.id.parse()
    }
}

/// How much may be sent along with a request.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Size {
    /// One thing, and what belongs to it.
    Document,
    /// Many things at once.
    Bulk,
}

impl Size {
    /// Returns how many bytes that is.
    fn most(self, limits: &Limits) -> usize {
        match self {
            Self::Document => limits.document_bytes.min(limits.body_bytes),
            Self::Bulk => limits.body_bytes,
        }
    }
}

/// A header that makes a difference to some endpoints.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Header {
    /// The caller's own name for the request.
    IdempotencyKey,
    /// The version that must still be the latest.
    IfMatch,
    /// The version that need not be sent again.
    IfNoneMatch,
    /// Whether to wait for the answer.
    Prefer,
    /// The last event that was taken.
    LastEventId,
}

impl Header {
    /// Returns its name, and what it is for.
    pub(crate) fn described(self) -> (&'static str, &'static str) {
        match self {
            Self::IdempotencyKey => (
                "Idempotency-Key",
                "A name of the caller's own: the same request again answers what the first one did",
            ),
            Self::IfMatch => ("If-Match", "Only if this is still its ETag"),
            Self::IfNoneMatch => ("If-None-Match", "Only if this is no longer its ETag"),
            Self::LastEventId => ("Last-Event-ID", "The id of the last event that was taken"),
            Self::Prefer => ("Prefer", "`respond-async` answers at once, with a job to ask after"),
        }
    }
}

/// What endpoints belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// Memories one by one and together.
    Memories,
    /// Finding.
    Search,
    /// Forgetting for good.
    Forgetting,
    /// What is known of people, things and statements.
    Knowledge,
    /// Conversations and their windows.
    Sessions,
    /// What waits for a person.
    Review,
    /// What the engine does of itself.
    Maintenance,
    /// Keeping the whole.
    Keeping,
    /// Who may ask.
    Keys,
    /// The `OpenSpec` knowledge provider protocol.
    OpenSpec,
    /// The API of Mem0's clients.
    Mem0,
}

impl Group {
    /// Every group, in the order of the documentation.
    pub(crate) const ALL: [(Self, &'static str, &'static str); 11] = [
        (Self::Memories, "Memories", "Add, read, change and remove what is remembered."),
        (Self::Search, "Search", "Find memories, and have them written up for a prompt."),
        (Self::Forgetting, "Forgetting", "Remove memories so that nothing is left of them."),
        (Self::Knowledge, "Knowledge", "People, things and statements that memories name."),
        (Self::Sessions, "Sessions", "The window and the values of a conversation."),
        (Self::Review, "Review", "What is not used before a person has looked at it."),
        (
            Self::Maintenance,
            "Maintenance",
            "What the engine does of itself, and how to take it back.",
        ),
        (Self::Keeping, "Keeping", "Audit, transfer, statistics and long-running work."),
        (Self::Keys, "Keys", "Who may ask, and what they may do."),
        (
            Self::OpenSpec,
            "OpenSpec",
            "The OpenSpec knowledge provider protocol. Everything below /openspec/v1/knowledge is served below /api/v1/knowledge as well.",
        ),
        (Self::Mem0, "Mem0", "The API of Mem0's clients; on with `cofio serve --mem0`."),
    ];

    /// Returns its name.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(group, ..)| *group == self).map_or("", |(_, name, _)| name)
    }
}

/// Returns what answers at an endpoint's path.
pub(crate) fn route<E: Endpoint>() -> MethodRouter<House> {
    let method = MethodFilter::try_from(E::METHOD).expect("only common methods are used");
    let form = Arc::new(Form { names: openapi::names::<E::Query>(), shape: E::Body::shape() });
    on(method, move |house, manner, visitor, request| {
        handle::<E>(Arc::clone(&form), house, manner, visitor, request)
    })
}

/// What a request may consist of.
struct Form {
    /// What may stand behind the question mark.
    names: Vec<openapi::Name>,
    /// What may be sent along.
    shape: Shape,
}

async fn handle<E: Endpoint>(
    form: Arc<Form>,
    State(house): State<House>,
    Extension(manner): Extension<Manner>,
    Extension(visitor): Extension<Visitor>,
    request: Request,
) -> Response {
    let answered = async {
        // The engine would refuse it too, but only after everything was read.
        check_rights::<E>(&visitor.caller)?;
        check_names(request.uri().query().unwrap_or_default(), &form.names)?;
        check_conditions::<E>(request.headers())?;
        if is_repeatable::<E>(request.headers())
            && let Some(progress) = request.extensions().get::<Progress>()
        {
            progress.can_be_repeated();
        }
        let notes = manner.notes.clone();
        let (visit, asked) = read::<E>(&form.shape, house, visitor, notes, request).await?;
        let answer = E::run(&visit, asked).await?;
        Ok(answer.respond(&visit))
    };
    answered.await.unwrap_or_else(|failure: Failure| failure.during(E::NAME).answer(&manner))
}

/// Refuses whoever lacks a right, and says which ones it takes.
fn check_rights<E: Endpoint>(caller: &Caller) -> Outcome<()> {
    let lacking =
        E::ALSO_NEEDS.iter().chain([&E::NEEDS]).find(|right| !caller.rights().contains(**right));
    let Some(lacking) = lacking else { return Ok(()) };
    if E::ALSO_NEEDS.is_empty() {
        return Ok(caller.require(*lacking)?);
    }
    let message = format!("this key may not {lacking}: {}", openapi::needs::<E>());
    Err(Error::new(ErrorKind::Unauthorized, message).with("right", lacking.as_str()).into())
}

/// Reads everything that is asked before anything is done.
async fn read<E: Endpoint>(
    shape: &Shape,
    house: House,
    visitor: Visitor,
    notes: Notes,
    request: Request,
) -> Outcome<(Visit, Asked<E>)> {
    let most = E::SIZE.most(house.limits());
    check_length(request.headers(), most)?;
    let (mut parts, body) = request.into_parts();
    let path = path_parameters(&mut parts).await?;
    let query = parts.uri.query().unwrap_or_default();
    let query = serde_html_form::from_str(query)
        .map_err(|error| Failure::unreadable(format!("the parameters of the address: {error}")))?;
    let body = E::Body::read(&parts.headers, body, most, shape).await?;
    let progress = parts.extensions.remove().unwrap_or_default();
    let visit = Visit::new(house, visitor, parts.headers, notes, progress).await?;
    Ok((visit, Asked { path, query, body }))
}

/// Refuses a body that says itself that it is too large, before any of it is read.
fn check_length(headers: &HeaderMap, most: usize) -> Outcome<()> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let length = length.and_then(|length| length.parse::<u64>().ok());
    if length.is_some_and(|length| length > most as u64) {
        return Err(body::too_large());
    }
    Ok(())
}

/// Refuses a name that means nothing here, as whoever wrote it thinks that it does, and no value
/// where there has to be one, which would count as if the name had not been written.
fn check_names(query: &str, known: &[openapi::Name]) -> Outcome<()> {
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        let Some(known) = known.iter().find(|known| known.name == name) else {
            let shown: String = name.chars().take(40).collect();
            return Err(Failure::unreadable(format!("unknown parameter {shown:?}")));
        };
        if value.is_empty() && !known.may_be_empty {
            let message = format!("the parameter {name:?} has no value; leave it out or give one");
            return Err(Failure::unreadable(message));
        }
    }
    Ok(())
}

/// Refuses a condition that nobody would look at, as whoever sets it relies on it.
fn check_conditions<E: Endpoint>(headers: &HeaderMap) -> Outcome<()> {
    let looked_at = E::HEADERS.iter().any(|header| matches!(header, Header::IfMatch));
    if E::METHOD.is_safe() || looked_at || !headers.contains_key(header::IF_MATCH) {
        return Ok(());
    }
    Err(Failure::unreadable("If-Match makes no difference here; leave it out"))
}

/// Returns whether a request can be repeated without doing anything twice.
fn is_repeatable<E: Endpoint>(headers: &HeaderMap) -> bool {
    let by_key = E::HEADERS.iter().any(|header| matches!(header, Header::IdempotencyKey));
    let has_key = by_key && headers.contains_key("idempotency-key");
    E::NEEDS == Right::Read || E::METHOD.is_idempotent() || has_key
}

async fn path_parameters<T: Parameters>(parts: &mut axum::http::request::Parts) -> Outcome<T> {
    let unreadable = |_| Failure::unreadable("the path is not UTF-8");
    let names = RawPathParams::from_request_parts(parts, &()).await.map_err(unreadable)?;
    let names: Map<String, Value> =
        names.iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
    serde_json::from_value(Value::Object(names))
        .map_err(|error| Failure::unreadable(format!("the path: {error}")))
}
