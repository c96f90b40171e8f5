//! A store as the settings make it, with an engine on it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use cofio::embed::Embedder;
use cofio::model::{CleanText, Fingerprint, Identifier, Kind, Scope, Timestamp};
use cofio::shelf::Shelf;
use cofio::shelved::{Rule, Rules, Shelved};
use cofio::store::{SqliteStore, Store};
use cofio::{Config, Engine, Result};
use cofio_adapters::guarded::{Guarded, Limits, Options};
use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use cofio_adapters::retry::Retry;
use cofio_adapters::{chroma, qdrant, redis};
use tempfile::TempDir;

/// What texts stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    Home,
    Redis,
    Qdrant,
    Chroma,
}

impl Part {
    /// Returns the kind whose texts stand there.
    pub fn kind(self) -> Kind {
        match self {
            Self::Home => Kind::Episode,
            Self::Redis => Kind::Working,
            Self::Qdrant | Self::Chroma => Kind::Fact,
        }
    }

    /// Returns what it is called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Home => "PostgreSQL",
            Self::Redis => "redis",
            Self::Qdrant => "qdrant",
            Self::Chroma => "chroma",
        }
    }
}

/// A home with shelves, and an engine.
pub struct House {
    pub shelved: Arc<Shelved>,
    pub engine: Engine,
    pub shelves: HashMap<Identifier, Arc<dyn Shelf>>,
    pub parts: Vec<Part>,
    /// How many seconds its clock is ahead.
    ahead: Arc<AtomicU64>,
    _folder: Option<TempDir>,
}

impl House {
    pub fn tiered(postgres: &str, redis_port: u16, qdrant_port: u16) -> Self {
        let home = PostgresStore::open(&PostgresOptions {
            connect_timeout: Duration::from_secs(1),
            statement_timeout: Duration::from_millis(1_500),
            ..PostgresOptions::new(postgres)
        });
        let redis = redis::Options::new(format!("redis://127.0.0.1:{redis_port}"));
        let key = Some(qdrant::Key::new("right-secret").unwrap());
        let url = format!("http://127.0.0.1:{qdrant_port}");
        let qdrant = qdrant::Options { key, ..qdrant::Options::new(url) };
        let shelves: [(Part, Arc<dyn Shelf>); 2] = [
            (Part::Redis, Arc::new(redis::Redis::new(&redis).unwrap())),
            (Part::Qdrant, Arc::new(qdrant::Qdrant::new(&qdrant).unwrap())),
        ];
        Self::new(Arc::new(home.unwrap()), shelves.into(), vec![Part::Home], None)
    }

    pub fn chroma(port: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = SqliteStore::open(&folder.path().join("cofio.db")).unwrap();
        let options = chroma::Options::new(format!("http://127.0.0.1:{port}"));
        let shelf: Arc<dyn Shelf> = Arc::new(chroma::Chroma::new(&options).unwrap());
        Self::new(Arc::new(home), vec![(Part::Chroma, shelf)], Vec::new(), Some(folder))
    }

    fn new(
        home: Arc<dyn Store>,
        shelves: Vec<(Part, Arc<dyn Shelf>)>,
        mut parts: Vec<Part>,
        folder: Option<TempDir>,
    ) -> Self {
        let (mut rules, mut named) = (Rules::default(), HashMap::new());
        for (part, shelf) in shelves {
            let name = Identifier::new(part.name()).unwrap();
            let (kinds, shelf_name) = (vec![part.kind()], Some(name.clone()));
            rules.0.push(Rule { kinds, shelf: shelf_name, ..Rule::default() });
            let shelf: Arc<dyn Shelf> = Arc::new(guarded(part.name(), shelf));
            named.insert(name, shelf);
            parts.push(part);
        }
        let ahead = Arc::<AtomicU64>::default();
        let seconds = Arc::clone(&ahead);
        let clock = move || Timestamp::now() + Duration::from_secs(seconds.load(Ordering::SeqCst));
        let shelved = Shelved::new(home, named.clone(), rules, clock.clone()).unwrap();
        let shelved = Arc::new(shelved);
        let engine = Engine::shared(shelved.clone(), clock, Config::default());
        let engine = engine.with_embedder(Arc::new(Letters(Fingerprint::new("letters").unwrap())));
        Self { shelved, engine, shelves: named, parts, ahead, _folder: folder }
    }

    /// Lets time pass until whatever was handed out to be embedded is handed out again.
    pub fn wait_for_leases(&self) {
        self.ahead.store(160, Ordering::SeqCst);
    }
}

pub fn alice() -> Scope {
    Scope::user(Identifier::new("alice").unwrap())
}

/// Guards a shelf as the settings do, and loses patience sooner.
fn guarded(name: &str, shelf: Arc<dyn Shelf>) -> Guarded {
    let retry = Retry { retries: 1, first_delay: Duration::from_millis(50), ..Retry::default() };
    let limits = Limits { failures: 4, rest: Duration::from_millis(300) };
    let (timeout, reading_retry) = (Duration::from_secs(2), retry.clone());
    Guarded::new(shelf, Options { timeout, retry, reading_retry, limits, ..Options::new(name) })
        .unwrap()
}

/// Takes texts to mean the same that have the same letters.
struct Letters(Fingerprint);

impl Letters {
    fn vector(text: &str) -> Vec<f32> {
        let mut vector = [0.1_f32; 24];
        for byte in text.bytes() {
            vector[usize::from(byte) % 24] += 1.0;
        }
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.iter().map(|number| number / length).collect()
    }
}

#[async_trait]
impl Embedder for Letters {
    fn fingerprint(&self) -> &Fingerprint {
        &self.0
    }

    async fn embed(&self, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
        Ok(texts.iter().map(|text| Self::vector(text.as_str())).collect())
    }

    async fn embed_question(&self, text: &CleanText) -> Result<Vec<f32>> {
        Ok(Self::vector(text.as_str()))
    }
}
