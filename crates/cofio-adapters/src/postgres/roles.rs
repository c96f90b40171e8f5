//! The role that the store works as: it sees the rows it is shown, and no others.
//!
//! Whoever the address names may be an administrator, to whom row-level security does not apply. So
//! the tables are made as that one, and everything else is done as a role of its own.

use cofio::{Error, ErrorKind, Result};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::failure::failed;
use super::options::PostgresOptions;

/// Makes the role if it is not there, and gives it what it needs in the schema.
pub(super) async fn prepare(client: &Client, options: &PostgresOptions) -> Result<()> {
    let worker = options.worker();
    let known = client
        .query_opt("SELECT 1 FROM pg_roles WHERE rolname = $1", &[&worker])
        .await
        .map_err(failed)?;
    if known.is_none() {
        let make = format!(
            "CREATE ROLE {worker} NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION"
        );
        client.batch_execute(&make).await.map_err(|cause| refused(cause, options))?;
    }
    let row = client
        .query_one("SELECT pg_has_role(current_user, $1, 'SET')", &[&worker])
        .await
        .map_err(failed)?;
    if !row.get::<_, bool>(0) {
        let grant = format!("GRANT {worker} TO CURRENT_USER");
        client.batch_execute(&grant).await.map_err(|cause| refused(cause, options))?;
    }
    if owns(client, options).await? {
        client.batch_execute(&privileges(options)).await.map_err(failed)?;
    }
    Ok(())
}

/// Refuses a connection to whose role row-level security does not apply.
pub(super) async fn check(client: &Client, options: &PostgresOptions) -> Result<()> {
    let row = client
        .query_one(
            "SELECT current_user::text, r.rolsuper OR r.rolbypassrls,
                    EXISTS (SELECT 1 FROM pg_class AS c
                            WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r'
                              AND pg_has_role(r.oid, c.relowner, 'MEMBER')),
                    EXISTS (SELECT 1 FROM pg_class AS c JOIN pg_policy AS p ON p.polrelid = c.oid
                            WHERE c.relnamespace = $1::text::regnamespace
                              AND NOT (c.relrowsecurity AND c.relforcerowsecurity))
             FROM pg_roles AS r WHERE r.rolname = current_user",
            &[&options.schema],
        )
        .await
        .map_err(failed)?;
    let name: String = row.get(0);
    let refuse = |why: &str| Err(Error::new(ErrorKind::Configuration, format!("{name} {why}")));
    if row.get(1) {
        return refuse(
            "sees every row, whosever it is: take SUPERUSER and BYPASSRLS away from this role",
        );
    }
    if row.get(2) {
        return refuse("owns the tables, or may become their owner: take that away from this role");
    }
    if row.get(3) {
        return refuse("would see every row, as row-level security was switched off for a table");
    }
    Ok(())
}

/// Returns whether the role at hand may say what others may do in the schema.
async fn owns(client: &Client, options: &PostgresOptions) -> Result<bool> {
    let row = client
        .query_one(
            "SELECT pg_has_role(current_user, nspowner, 'USAGE') FROM pg_namespace WHERE nspname = $1",
            &[&options.schema],
        )
        .await
        .map_err(failed)?;
    Ok(row.get(0))
}

/// Returns what the role may do: to the journal it may only add.
fn privileges(options: &PostgresOptions) -> String {
    let (schema, worker) = (&options.schema, options.worker());
    format!(
        "GRANT USAGE ON SCHEMA {schema} TO {worker};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {worker};
         REVOKE INSERT, UPDATE, DELETE ON {schema}.migrations, {schema}.models FROM {worker};
         REVOKE UPDATE, DELETE ON {schema}.audit, {schema}.changes, {schema}.tombstones FROM {worker};
         REVOKE DELETE ON {schema}.keys, {schema}.head, {schema}.scopes FROM {worker};
         GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema} TO {worker};"
    )
}

fn refused(cause: tokio_postgres::Error, options: &PostgresOptions) -> Error {
    if cause.code() != Some(&SqlState::INSUFFICIENT_PRIVILEGE) {
        return failed(cause);
    }
    let worker = options.worker();
    let message = format!(
        "the store works as the role {worker}, and this role may not make it: have an administrator \
         run CREATE ROLE {worker} NOLOGIN; GRANT {worker} TO this role"
    );
    Error::new(ErrorKind::Configuration, message)
}
