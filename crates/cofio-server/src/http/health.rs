//! Whether the server lives and can answer, for those who start and stop it; no key is needed.
//!
//! It says no more than a stranger may know: no path, no name, no reason that an error gives.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use cofio::model::Checkup;
use cofio::store::EmbeddingState;
use cofio::{ErrorKind, Result};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::time;

use super::answer::json_content;
use super::endpoint::Group;
use super::house::House;
use super::rounds;
use crate::Opened;

/// How long the store may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is said of something that does not answer in time.
const SLOW: &str = "it takes too long";

/// How well the whole is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Health {
    status: Status,
    latency_ms: f64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    components: BTreeMap<String, Component>,
}

/// How well something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    /// It does all it should.
    Healthy,
    /// It answers, but not all of it does what it should.
    Degraded,
    /// It cannot answer.
    Unhealthy,
}

/// How well a part is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Component {
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latency_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<u64>,
    /// How its own parts are.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    components: BTreeMap<&'static str, Part>,
    /// Whether the rest goes on without it.
    #[serde(skip)]
    is_a_part: bool,
}

/// How well a part of a server is.
#[derive(Debug, Serialize, JsonSchema)]
struct Part {
    status: Status,
}

/// Returns what the documentation says of both.
pub(super) fn documented(generator: &mut SchemaGenerator) -> Map<String, Value> {
    let mut path = |name: &str, about: &str, answers: &[(&str, &str)]| {
        let answers = answers.iter().map(|(status, about)| {
            ((*status).to_owned(), json_content::<Health>(generator, about))
        });
        json!({ "get": {
            "operationId": name,
            "tags": [Group::Keeping.name()],
            "summary": about,
            "description": "Nobody needs a key.",
            "security": [],
            "parameters": [],
            "responses": answers.collect::<Map<String, Value>>(),
        } })
    };
    let (well, unwell) = (("200", "It can"), ("503", "It cannot"));
    let live = path("isLive", "Ask whether the process answers", &[well]);
    let ready = path("isReady", "Ask whether requests can be answered", &[well, unwell]);
    Map::from_iter([("/healthz".to_owned(), live), ("/readyz".to_owned(), ready)])
}

/// Says that the process answers; asks nobody else.
pub(super) async fn live() -> Json<Health> {
    Json(Health { status: Status::Healthy, latency_ms: 0.0, components: BTreeMap::new() })
}

/// Says whether requests can be answered, and how well each part is.
pub(super) async fn ready(State(house): State<House>) -> (StatusCode, Json<Health>) {
    let start = Instant::now();
    let components = if house.closing().is_cancelled() {
        let ending = Component::new(Status::Unhealthy, "it is about to end");
        BTreeMap::from([("server".to_owned(), ending)])
    } else {
        components(&house).await
    };
    let status = components.values().map(Component::weight).max();
    let status = status.unwrap_or(Status::Healthy);
    let code = match status {
        Status::Healthy | Status::Degraded => StatusCode::OK,
        Status::Unhealthy => StatusCode::SERVICE_UNAVAILABLE,
    };
    (code, Json(Health { status, latency_ms: milliseconds(start.elapsed()), components }))
}

async fn components(house: &House) -> BTreeMap<String, Component> {
    let start = time::Instant::now();
    let deadline = start + PATIENCE;
    let opened = match before(deadline, house.opened()).await {
        Ok(opened) => opened,
        Err(unwell) => return BTreeMap::from([("store".to_owned(), unwell)]),
    };
    let state = async {
        let state = before(deadline, opened.engine.embedding_state()).await;
        (state, start.elapsed())
    };
    let ((state, took), checkups) = tokio::join!(state, rounds::made(opened.engine.health()));
    let mut checkups = checkups.into_iter();
    let home = checkups.next();
    let own = match state {
        Ok(state) => own(opened, &state, store(home, took)),
        Err(unwell) => vec![("store".to_owned(), unwell)],
    };
    let shelves = checkups.map(|Checkup { name, health }| (name, shelf(health)));
    own.into_iter().chain(shelves).collect()
}

