//! The driver's errors in our words.
//!
//! What the server says may repeat what was written, so that nothing of it is passed on but its code.

use std::time::Duration;

use cofio::{Error, ErrorKind, Result};
use deadpool_postgres::{HookError, PoolError};
use tokio::time::timeout;
use tokio_postgres::error::SqlState;

/// Turns an error of the driver into ours.
pub(super) fn failed(cause: tokio_postgres::Error) -> Error {
    let Some(state) = cause.code() else { return unreachable(cause) };
    let code = state.code().to_owned();
    let (kind, message) = match state {
        &SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            (ErrorKind::Configuration, "PostgreSQL refuses this role or its password")
        }
        &SqlState::INVALID_CATALOG_NAME => {
            (ErrorKind::Configuration, "PostgreSQL has no such database")
        }
        &SqlState::INSUFFICIENT_PRIVILEGE => {
            (ErrorKind::Configuration, "the role lacks a privilege in PostgreSQL")
        }
        &SqlState::READ_ONLY_SQL_TRANSACTION => (
            ErrorKind::Provider,
            "this PostgreSQL server is read-only, as a standby is; use the primary",
        ),
        &SqlState::DISK_FULL => {
            (ErrorKind::Provider, "the disk of PostgreSQL is full; make room on it")
        }
        &SqlState::OUT_OF_MEMORY => (
            ErrorKind::Provider,
            "PostgreSQL has not enough memory; give its machine more, or let it use less (work_mem)",
        ),
        &SqlState::CONFIGURATION_LIMIT_EXCEEDED => (
            ErrorKind::Provider,
            "PostgreSQL has reached a limit that its settings set, such as temp_file_limit; raise it",
        ),
        &SqlState::TOO_MANY_CONNECTIONS => (
            ErrorKind::Provider,
            "PostgreSQL has too many connections; raise max_connections, or let each process have fewer",
        ),
        &SqlState::QUERY_CANCELED => {
            (ErrorKind::Provider, "PostgreSQL took longer than the statement timeout allows")
        }
        &SqlState::LOCK_NOT_AVAILABLE => {
            (ErrorKind::Provider, "another process has kept the store in PostgreSQL for too long")
        }
        _ if is_end(state) => (ErrorKind::Provider, "PostgreSQL ended the connection"),
        _ => (ErrorKind::Provider, "PostgreSQL failed"),
    };
    let error = Error::new(kind, message).with("sqlstate", code);
    if is_end(state) { error.with("connection", "lost") } else { error }
}

/// Returns the error of a server that has not answered for so long.
pub(super) fn silent(patience: Duration) -> Error {
    let message = format!("PostgreSQL did not answer within {} ms", patience.as_millis());
    Error::new(ErrorKind::Provider, message).with("connection", "lost")
}

/// Waits for an answer, but not for ever.
pub(super) async fn within<T>(
    patience: Duration,
    asked: impl Future<Output = Result<T>>,
) -> Result<T> {
    timeout(patience, asked).await.unwrap_or_else(|_| Err(silent(patience)))
}

/// Returns the error of a commit of which nobody knows whether it was made.
pub(super) fn undecided(cause: Option<Error>) -> Error {
    let error = Error::new(
        ErrorKind::Provider,
        "the connection to PostgreSQL was lost while a commit was under way: whether it was made is \
         not known",
    );
    let error = error.undecided().with("connection", "lost");
    match cause {
        Some(cause) => error.caused_by(cause),
        None => error,
    }
}

/// Returns the error of a write that was to follow one whose connection was lost.
pub(super) fn not_begun() -> Error {
    let message = "the connection to PostgreSQL was lost before this was written";
    Error::new(ErrorKind::Provider, message).with("connection", "lost")
}

/// Turns an error of the pool into ours.
pub(super) fn unavailable(cause: PoolError) -> Error {
    match cause {
        PoolError::Backend(cause) | PoolError::PostCreateHook(HookError::Backend(cause)) => {
            failed(cause)
        }
        PoolError::Timeout(_) => Error::new(
            ErrorKind::Provider,
            "no connection to PostgreSQL became free in time: all are in use, or it does not answer",
        )
        .with("connection", "none"),
        other => {
            Error::new(ErrorKind::Provider, "no connection to PostgreSQL is there").caused_by(other)
        }
    }
}

/// Returns whether an error is that of a connection that is gone, so that another may do better.
pub(super) fn is_lost(error: &Error) -> bool {
    error.details().get("connection").is_some_and(|connection| connection == "lost")
}

/// Returns whether an error may be the doing of one write, so that those beside it may fare better
/// without it: what it holds, what it refers to, how large it is, or a row that only it needs.
pub(super) fn is_of_one_write(error: &Error) -> bool {
    match sqlstate(error) {
        Some(code) => ["22", "23", "54"].iter().any(|class| code.starts_with(class)),
        None => !matches!(error.kind(), ErrorKind::Provider | ErrorKind::Configuration),
    }
}

/// Returns whether a transaction failed because of others, and may succeed now.
pub(super) fn is_collision(error: &Error) -> bool {
    is_one_of(error, &[&SqlState::T_R_SERIALIZATION_FAILURE, &SqlState::T_R_DEADLOCK_DETECTED])
}

/// Returns whether a server knows nothing of a transaction that it once began, as it has lost what it
/// had not written down.
pub(super) fn is_unheard_of(error: &Error) -> bool {
    is_one_of(error, &[&SqlState::INVALID_PARAMETER_VALUE])
}

/// Returns whether an error is one of those of the server.
pub(super) fn is_one_of(error: &Error, states: &[&SqlState]) -> bool {
    sqlstate(error).is_some_and(|code| states.iter().any(|state| state.code() == code))
}

fn sqlstate(error: &Error) -> Option<&str> {
    error.details().get("sqlstate").and_then(|code| code.as_str())
}

/// Returns whether the server has ended the connection, or will.
fn is_end(state: &SqlState) -> bool {
    let ends = [
        &SqlState::ADMIN_SHUTDOWN,
        &SqlState::CRASH_SHUTDOWN,
        &SqlState::CANNOT_CONNECT_NOW,
        &SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ];
    ends.contains(&state) || state.code().starts_with("08") || state.code() == "57P05"
}

fn unreachable(cause: tokio_postgres::Error) -> Error {
    let said = cause.to_string();
    let message = if said.contains("password missing") {
        return Error::new(
            ErrorKind::Configuration,
            "PostgreSQL asks for a password, and the address has none",
        );
    } else if said.starts_with("error performing TLS handshake") {
        "PostgreSQL and we do not agree on TLS: its certificate has to be signed by a known authority, \
         or by one that the setting for root certificates names"
    } else if cause.is_closed() {
        "the connection to PostgreSQL was lost"
    } else {
        "PostgreSQL cannot be reached"
    };
    Error::new(ErrorKind::Provider, message).with("connection", "lost").caused_by(cause)
}

/// Returns the error of a row that is not as we write them.
pub(super) fn unreadable(cause: tokio_postgres::Error) -> Error {
    Error::new(ErrorKind::Damaged, "a row in PostgreSQL cannot be read").caused_by(cause)
}
