//! Keys: what programs may do, and where, once they have proved themselves.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, TransactionBehavior, params};

use super::read::collect;
use super::{audit, failed, unexpected};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Key, KeyChange, KeyCommit, KeyHash, KeyId, Right, Rights, Timestamp};
use crate::store::document::moment;
use crate::store::kit::{decode_bound, encode_bound, key_exists, key_replaced};

/// The columns that [`key`] reads.
const KEY: &str = "id, name, rights, bound, trust, created_at, expires_at, revoked_at, replaced_by";

/// The column after those.
const HASH: usize = 9;

/// Makes all changes of keys and records them, or makes none; returns whether any was made.
pub(super) fn commit(connection: &mut Connection, commit: &KeyCommit) -> Result<bool> {
    let cannot_write = |cause| failed(cause, "cannot write to the database");
    let transaction =
        Transaction::new(connection, TransactionBehavior::Immediate).map_err(cannot_write)?;
    let mut changed = false;
    for change in &commit.changes {
        changed |= match change {
            KeyChange::Create { key, hash } => insert(&transaction, key, hash)?,
            KeyChange::Revoke { id } => revoke(&transaction, id, commit.at)?,
            KeyChange::Replace { id, by, ends_at } => replace(&transaction, id, by, *ends_at)?,
        };
    }
    if changed {
        for event in &commit.audit {
            audit::append(&transaction, &commit.actor, commit.at, event, None)?;
        }
    }
    transaction.commit().map_err(cannot_write)?;
    Ok(changed)
}

fn insert(connection: &Connection, key: &Key, hash: &KeyHash) -> Result<bool> {
    let names: Vec<&str> = key.rights.iter().map(Right::as_str).collect();
    let inserted = connection
        .execute(
            "INSERT INTO keys (id, hash, name, rights, bound, trust, created_at, expires_at,
                               revoked_at, replaced_by)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            params![
                key.id.as_str(),
                hash.as_bytes(),
                key.name,
                names.join(" "),
                encode_bound(&key.bound),
                key.trust.as_str(),
                key.created_at.as_microsecond(),
                key.expires_at.map(Timestamp::as_microsecond),
                key.revoked_at.map(Timestamp::as_microsecond),
                key.replaced_by.as_ref().map(KeyId::as_str),
            ],
        )
        .map_err(unexpected)?;
    if inserted == 0 { Err(key_exists(&key.id)) } else { Ok(true) }
}

fn revoke(connection: &Connection, id: &KeyId, at: Timestamp) -> Result<bool> {
    let revoked = connection
        .execute(
            "UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
            (at.as_microsecond(), id.as_str()),
        )
        .map_err(unexpected)?;
    Ok(revoked > 0)
}

fn replace(connection: &Connection, id: &KeyId, by: &KeyId, ends_at: Timestamp) -> Result<bool> {
    let Some((old, _)) = find(connection, id)? else { return Ok(false) };
    if let Some(by) = &old.replaced_by {
        return Err(key_replaced(id, by));
    }
    let ends_at = old.expires_at.map_or(ends_at, |end| end.min(ends_at));
    connection
        .execute(
            "UPDATE keys SET replaced_by = ?, expires_at = ? WHERE id = ?",
            (by.as_str(), ends_at.as_microsecond(), id.as_str()),
        )
        .map_err(unexpected)?;
    Ok(true)
}

/// Returns a key, with what its token is known by.
pub(super) fn find(connection: &Connection, id: &KeyId) -> Result<Option<(Key, KeyHash)>> {
    let mut select = connection
        .prepare_cached(&format!("SELECT {KEY}, hash FROM keys WHERE id = ?"))
        .map_err(unexpected)?;
    let mut rows = select.query([id.as_str()]).map_err(unexpected)?;
    let Some(row) = rows.next().map_err(unexpected)? else { return Ok(None) };
    let hash = row.get(HASH).map_err(unreadable)?;
    Ok(Some((key(row)?, KeyHash::from_bytes(hash))))
}

/// Returns all keys, the oldest first.
pub(super) fn list(connection: &Connection) -> Result<Vec<Key>> {
    let sql = format!("SELECT {KEY} FROM keys ORDER BY created_at, id");
    collect(connection, &sql, std::iter::empty::<Sql>(), key)
}

/// Returns whether there is any key.
pub(super) fn exist(connection: &Connection) -> Result<bool> {
    let found = connection
        .prepare_cached("SELECT 1 FROM keys LIMIT 1")
        .and_then(|mut select| select.query_row([], |_| Ok(())).optional())
        .map_err(unexpected)?;
    Ok(found.is_some())
}

/// Takes the keys of the attached copy over that are not known here, and returns how many.
///
/// A copy opens no door: they are revoked, and what was revoked here or there stays so.
pub(super) fn take_over(connection: &Connection, now: Timestamp) -> Result<usize> {
    connection
        .execute_batch(
            "UPDATE main.keys AS here
             SET revoked_at = coalesce(here.revoked_at, there.revoked_at),
                 replaced_by = coalesce(here.replaced_by, there.replaced_by),
                 expires_at = min(coalesce(here.expires_at, there.expires_at),
                                  coalesce(there.expires_at, here.expires_at))
             FROM copy.keys AS there WHERE there.id = here.id",
        )
        .map_err(unexpected)?;
    let taken_over = connection
        .execute(
            "INSERT INTO main.keys (id, hash, name, rights, bound, trust, created_at, expires_at,
                                    revoked_at, replaced_by)
             SELECT id, hash, name, rights, bound, trust, created_at, expires_at,
                    coalesce(revoked_at, ?), replaced_by
             FROM copy.keys WHERE id NOT IN (SELECT id FROM main.keys)",
            [now.as_microsecond()],
        )
        .map_err(unexpected)?;
    if unsound(connection)? > 0 {
        return Err(Error::new(ErrorKind::Damaged, "the copy holds keys that cannot be read"));
    }
    Ok(taken_over)
}

/// Counts the keys that cannot be read.
pub(super) fn unsound(connection: &Connection) -> Result<usize> {
    let sql = format!("SELECT {KEY}, hash FROM keys");
    let sound = collect(connection, &sql, std::iter::empty::<Sql>(), |row| {
        Ok(key(row).is_ok() && row.get::<_, [u8; 32]>(HASH).is_ok())
    })?;
    Ok(sound.into_iter().filter(|sound| !sound).count())
}

/// Reads the columns of [`KEY`].
fn key(row: &Row<'_>) -> Result<Key> {
    let text = |column| row.get::<_, String>(column).map_err(unreadable);
    let time = |column| row.get::<_, Option<i64>>(column).map_err(unreadable);
    let read = || -> Result<Key> {
        let rights: Vec<Right> =
            text(2)?.split_whitespace().map(str::parse).collect::<Result<_>>()?;
        Ok(Key {
            id: text(0)?.parse()?,
            name: text(1)?,
            rights: Rights::of(&rights),
            bound: decode_bound(&text(3)?)?,
            trust: text(4)?.parse()?,
            created_at: moment(row.get(5).map_err(unreadable)?)?,
            expires_at: time(6)?.map(moment).transpose()?,
            revoked_at: time(7)?.map(moment).transpose()?,
            replaced_by: row
                .get::<_, Option<String>>(8)
                .map_err(unreadable)?
                .map(|id| id.parse())
                .transpose()?,
        })
    };
    read().map_err(unreadable)
}

fn unreadable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Damaged, "a stored key cannot be read").caused_by(cause)
}
