use std::time::Duration;

use super::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest;
use crate::model::{
    AuditAction, AuditEvent, Caller, Identifiers, Key, KeyChange, KeyCommit, KeyDraft, KeyHash,
    KeyId, Right, Timestamp, Token,
};

/// Somebody who has proved themselves by a token.
#[derive(Debug, Clone)]
pub struct Admitted {
    /// The key that the token belongs to.
    pub key: Key,
    /// Who asks from now on.
    pub caller: Caller,
    /// What is meant where a request names nothing: those names that are the only ones of their
    /// kind which the key opens.
    pub identifiers: Identifiers,
}

impl Engine {
    /// Makes a key, and returns it with its token, which nobody can show again.
    ///
    /// `entropy` is 32 bytes that nobody can foresee, from the operating system. A key never opens
    /// more, and may never do more, than whoever makes it.
    pub async fn create_key(
        &self,
        caller: &Caller,
        draft: KeyDraft,
        entropy: [u8; 32],
    ) -> Result<(Key, Token)> {
        self.make_key(caller, draft, entropy).await.map_err(|error| error.during("create_key"))
    }

    /// Returns all keys, those that have ended included, the oldest first.
    pub async fn keys(&self, caller: &Caller) -> Result<Vec<Key>> {
        caller.require(Right::Admin).map_err(|error| error.during("keys"))?;
        self.store.keys().await
    }

    /// Makes a key end at once, and returns it; one that was revoked already stays as it is.
    pub async fn revoke_key(&self, caller: &Caller, id: &KeyId) -> Result<Key> {
        self.end_key(caller, id).await.map_err(|error| error.during("revoke_key"))
    }

    /// Makes a key that takes the place of another, which ends when `grace` is over.
    ///
    /// It may do the same, opens the same and lasts as long from now on as the other one was to last
    /// from its beginning, whatever became of that. A key is replaced once.
    pub async fn rotate_key(
        &self,
        caller: &Caller,
        id: &KeyId,
        entropy: [u8; 32],
        grace: Duration,
    ) -> Result<(Key, Token)> {
        let rotated = self.replace_key(caller, id, entropy, grace).await;
        rotated.map_err(|error| error.during("rotate_key"))
    }

    /// Returns who a token belongs to, as of this moment.
    ///
    /// One that is malformed, unknown, wrong, expired or revoked takes the same steps to the same
    /// error. Nothing is kept between two calls, so a key that anybody revokes is of no use at once.
    pub async fn authenticate(&self, token: &str) -> Result<Admitted> {
        let now = self.now();
        let (claimed, presented) = (Token::claimed(token), KeyHash::of(token));
        let found = self.store.key(&claimed.unwrap_or_else(KeyId::nobodys)).await?;
        let (key, kept) = found.map_or((None, KeyHash::nobodys()), |(key, kept)| (Some(key), kept));
        let proved = presented == kept;
        let key = key.filter(|key| proved && key.is_valid(now)).ok_or_else(|| {
            Error::new(ErrorKind::Unauthorized, "the key is not valid").during("authenticate")
        })?;
        Ok(Admitted { caller: key.caller(), identifiers: key.bound.identifiers(), key })
    }

    /// Returns whether a key was ever made; if so, nobody should be served without one.
    pub async fn has_keys(&self) -> Result<bool> {
        self.store.has_keys().await
    }

    async fn make_key(
        &self,
        caller: &Caller,
        draft: KeyDraft,
        entropy: [u8; 32],
    ) -> Result<(Key, Token)> {
        caller.require(Right::Admin)?;
        let now = self.now();
        let (key, redactions) =
            ingest::prepare_key(draft, self.new_key_id(now), &self.config, now)?;
        refuse_more_than(caller, &key)?;
        let token = Token::new(&key.id, entropy);
        let mut audit = vec![event(AuditAction::KeyCreated, &key)];
        audit.extend(super::redaction_event(redactions.iter()));
        let create = KeyChange::Create { key: Box::new(key.clone()), hash: token.hash() };
        self.commit_keys(caller, now, vec![create], audit).await?;
        Ok((key, token))
    }

