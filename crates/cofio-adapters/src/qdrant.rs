//! Contents and vectors in Qdrant, by gRPC.
//!
//! Texts are in one collection, and the vectors of each model in one of its own, so that those of
//! different models never meet. A passage is a point; what it is called follows from its slot and its
//! number, so that everything may be said again. Every point says whose it is, and every question is
//! asked within scopes, which the server looks at before it looks for what is near. Qdrant has no
//! expiry: what has ended stays until it is removed.
//!
//! Where many points are near, Qdrant finds them by a graph of neighbours, which may overlook some.
//! If it finds fewer than were asked for, everything within is compared.

mod client;
mod collections;
mod contents;
mod failure;
mod point;
mod vectors;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use cofio::model::{Fingerprint, Meaning, Scope};
use cofio::shelf::{Abilities, Content, Embedded, Health, Sampled, Shelf, Slot, Within};
use cofio::{Error, ErrorKind, Result};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use self::client::Client;
pub use crate::key::Key;

/// Which server to ask, and where on it.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address of its gRPC, such as `http://127.0.0.1:6334`; with TLS, `https://`.
    ///
    /// A certificate has to be vouched for by the system.
    pub url: String,
    /// What the names of all collections begin with: letters, digits, `-` and `_`.
    pub prefix: String,
    /// The key, if the server wants one.
    pub key: Option<Key>,
    /// How long one request may take.
    pub timeout: Duration,
}

impl Options {
    /// Takes the server's address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prefix: "cofio".to_owned(),
            key: None,
            timeout: Duration::from_secs(30),
        }
    }
}

/// Keeps contents and vectors in Qdrant.
///
/// It brings the threads that it needs, so that it can be used with any executor and with none.
pub struct Qdrant {
    /// Taken when the shelf is dropped.
    runtime: Option<Runtime>,
    client: Client,
}

impl Qdrant {
    /// Checks the options and starts the threads; asks nothing yet.
    pub fn new(options: &Options) -> Result<Self> {
        let client = Client::new(options)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("cofio-qdrant")
            .enable_all()
            .build()
            .map_err(|cause| {
                Error::new(ErrorKind::Provider, "cannot start threads for Qdrant").caused_by(cause)
            })?;
        Ok(Self { runtime: Some(runtime), client })
    }

    /// Runs something on the threads of the shelf, for as long as somebody waits for it.
    async fn run<T, F>(&self, job: impl FnOnce(Client) -> F) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let runtime = self.runtime.as_ref().ok_or_else(stopped)?;
        let handle = runtime.spawn(job(self.client.clone()));
        let mut task = Task { handle, client: &self.client };
        (&mut task.handle).await.unwrap_or_else(|_| Err(stopped()))
    }
}

fn stopped() -> Error {
    Error::new(ErrorKind::Provider, "the shelf in Qdrant was closed")
}

impl Drop for Qdrant {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Shows nothing of the key.
impl fmt::Debug for Qdrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Qdrant").finish_non_exhaustive()
    }
}

/// What somebody waits for; it ends if nobody does.
struct Task<'a, T> {
    handle: JoinHandle<T>,
    client: &'a Client,
}

impl<T> Drop for Task<'_, T> {
    fn drop(&mut self) {
        if !self.handle.is_finished() {
            self.handle.abort();
            // Nobody knows whether anything would have come by this connection.
            self.client.renew();
        }
    }
}

#[async_trait]
impl Shelf for Qdrant {
    fn abilities(&self) -> Abilities {
        Abilities { vectors: true, expiry: false }
    }

    async fn put(&self, contents: &[Content]) -> Result<()> {
        let contents = contents.to_vec();
        self.run(|client| async move { client.put(&contents).await }).await
    }

    async fn get(&self, slots: &[Slot]) -> Result<Vec<Option<String>>> {
        let slots = slots.to_vec();
        self.run(|client| async move { client.get(&slots).await }).await
    }

    async fn remove(&self, slots: &[Slot]) -> Result<()> {
        let slots = slots.to_vec();
        self.run(|client| async move { client.remove(&slots).await }).await
    }

    async fn slots(&self, scope: &Scope, after: Option<&Slot>, limit: usize) -> Result<Vec<Slot>> {
        let (scope, after) = (scope.clone(), after.cloned());
        self.run(|client| async move { client.slots(&scope, after.as_ref(), limit).await }).await
    }

    async fn put_vectors(&self, model: &Fingerprint, embedded: &[Embedded]) -> Result<()> {
        let (model, embedded) = (model.clone(), embedded.to_vec());
        self.run(|client| async move { client.put_vectors(&model, &embedded).await }).await
    }

    async fn remove_vectors(&self, model: &Fingerprint, slots: &[Slot]) -> Result<()> {
        let (model, slots) = (model.clone(), slots.to_vec());
        self.run(|client| async move { client.remove_vectors(&model, &slots).await }).await
    }

    async fn nearest(
        &self,
        meaning: &Meaning,
        within: &Within,
        limit: usize,
    ) -> Result<Vec<(Slot, f32)>> {
        let (meaning, within) = (meaning.clone(), within.clone());
        self.run(|client| async move { client.nearest(&meaning, &within, limit).await }).await
    }

    async fn cosines(&self, meaning: &Meaning, slots: &[Slot]) -> Result<Vec<Option<f32>>> {
        let (meaning, slots) = (meaning.clone(), slots.to_vec());
        self.run(|client| async move { client.cosines(&meaning, &slots).await }).await
    }

    async fn sample(
        &self,
        meaning: &Meaning,
        scopes: &[Scope],
        limit: usize,
    ) -> Result<Vec<Sampled>> {
        let (meaning, scopes) = (meaning.clone(), scopes.to_vec());
        self.run(|client| async move { client.sample(&meaning, &scopes, limit).await }).await
    }

    async fn vectors(
        &self,
        model: &Fingerprint,
        slots: &[Slot],
    ) -> Result<Vec<Option<Vec<Vec<f32>>>>> {
        let (model, slots) = (model.clone(), slots.to_vec());
        self.run(|client| async move { client.vectors(&model, &slots).await }).await
    }

    async fn health(&self) -> Result<Health> {
        self.run(|client| async move { client.health().await }).await
    }
}
