//! One line for each request: names and figures, never content.

use std::fmt;
use std::io::Write;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use axum::http::StatusCode;
use serde::Serialize;

/// How many lines may wait to be written; those above are lost, so that no request waits for them.
const WAITING: usize = 4_096;

/// How long the last lines may take to be written when the server ends.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where requests are written down.
#[derive(Debug)]
pub struct Log {
    logged: Logged,
    form: LogForm,
    lines: Option<SyncSender<String>>,
    written: Mutex<Option<Receiver<()>>>,
}

/// Which requests are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Logged {
    /// None.
    Nothing,
    /// Those that failed here, and those of callers who were refused.
    Errors,
    /// All.
    Requests,
}

/// How a line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogForm {
    /// For people.
    Text,
    /// One object of JSON.
    Json,
}

/// What is written down of one request.
///
/// The route is a pattern, not the path that was asked for, in which there are ids.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    pub(super) time: String,
    pub(super) level: Level,
    pub(super) method: &'a str,
    pub(super) route: &'a str,
    pub(super) status: u16,
    pub(super) duration_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<u64>,
    pub(super) request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) actor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<&'static str>,
}

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    /// It went as it should, or whoever asked made a mistake.
    Info,
    /// Somebody was refused.
    Warn,
    /// It went wrong here.
    Error,
}

impl Log {
    /// Writes nothing.
    pub fn nothing() -> Self {
        Self {
            logged: Logged::Nothing,
            form: LogForm::Text,
            lines: None,
            written: Mutex::default(),
        }
    }

    /// Writes lines to a place, on a thread of its own.
    pub fn new(logged: Logged, form: LogForm, mut place: impl Write + Send + 'static) -> Self {
        if logged == Logged::Nothing {
            return Self::nothing();
        }
        let (lines, waiting) = mpsc::sync_channel::<String>(WAITING);
        let (done, written) = mpsc::channel();
        let write = move || {
            for line in waiting {
                // A log that cannot be written is no reason to stop answering.
                let _ = place.write_all(line.as_bytes()).and_then(|()| place.flush());
            }
            drop(done);
        };
        let started = thread::Builder::new().name("cofio-log".to_owned()).spawn(write);
        let lines = started.is_ok().then_some(lines);
        Self { logged, form, lines, written: Mutex::new(Some(written)) }
    }

    /// Writes a line down, if it matters enough.
    pub(super) fn write(&self, line: &Line<'_>) {
        let wanted = match line.level {
            Level::Info => self.logged >= Logged::Requests,
            Level::Warn | Level::Error => self.logged >= Logged::Errors,
        };
        let Some(lines) = self.lines.as_ref().filter(|_| wanted) else { return };
        let written = match self.form {
            LogForm::Text => line.to_string(),
            LogForm::Json => serde_json::to_string(line).unwrap_or_default(),
        };
        let _ = lines.try_send(written + "\n");
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        drop(self.lines.take());
        let written = self.written.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // Nothing is ever sent: the channel closes when the last line is written.
        let _ = written.map(|written| written.recv_timeout(PATIENCE));
    }
}

impl Level {
    /// Returns how much an answer with a status matters.
    pub(super) fn of(status: StatusCode) -> Self {
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::TOO_MANY_REQUESTS => {
                Self::Warn
            }
            status if status.is_server_error() => Self::Error,
            _ => Self::Info,
        }
    }
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { time, method, route, status, duration_ms, request_id, .. } = self;
        write!(f, "{time} {method} {route} {status} {duration_ms:.3} ms")?;
        if let Some(bytes) = self.bytes {
            write!(f, " {bytes} bytes")?;
        }
        if let Some(code) = self.code {
            write!(f, " {code}")?;
        }
        if let Some(actor) = self.actor {
            write!(f, " by {}", actor.escape_debug())?;
        }
        write!(f, " request {request_id}")
    }
}
