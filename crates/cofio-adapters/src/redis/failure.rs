//! Redis's errors, told to a person.
//!
//! What the server says is never passed on: it may repeat a part of what it was sent.

use std::fmt::Display;

use cofio::{Error, ErrorKind};
use redis::{RedisError, ServerError};

/// Everything that a server is asked to do; `WAITAOF` only where it knows it, as since Redis 7.2.
pub const COMMANDS: &[&str] = &[
    "ZADD",
    "ZREM",
    "ZRANGEBYLEX",
    "SET",
    "MGET",
    "DEL",
    "EXISTS",
    "MULTI",
    "EXEC",
    "INFO",
    "PING",
    "SELECT",
    "CONFIG GET",
    "WAITAOF",
];

/// Says why there was no answer, and whether the connection can still be used.
pub fn of(error: &RedisError, address: &dyn Display) -> (Error, bool) {
    if let Some(refusal) = refusal(error) {
        return refused(refusal.code(), refusal.details().unwrap_or_default(), address);
    }
    let (kind, why) = match error.kind() {
        redis::ErrorKind::InvalidClientConfig => (ErrorKind::Configuration, "check its address"),
        _ if error.is_timeout() => (ErrorKind::Provider, "no answer in time"),
        _ if error.is_connection_refusal() => {
            (ErrorKind::Provider, "nothing listens there; start the server or check its address")
        }
        // What the driver says here is what TLS says.
        redis::ErrorKind::Io if error.to_string().contains("invalid peer certificate") => {
            (ErrorKind::Configuration, "nobody vouches for its certificate")
        }
        redis::ErrorKind::Io => (ErrorKind::Provider, "the connection was lost"),
        _ => (ErrorKind::Provider, "its answer cannot be read; check that it is Redis"),
    };
    (Error::new(kind, format!("cannot reach redis at {address}: {why}")), false)
}

/// Returns the error of an address that is none.
pub fn address() -> Error {
    let message = "cannot use the address of the redis server; \
                   an example is redis://user:password@127.0.0.1:6379/0";
    Error::new(ErrorKind::Configuration, message)
}

const WRONG_PASSWORD: &str = "it does not accept the user or password; check them";

/// Returns the refusal that explains all others.
fn refusal(error: &RedisError) -> Option<ServerError> {
    let errors = error.clone().into_server_errors()?;
    // An aborted transaction begins with what was wrong in it.
    let telling = errors.iter().find(|(_, error)| error.code() != "EXECABORT");
    telling.or_else(|| errors.first()).map(|(_, error)| error.clone())
}

/// Says why the server refused.
fn refused(code: &str, said: &str, address: &dyn Display) -> (Error, bool) {
    use ErrorKind::{Configuration, Provider};
    let (kind, why, usable) = match code {
        "OOM" => (
            Configuration,
            "its memory is full (OOM); raise maxmemory or move contents elsewhere",
            true,
        ),
        "LOADING" => (Provider, "it is still loading what it has on disk (LOADING)", true),
        "READONLY" => {
            (Provider, "it is a replica and takes no writes (READONLY); use the primary", false)
        }
        "MISCONF" => {
            (Provider, "it cannot write to its disk (MISCONF); look at the server's log", true)
        }
        "NOAUTH" => (Configuration, "it wants a password; put it into the address", false),
        "WRONGPASS" => (Configuration, WRONG_PASSWORD, false),
        "NOPERM" => (
            Configuration,
            "the user may not do that (NOPERM); let it do this, for the keys of the prefix",
            true,
        ),
        "MOVED" | "ASK" | "CROSSSLOT" => (
            Configuration,
            "it is a node of a cluster and has only some of the keys; name a server that has all",
            true,
        ),
        "CLUSTERDOWN" | "MASTERDOWN" | "TRYAGAIN" | "BUSY" => {
            (Provider, "it cannot serve this at the moment", true)
        }
        // These have no code of their own.
        _ if said.contains("max number of clients") => {
            (Provider, "it has no connection left (maxclients)", false)
        }
        _ if said.contains("AUTH") => (Configuration, WRONG_PASSWORD, false),
        _ if said.contains("DB index") || said.contains("SELECT") => {
            (Configuration, "it has no such database; check the number in its address", false)
        }
        _ => (Provider, "it refused", true),
    };
    let needed =
        if code == "NOPERM" { format!(": {}", COMMANDS.join(", ")) } else { String::new() };
    let message = format!("cannot use redis at {address}: {why}{needed}");
    (Error::new(kind, message).with("code", code), usable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(code: &str) -> Error {
        of(&redis::make_extension_error(code.to_owned(), Some("secret".to_owned())), &"host:1").0
    }

    #[test]
    fn what_may_pass_is_told_from_what_does_not() {
        for code in ["LOADING", "READONLY", "MISCONF", "CLUSTERDOWN", "TRYAGAIN", "ERR"] {
            assert!(refusal(code).kind().retryable(), "{code}");
        }
        for code in ["OOM", "NOAUTH", "WRONGPASS", "NOPERM", "MOVED", "CROSSSLOT"] {
            assert!(!refusal(code).kind().retryable(), "{code}");
        }
    }

    #[test]
    fn what_the_server_says_is_not_repeated() {
        for code in ["OOM", "ERR", "WRONGPASS", "WHATEVER"] {
            let error = refusal(code);
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }
}
