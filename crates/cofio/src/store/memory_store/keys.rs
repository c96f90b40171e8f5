//! Keys and what happens to them.

use super::contents::Contents;
use crate::error::Result;
use crate::model::{KeyChange, KeyCommit, KeyId, Timestamp};
use crate::store::kit::{key_exists, key_replaced};

impl Contents {
    /// Makes all changes of keys and records them, or makes none; returns whether any was made.
    pub fn commit_keys(&mut self, commit: KeyCommit) -> Result<bool> {
        let before = self.keys.clone();
        let mut changed = false;
        for change in commit.changes {
            match self.change_key(change, commit.at) {
                Ok(one) => changed |= one,
                Err(error) => {
                    self.keys = before;
                    return Err(error);
                }
            }
        }
        if changed {
            for event in commit.audit {
                self.journal.enter(&commit.actor, commit.at, event, None);
            }
        }
        Ok(changed)
    }

    fn change_key(&mut self, change: KeyChange, now: Timestamp) -> Result<bool> {
        match change {
            KeyChange::Create { key, .. } if self.keys.contains_key(&key.id) => {
                Err(key_exists(&key.id))
            }
            KeyChange::Create { key, hash } => {
                self.keys.insert(key.id.clone(), (*key, hash));
                Ok(true)
            }
            KeyChange::Revoke { id } => Ok(self.revoke_key(&id, now)),
            KeyChange::Replace { id, by, ends_at } => self.replace_key(&id, by, ends_at),
        }
    }

    fn revoke_key(&mut self, id: &KeyId, at: Timestamp) -> bool {
        let key = self.keys.get_mut(id).filter(|(key, _)| key.revoked_at.is_none());
        let Some((key, _)) = key else { return false };
        key.revoked_at = Some(at);
        true
    }

    fn replace_key(&mut self, id: &KeyId, by: KeyId, ends_at: Timestamp) -> Result<bool> {
        let Some((key, _)) = self.keys.get_mut(id) else { return Ok(false) };
        if let Some(by) = &key.replaced_by {
            return Err(key_replaced(id, by));
        }
        key.replaced_by = Some(by);
        key.expires_at = Some(key.expires_at.map_or(ends_at, |end| end.min(ends_at)));
        Ok(true)
    }
}
