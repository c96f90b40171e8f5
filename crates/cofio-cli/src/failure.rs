//! What is said when something goes wrong, and the exit code that says it to programs.

use std::fmt;
use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::{ContextValue, ErrorKind as Misuse};
use cofio::wire::ErrorOutput;
use cofio::{Error, ErrorKind};
use serde::Serialize;
use serde_json::Map;

use crate::output::{Form, as_json, plain};
use crate::settings::SettingsError;

/// What the command line itself refuses to do.
#[derive(Debug)]
pub enum Refusal {
    /// The command line does not make sense.
    Usage(String),
    /// Nobody agreed.
    Confirmation(String),
    /// Something is there that must not be overwritten.
    Conflict(String),
    /// What was looked for was found, and has been told already.
    Found,
    /// Something that should be gone is still there.
    StillThere(String),
    /// Something is left of what should be gone.
    Left(String),
}

/// Returns the exit code for each kind of error.
fn exit_code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::InvalidLayer
        | ErrorKind::MissingIdentifier
        | ErrorKind::ContentTooLong
        | ErrorKind::QueryTooLong
        | ErrorKind::Invalid => 2,
        ErrorKind::NotFound => 3,
        ErrorKind::Conflict | ErrorKind::ConfirmationRequired | ErrorKind::Refused => 4,
        ErrorKind::EmbeddingFailed | ErrorKind::Provider | ErrorKind::RateLimited => 5,
        ErrorKind::Unauthorized
        | ErrorKind::Configuration
        | ErrorKind::Damaged
        | ErrorKind::Unsupported => 1,
    }
}

/// Says what went wrong, and returns the exit code.
///
/// A reader who has seen enough is no failure.
pub fn report(error: &anyhow::Error, form: Form) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let (code, output) = describe(error);
    if !matches!(error.downcast_ref(), Some(Refusal::Found)) {
        say(&output, form);
    }
    ExitCode::from(code)
}

/// Says what is wrong with a command line that cannot be read, or shows the help that it asks for.
pub fn misuse(error: clap::Error, form: Form) -> ExitCode {
    let is_help = error.kind() == Misuse::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || (is_help && form == Form::Text) {
        // Nobody may be listening.
        let _ = error.print();
        return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1));
    }
    if form == Form::Text {
        let message = with_plain_arguments(error).to_string();
        // What is left of them is in the advice.
        let lines: Vec<_> = message.trim_end().split('\n').map(plain).collect();
        let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
        return ExitCode::from(2);
    }
    let message = error.to_string();
    let first = message.lines().next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    say(&output(ErrorKind::Invalid.code(), first.to_owned()), form);
    ExitCode::from(2)
}

/// Writes out what a terminal would obey in the arguments that an error repeats.
fn with_plain_arguments(mut error: clap::Error) -> clap::Error {
    let repeated: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, plain(text).into_owned())),
            _ => None,
        })
        .collect();
    for (kind, text) in repeated {
        error.insert(kind, ContextValue::String(text));
    }
    error
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    causes.any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

fn describe(error: &anyhow::Error) -> (u8, ErrorOutput) {
    let message = message(error);
    if let Some(ours) = error.downcast_ref::<Error>() {
        let message = message + &advice(ours);
        return (exit_code(ours.kind()), ErrorOutput { message, ..ErrorOutput::from(ours) });
    }
    if error.is::<SettingsError>() {
        return (2, output(ErrorKind::Configuration.code(), message));
    }
    let (exit, code) = match error.downcast_ref() {
        Some(Refusal::Usage(_)) => (2, ErrorKind::Invalid.code()),
        Some(Refusal::Confirmation(_)) => (4, "CONFIRMATION_NEEDED"),
        Some(Refusal::Conflict(_)) => (4, ErrorKind::Conflict.code()),
        Some(Refusal::Found) => (4, "FOUND"),
        Some(Refusal::StillThere(_)) => (3, "STILL_THERE"),
        Some(Refusal::Left(_)) => (4, "SOMETHING_LEFT"),
        None => (1, "FAILED"),
    };
    (exit, output(code, message))
}

/// Returns what went wrong and what caused it, nothing twice.
pub fn message(error: &anyhow::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in error.chain().map(ToString::to_string) {
        let known = |part: &String| part.contains(&cause) || cause.contains(part.as_str());
        if !parts.iter().any(known) {
            parts.push(cause);
        }
    }
    parts.join(": ")
}

/// Returns which flag would help.
fn advice(error: &Error) -> String {
    if error.kind() == ErrorKind::ConfirmationRequired {
        return ": add --allow-possible to keep it".to_owned();
    }
    let missing = error.details().get("missing").and_then(|name| name.as_str());
    match missing.and_then(|name| name.strip_suffix("Id")) {
        Some(name) => format!(": add --{name} NAME"),
        None => String::new(),
    }
}

fn output(code: &'static str, message: String) -> ErrorOutput {
    ErrorOutput { code, message, operation: None, details: Map::new(), retryable: false }
}

fn say(error: &ErrorOutput, form: Form) {
    #[derive(Serialize)]
    struct Wrapped<'a> {
        error: &'a ErrorOutput,
    }
    let text = match form {
        Form::Json => as_json(&Wrapped { error }),
        Form::Text => format!("error: {}\n", plain(&error.message)),
    };
    // Nobody may be listening.
    let _ = io::stderr().write_all(text.as_bytes());
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usage(message)
            | Self::Confirmation(message)
            | Self::Conflict(message)
            | Self::StillThere(message)
            | Self::Left(message) => message,
            Self::Found => "something was found",
        })
    }
}

impl std::error::Error for Refusal {}
