//! What went wrong, in our words.

use cofio::{Error, ErrorKind};
use qdrant_client::QdrantError;
use tonic::{Code, Status};

use crate::complaint;
use crate::key::Key;

/// What was asked, as far as an error has to know.
pub struct Asked<'a> {
    pub url: &'a str,
    pub key: Option<&'a Key>,
    /// What it was shown, and must not be repeated.
    pub texts: &'a [&'a str],
}

/// Returns whether an error says that there is no such collection.
pub fn is_missing(error: &Error) -> bool {
    error.details().get("code").is_some_and(|code| *code == i32::from(Code::NotFound))
}

/// Turns an error of the driver into ours.
pub fn of(error: &QdrantError, asked: &Asked<'_>) -> Error {
    match error {
        QdrantError::ResponseError { status } => refused(status, asked),
        QdrantError::ResourceExhaustedError { status, retry_after_seconds } => {
            refused(status, asked).with("retryAfterSeconds", *retry_after_seconds)
        }
        // The driver's own words may repeat what it was given.
        _ => Error::new(ErrorKind::Configuration, "cannot ask qdrant in this way"),
    }
}

fn refused(status: &Status, asked: &Asked<'_>) -> Error {
    let url = asked.url;
    if status.code() == Code::Internal && status.message().starts_with("Failed to connect") {
        let (kind, why) = unconnected(status.message());
        let message = format!("cannot reach qdrant at {url}: {why}");
        return Error::new(kind, message).with("code", i32::from(status.code()));
    }
    let (kind, message) = match status.code() {
        Code::Unauthenticated | Code::PermissionDenied => {
            let advice = if asked.key.is_some() { "check the key" } else { "it needs a key" };
            (ErrorKind::Configuration, format!("qdrant at {url} lets nobody in: {advice}"))
        }
        Code::ResourceExhausted => {
            (ErrorKind::RateLimited, format!("qdrant at {url} has too much to do"))
        }
        Code::Unimplemented => {
            let advice = "gRPC has a port of its own, usually 6334";
            (ErrorKind::Configuration, format!("qdrant at {url} does not know this: {advice}"))
        }
        Code::Unavailable
        | Code::Internal
        | Code::Unknown
        | Code::Cancelled
        | Code::DeadlineExceeded
        | Code::Aborted
        | Code::DataLoss => (ErrorKind::Provider, format!("qdrant at {url} failed")),
        _ => (ErrorKind::Configuration, format!("qdrant at {url} refuses to serve this")),
    };
    let error = Error::new(kind, message).with("code", i32::from(status.code()));
    match complaint::read(status.message().as_bytes(), asked.key, asked.texts) {
        Some(said) => error.caused_by(said),
        None => error,
    }
}

/// Says why there is no connection; the driver tells it in one text.
fn unconnected(message: &str) -> (ErrorKind, &'static str) {
    let has = |part: &str| message.contains(part);
    if has("InvalidCertificate") || has("invalid peer certificate") {
        (ErrorKind::Configuration, "nobody vouches for its certificate")
    } else if has("InvalidMessage") || has("corrupt message") {
        (ErrorKind::Configuration, "it does not speak TLS there; try http://")
    } else if has("ConnectionRefused") {
        (ErrorKind::Provider, "nothing listens there; start the server or check its address")
    } else if has("dns error") {
        (ErrorKind::Provider, "its name leads nowhere")
    } else {
        (ErrorKind::Provider, "there is no connection")
    }
}
