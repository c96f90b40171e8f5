//! Contents in Redis.
//!
//! A text is a string of its own, so that it can end by itself, and a sorted set for each scope says
//! which there are. Names of keys have the form `cofio:{tag}:…`, where the tag stands for the scope:
//! all keys of a scope are on one node of a cluster, and no key is without one.
//!
//! What a server promises is looked at with every new connection. Unless told otherwise, one that
//! may lose what it has acknowledged is refused.

mod client;
mod failure;
mod keys;
mod promise;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use cofio::Result;
use cofio::model::{Fingerprint, Meaning, Scope};
use cofio::shelf::{
    Abilities, Content, Embedded, Health, Sampled, Shelf, Slot, Within, without_vectors,
};

use self::client::{Client, End, Told};
pub use self::failure::COMMANDS;
use crate::scoped;
use crate::threads::Threads;

/// Which server to ask, and what it has to promise.
#[derive(Clone)]
pub struct Options {
    /// The address, such as `redis://user:password@127.0.0.1:6379/0`; with TLS, `rediss://`.
    pub url: String,
    /// What all keys begin with.
    pub prefix: String,
    /// How many connections there are at most.
    pub connections: usize,
    /// How long to wait for a connection, and for each answer.
    pub timeout: Duration,
    /// What a server has to promise.
    pub keeping: Keeping,
}

/// What a server has to promise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keeping {
    /// That what it acknowledged is on disk, and stays there.
    #[default]
    Durable,
    /// Whatever it is set to; for contents that may be lost.
    AsConfigured,
}

impl Options {
    /// Takes the server's address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prefix: "cofio".to_owned(),
            connections: 4,
            timeout: Duration::from_secs(5),
            keeping: Keeping::default(),
        }
    }
}

/// Shows no address, which may have a password in it.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("prefix", &self.prefix)
            .field("connections", &self.connections)
            .field("timeout", &self.timeout)
            .field("keeping", &self.keeping)
            .finish_non_exhaustive()
    }
}

/// Keeps contents in Redis.
#[derive(Debug)]
pub struct Redis {
    threads: Threads<Client>,
}

impl Redis {
    /// Checks the options and starts the threads; asks nothing yet.
    pub fn new(options: &Options) -> Result<Self> {
        let first = Client::new(options)?;
        let others = (1..options.connections.max(1)).map(|_| first.another());
        let clients: Vec<Client> = others.collect();
        let threads = Threads::start("cofio-redis", clients.into_iter().chain([first]))?;
        Ok(Self { threads })
    }
}

#[async_trait]
impl Shelf for Redis {
    fn abilities(&self) -> Abilities {
        Abilities { vectors: false, expiry: true }
    }

    async fn put(&self, contents: &[Content]) -> Result<()> {
        let text = |content: &Content| Told {
            slot: content.slot.clone(),
            text: content.text.clone(),
            end: End::of(&content.labels),
        };
        let scopes = scoped::group(contents, |content| &content.slot.scope, text);
        self.threads
            .run(move |client, wanted| {
                scopes.iter().try_for_each(|(scope, texts)| client.put(scope, texts, wanted))
            })
            .await
    }

    async fn get(&self, slots: &[Slot]) -> Result<Vec<Option<String>>> {
        let numbered: Vec<(usize, &Slot)> = slots.iter().enumerate().collect();
        let scopes = scoped::group(
            &numbered,
            |(_, slot)| &slot.scope,
            |(number, slot)| (*number, (*slot).clone()),
        );
        let count = slots.len();
        self.threads
            .run(move |client, wanted| {
                let mut texts = vec![None; count];
                for (scope, numbered) in scopes {
                    let (numbers, slots): (Vec<usize>, Vec<Slot>) = numbered.into_iter().unzip();
                    let found = client.get(&scope, &slots, wanted)?;
                    for (number, text) in numbers.into_iter().zip(found) {
                        texts[number] = text;
                    }
                }
                Ok(texts)
            })
            .await
    }

    async fn remove(&self, slots: &[Slot]) -> Result<()> {
        let scopes = scoped::group(slots, |slot| &slot.scope, Slot::clone);
        self.threads
            .run(move |client, wanted| {
                scopes.iter().try_for_each(|(scope, slots)| client.remove(scope, slots, wanted))
            })
            .await
    }

    async fn slots(&self, scope: &Scope, after: Option<&Slot>, limit: usize) -> Result<Vec<Slot>> {
        let (scope, after) = (scope.clone(), after.cloned());
        self.threads
            .run(move |client, wanted| client.slots(&scope, after.as_ref(), limit, wanted))
            .await
    }

    async fn put_vectors(&self, _: &Fingerprint, _: &[Embedded]) -> Result<()> {
        Err(without_vectors())
    }

    async fn vectors(&self, _: &Fingerprint, _: &[Slot]) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        Err(without_vectors())
    }

    async fn remove_vectors(&self, _: &Fingerprint, _: &[Slot]) -> Result<()> {
        Err(without_vectors())
    }

    async fn nearest(&self, _: &Meaning, _: &Within, _: usize) -> Result<Vec<(Slot, f32)>> {
        Err(without_vectors())
    }

    async fn cosines(&self, _: &Meaning, _: &[Slot]) -> Result<Vec<Option<f32>>> {
        Err(without_vectors())
    }

    async fn sample(&self, _: &Meaning, _: &[Scope], _: usize) -> Result<Vec<Sampled>> {
        Err(without_vectors())
    }

    async fn health(&self) -> Result<Health> {
        self.threads.run(|client, _| client.health()).await
    }
}
