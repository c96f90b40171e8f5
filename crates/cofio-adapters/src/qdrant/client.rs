//! The connection to Qdrant, and what is asked of it as a whole.

use std::sync::{Arc, RwLock};
use std::time::Instant;

use cofio::shelf::{Component, Health, Status};
use cofio::{Error, ErrorKind, Result};
use qdrant_client::Qdrant;
use qdrant_client::config::QdrantConfig;
use qdrant_client::qdrant::{CollectionStatus, UpdateResult, UpdateStatus};

use super::Options;
use super::collections::Known;
use super::failure::{self, Asked};
use crate::address;

/// Knows the server; cheap to clone.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    options: Options,
    driver: RwLock<Qdrant>,
    known: Known,
}

impl Client {
    /// Checks the options.
    pub fn new(options: &Options) -> Result<Self> {
        address::of(&options.url, "", "qdrant", "http://127.0.0.1:6334")?;
        let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if options.prefix.is_empty() || !options.prefix.bytes().all(is_fit) {
            let message = "the prefix of collections has to be letters, digits, - and _";
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        let url = options.url.trim().trim_end_matches('/').to_owned();
        let options = Options { url, ..options.clone() };
        let driver = RwLock::new(driver(&options)?);
        Ok(Self(Arc::new(Inner { options, driver, known: Known::default() })))
    }

    /// Returns what the names of all collections begin with.
    pub fn prefix(&self) -> &str {
        &self.0.options.prefix
    }

    /// Returns what is known of collections.
    pub fn known(&self) -> &Known {
        &self.0.known
    }

    /// Returns the connection of the moment.
    pub fn driver(&self) -> Qdrant {
        self.0.driver.read().expect("nothing panics while it holds the lock").clone()
    }

    /// Asks by a new connection from now on.
    pub fn renew(&self) {
        if let Ok(new) = driver(&self.0.options) {
            *self.0.driver.write().expect("nothing panics while it holds the lock") = new;
        }
    }

    /// Waits for an answer, though not for ever.
    pub async fn answer<T>(
        &self,
        asked: impl Future<Output = std::result::Result<T, qdrant_client::QdrantError>>,
    ) -> Result<T> {
        self.answer_about(&[], asked).await
    }

    /// Waits for an answer to what has texts in it, which no error must repeat.
    pub async fn answer_about<T>(
        &self,
        texts: &[&str],
        asked: impl Future<Output = std::result::Result<T, qdrant_client::QdrantError>>,
    ) -> Result<T> {
        let Options { url, key, timeout, .. } = &self.0.options;
        let Ok(answer) = tokio::time::timeout(*timeout, asked).await else {
            self.renew();
            let message =
                format!("qdrant at {url} did not answer within {} ms", timeout.as_millis());
            return Err(Error::new(ErrorKind::Provider, message));
        };
        answer.map_err(|error| failure::of(&error, &Asked { url, key: key.as_ref(), texts }))
    }

    /// Checks that a change is done, and not only to be done some time.
    pub fn done(&self, results: impl IntoIterator<Item = UpdateResult>) -> Result<()> {
        let is_done = |result: UpdateResult| result.status() == UpdateStatus::Completed;
        if results.into_iter().all(is_done) {
            return Ok(());
        }
        let message = format!(
            "qdrant at {} took a change but did not say in time that it is done",
            self.0.options.url
        );
        Err(Error::new(ErrorKind::Provider, message))
    }

    pub async fn health(&self) -> Result<Health> {
        let start = Instant::now();
        let version = self.answer(self.driver().health_check()).await?.version;
        let latency = start.elapsed();
        let message = "changes are in the server's log and done when it answers; \
                       it does not say when they are on disk";
        let promise =
            Component { name: "durability", status: Status::Healthy, message: message.to_owned() };
        let components = vec![promise, self.collections_health().await?];
        Ok(Health::new(latency, Some(version).filter(|version| !version.is_empty()), components))
    }

    async fn collections_health(&self) -> Result<Component> {
        let mut worst = Status::Healthy;
        let (mut count, mut points, mut ailing) = (0_u64, 0_u64, Vec::new());
        for name in self.collections().await? {
            // Somebody may have removed it since.
            let Some(info) = self.info(&name).await? else { continue };
            let status = match info.status() {
                CollectionStatus::Green | CollectionStatus::Yellow => Status::Healthy,
                CollectionStatus::Grey | CollectionStatus::UnknownCollectionStatus => {
                    Status::Degraded
                }
                CollectionStatus::Red => Status::Unhealthy,
            };
            if status > Status::Healthy {
                ailing.push(format!("{name} is {}", info.status().as_str_name().to_lowercase()));
            }
            worst = worst.max(status);
            count += 1;
            points += info.points_count.unwrap_or_default();
        }
        let mut message = format!("{count} collections with {points} points");
        if !ailing.is_empty() {
            message = format!("{message}; {}", ailing.join(", "));
        }
        Ok(Component { name: "collections", status: worst, message })
    }
}

fn driver(options: &Options) -> Result<Qdrant> {
    let mut config = QdrantConfig::from_url(&options.url).skip_compatibility_check();
    config.set_timeout(options.timeout);
    config.set_connect_timeout(options.timeout);
    config.api_key = options.key.as_ref().map(|key| key.reveal().to_owned());
    Qdrant::new(config).map_err(|_| {
        Error::new(ErrorKind::Configuration, "cannot use the address of the server for qdrant")
    })
}
