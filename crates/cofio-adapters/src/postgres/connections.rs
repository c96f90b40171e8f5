//! Connections: how they are made, and what holds on each of them.

use std::sync::Arc;
use std::time::Duration;

use cofio::{Error, ErrorKind, Result};
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, RecyclingMethod, Runtime,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::timeout;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::failure::{failed, unavailable, within};
use super::options::PostgresOptions;
use super::requirements::check_server;
use super::{roles, schema};

/// What an encrypted connection is carried by.
type Encrypted = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

/// How often a connection that nobody uses is looked for at least.
const OFTEN: Duration = Duration::from_secs(60);

/// Hands out connections that work as the role which sees what it is shown and no more.
#[derive(Clone)]
pub(super) struct Connections {
    pool: Pool,
    schema: Arc<str>,
    patience: Duration,
    alone: Arc<Alone>,
}

/// What makes a connection that is not one of the pool's.
struct Alone {
    config: Config,
    tls: MakeRustlsConnect,
    settings: String,
    timeout: Duration,
}

/// A connection that works as whoever the address names, and what makes others.
struct First {
    client: Client,
    config: Config,
    tls: MakeRustlsConnect,
}

impl First {
    async fn connect(options: &PostgresOptions) -> Result<Self> {
        options.check()?;
        let (config, tls) = (config(options)?, tls(options)?);
        let client = within(options.connect_timeout, connect(&config, &tls)).await?;
        Ok(Self { client, config, tls })
    }
}

impl Connections {
    /// Connects, makes or migrates the tables where needed, and refuses a role that sees everything.
    pub(super) async fn open(options: &PostgresOptions) -> Result<Self> {
        let first = First::connect(options).await?;
        let vector = schema::prepare(&first.client, options).await?;
        Self::after(first, options, &vector).await
    }

    /// Connects to tables that are there, and refuses a role that sees everything.
    pub(super) async fn open_made(options: &PostgresOptions) -> Result<Self> {
        let first = First::connect(options).await?;
        let vector = schema::find(&first.client, options).await?;
        Self::after(first, options, &vector).await
    }

    async fn after(first: First, options: &PostgresOptions, vector: &str) -> Result<Self> {
        let First { client, config, tls } = first;
        drop(client);
        let settings = settings(options, vector);
        let patience = options.patience();
        let alone = Alone {
            config: config.clone(),
            tls: tls.clone(),
            settings: settings.clone(),
            timeout: options.connect_timeout,
        };
        let made = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
            let settings = settings.clone();
            Box::pin(async move {
                let set = timeout(patience, client.batch_execute(&settings)).await;
                let set = set.map_err(|_| HookError::message("it does not answer"))?;
                set.map_err(HookError::Backend)
            })
        });
        let manager = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let pool = Pool::builder(Manager::from_config(config, tls, manager))
            .max_size(options.connections.max(2))
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(options.connect_timeout.max(options.lock_timeout)))
            .create_timeout(Some(options.connect_timeout))
            .post_create(made)
            .build()
            .map_err(|cause| {
                Error::new(ErrorKind::Provider, "cannot keep connections").caused_by(cause)
            })?;
        let schema = options.schema.as_str().into();
        let connections = Self { pool, schema, patience, alone: Arc::new(alone) };
        let checked = connections.get().await?;
        within(patience, roles::check(&checked, options)).await?;
        drop(checked);
        tokio::spawn(close_idle(connections.pool.clone(), options.idle_timeout));
        Ok(connections)
    }

    /// Returns a connection that nobody uses.
    pub(super) async fn get(&self) -> Result<Object> {
        self.pool.get().await.map_err(unavailable)
    }

    /// Makes a connection for one purpose alone, on which [`Self::settings`] were not said yet.
    pub(super) async fn alone(&self) -> Result<(Client, Connection<Socket, Encrypted>)> {
        let Alone { config, tls, timeout, .. } = &*self.alone;
        // The driver counts only until somebody takes the connection, who may say nothing.
        let connected = async { config.connect(tls.clone()).await.map_err(failed) };
        within(*timeout, connected).await
    }

    /// Returns what is to be said first on a connection.
    pub(super) fn settings(&self) -> &str {
        &self.alone.settings
    }

    /// Gives up all connections that nobody uses, as one of them turned out to be lost: whatever
    /// ended it may have ended the others, and nobody has noticed yet.
    pub(super) fn renew(&self) {
        self.pool.retain(|_, _| false);
    }

    /// Returns how many wait for a connection.
    pub(super) fn waiting(&self) -> usize {
        self.pool.status().waiting
    }

    /// Returns how long to wait for an answer.
    pub(super) fn patience(&self) -> Duration {
        self.patience
    }

    /// Returns the schema of the store.
    pub(super) fn schema(&self) -> &str {
        &self.schema
    }

    /// Closes all connections that nobody uses.
    pub(super) fn close(&self) {
        self.pool.close();
    }
}

