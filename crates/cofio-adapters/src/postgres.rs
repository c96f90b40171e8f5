//! A store in PostgreSQL with pgvector, which any number of processes may share.
//!
//! One task writes for a process and commits what has gathered together; a row that it locks orders
//! the commits of all processes. Everything else reads at one moment. PostgreSQL itself finds by words
//! and by meaning; it shows a transaction only the scopes that it has opened, besides what each
//! statement says.

mod audit;
mod connections;
mod contract;
mod doing;
mod earlier;
mod entities;
mod failure;
mod filter;
mod find;
mod flush;
mod health;
mod heard;
mod jobs;
mod keys;
mod labels;
mod listening;
mod load;
mod moving;
mod options;
mod pending;
mod plain;
mod read;
mod rebuild;
mod rejections;
mod requirements;
mod roles;
mod rows;
mod schema;
mod scopes;
mod session;
mod slot;
mod spending;
mod terms;
mod unshelved;
mod vectors;
mod votes;
mod words;
mod world;
mod writer;

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, Once, mpsc};
use std::time::Duration;

use cofio::store::kit::Bell;
use cofio::{Error, ErrorKind, Result};
use tokio::runtime::{Builder, Runtime};

use connections::Connections;
use failure::is_lost;
use heard::Heard;
use writer::Writer;

pub use options::PostgresOptions;

/// How long a store that is dropped waits for what it was handed.
const FAREWELL: Duration = Duration::from_secs(30);

/// How often something is asked whose connection was lost.
const ATTEMPTS: u32 = 3;

/// Keeps memories in PostgreSQL.
///
/// It brings the threads that it needs, so that it can be used with any executor and with none.
pub struct PostgresStore {
    /// Taken when the store is dropped.
    runtime: Option<Runtime>,
    connections: Connections,
    unique_name: String,
    /// Taken when everything was handed over.
    writer: Option<Writer>,
    /// Says when everything that was handed over is done.
    done: Mutex<mpsc::Receiver<()>>,
    bell: Arc<Bell>,
    heard: Arc<Heard>,
    /// Whether somebody listens for it to be rung.
    listening: Once,
}

impl PostgresStore {
    /// Connects to a database, making or migrating the tables where needed.
    ///
    /// A schema of a newer version is refused, as is a role that would see everything. It blocks
    /// until it is done.
    pub fn open(options: &PostgresOptions) -> Result<Self> {
        Self::start(options, Opening::Finished)
    }

    /// Connects to a database that everything of another store is to be moved to, even one that a
    /// move has not come to the end of.
    pub fn open_to_fill(options: &PostgresOptions) -> Result<Self> {
        Self::start(options, Opening::ToFill)
    }

    /// Connects to what is there without changing anything, even to what a move has not come to the
    /// end of.
    ///
    /// Where there is no store yet, that is [`ErrorKind::NotFound`].
    pub fn open_to_look(options: &PostgresOptions) -> Result<Self> {
        Self::start(options, Opening::ToLook)
    }

    /// Connects to a store that is there, without changing anything.
    ///
    /// Where there is none yet, that is [`ErrorKind::NotFound`].
    pub fn open_current(options: &PostgresOptions) -> Result<Self> {
        Self::start(options, Opening::Current)
    }

    fn start(options: &PostgresOptions, opening: Opening) -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("cofio-postgres")
            .enable_all()
            .build()
            .map_err(|cause| {
                let message = "cannot start threads for PostgreSQL";
                Error::new(ErrorKind::Provider, message).caused_by(cause)
            })?;
        let (said, opened) = mpsc::channel();
        let owned = options.clone();
        runtime.spawn(async move {
            let _ = said.send(open(&owned, opening).await);
        });
        // Not on this thread, which may be one of another executor.
        let (connections, unique_name) = opened.recv().unwrap_or_else(|_| Err(stopped()))?;
        let (writer, task) = Writer::start(connections.clone());
        let (finished, done) = mpsc::channel();
        runtime.spawn(async move {
            task.await;
            let _ = finished.send(());
        });
        Ok(Self {
            runtime: Some(runtime),
            connections,
            unique_name,
            writer: Some(writer),
            done: Mutex::new(done),
            bell: Arc::default(),
            heard: Arc::default(),
            listening: Once::new(),
        })
    }

    /// Returns what no other store is called: sixteen digits and letters from `a` to `f`.
    ///
    /// It is chosen when a schema is made, and nothing but a copy of the schema has the same.
    pub fn unique_name(&self) -> &str {
        &self.unique_name
    }

    /// Runs something on the threads of the store.
    async fn run<T: Send + 'static>(
        &self,
        task: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let runtime = self.runtime.as_ref().ok_or_else(stopped)?;
        runtime.spawn(task).await.unwrap_or_else(|_| Err(stopped()))
    }

    /// Runs something that may be repeated, again if its connection was lost.
    async fn repeat<T, F>(&self, task: impl Fn(Connections) -> F + Send) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let runtime = self.runtime.as_ref().ok_or_else(stopped)?;
        let mut attempt = 1;
        loop {
            let task = task(self.connections.clone());
            match runtime.spawn(task).await.unwrap_or_else(|_| Err(stopped())) {
                Err(error) if is_lost(&error) && attempt < ATTEMPTS => {
                    self.connections.renew();
                    attempt += 1;
                }
                answer => return answer,
            }
        }
    }

    /// Has the bell rung from now on.
    fn listen(&self) {
        let Some(runtime) = &self.runtime else { return };
        self.listening.call_once(|| {
            let (bell, heard) = (Arc::clone(&self.bell), Arc::clone(&self.heard));
            drop(runtime.spawn(listening::listen(self.connections.clone(), bell, heard)));
        });
    }

    fn writer(&self) -> Result<&Writer> {
        self.writer.as_ref().ok_or_else(stopped)
    }
}

/// What is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// A store, and no unfinished copy of one.
    Finished,
    /// Whatever is there.
    ToFill,
    /// Whatever is there, as it is.
    ToLook,
    /// A store as it is, and no unfinished copy of one.
    Current,
}

async fn open(options: &PostgresOptions, opening: Opening) -> Result<(Connections, String)> {
    let connections = match opening {
        Opening::ToLook | Opening::Current => Connections::open_made(options).await?,
        Opening::Finished | Opening::ToFill => {
            let connections = Connections::open(options).await?;
            rebuild::if_outdated(&connections).await?;
            connections
        }
    };
    if matches!(opening, Opening::Finished | Opening::Current) {
        moving::check_finished(&connections).await?;
    }
    let unique_name = schema::unique_name(&connections).await?;
    Ok((connections, unique_name))
}

fn stopped() -> Error {
    Error::new(ErrorKind::Provider, "the store in PostgreSQL was closed")
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.writer = None;
        // What nobody waits for is written all the same.
        if let Ok(done) = self.done.get_mut() {
            let _ = done.recv_timeout(FAREWELL);
        }
        self.connections.close();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Shows no address: it may hold a password.
impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("schema", &self.connections.schema())
            .finish_non_exhaustive()
    }
}
