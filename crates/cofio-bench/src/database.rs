//! PostgreSQL, asked by itself: what it promises, how large tables are, and filling them in bulk.

use anyhow::{Context as _, Result};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, Row};

/// A connection with the thread that it needs.
pub struct Database {
    runtime: Runtime,
    client: Client,
}

impl Database {
    /// Connects, without encryption: what is measured is on the same machine.
    pub fn open(url: &str) -> Result<Self> {
        let runtime = runtime()?;
        let (client, connection) = runtime
            .block_on(tokio_postgres::connect(url, NoTls))
            .context("cannot reach PostgreSQL")?;
        runtime.spawn(connection);
        Ok(Self { runtime, client })
    }

    /// Runs statements.
    pub fn run(&self, sql: &str) -> Result<()> {
        self.runtime.block_on(self.client.batch_execute(sql)).with_context(|| sql.to_owned())
    }

    /// Returns the rows of a query.
    pub fn rows(&self, sql: &str) -> Result<Vec<Row>> {
        self.runtime.block_on(self.client.query(sql, &[])).with_context(|| sql.to_owned())
    }

    /// Returns the only number of a query.
    pub fn number(&self, sql: &str) -> Result<f64> {
        let rows = self.rows(sql)?;
        let number: i64 = rows.first().context("there is a row")?.try_get(0)?;
        Ok(number as f64)
    }

    /// Returns how many bytes a schema takes, and how many of them its indexes.
    pub fn bytes(&self, schema: &str) -> Result<(f64, f64)> {
        let of = |what: &str, kind: &str| {
            self.number(&format!(
                "SELECT coalesce(sum({what}(oid)), 0)::bigint FROM pg_class
                 WHERE relnamespace = '{schema}'::regnamespace AND relkind = '{kind}'"
            ))
        };
        Ok((of("pg_total_relation_size", "r")?, of("pg_relation_size", "i")?))
    }

    /// Adds vectors to a table of numbers and vectors.
    pub fn insert_vectors(
        &self,
        table: &str,
        first: usize,
        dimensions: usize,
        all: &[f32],
    ) -> Result<()> {
        let sql = format!(
            "INSERT INTO {table} SELECT $1 + i,
                 ($2::real[])[i * {dimensions} + 1 : (i + 1) * {dimensions}]::halfvec
             FROM generate_series(0, $3::bigint - 1) AS i"
        );
        let (first, count) = (i64::try_from(first)?, i64::try_from(all.len() / dimensions)?);
        self.runtime.block_on(self.client.execute(&sql, &[&first, &all, &count]))?;
        Ok(())
    }

    /// Finds the ten vectors of a table that are nearest to one.
    pub fn nearest(&self, table: &str, vector: &[f32]) -> Result<()> {
        let sql =
            format!("SELECT number FROM {table} ORDER BY vector <=> $1::real[]::halfvec LIMIT 10");
        self.runtime.block_on(self.client.query(&sql, &[&vector]))?;
        Ok(())
    }

    /// Says which server it is, and what it does before it acknowledges.
    pub fn promise(&self) -> Result<String> {
        let said = |name: &str| -> Result<String> {
            Ok(self.rows(&format!("SHOW {name}"))?[0].try_get(0)?)
        };
        let names = ["server_version", "fsync", "synchronous_commit", "shared_buffers"];
        let all = names.map(|name| said(name).map(|value| format!("{name} {value}")));
        Ok(all.into_iter().collect::<Result<Vec<_>>>()?.join(", "))
    }

    /// Removes a schema and the role that works in it.
    pub fn drop_schema(&self, schema: &str) -> Result<()> {
        let role = format!("cofio_{schema}_worker");
        self.run(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE"))?;
        self.run(&format!(
            "DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{role}') THEN
                 DROP OWNED BY {role}; DROP ROLE {role}; END IF; END $$"
        ))
    }
}

/// Returns a thread for what waits for servers.
pub fn runtime() -> Result<Runtime> {
    Ok(Builder::new_multi_thread().worker_threads(1).enable_all().build()?)
}
