//! How a store in PostgreSQL is opened.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use cofio::{Error, ErrorKind, Result};

/// How a store in PostgreSQL is opened.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresOptions {
    /// Where the server is, as `postgres://role:password@host/database`.
    ///
    /// With `sslmode=require` the connection is encrypted and the server's certificate is checked;
    /// without it, only if the server offers that.
    pub url: String,
    /// The schema that the store is in: lower-case letters, digits and underscores.
    pub schema: String,
    /// How many connections there are at most; 8 if nothing is said.
    pub connections: usize,
    /// How long making a connection may take; 10 seconds if nothing is said.
    pub connect_timeout: Duration,
    /// How long one statement may take; 60 seconds if nothing is said.
    ///
    /// A server that does not answer at all is given up after this and the time of connecting.
    pub statement_timeout: Duration,
    /// How long to wait for others who write, or who make the tables; 30 seconds if nothing is said.
    pub lock_timeout: Duration,
    /// How long making or changing the tables may take, all in all; an hour if nothing is said.
    ///
    /// It counts only where they are not as this version wants them.
    pub migration_timeout: Duration,
    /// How long a connection stays that nobody uses; 5 minutes if nothing is said.
    pub idle_timeout: Duration,
    /// A file of certificates in PEM whose authorities are trusted, instead of those that browsers
    /// trust.
    pub root_certificates: Option<PathBuf>,
}

impl PostgresOptions {
    /// Opens the schema `cofio` of a database.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            schema: "cofio".to_owned(),
            connections: 8,
            connect_timeout: Duration::from_secs(10),
            statement_timeout: Duration::from_secs(60),
            lock_timeout: Duration::from_secs(30),
            migration_timeout: Duration::from_secs(60 * 60),
            idle_timeout: Duration::from_secs(300),
            root_certificates: None,
        }
    }

    /// Returns the name of the role that the store works as.
    pub fn worker(&self) -> String {
        format!("cofio_{}_worker", self.schema)
    }

    /// Returns how long to wait for an answer: the server ends a statement by itself, unless it cannot.
    pub(super) fn patience(&self) -> Duration {
        self.statement_timeout + self.connect_timeout
    }

    /// Refuses a schema whose name would have to be quoted.
    pub(super) fn check(&self) -> Result<()> {
        let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let begins = self.schema.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
        if begins && self.schema.len() <= 40 && self.schema.chars().all(is_letter) {
            return Ok(());
        }
        let message = "a schema has up to 40 lower-case letters, digits and underscores, and begins \
                       with a letter";
        Err(Error::new(ErrorKind::Configuration, message))
    }
}

/// Leaves the address out, which may hold a password.
impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("schema", &self.schema)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
    }
}
