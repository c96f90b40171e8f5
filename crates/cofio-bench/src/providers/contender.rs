//! The stores that take part, each opened as the command line opens it, in a place of its own.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::ValueEnum;
use cofio::at_hand::{AtHand, Which};
use cofio::model::{Identifier, Kind, Layer, State, Timestamp};
use cofio::shelf::Shelf;
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::{SqliteStore, Store};
use cofio_adapters::guarded::{self, Guarded};
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use cofio_adapters::{chroma, mem0, qdrant, redis};
use serde::Serialize;
use tempfile::TempDir;

use super::cleaning::Cleaning;
use crate::database::Database;

/// A store, or a home with shelves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Contender {
    /// One SQLite file.
    Sqlite,
    /// One schema in PostgreSQL.
    Postgres,
    /// PostgreSQL with texts and vectors in Redis and Qdrant.
    Tiered,
    /// One SQLite file with texts and vectors in Chroma.
    Chroma,
    /// One SQLite file with texts in Mem0.
    Mem0,
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Tiered => "tiered",
            Self::Chroma => "chroma",
            Self::Mem0 => "mem0",
        })
    }
}

/// Where servers are; what is not said is taken from the variables that tests have.
#[derive(clap::Args)]
pub struct Addresses {
    /// PostgreSQL; without it, `COFIO_TEST_POSTGRES_URL`.
    #[arg(long, value_name = "URL")]
    postgres: Option<String>,
    /// Redis; without it, `COFIO_TEST_REDIS_URL`.
    #[arg(long, value_name = "URL")]
    redis: Option<String>,
    /// Qdrant; without it, `COFIO_TEST_QDRANT_URL`.
    #[arg(long, value_name = "URL")]
    qdrant: Option<String>,
    /// Chroma; without it, `COFIO_TEST_CHROMA_URL`.
    #[arg(long, value_name = "URL")]
    chroma: Option<String>,
    /// Mem0; without it, `COFIO_TEST_MEM0_URL`.
    #[arg(long, value_name = "URL")]
    mem0: Option<String>,
}

impl Addresses {
    /// Returns where PostgreSQL is.
    pub fn postgres(&self) -> Result<String> {
        said(self.postgres.as_deref(), "postgres")
    }

    fn of(&self, shelf: &str) -> Result<String> {
        let given = match shelf {
            "redis" => &self.redis,
            "qdrant" => &self.qdrant,
            "chroma" => &self.chroma,
            _ => &self.mem0,
        };
        said(given.as_deref(), shelf)
    }
}

fn said(given: Option<&str>, name: &str) -> Result<String> {
    let variable = format!("COFIO_TEST_{}_URL", name.to_uppercase());
    given.map(ToOwned::to_owned).or_else(|| std::env::var(&variable).ok()).with_context(|| {
        format!(
            "nobody said where {name} is: give --{name}, or set {variable}, \
             as `cargo xtask servers up` says"
        )
    })
}

/// A store that is open.
pub struct Place {
    pub store: Arc<dyn Store>,
    /// What has to be known of it to read its figures.
    pub notes: Vec<String>,
    shelves: Vec<Arc<dyn Shelf>>,
    cleaning: Cleaning,
    /// Where its file is, if it has one.
    folder: Option<TempDir>,
}

impl Place {
    /// Opens a store that nobody else uses, as `cofio serve` does.
    pub fn open(contender: Contender, addresses: &Addresses) -> Result<Self> {
        let name = format!("cofio_bench_{}", std::process::id());
        let (mut cleaning, mut notes) = (Cleaning::default(), Vec::new());
        let mut folder = None;
        let home: Arc<dyn Store> = match contender {
            Contender::Postgres | Contender::Tiered => {
                let url = addresses.postgres()?;
                let schema = format!("{name}_{contender}");
                notes.push(Database::open(&url)?.promise()?);
                cleaning.schema(&url, &schema);
                let options = PostgresOptions { schema, ..PostgresOptions::new(url) };
                Arc::new(PostgresStore::open(&options)?)
            }
            Contender::Sqlite | Contender::Chroma | Contender::Mem0 => {
                let own = tempfile::tempdir()?;
                let file = own.path().join("cofio.db");
                folder = Some(own);
                Arc::new(SqliteStore::open(&file)?)
            }
        };
        let mut shelves = HashMap::new();
        for shelf in contender.shelves() {
            let url = addresses.of(shelf)?;
            let opened = guarded(shelf, open_shelf(shelf, &url, &name, &mut cleaning)?)?;
            shelves.insert(Identifier::new(shelf)?, opened);
        }
        let all = shelves.values().cloned().collect();
        let store: Arc<dyn Store> = if shelves.is_empty() {
            home
        } else {
            Arc::new(Shelved::new(home, shelves, contender.rules()?, Timestamp::now)?)
        };
        let store = Arc::new(AtHand::new(store, Which::default()));
        Ok(Self { store, notes, shelves: all, cleaning, folder })
    }

