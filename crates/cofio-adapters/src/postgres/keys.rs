//! Keys: what programs may do, and where, once they have proved themselves.

use cofio::model::{
    AuditEntry, Key, KeyChange, KeyCommit, KeyHash, KeyId, Right, Rights, Timestamp,
};
use cofio::store::kit::{decode_bound, encode_bound, key_exists, key_replaced, moment};
use cofio::{Error, ErrorKind, Result};
use tokio_postgres::Row;

use super::audit::Head;
use super::plain::{original, plain};
use super::rows::{get, parsed};
use super::session::Session;

/// The columns that [`key`] reads.
const KEY: &str = "id, name, rights, bound, trust, created_at, expires_at, revoked_at, replaced_by";

/// The column after those.
const HASH: usize = 9;

/// Makes all changes of keys and records them, or makes none; returns whether any was made.
pub(super) async fn commit(session: &Session, commit: &KeyCommit) -> Result<bool> {
    let (mut head, _) = Head::lock(session).await?;
    let mut changed = false;
    for change in &commit.changes {
        changed |= match change {
            KeyChange::Create { key, hash } => insert(session, key, hash).await?,
            KeyChange::Revoke { id } => revoke(session, id, commit.at).await?,
            KeyChange::Replace { id, by, ends_at } => replace(session, id, by, *ends_at).await?,
        };
    }
    if changed {
        let enter = |event| head.enter(&commit.actor, commit.at, event, None);
        let entries: Vec<AuditEntry> = commit.audit.iter().map(enter).collect();
        session.pipeline(&head.keep(&entries)).await?;
    }
    Ok(changed)
}

async fn insert(session: &Session, key: &Key, hash: &KeyHash) -> Result<bool> {
    let names: Vec<&str> = key.rights.iter().map(Right::as_str).collect();
    let inserted = session
        .execute(
            "INSERT INTO keys (id, hash, name, rights, bound, trust, created_at, expires_at,
                               revoked_at, replaced_by)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
            &[
                &key.id.as_str(),
                &&hash.as_bytes()[..],
                &plain(&key.name),
                &names.join(" "),
                &encode_bound(&key.bound),
                &key.trust.as_str(),
                &key.created_at.as_microsecond(),
                &key.expires_at.map(Timestamp::as_microsecond),
                &key.revoked_at.map(Timestamp::as_microsecond),
                &key.replaced_by.as_ref().map(KeyId::as_str),
            ],
        )
        .await?;
    if inserted == 0 { Err(key_exists(&key.id)) } else { Ok(true) }
}

async fn revoke(session: &Session, id: &KeyId, at: Timestamp) -> Result<bool> {
    let sql = "UPDATE keys SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL";
    let revoked = session.execute(sql, &[&at.as_microsecond(), &id.as_str()]).await?;
    Ok(revoked > 0)
}

async fn replace(session: &Session, id: &KeyId, by: &KeyId, ends_at: Timestamp) -> Result<bool> {
    let Some((old, _)) = find(session, id).await? else { return Ok(false) };
    if let Some(by) = &old.replaced_by {
        return Err(key_replaced(id, by));
    }
    let ends_at = old.expires_at.map_or(ends_at, |end| end.min(ends_at));
    let sql = "UPDATE keys SET replaced_by = $1, expires_at = $2 WHERE id = $3";
    session.execute(sql, &[&by.as_str(), &ends_at.as_microsecond(), &id.as_str()]).await?;
    Ok(true)
}

/// Returns a key, with what its token is known by.
pub(super) async fn find(session: &Session, id: &KeyId) -> Result<Option<(Key, KeyHash)>> {
    let sql = format!("SELECT {KEY}, hash FROM keys WHERE id = $1");
    let rows = session.query(&sql, &[&id.as_str()]).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let hash: &[u8] = get(row, HASH)?;
    let hash = hash.try_into().map_err(unreadable)?;
    Ok(Some((key(row)?, KeyHash::from_bytes(hash))))
}

/// Returns all keys, the oldest first.
pub(super) async fn list(session: &Session) -> Result<Vec<Key>> {
    let sql = format!("SELECT {KEY} FROM keys ORDER BY created_at, id");
    session.query(&sql, &[]).await?.iter().map(key).collect()
}

/// Returns whether there is any key.
pub(super) async fn exist(session: &Session) -> Result<bool> {
    Ok(!session.query("SELECT 1 FROM keys LIMIT 1", &[]).await?.is_empty())
}

/// Reads the columns of [`KEY`].
fn key(row: &Row) -> Result<Key> {
    let time = |column| get::<Option<i64>>(row, column)?.map(moment).transpose();
    let read = || -> Result<Key> {
        let rights: Vec<Right> =
            get::<&str>(row, 2)?.split_whitespace().map(str::parse).collect::<Result<_>>()?;
        Ok(Key {
            id: parsed(row, 0)?,
            name: original(get(row, 1)?),
            rights: Rights::of(&rights),
            bound: decode_bound(get(row, 3)?)?,
            trust: parsed(row, 4)?,
            created_at: moment(get(row, 5)?)?,
            expires_at: time(6)?,
            revoked_at: time(7)?,
            replaced_by: get::<Option<&str>>(row, 8)?.map(str::parse).transpose()?,
        })
    };
    read().map_err(unreadable)
}

fn unreadable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Damaged, "a stored key cannot be read").caused_by(cause)
}
