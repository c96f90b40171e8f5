//! Contents in Mem0, hosted or self-hosted, by the interface that its own clients speak.
//!
//! Every text is a memory of its own, added word for word (`infer` is false), for a user whose name
//! stands for the scope, with metadata that name its slot. Mem0 gives memories ids of its own and
//! may take its time, so a text counts as kept once it can be read back as it was.
//!
//! Mem0 has no vectors of ours and no expiry to the second: what has ended stays until it is
//! removed. Self-hosted, Mem0 also writes a history of its own, which keeps the text of what was
//! deleted; its health says so, and what to do about it.

mod client;

use std::time::Duration;

use async_trait::async_trait;
use cofio::Result;
use cofio::model::{Fingerprint, Meaning, Scope};
use cofio::shelf::{
    Abilities, Content, Embedded, Health, Sampled, Shelf, Slot, Within, without_vectors,
};

use self::client::Client;
pub use crate::key::Key;
use crate::threads::Threads;

/// Which server to ask.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address, such as `https://api.mem0.ai`.
    pub url: String,
    /// The key, if the server wants one.
    pub key: Option<Key>,
    /// What the names of all users begin with.
    pub prefix: String,
    /// How many requests are made at a time.
    pub connections: usize,
    /// How long one request may take.
    pub timeout: Duration,
    /// How long to wait until what was added can be read.
    pub patience: Duration,
}

impl Options {
    /// Takes the server's address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            key: None,
            prefix: "cofio".to_owned(),
            connections: 4,
            timeout: Duration::from_secs(30),
            patience: Duration::from_secs(20),
        }
    }
}

/// Keeps contents in Mem0.
#[derive(Debug)]
pub struct Mem0 {
    threads: Threads<Client>,
}

impl Mem0 {
    /// Checks the options and starts the threads; asks nothing yet.
    pub fn new(options: &Options) -> Result<Self> {
        let client = Client::new(options)?;
        let clients = std::iter::repeat_n(client, options.connections.max(1));
        Ok(Self { threads: Threads::start("cofio-mem0", clients)? })
    }
}

#[async_trait]
impl Shelf for Mem0 {
    fn abilities(&self) -> Abilities {
        Abilities { vectors: false, expiry: false }
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
