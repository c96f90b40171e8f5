//! The role that the store works as: it sees the rows it is shown, and no others.
//!
//! Whoever the address names may be an administrator, to whom row-level security does not apply. So
//! the tables are made as that one, and everything else is done as a role of its own.

use cofio::{Error, ErrorKind, Result};
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::failure::failed;
use super::options::PostgresOptions;

/// What the role may not do to some tables: to the journal it may only add.
const WITHHELD: [(&str, &[&str]); 3] = [
    ("INSERT", &["migrations", "models"]),
    ("UPDATE", &["migrations", "models", "audit", "changes", "tombstones"]),
    (
        "DELETE",
        &["migrations", "models", "audit", "changes", "tombstones", "keys", "head", "scopes"],
    ),
];

/// Returns whether the role is there, may be taken, and may do what it has to and no more.
///
/// What it may do is the owner's to say: whoever else connects takes it as it is.
pub(super) async fn are_ready(client: &Client, options: &PostgresOptions) -> Result<bool> {
    let differs: Vec<String> = WITHHELD
        .iter()
        .map(|(privilege, tables)| {
            let tables = tables.join("', '");
            format!(
                "has_table_privilege(w.oid, c.oid, '{privilege}') = (c.relname IN ('{tables}'))"
            )
        })
        .collect();
    let sql = format!(
        "SELECT pg_has_role(current_user, w.oid, 'SET')
            AND (NOT pg_has_role(current_user, s.nspowner, 'USAGE')
                 OR (has_schema_privilege(w.oid, s.oid, 'USAGE')
                     AND NOT EXISTS (
                         SELECT FROM pg_class AS c
                         WHERE c.relnamespace = s.oid AND c.relkind = 'r'
                           AND (NOT has_table_privilege(w.oid, c.oid, 'SELECT') OR {}))
                     AND NOT EXISTS (
                         SELECT FROM pg_proc AS p WHERE p.pronamespace = s.oid
                           AND NOT has_function_privilege(w.oid, p.oid, 'EXECUTE'))))
         FROM pg_roles AS w, pg_namespace AS s WHERE w.rolname = $1 AND s.nspname = $2",
        differs.join(" OR ")
    );
    let row = client.query_opt(&sql, &[&options.worker(), &options.schema]).await;
    Ok(row.map_err(failed)?.is_some_and(|row| row.get(0)))
}

/// Makes the role if it is not there, and lets the one at hand take it.
pub(super) async fn make(client: &Client, options: &PostgresOptions) -> Result<()> {
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
    Ok(())
}

/// Gives the role what it needs in the schema, unless that is for another to do.
pub(super) async fn endow(client: &Client, options: &PostgresOptions) -> Result<()> {
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

/// Returns the statements that say what the role may do.
fn privileges(options: &PostgresOptions) -> String {
    let (schema, worker) = (&options.schema, options.worker());
    let withheld = WITHHELD.map(|(privilege, tables)| {
        let tables: Vec<String> = tables.iter().map(|table| format!("{schema}.{table}")).collect();
        format!("REVOKE {privilege} ON {} FROM {worker};", tables.join(", "))
    });
    format!(
        "GRANT USAGE ON SCHEMA {schema} TO {worker};
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {worker};
         GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema} TO {worker};
         {}",
        withheld.concat()
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
