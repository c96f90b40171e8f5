//! Where memories are kept, as the settings say.

pub mod shelves;

use std::sync::Arc;

use cofio::at_hand::{AtHand, Which};
use cofio::store::{SqliteStore, Store};
use cofio::{Error, ErrorKind, Result};
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};

use crate::settings::{Address, HomeAt, PostgresAt, Settings, Surroundings};
use shelves::Shelves;

/// A store that is open, and the SQLite file that it is, if it is one.
pub struct Home {
    pub store: Arc<dyn Store>,
    /// The servers that texts stand on.
    pub shelves: Shelves,
    unique_name: String,
    sqlite: Option<Arc<SqliteStore>>,
}

impl Home {
    /// Opens what the settings name, and brings it to this version.
    pub fn open(settings: &Settings, around: &Surroundings) -> Result<Self> {
        Self::opened(settings, around, || SqliteStore::open(settings.store()))
    }

    /// Opens what the settings name; a file of another version is refused, as bringing it to this
    /// one may take a while.
    pub fn open_current(settings: &Settings, around: &Surroundings) -> Result<Self> {
        Self::opened(settings, around, || SqliteStore::open_current(settings.store()))
    }

    fn opened(
        settings: &Settings,
        around: &Surroundings,
        file: impl FnOnce() -> Result<SqliteStore>,
    ) -> Result<Self> {
        let stores = settings.stores();
        let home = match &stores.home {
            HomeAt::Sqlite => {
                let file = Arc::new(file()?);
                let unique_name = file.unique_name().to_owned();
                Self { store: file.clone(), shelves: Vec::new(), unique_name, sqlite: Some(file) }
            }
            HomeAt::Postgres(at) => {
                let opened = PostgresStore::open(&postgres_options(at));
                let opened = opened.map_err(|error| named(error, &at.url))?;
                let unique_name = opened.unique_name().to_owned();
                let store = Arc::new(opened);
                Self { store, shelves: Vec::new(), unique_name, sqlite: None }
            }
        };
        let Some(routes) = &stores.routes else { return Ok(home) };
        let shelves = shelves::open(&home.unique_name, settings, around)?;
        let store = Arc::new(shelves::around(home.store, &shelves, routes.rules())?);
        Ok(Self { store, shelves, ..home })
    }

    /// Has working memory in the process as well, for whoever stays and reads again and again.
    pub fn with_working_memory(self) -> Self {
        let store = Arc::new(AtHand::new(self.store, Which::default()));
        Self { store, ..self }
    }

    /// Returns what no other home is called.
    pub fn unique_name(&self) -> &str {
        &self.unique_name
    }

    /// Returns the SQLite file, for what only a file can do; `instead` is what to do elsewhere.
    pub fn file(&self, doing: &str, instead: &str) -> Result<&Arc<SqliteStore>> {
        self.sqlite.as_ref().ok_or_else(|| only_a_file(doing, instead))
    }

    /// Returns the SQLite file, if memories are in one.
    pub fn sqlite(&self) -> Option<&Arc<SqliteStore>> {
        self.sqlite.as_ref()
    }
}

/// Returns how PostgreSQL is opened.
pub fn postgres_options(at: &PostgresAt) -> PostgresOptions {
    PostgresOptions {
        schema: at.schema.clone(),
        connections: at.connections,
        connect_timeout: at.connect_timeout,
        statement_timeout: at.statement_timeout,
        lock_timeout: at.lock_timeout,
        root_certificates: at.certificates.clone(),
        ..PostgresOptions::new(at.url.reveal())
    }
}

/// Says which database it was, without its password.
pub fn named(error: Error, url: &Address) -> Error {
    let message = format!("cannot open the store at {url}: {error}");
    Error::new(error.kind(), message).caused_by(error)
}

/// Returns the error of what only a file can do, with what to do in its place.
pub fn only_a_file(doing: &str, instead: &str) -> Error {
    let message = format!(
        "{doing} is for a store in an SQLite file, and this one is in PostgreSQL: {instead}"
    );
    Error::new(ErrorKind::Unsupported, message)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_set_for_postgresql_reaches_it() {
        let [connect_timeout, statement_timeout, lock_timeout] = [1, 2, 3].map(Duration::from_secs);
        let (url, schema) = ("postgres://me:secret@db/c", "memories");
        let at = PostgresAt {
            url: url.parse().unwrap(),
            schema: schema.to_owned(),
            connections: 5,
            connect_timeout,
            statement_timeout,
            lock_timeout,
            certificates: Some("/x/ca.pem".into()),
        };
        let expected = PostgresOptions {
            schema: schema.to_owned(),
            connections: 5,
            connect_timeout,
            statement_timeout,
            lock_timeout,
            root_certificates: Some("/x/ca.pem".into()),
            ..PostgresOptions::new(url)
        };
        assert_eq!(postgres_options(&at), expected);
    }
}
