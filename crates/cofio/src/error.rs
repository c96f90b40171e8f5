//! The one error type: a kind for programs, a message for people, a source for debugging.

use std::fmt;

use serde_json::{Map, Value};

/// The result of anything Cofio does.
pub type Result<T> = std::result::Result<T, Error>;

/// Says what went wrong, during which operation, and whether trying again can help.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    message: String,
    operation: Option<&'static str>,
    details: Map<String, Value>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What a caller can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The layer is unknown.
    InvalidLayer,
    /// The layer needs an identifier that was not given.
    MissingIdentifier,
    /// There is no such memory, or it is not the caller's.
    NotFound,
    /// The content is larger than the store accepts.
    ContentTooLong,
    /// The query is larger than the engine accepts.
    QueryTooLong,
    /// The embedder failed; the memory itself may be stored.
    EmbeddingFailed,
    /// The store or another provider failed.
    Provider,
    /// What is stored was damaged or tampered with.
    Damaged,
    /// Too many requests; wait and try again.
    RateLimited,
    /// The caller may not open this scope.
    Unauthorized,
    /// The configuration has to be changed.
    Configuration,
    /// The write policy forbids it, whoever asks.
    Refused,
    /// A person has to agree first.
    ConfirmationRequired,
    /// Some other part of the input is malformed.
    Invalid,
    /// Somebody else changed it first, or the same key was used for something else.
    Conflict,
    /// The store or the configuration cannot do this.
    Unsupported,
}

impl ErrorKind {
    /// Returns the code used on every wire.
    ///
    /// The first ten are those of the OpenSpec memory protocol; the others extend it.
    pub fn code(self) -> &'static str {
        match self {
            Self::InvalidLayer => "INVALID_LAYER",
            Self::MissingIdentifier => "MISSING_IDENTIFIER",
            Self::NotFound => "MEMORY_NOT_FOUND",
            Self::ContentTooLong => "CONTENT_TOO_LONG",
            Self::QueryTooLong => "QUERY_TOO_LONG",
            Self::EmbeddingFailed => "EMBEDDING_FAILED",
            Self::Provider | Self::Damaged => "PROVIDER_ERROR",
            Self::RateLimited => "RATE_LIMITED",
            Self::Unauthorized => "UNAUTHORIZED",
            Self::Configuration => "CONFIGURATION_ERROR",
            Self::Refused => "POLICY_REFUSED",
            Self::ConfirmationRequired => "CONFIRMATION_REQUIRED",
            Self::Invalid => "INVALID_INPUT",
            Self::Conflict => "CONFLICT",
            Self::Unsupported => "UNSUPPORTED",
        }
    }

    /// Returns whether the same call may succeed later.
    pub fn retryable(self) -> bool {
        matches!(self, Self::EmbeddingFailed | Self::Provider | Self::RateLimited)
    }
}

/// The fact that is attached where nobody knows what was done.
const OUTCOME: &str = "outcome";

impl Error {
    /// Makes an error whose message is a lowercase fragment saying what was attempted.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            operation: None,
            details: Map::new(),
            source: None,
        }))
    }

    /// Makes the error for malformed input.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Attaches the error that caused this one.
    #[must_use]
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Attaches one fact a program may want; never content, never a secret.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.details.insert(name.to_owned(), value.into());
        self
    }

    /// Names the operation that failed, unless a deeper one already did.
    #[must_use]
    pub fn during(mut self, operation: &'static str) -> Self {
        self.0.operation.get_or_insert(operation);
        self
    }

    /// Says that nobody knows whether what failed was done all the same.
    #[must_use]
    pub fn undecided(self) -> Self {
        self.with(OUTCOME, "unknown")
    }

    /// Returns whether what failed may have been done all the same.
    pub fn is_undecided(&self) -> bool {
        self.0.details.contains_key(OUTCOME)
    }

    /// Returns what a caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the name of the operation that failed.
    pub fn operation(&self) -> Option<&'static str> {
        self.0.operation
    }

    /// Returns the facts attached for programs.
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("operation", &self.0.operation)
            .field("details", &self.0.details)
            .field("source", &self.0.source)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}
