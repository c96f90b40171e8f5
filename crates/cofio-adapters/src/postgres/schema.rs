//! The tables, and how an older schema becomes a newer one.
//!
//! Migrations are added, never edited.

use cofio::text::ANALYSER_VERSION;
use cofio::{Error, ErrorKind, Result};
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::connections::{Connections, DURABLE};
use super::failure::{failed, is_lost, is_one_of, within};
use super::options::PostgresOptions;
use super::requirements::check_vector;
use super::roles;
use super::rows::get;
use super::session::Session;

/// What makes version n + 1 out of version n.
const MIGRATIONS: &[&str] = &[
    include_str!("schema/001.sql"),
    include_str!("schema/002-tickets.sql"),
    include_str!("schema/003-lists.sql"),
    include_str!("schema/004-unique-name.sql"),
    include_str!("schema/005-references.sql"),
];

/// Tells the lock of those who make the tables of a schema from every other ("cofi").
const LOCK: i32 = 0x636f_6669;

/// How often tables are made, where somebody makes something of the same name at the same time that
/// is not the schema's alone: the extension or the role.
const ATTEMPTS: u32 = 5;

/// What is there of a schema.
struct Found {
    /// Where pgvector is, as it is written in SQL.
    vector: Option<String>,
    version: usize,
    /// Whether the role that works in it is as it has to be.
    role: bool,
}

/// Brings a schema to this version and makes the role that works in it; returns where pgvector is.
///
/// Where nothing has to be made, nobody is waited for.
pub(super) async fn prepare(client: &Client, options: &PostgresOptions) -> Result<String> {
    let found = begin(client, options).await?;
    if found.version == MIGRATIONS.len()
        && found.role
        && let Some(vector) = found.vector
    {
        return Ok(vector);
    }
    // The server ends what takes too long by itself, unless it cannot.
    within(options.migration_timeout + options.patience(), make(client, options)).await
}

/// Returns where pgvector is, if everything else is there as well.
pub(super) async fn find(client: &Client, options: &PostgresOptions) -> Result<String> {
    let PostgresOptions { schema, .. } = options;
    match begin(client, options).await? {
        Found { version: 0, .. } => {
            let message = format!("there is no store in the schema {schema} of PostgreSQL");
            Err(Error::new(ErrorKind::NotFound, message))
        }
        Found { version, role: true, vector: Some(vector) } if version == MIGRATIONS.len() => {
            Ok(vector)
        }
        Found { version, .. } => {
            let message = format!(
                "the schema {schema} of PostgreSQL is not as this version of Cofio wants it: \
                 `cofio doctor` with the settings of this store changes that"
            );
            Err(Error::new(ErrorKind::Configuration, message).with("version", version))
        }
    }
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

/// Says what holds on the connection, and looks at what is there.
async fn begin(client: &Client, options: &PostgresOptions) -> Result<Found> {
    let settings = format!(
        "SET client_min_messages = warning;
         SET statement_timeout = {};
         SET lock_timeout = {};
         SET idle_in_transaction_session_timeout = {};
         {DURABLE}",
        options.statement_timeout.as_millis(),
        options.lock_timeout.as_millis(),
        options.statement_timeout.as_millis(),
    );
    within(options.patience(), async {
        client.batch_execute(&settings).await.map_err(failed)?;
        look(client, options).await
    })
    .await
}

/// Looks at what is there, and refuses what is too old or too new.
async fn look(client: &Client, options: &PostgresOptions) -> Result<Found> {
    let name = format!("{}.migrations", options.schema);
    let row = client
        .query_one(
            "SELECT to_regclass($1) IS NOT NULL, quote_ident(n.nspname), coalesce(e.extversion, (
                 SELECT default_version FROM pg_available_extensions WHERE name = 'vector'))
             FROM (VALUES ('vector')) AS wanted (name)
             LEFT JOIN pg_extension AS e ON e.extname = wanted.name
             LEFT JOIN pg_namespace AS n ON n.oid = e.extnamespace",
            &[&name],
        )
        .await
        .map_err(failed)?;
    let available: Option<&str> = row.get(2);
    check_vector(available.ok_or_else(missing)?)?;
    let version = if row.get(0) { version(client, &name).await? } else { 0 };
    if version > MIGRATIONS.len() {
        return Err(newer("schema", version));
    }
    let role = roles::are_ready(client, options).await?;
    Ok(Found { vector: row.get(1), version, role })
}

async fn version(client: &Client, migrations: &str) -> Result<usize> {
    let sql = format!("SELECT coalesce(max(version), 0) FROM {migrations}");
    let row = client.query_one(&sql, &[]).await.map_err(failed)?;
    let version: i32 = row.get(0);
    Ok(usize::try_from(version).unwrap_or_default())
}