    async fn end_key(&self, caller: &Caller, id: &KeyId) -> Result<Key> {
        caller.require(Right::Admin)?;
        let (now, key) = (self.now(), self.load_key(id).await?);
        let audit = vec![event(AuditAction::KeyRevoked, &key)];
        let revoke = KeyChange::Revoke { id: id.clone() };
        self.commit_keys(caller, now, vec![revoke], audit).await?;
        self.load_key(id).await
    }

    async fn replace_key(
        &self,
        caller: &Caller,
        id: &KeyId,
        entropy: [u8; 32],
        grace: Duration,
    ) -> Result<(Key, Token)> {
        caller.require(Right::Admin)?;
        let (now, old) = (self.now(), self.load_key(id).await?);
        refuse_more_than(caller, &old)?;
        let ends_at = now.checked_add(grace).map_err(too_long)?;
        let key = successor(&old, self.new_key_id(now), now)?;
        let token = Token::new(&key.id, entropy);
        let event = event(AuditAction::KeyRotated, &old)
            .with("replacedBy", key.id.as_str())
            .with("endsAt", ends_at.to_string());
        let mut changes = vec![
            KeyChange::Create { key: Box::new(key.clone()), hash: token.hash() },
            KeyChange::Replace { id: old.id.clone(), by: key.id.clone(), ends_at },
        ];
        if grace.is_zero() {
            changes.push(KeyChange::Revoke { id: old.id });
        }
        self.commit_keys(caller, now, changes, vec![event]).await?;
        Ok((key, token))
    }

    async fn load_key(&self, id: &KeyId) -> Result<Key> {
        let found = self.store.key(id).await?;
        found.map(|(key, _)| key).ok_or_else(|| KeyId::not_found(id.as_str()))
    }

    async fn commit_keys(
        &self,
        caller: &Caller,
        at: Timestamp,
        changes: Vec<KeyChange>,
        audit: Vec<AuditEvent>,
    ) -> Result<()> {
        let actor = caller.actor().clone();
        self.store.commit_keys(KeyCommit { actor, at, changes, audit }).await.map(drop)
    }

    fn new_key_id(&self, now: Timestamp) -> KeyId {
        let context = self.ids.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        KeyId::generate(now, &context)
    }
}

/// Refuses a key that would let somebody do or open what whoever makes it may not.
fn refuse_more_than(caller: &Caller, key: &Key) -> Result<()> {
    let within = caller.rights().contains_all(key.rights)
        && caller.access().opens_all(&key.bound.access())
        && caller.trust() >= key.trust;
    if within {
        return Ok(());
    }
    let message = "a key cannot open more, do more or be trusted further than whoever makes it";
    Err(Error::new(ErrorKind::Unauthorized, message))
}

/// Returns what is recorded of a key: never its token, nor what that is known by.
fn event(action: AuditAction, key: &Key) -> AuditEvent {
    let rights: Vec<&str> = key.rights.iter().map(Right::as_str).collect();
    AuditEvent::new(action)
        .with("key", key.id.as_str())
        .with("name", key.name.as_str())
        .with("rights", rights)
}

/// Returns the key that takes the place of another.
fn successor(old: &Key, id: KeyId, now: Timestamp) -> Result<Key> {
    let lifetime = old.expires_at.map(|end| old.created_at.duration_until(end));
    let expires_at = lifetime.map(|lifetime| now.checked_add(lifetime)).transpose();
    let expires_at = expires_at.map_err(too_long)?;
    Ok(Key { id, created_at: now, expires_at, revoked_at: None, replaced_by: None, ..old.clone() })
}

fn too_long(cause: jiff::Error) -> Error {
    Error::invalid("a time this long has no end in the calendar").caused_by(cause)
}
