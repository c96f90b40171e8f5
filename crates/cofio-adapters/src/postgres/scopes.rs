//! The scopes that something was ever in, or about to be.

use cofio::Result;
use cofio::model::Scope;

use super::rows::{self, SCOPE};
use super::session::Session;

/// Returns all of them.
pub(super) async fn all(session: &Session) -> Result<Vec<Scope>> {
    let rows = session.query(&format!("SELECT {SCOPE} FROM scopes AS s"), &[]).await?;
    rows.iter().map(|row| rows::scope(row, 0)).collect()
}

/// Returns whether all of some scopes are among them.
pub(super) async fn are_known(session: &Session, scopes: &[Scope]) -> Result<bool> {
    let texts: Vec<String> = scopes.iter().map(ToString::to_string).collect();
    let rows =
        session.query("SELECT count(*) FROM scopes WHERE text = ANY ($1)", &[&texts]).await?;
    rows.first().map_or(Ok(false), |row| Ok(rows::count(row, 0)? == scopes.len() as u64))
}
