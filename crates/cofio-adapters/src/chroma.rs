//! Contents and vectors in Chroma, by its REST interface of version 2.
//!
//! Texts are in one collection, and the vectors of each model in one of its own, so that those of
//! different models never meet. Every record says whose it is, and every question is asked within
//! scopes. Chroma has no expiry: what has ended stays until it is removed.
//!
//! Chroma finds by a graph of neighbours, which may overlook something, above all beside hundreds of
//! equal vectors. Where an answer has too few or says the same of all, everything within is compared
//! one by one, up to ten thousand passages.

mod client;
mod collection;
mod record;

use std::time::Duration;

use async_trait::async_trait;
use cofio::Result;
use cofio::model::{Fingerprint, Meaning, Scope};
use cofio::shelf::{Abilities, Content, Embedded, Health, Sampled, Shelf, Slot, Within};

use self::client::Client;
pub use crate::key::Key;
use crate::threads::Threads;

/// Which server to ask, and where on it.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address, such as `http://127.0.0.1:8000`.
    pub url: String,
    /// The tenant.
    pub tenant: String,
    /// The database of the tenant.
    pub database: String,
    /// What the names of all collections begin with.
    pub prefix: String,
    /// The key, if the server wants one.
    pub key: Option<Key>,
    /// How many requests are made at a time.
    pub connections: usize,
    /// How long one request may take.
    pub timeout: Duration,
}

impl Options {
    /// Takes the server's address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            tenant: "default_tenant".to_owned(),
            database: "default_database".to_owned(),
            prefix: "cofio".to_owned(),
            key: None,
            connections: 4,
            timeout: Duration::from_secs(30),
        }
    }
}

/// Keeps contents and vectors in Chroma.
#[derive(Debug)]
pub struct Chroma {
    threads: Threads<Client>,
}

impl Chroma {
    /// Checks the options and starts the threads; asks nothing yet.
    pub fn new(options: &Options) -> Result<Self> {
        let client = Client::new(options)?;
        let clients = std::iter::repeat_n(client, options.connections.max(1));
        Ok(Self { threads: Threads::start("cofio-chroma", clients)? })
    }
}

#[async_trait]
impl Shelf for Chroma {
    fn abilities(&self) -> Abilities {
        Abilities { vectors: true, expiry: false }
    }

    async fn put(&self, contents: &[Content]) -> Result<()> {
        let contents = contents.to_vec();
        self.threads.run(move |client, wanted| client.put(&contents, wanted)).await
    }

    async fn get(&self, slots: &[Slot]) -> Result<Vec<Option<String>>> {
        let slots = slots.to_vec();
        self.threads.run(move |client, wanted| client.get(&slots, wanted)).await
    }

    async fn remove(&self, slots: &[Slot]) -> Result<()> {
        let slots = slots.to_vec();
        self.threads.run(move |client, wanted| client.remove(&slots, wanted)).await
    }

    async fn slots(&self, scope: &Scope, after: Option<&Slot>, limit: usize) -> Result<Vec<Slot>> {
        let (scope, after) = (scope.clone(), after.cloned());
        self.threads.run(move |client, _| client.slots(&scope, after.as_ref(), limit)).await
    }

    async fn put_vectors(&self, model: &Fingerprint, embedded: &[Embedded]) -> Result<()> {
        let (model, embedded) = (model.clone(), embedded.to_vec());
        self.threads.run(move |client, wanted| client.put_vectors(&model, &embedded, wanted)).await
    }

    async fn vectors(
        &self,
        model: &Fingerprint,
        slots: &[Slot],
    ) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        let (model, slots) = (model.clone(), slots.to_vec());
        self.threads.run(move |client, wanted| client.vectors(&model, &slots, wanted)).await
    }

    async fn remove_vectors(&self, model: &Fingerprint, slots: &[Slot]) -> Result<()> {
        let (model, slots) = (model.clone(), slots.to_vec());
        self.threads.run(move |client, wanted| client.remove_vectors(&model, &slots, wanted)).await
    }

    async fn nearest(
        &self,
        meaning: &Meaning,
        within: &Within,
        limit: usize,
    ) -> Result<Vec<(Slot, f32)>> {
        let (meaning, within) = (meaning.clone(), within.clone());
        self.threads.run(move |client, _| client.nearest(&meaning, &within, limit)).await
    }

    async fn cosines(&self, meaning: &Meaning, slots: &[Slot]) -> Result<Vec<Option<f32>>> {
        let (meaning, slots) = (meaning.clone(), slots.to_vec());
        self.threads.run(move |client, wanted| client.cosines(&meaning, &slots, wanted)).await
    }

    async fn sample(
        &self,
        meaning: &Meaning,
        scopes: &[Scope],
        limit: usize,
    ) -> Result<Vec<Sampled>> {
        let (meaning, scopes) = (meaning.clone(), scopes.to_vec());
        self.threads.run(move |client, _| client.sample(&meaning, &scopes, limit)).await
    }

    async fn health(&self) -> Result<Health> {
        self.threads.run(|client, _| client.health()).await
    }
}
