//! The scopes that something was ever in, or about to be.

use cofio::Result;
use cofio::model::Scope;

use super::audit::Head;
use super::flush::new_scopes;
use super::rows::{self, SCOPE, get};
use super::session::Session;
use super::world::World;

/// Returns all of them.
pub(super) async fn all(session: &Session) -> Result<Vec<Scope>> {
    let rows = session.query(&format!("SELECT {SCOPE} FROM scopes AS s"), &[]).await?;
    rows.iter().map(|row| rows::scope(row, 0)).collect()
}

/// Returns whether all of some scopes are among them.
pub(super) async fn are_known(session: &Session, scopes: &[Scope]) -> Result<bool> {
    let rows = session
        .query("SELECT count(*) FROM scopes WHERE text = ANY ($1)", &[&texts(scopes)])
        .await?;
    rows.first().map_or(Ok(false), |row| Ok(rows::count(row, 0)? == scopes.len() as u64))
}

/// Gives scopes numbers that have none.
pub(super) async fn know(session: &Session, scopes: &[Scope]) -> Result<()> {
    let (head, _) = Head::lock(session).await?;
    let known = session
        .query("SELECT text, scope FROM scopes WHERE text = ANY ($1)", &[&texts(scopes)])
        .await?;
    let mut world = World::new(head, None);
    for row in &known {
        world.scopes.insert(get(row, 0)?, get(row, 1)?);
    }
    for scope in scopes {
        world.scope_number(scope);
    }
    let kept = new_scopes(&world).into_iter().chain(world.head.keep(&[]));
    session.pipeline(&kept.collect::<Vec<_>>()).await
}

fn texts(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}