async fn close_idle(pool: Pool, patience: Duration) {
    while !pool.is_closed() {
        tokio::time::sleep(patience.clamp(Duration::from_secs(1), OFTEN)).await;
        pool.retain(|_, metrics| metrics.last_used() < patience);
    }
}

fn config(options: &PostgresOptions) -> Result<Config> {
    // What the parser says of an address may repeat a part of it.
    let mut config: Config = options.url.parse().map_err(|_| {
        Error::new(
            ErrorKind::Configuration,
            "this is no address of a PostgreSQL database: it has the form \
             postgres://role:password@host/database, and sslmode is disable, prefer or require",
        )
    })?;
    if config.get_application_name().is_none() {
        config.application_name("cofio");
    }
    config.connect_timeout(options.connect_timeout);
    config.keepalives_idle(Duration::from_secs(30));
    config.keepalives_interval(Duration::from_secs(10));
    config.keepalives_retries(3);
    Ok(config)
}

fn tls(options: &PostgresOptions) -> Result<MakeRustlsConnect> {
    let unusable = |cause: Box<dyn std::error::Error + Send + Sync>| {
        let message = "the file of root certificates cannot be used";
        Error::new(ErrorKind::Configuration, message).caused_by(cause)
    };
    let mut roots = RootCertStore::empty();
    match &options.root_certificates {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(file) => {
            for certificate in
                CertificateDer::pem_file_iter(file).map_err(|cause| unusable(cause.into()))?
            {
                let certificate = certificate.map_err(|cause| unusable(cause.into()))?;
                roots.add(certificate).map_err(|cause| unusable(cause.into()))?;
            }
            if roots.is_empty() {
                return Err(unusable("there is no certificate in it".into()));
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|cause| unusable(cause.into()))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

async fn connect(config: &Config, tls: &MakeRustlsConnect) -> Result<Client> {
    let (client, connection) = config.connect(tls.clone()).await.map_err(failed)?;
    // Whoever does not say which version it is may be anything between us and the server.
    connection.parameter("server_version").map_or(Ok(()), check_server)?;
    // Whoever uses the client is told of its errors.
    tokio::spawn(async move { drop(connection.await) });
    Ok(client)
}

/// What has a commit wait until it is on disk.
///
/// Whoever runs the server may have it wait for more than that, or for no other server.
pub(super) const DURABLE: &str = "SELECT set_config('synchronous_commit',
         CASE value WHEN 'off' THEN 'on' ELSE value END, false)
     FROM current_setting('synchronous_commit') AS value;";

/// Returns what holds on every connection; names need no quotes, as the options were checked.
fn settings(options: &PostgresOptions, vector: &str) -> String {
    let PostgresOptions { schema, .. } = options;
    format!(
        "SET client_min_messages = warning;
         SET search_path = {schema}, {vector}, pg_temp;
         SET statement_timeout = {};
         SET lock_timeout = {};
         SET idle_in_transaction_session_timeout = {};
         SET jit = off;
         SET hnsw.iterative_scan = strict_order;
         SET hnsw.ef_search = 200;
         {DURABLE}
         SET ROLE {};",
        options.statement_timeout.as_millis(),
        options.lock_timeout.as_millis(),
        options.statement_timeout.as_millis(),
        options.worker(),
    )
}
