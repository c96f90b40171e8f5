//! The tables, and how an older schema becomes a newer one.
//!
//! Migrations are added, never edited.

use cofio::text::ANALYSER_VERSION;
use cofio::{Error, ErrorKind, Result};
use tokio_postgres::Client;

use super::connections::Connections;
use super::failure::failed;
use super::options::PostgresOptions;
use super::roles;
use super::rows::get;
use super::session::Session;

/// What makes version n + 1 out of version n.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/001.sql"),
    include_str!("schema/002-tickets.sql"),
    include_str!("schema/003-lists.sql"),
    include_str!("schema/004-unique-name.sql"),
];

/// Tells the lock of those who make tables from every other ("cofiosch").
const LOCK: i64 = 0x636f_6669_6f73_6368;

/// Brings a schema to this version and makes the role that works in it; returns where pgvector is.
pub(super) async fn prepare(client: &Client, options: &PostgresOptions) -> Result<String> {
    client
        .batch_execute(&format!(
            "SET client_min_messages = warning; SELECT pg_advisory_lock({LOCK})"
        ))
        .await
        .map_err(failed)?;
    // The lock is given back with the connection, which is not used for anything else.
    let found = version(client, &options.schema).await?;
    if found > MIGRATIONS.len() {
        return Err(newer("schema", found));
    }
    if found < MIGRATIONS.len() {
        let migrated = migrate(client, options, found).await;
        if migrated.is_err() {
            // The connection may be what failed.
            let _ = client.batch_execute("ROLLBACK").await;
        }
        migrated?;
    }
    roles::prepare(client, options).await?;
    vector(client).await
}

/// Refuses an index of a newer analyser, and returns whether it has to be made anew.
pub(super) fn is_outdated(analyser: &str) -> Result<bool> {
    match analyser.parse::<u32>() {
        Ok(analyser) if analyser > ANALYSER_VERSION => Err(newer("index", analyser as usize)),
        Ok(ANALYSER_VERSION) => Ok(false),
        _ => Ok(true),
    }
}

/// Returns what no other store is called.
pub(super) async fn unique_name(connections: &Connections) -> Result<String> {
    let session = Session::single(connections).await?;
    let rows = session.query("SELECT value FROM settings WHERE name = 'unique_name'", &[]).await;
    let name = rows.and_then(|rows| match rows.first() {
        Some(row) => get(row, 0),
        None => Err(Error::new(ErrorKind::Damaged, "the store has lost its name")),
    });
    session.end(name)
}

async fn version(client: &Client, schema: &str) -> Result<usize> {
    let name = format!("{schema}.migrations");
    let known =
        client.query_one("SELECT to_regclass($1) IS NOT NULL", &[&name]).await.map_err(failed)?;
    if !known.get::<_, bool>(0) {
        return Ok(0);
    }
    let sql = format!("SELECT coalesce(max(version), 0) FROM {name}");
    let row = client.query_one(&sql, &[]).await.map_err(failed)?;
    let version: i32 = row.get(0);
    Ok(usize::try_from(version).unwrap_or_default())
}

async fn migrate(client: &Client, options: &PostgresOptions, from: usize) -> Result<()> {
    let schema = &options.schema;
    client
        .batch_execute(&format!(
            "BEGIN;
             CREATE SCHEMA IF NOT EXISTS {schema};
             CREATE TABLE IF NOT EXISTS {schema}.migrations (
                 version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());"
        ))
        .await
        .map_err(failed)?;
    client.batch_execute("CREATE EXTENSION IF NOT EXISTS vector").await.map_err(no_extension)?;
    let vector = vector(client).await?;
    for (version, migration) in MIGRATIONS.iter().enumerate().skip(from) {
        let migration = migration.replace("{schema}", schema).replace("{vector}", &vector);
        client
            .batch_execute(&format!(
                "SET LOCAL search_path = {schema}, {vector}, pg_temp; {migration};
                 INSERT INTO migrations (version) VALUES ({})",
                version + 1
            ))
            .await
            .map_err(failed)?;
    }
    client
        .batch_execute(&format!(
            "INSERT INTO settings (name, value) VALUES ('analyser', '{ANALYSER_VERSION}')
             ON CONFLICT DO NOTHING; COMMIT"
        ))
        .await
        .map_err(failed)
}

/// Returns the schema that pgvector is in, as it is written in SQL.
async fn vector(client: &Client) -> Result<String> {
    let row = client
        .query_opt(
            "SELECT quote_ident(n.nspname) FROM pg_extension AS e
             JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'",
            &[],
        )
        .await
        .map_err(failed)?;
    row.map(|row| row.get(0)).ok_or_else(missing)
}

fn no_extension(cause: tokio_postgres::Error) -> Error {
    let error = failed(cause);
    if super::failure::is_lost(&error) { error } else { missing() }
}

fn missing() -> Error {
    let message = "the extension vector (pgvector) is not there and this role cannot create it: \
                   install it on the server, and run CREATE EXTENSION vector as an administrator";
    Error::new(ErrorKind::Configuration, message)
}

fn newer(what: &str, version: usize) -> Error {
    let message =
        format!("the {what} has version {version}, which a newer Cofio wrote: update Cofio");
    Error::new(ErrorKind::Configuration, message).with("version", version)
}