/// Makes what is missing, all of it or nothing.
async fn make(client: &Client, options: &PostgresOptions) -> Result<String> {
    let mut attempt = 1;
    loop {
        let made = make_once(client, options).await;
        if made.is_err() {
            // The connection may be what failed.
            let _ = client.batch_execute("ROLLBACK").await;
        }
        match made {
            Err(error) if is_doubled(&error) && attempt < ATTEMPTS => attempt += 1,
            Err(error) if is_one_of(&error, &[&SqlState::QUERY_CANCELED]) => {
                return Err(late(options));
            }
            made => return made,
        }
    }
}

async fn make_once(client: &Client, options: &PostgresOptions) -> Result<String> {
    let limit = options.migration_timeout.as_millis();
    let begin = format!(
        "BEGIN; SET LOCAL statement_timeout = {limit};
         SET LOCAL idle_in_transaction_session_timeout = {limit}"
    );
    client.batch_execute(&begin).await.map_err(failed)?;
    lock(client, options).await?;
    // Another process may have done it while this one waited.
    let found = look(client, options).await?;
    let vector = match found.vector {
        Some(vector) => vector,
        None => add_extension(client).await?,
    };
    roles::make(client, options).await?;
    if found.version < MIGRATIONS.len() {
        migrate(client, &options.schema, &vector, found.version).await?;
    }
    roles::endow(client, options).await?;
    client.batch_execute("COMMIT").await.map_err(failed)?;
    Ok(vector)
}

/// Takes the turn to make tables in a schema, which is given back with the end of the transaction.
async fn lock(client: &Client, options: &PostgresOptions) -> Result<()> {
    let schema = &options.schema;
    let sql = format!("SELECT pg_advisory_xact_lock({LOCK}, hashtext('{schema}'))");
    let Err(error) = client.batch_execute(&sql).await.map_err(failed) else { return Ok(()) };
    if !is_one_of(&error, &[&SqlState::LOCK_NOT_AVAILABLE]) {
        return Err(error);
    }
    let message = format!(
        "another process makes or changes the tables of the schema {schema} in PostgreSQL, and was \
         not done within {} s{}",
        options.lock_timeout.as_secs_f32(),
        holder(client, schema).await
    );
    Err(Error::new(ErrorKind::Provider, message).caused_by(error))
}

/// Says which of the server's processes has the turn, if it can be told.
async fn holder(client: &Client, schema: &str) -> String {
    let sql = format!(
        "ROLLBACK; SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
             AND classid = {LOCK} AND objid = hashtext('{schema}')::oid
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    );
    let said = client.simple_query(&sql).await.unwrap_or_default();
    let process = said.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    let told = |process| format!(": it is process {process} in pg_stat_activity");
    process.map(told).unwrap_or_default()
}

async fn add_extension(client: &Client) -> Result<String> {
    client.batch_execute("CREATE EXTENSION vector").await.map_err(no_extension)?;
    let sql = "SELECT quote_ident(n.nspname) FROM pg_extension AS e
               JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector'";
    let row = client.query_one(sql, &[]).await.map_err(failed)?;
    Ok(row.get(0))
}

async fn migrate(client: &Client, schema: &str, vector: &str, from: usize) -> Result<()> {
    client
        .batch_execute(&format!(
            "CREATE SCHEMA IF NOT EXISTS {schema};
             CREATE TABLE IF NOT EXISTS {schema}.migrations (
                 version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
             SET LOCAL search_path = {schema}, {vector}, pg_temp;"
        ))
        .await
        .map_err(failed)?;
    for (version, migration) in MIGRATIONS.iter().enumerate().skip(from) {
        let migration = migration.replace("{schema}", schema).replace("{vector}", vector);
        let note = format!("INSERT INTO migrations (version) VALUES ({})", version + 1);
        client.batch_execute(&format!("{migration}; {note}")).await.map_err(failed)?;
    }
    client
        .batch_execute(&format!(
            "INSERT INTO settings (name, value) VALUES ('analyser', '{ANALYSER_VERSION}')
             ON CONFLICT DO NOTHING"
        ))
        .await
        .map_err(failed)
}

/// Returns whether somebody else has just made something of the same name.
fn is_doubled(error: &Error) -> bool {
    is_one_of(error, &[&SqlState::UNIQUE_VIOLATION, &SqlState::DUPLICATE_OBJECT])
}

fn no_extension(cause: tokio_postgres::Error) -> Error {
    let error = failed(cause);
    let waited = [&SqlState::LOCK_NOT_AVAILABLE, &SqlState::QUERY_CANCELED];
    let is_another = is_lost(&error) || is_doubled(&error) || is_one_of(&error, &waited);
    if is_another { error } else { missing() }
}

fn late(options: &PostgresOptions) -> Error {
    let message = format!(
        "making or changing the tables of the schema {} in PostgreSQL took longer than {} s",
        options.schema,
        options.migration_timeout.as_secs_f32()
    );
    Error::new(ErrorKind::Provider, message)
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
