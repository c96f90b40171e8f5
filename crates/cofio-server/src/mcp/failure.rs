//! What a model is told when a tool fails.

use cofio::{Error, ErrorKind};
use rmcp::model::{CallToolResult, ContentBlock, InputRequiredResult, MetaObject};
use serde_json::json;

use crate::dialects::ToolError;

/// The most characters of a name that somebody wrote which an error repeats.
const SHOWN: usize = 40;

/// Why a tool has no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It cannot be done.
    Failed(Error),
    /// It cannot be done, for which a dialect has words of its own.
    Said(String),
    /// The user has to be asked first.
    Asks(Box<InputRequiredResult>),
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Said(words) => Self::Said(words),
            ToolError::Engine(error) => Self::Failed(error),
        }
    }
}

/// What a tool answers, unless it cannot.
pub(crate) type Outcome<T> = std::result::Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Returns what a model can do about each kind of error.
fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => {
            "Search again for its id; it may have been forgotten, or belong to somebody else."
        }
        ErrorKind::InvalidLayer | ErrorKind::Invalid => "Correct the arguments and call again.",
        ErrorKind::MissingIdentifier => {
            "Name the session, use another layer, or leave the layer out."
        }
        ErrorKind::ContentTooLong => "Shorten it, or keep it in several parts.",
        ErrorKind::QueryTooLong => "Ask a shorter question.",
        ErrorKind::EmbeddingFailed => "Search by words (mode keyword), or try again later.",
        ErrorKind::Provider | ErrorKind::RateLimited => "Try again in a moment.",
        ErrorKind::Damaged => "Tell the user to run: cofio doctor",
        ErrorKind::Unauthorized => "Only the user's own memories are open here; leave it out.",
        ErrorKind::Configuration => "Tell the user: the settings of Cofio have to be changed.",
        ErrorKind::Refused => "Do not try again; tell the user why.",
        ErrorKind::ConfirmationRequired => "Ask the user, who alone can agree to it.",
        ErrorKind::Conflict => "Look at it again, and decide anew.",
        ErrorKind::Unsupported => "Do without it.",
    }
}

/// Returns the result of a call that failed.
pub(crate) fn result(error: &Error) -> CallToolResult {
    let told = error.details().get("advice").and_then(|advice| advice.as_str());
    let advice = match told {
        Some(told) => told,
        None if error.details().contains_key("right") => "Do without it, and tell the user why.",
        None => advice(error.kind()),
    };
    said(error.kind(), &format!("{error}. {advice}"))
}

/// Returns the result of a call whose arguments cannot be read; what they say is not repeated.
pub(crate) fn misuse(error: &serde_json::Error) -> CallToolResult {
    let message = without_values(&error.to_string());
    said(ErrorKind::Invalid, &format!("{message}. {}", advice(ErrorKind::Invalid)))
}

/// Returns the result of a call that failed for a reason that a dialect has words for.
pub(crate) fn worded(words: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(words)])
}

fn said(kind: ErrorKind, text: &str) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    let mut meta = MetaObject::new();
    let about = json!({"code": kind.code(), "retryable": kind.retryable()});
    meta.insert("cofio/error".to_owned(), about);
    result.meta = Some(meta);
    result
}

/// Leaves out what stands between the outermost quotes, and cuts names between backticks short.
fn without_values(message: &str) -> String {
    let message = match (message.find('"'), message.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}…{}", &message[..first], &message[last + 1..])
        }
        _ => message.to_owned(),
    };
    let parts = message.split('`').enumerate().map(|(place, part)| {
        if place % 2 == 0 { part.to_owned() } else { part.chars().take(SHOWN).collect() }
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_wrote_is_not_repeated() {
        let check = |message: &str, expected: &str| assert_eq!(without_values(message), expected);
        check(
            r#"invalid type: string "my \"secret\" text", expected u64"#,
            "invalid type: string …, expected u64",
        );
        check("missing field `content`", "missing field `content`");
        let long = format!("unknown field `{}`, expected `a`", "x".repeat(100));
        check(&long, &format!("unknown field `{}`, expected `a`", "x".repeat(40)));
    }
}
