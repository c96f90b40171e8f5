//! Answers that may come later.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{Answer, Found, json_content};
use super::failure::{Failure, Outcome};
use super::jobs::JobOutput;
use super::visit::Visit;

/// A value, or the job that works on it.
#[derive(Debug)]
pub(crate) enum Eventually<T> {
    /// The value.
    Now(T),
    /// The job.
    Later(Box<JobOutput>),
}

impl<T: Serialize + Send + 'static> Eventually<T> {
    /// Waits for some work, or makes a job of it if the caller would rather come back.
    pub(crate) async fn of(
        visit: &Visit,
        operation: &'static str,
        work: impl Future<Output = Outcome<T>> + Send + 'static,
    ) -> Outcome<Self> {
        if !visit.prefers_async() {
            return work.await.map(Self::Now);
        }
        // What was sent is still there until the work is done.
        let held = visit.progress().hand_over();
        let work = async move {
            let _held = held;
            let value = serde_json::to_value(work.await?);
            value.map_err(|_| Failure::unreadable("the answer cannot be written as JSON"))
        };
        let job = visit.house.jobs().start(visit.caller().actor(), operation, work)?;
        Ok(Self::Later(Box::new(job)))
    }
}

impl<T: Serialize + JsonSchema> Answer for Eventually<T> {
    fn respond(self, visit: &Visit) -> Response {
        let job = match self {
            Self::Now(value) => return Found(value).respond(visit),
            Self::Later(job) => job,
        };
        let place = HeaderValue::from_str(&format!("/v1/jobs/{}", job.id)).ok();
        let mut response = (StatusCode::ACCEPTED, axum::Json(job)).into_response();
        response.headers_mut().extend(place.map(|place| (header::LOCATION, place)));
        let applied = HeaderValue::from_static("respond-async");
        response.headers_mut().insert("preference-applied", applied);
        response
    }

    fn documented(generator: &mut SchemaGenerator) -> Vec<(StatusCode, Value)> {
        let about = "It was accepted and goes on; if the process ends, so does it";
        let mut accepted = json_content::<JobOutput>(generator, about);
        accepted["headers"] = json!({
            "Location": { "description": "Where to ask after it", "schema": { "type": "string" } },
        });
        let mut all = Found::<T>::documented(generator);
        all.push((StatusCode::ACCEPTED, accepted));
        all
    }
}
