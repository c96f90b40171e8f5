//! Keys and what happens to them.

use super::contents::Contents;
use crate::error::Result;
use crate::model::{KeyChange, KeyCommit, KeyId, Timestamp};
use crate::store::key_exists;

impl Contents {
    /// Makes all changes of keys and records them, or makes none; returns whether any was made.
    pub fn commit_keys(&mut self, commit: KeyCommit) -> Result<bool> {
        let before = self.keys.clone();
        let mut changed = false;
        for change in commit.changes {
            match self.change_key(change) {
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

    fn change_key(&mut self, change: KeyChange) -> Result<bool> {
        match change {
            KeyChange::Create { key, .. } if self.keys.contains_key(&key.id) => {
                Err(key_exists(&key.id))
            }
            KeyChange::Create { key, hash } => {
                self.keys.insert(key.id.clone(), (*key, hash));
                Ok(true)
            }
            KeyChange::Revoke { id, at } => Ok(self.revoke_key(&id, at)),
        }
    }

    fn revoke_key(&mut self, id: &KeyId, at: Timestamp) -> bool {
        let Some((key, _)) = self.keys.get_mut(id) else { return false };
        let earlier = key.revoked_at.is_none_or(|end| at < end);
        if earlier {
            key.revoked_at = Some(at);
        }
        earlier
    }
}