/// Returns what is answered until a moment, or what is wrong.
async fn before<T>(
    deadline: time::Instant,
    asked: impl Future<Output = Result<T>>,
) -> std::result::Result<T, Component> {
    let answer = time::timeout_at(deadline, asked).await;
    let answer = answer.map_err(|_| Component::new(Status::Unhealthy, SLOW))?;
    answer.map_err(|error| Component::new(Status::Unhealthy, why(error.kind())))
}

/// Returns how well everything is but the servers that texts stand on.
fn own(opened: &Opened, state: &EmbeddingState, store: Component) -> Vec<(String, Component)> {
    let embedder = embedder(opened, state);
    let embeddings = Component { pending: Some(state.pending), ..refusals(state) };
    let own = [("store", store), ("embedder", embedder), ("embeddings", embeddings)];
    own.into_iter().map(|(name, component)| (name.to_owned(), component)).collect()
}

/// Returns how a store is that answers, by what it says of itself.
fn store(checkup: Option<Checkup>, took: Duration) -> Component {
    let health = checkup.map(|checkup| checkup.health);
    let own = match &health {
        None => Component::default(),
        Some(Ok(health)) if health.status == cofio::model::Status::Healthy => Component::default(),
        Some(_) => {
            Component::new(Status::Degraded, "`cofio doctor` says what is not as it should be")
        }
    };
    let components = health.and_then(Result::ok).map(|health| parts(&health)).unwrap_or_default();
    Component { latency_ms: Some(milliseconds(took)), components, ..own }
}

fn shelf(health: Result<cofio::model::Health>) -> Component {
    match health {
        Ok(health) => Component {
            latency_ms: Some(milliseconds(health.latency)),
            components: parts(&health),
            ..Component::of_a_part(health.status.into(), None)
        },
        Err(error) => Component::of_a_part(Status::Unhealthy, Some(why(error.kind()))),
    }
}

fn parts(health: &cofio::model::Health) -> BTreeMap<&'static str, Part> {
    let parts = health.components.iter();
    parts.map(|part| (part.name, Part { status: part.status.into() })).collect()
}

/// Returns what a stranger is told of a store that does not answer.
fn why(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Damaged => "it is damaged",
        ErrorKind::Configuration => "it cannot be opened as it is configured",
        _ => "it does not answer",
    }
}

fn embedder(opened: &Opened, state: &EmbeddingState) -> Component {
    match (&opened.model, &state.model) {
        (None, _) => Component {
            message: Some("none: memories are found by words and names"),
            ..Component::default()
        },
        (Some(model), Some(used)) if model != used => {
            Component::new(Status::Degraded, "the store has vectors of another model")
        }
        (Some(_), _) => Component::default(),
    }
}

fn refusals(state: &EmbeddingState) -> Component {
    if state.refused.is_empty() {
        return Component::default();
    }
    Component::new(Status::Degraded, "some memories could not be embedded")
}

impl Component {
    fn new(status: Status, message: &'static str) -> Self {
        Self { status, message: Some(message), ..Self::default() }
    }

    /// Makes something without which the rest goes on.
    fn of_a_part(status: Status, message: Option<&'static str>) -> Self {
        Self { status, message, is_a_part: true, ..Self::default() }
    }

    /// Returns how well the whole is if this is all there is to say.
    fn weight(&self) -> Status {
        if self.is_a_part { self.status.min(Status::Degraded) } else { self.status }
    }
}

impl Default for Component {
    fn default() -> Self {
        Self {
            status: Status::Healthy,
            message: None,
            latency_ms: None,
            pending: None,
            components: BTreeMap::new(),
            is_a_part: false,
        }
    }
}

impl From<cofio::model::Status> for Status {
    fn from(status: cofio::model::Status) -> Self {
        match status {
            cofio::model::Status::Healthy => Self::Healthy,
            cofio::model::Status::Degraded => Self::Degraded,
            cofio::model::Status::Unhealthy => Self::Unhealthy,
        }
    }
}

/// Returns milliseconds, to the microsecond.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}