    /// Returns how many bytes the home takes on disk, and how many of them are indexes, if it tells.
    pub fn bytes(&self) -> Result<(f64, Option<f64>)> {
        if let Some((url, schema)) = self.cleaning.kept_in() {
            let (all, indexes) = Database::open(url)?.bytes(schema)?;
            return Ok((all, Some(indexes)));
        }
        let folder = self.folder.as_ref().context("a home is in PostgreSQL or in a file")?;
        let length =
            |file: &str| std::fs::metadata(folder.path().join(file)).map_or(0, |it| it.len());
        Ok(((length("cofio.db") + length("cofio.db-wal")) as f64, None))
    }

    /// Removes everything that was kept.
    pub fn close(self) -> Result<()> {
        drop(self.store);
        drop(self.folder);
        self.cleaning.run(&self.shelves)
    }
}

impl Contender {
    fn shelves(self) -> &'static [&'static str] {
        match self {
            Self::Sqlite | Self::Postgres => &[],
            Self::Tiered => &["redis", "qdrant"],
            Self::Chroma => &["chroma"],
            Self::Mem0 => &["mem0"],
        }
    }

    /// Returns what the preset of that name says, or that everything stands on the only shelf.
    fn rules(self) -> Result<Rules> {
        let to = |shelf: &str| Identifier::new(shelf).map(Some);
        if self != Self::Tiered {
            let shelf = self.shelves().first().context("there is a shelf")?;
            return Ok(Rules(vec![Rule { shelf: to(shelf)?, ..Rule::default() }]));
        }
        let kinds =
            |kinds: &[Kind], shelf| Rule { kinds: kinds.to_vec(), shelf, ..Rule::default() };
        let archived = Rule { states: vec![State::Archived], ..kinds(&[], to("qdrant")?) };
        let personal = Rule { layers: vec![Layer::User], ..kinds(&[Kind::Fact], None) };
        Ok(Rules(vec![
            archived,
            kinds(&[Kind::Working, Kind::Context], to("redis")?),
            personal,
            kinds(&[Kind::Fact, Kind::Reflection], to("qdrant")?),
        ]))
    }
}

fn open_shelf(
    name: &str,
    url: &str,
    prefix: &str,
    cleaning: &mut Cleaning,
) -> Result<Arc<dyn Shelf>> {
    let prefix = prefix.to_owned();
    Ok(match name {
        "redis" => {
            Arc::new(redis::Redis::new(&redis::Options { prefix, ..redis::Options::new(url) })?)
        }
        "qdrant" => {
            cleaning.collections(url, &prefix);
            Arc::new(qdrant::Qdrant::new(&qdrant::Options { prefix, ..qdrant::Options::new(url) })?)
        }
        "chroma" => {
            cleaning.database(url, &prefix)?;
            let options = chroma::Options { database: prefix, ..chroma::Options::new(url) };
            Arc::new(chroma::Chroma::new(&options)?)
        }
        _ => Arc::new(mem0::Mem0::new(&mem0::Options { prefix, ..mem0::Options::new(url) })?),
    })
}

fn guarded(name: &str, shelf: Arc<dyn Shelf>) -> Result<Arc<dyn Shelf>> {
    Ok(Arc::new(Guarded::new(shelf, guarded::Options::new(name))?))
}
