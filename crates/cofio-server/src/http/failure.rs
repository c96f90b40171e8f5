//! What goes wrong, as it is said over HTTP: one table of statuses, and two forms of body.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use cofio::{Error, ErrorKind};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::manner::Manner;

/// A request that was not answered as it was meant.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What programs branch on first.
    pub(crate) status: StatusCode,
    code: &'static str,
    message: String,
    operation: Option<&'static str>,
    details: Map<String, Value>,
    retryable: bool,
    retry_after: Option<Duration>,
}

/// What a request is answered with.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// Returns the status for each kind of error.
fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Invalid => StatusCode::BAD_REQUEST,
        ErrorKind::Unauthorized => StatusCode::FORBIDDEN,
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict | ErrorKind::ConfirmationRequired => StatusCode::CONFLICT,
        ErrorKind::ContentTooLong | ErrorKind::QueryTooLong => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::InvalidLayer
        | ErrorKind::MissingIdentifier
        | ErrorKind::Refused
        | ErrorKind::Unsupported => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::EmbeddingFailed | ErrorKind::Provider | ErrorKind::Damaged => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        ErrorKind::Configuration => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl Failure {
    /// Says that a request itself is at fault.
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            operation: None,
            details: Map::new(),
            retryable: false,
            retry_after: None,
        }
    }

    /// Says that a body, a path or a parameter cannot be read.
    pub(crate) fn unreadable(message: impl Into<String>) -> Self {
        Error::invalid(message).into()
    }

    /// Says that whoever asks did not show that they may.
    pub(crate) fn unknown_caller(message: &str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, ErrorKind::Unauthorized.code(), message)
    }

    /// Says that there is too much to do, and when to come back.
    pub(crate) fn busy(status: StatusCode, message: &str, retry_after: Duration) -> Self {
        let code = match status {
            StatusCode::TOO_MANY_REQUESTS => ErrorKind::RateLimited.code(),
            _ => ErrorKind::Provider.code(),
        };
        let failure = Self::new(status, code, message);
        Self { retryable: true, retry_after: Some(retry_after), ..failure }
    }

    /// Names the operation, unless a deeper one already did.
    #[must_use]
    pub(crate) fn during(mut self, operation: &'static str) -> Self {
        self.operation.get_or_insert(operation);
        self
    }

    /// Returns what is said of it where several things were asked at once.
    pub(crate) fn said(self) -> Said {
        Said {
            code: self.code,
            status: self.status.as_u16(),
            message: self.message,
            operation: self.operation,
            details: self.details,
            retryable: self.retryable,
        }
    }

    /// Returns the answer, in the form that was asked for.
    pub(crate) fn answer(self, manner: &Manner) -> Response {
        manner.notes.failed(self.code);
        let (status, retry_after) = (self.status, self.retry_after);
        let said = self.said();
        let mut response = if manner.problem {
            let body = Problem::new(said, manner);
            let form = HeaderValue::from_static("application/problem+json");
            (status, [(header::CONTENT_TYPE, form)], Json(body)).into_response()
        } else {
            let request_id = manner.request_id.clone();
            let detail = manner.detail.then(|| said.message.clone());
            let timestamp = Timestamp::now().to_string();
            let body = FailureBody { error: said, detail, request_id, timestamp };
            (status, Json(body)).into_response()
        };
        if let Some(wait) = retry_after {
            let seconds = wait.as_secs_f64().ceil().max(1.0);
            let value = HeaderValue::from_str(&format!("{seconds:.0}"));
            response.headers_mut().extend(value.ok().map(|value| (header::RETRY_AFTER, value)));
        }
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer realm=\"cofio\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            status: status(error.kind()),
            code: error.kind().code(),
            message: error.to_string(),
            operation: error.operation(),
            details: error.details().clone(),
            retryable: error.kind().retryable(),
            retry_after: None,
        }
    }
}

/// Something that went wrong, and what can be done about it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FailureBody {
    error: Said,
    /// The message again, where Mem0's clients look for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// Names this request in the log.
    request_id: String,
    timestamp: String,
}

/// What went wrong.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Said {
    /// What programs branch on, such as `MEMORY_NOT_FOUND`.
    code: &'static str,
    /// The status of HTTP.
    status: u16,
    /// For people.
    message: String,
    /// The operation that failed.
    operation: Option<&'static str>,
    /// Facts that belong to the code.
    details: Map<String, Value>,
    /// Whether the same request may succeed later.
    retryable: bool,
}

/// The same as RFC 9457 writes it, for those who accept application/problem+json.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Problem {
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    detail: String,
    instance: String,
    #[serde(flatten)]
    more: ProblemExtension,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ProblemExtension {
    code: &'static str,
    operation: Option<&'static str>,
    details: Map<String, Value>,
    retryable: bool,
}

impl Problem {
    fn new(said: Said, manner: &Manner) -> Self {
        let Said { code, status, message, operation, details, retryable } = said;
        let known = StatusCode::from_u16(status).ok();
        Self {
            kind: format!("urn:cofio:{}", code.to_ascii_lowercase().replace('_', "-")),
            title: known.and_then(|status| status.canonical_reason()).unwrap_or("Error"),
            status,
            detail: message,
            instance: format!("urn:request:{}", manner.request_id),
            more: ProblemExtension { code, operation, details, retryable },
        }
    }
}
