//! A schema of its own for each test, on the server that tests share.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cofio_adapters::postgres::{PostgresOptions, PostgresStore};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

use crate::servers::proxy::Proxy;

/// Returns where the server is, and says so if there is none.
pub fn url() -> Option<String> {
    let url = std::env::var("COFIO_TEST_POSTGRES_URL").ok();
    if url.is_none() {
        eprintln!(
            "skipped: COFIO_TEST_POSTGRES_URL names no server; `cargo xtask test` starts one"
        );
    }
    url
}

/// A schema that is removed when this is dropped.
pub struct Place {
    pub options: PostgresOptions,
    admin: Admin,
}

impl Place {
    /// Names a schema that nobody has, unless there is no server.
    pub fn new() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let url = url()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() % 1_000_000_000;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let schema = format!("test_{}_{now}_{number}", std::process::id());
        let named = format!("{url}?application_name={schema}");
        let options = PostgresOptions { schema, connections: 4, ..PostgresOptions::new(named) };
        Some(Self { options, admin: Admin::new(&url) })
    }

    pub fn open(&self) -> PostgresStore {
        PostgresStore::open(&self.options).unwrap()
    }

    /// Returns how the store is opened by way of a proxy to the server.
    pub fn by(&self, proxy: &Proxy) -> PostgresOptions {
        let url = &self.options.url;
        let url = url.replacen(&self.server(), &format!("127.0.0.1:{}", proxy.port), 1);
        PostgresOptions { url, ..self.options.clone() }
    }

    /// Returns the host and port of the server.
    pub fn server(&self) -> String {
        self.options.url.split(['@', '/']).nth(3).unwrap().to_owned()
    }

    /// Runs SQL as the administrator, with the schema to look in.
    pub fn run(&self, sql: &str) {
        self.admin.run(&format!("SET search_path = {}, public; {sql}", self.options.schema));
    }

    /// Runs SQL that has to fail, and returns why.
    pub fn fails(&self, sql: &str) -> String {
        self.admin.try_run(sql).unwrap_err()
    }

    /// Returns the first column of what SQL returns, as text.
    pub fn ask(&self, sql: &str) -> Vec<String> {
        self.run("");
        self.admin.ask(sql)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let (schema, worker) = (&self.options.schema, self.options.worker());
        self.admin.insist(&format!("RESET ROLE; DROP SCHEMA IF EXISTS {schema} CASCADE"));
        self.admin.run(&format!("DROP ROLE IF EXISTS {worker}"));
    }
}

/// A connection of the administrator.
pub struct Admin {
    runtime: Runtime,
    client: Client,
}

impl Admin {
    pub fn new(url: &str) -> Self {
        Self::try_new(url).unwrap()
    }

    /// Connects, unless the server refuses.
    pub fn try_new(url: &str) -> Option<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let (client, connection) = runtime.block_on(tokio_postgres::connect(url, NoTls)).ok()?;
        runtime.spawn(async move { drop(connection.await) });
        Some(Self { runtime, client })
    }

    pub fn run(&self, sql: &str) {
        self.try_run(sql).unwrap();
    }

    /// Runs SQL that the server's own cleaning may get in the way of.
    fn insist(&self, sql: &str) {
        for _ in 0..20 {
            if self.try_run(sql).is_ok() {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        self.run(sql);
    }

    fn try_run(&self, sql: &str) -> Result<(), String> {
        let sql = format!("SET client_min_messages = warning; {sql}");
        let run = self.runtime.block_on(self.client.batch_execute(&sql));
        run.map_err(|error| error.as_db_error().map_or(error.to_string(), ToString::to_string))
    }

    pub fn ask(&self, sql: &str) -> Vec<String> {
        let rows = self.runtime.block_on(self.client.simple_query(sql)).unwrap();
        let text = |message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => {
                Some(row.get(0).unwrap_or_default().to_owned())
            }
            _ => None,
        };
        rows.into_iter().filter_map(text).collect()
    }
}
