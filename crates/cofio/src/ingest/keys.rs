//! From a key that somebody wants to one that may be kept.

use super::cleaner::Cleaner;
use super::prepare::refuse_secret_name;
use super::redact::Redaction;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::model::{
    Bound, Doubt, Identifier, Key, KeyDraft, KeyId, Layer, Right, Rights, Timestamp, Trust,
    microseconds,
};

/// Checks what a key is to open and to be called, and takes secrets out of its name.
pub fn prepare_key(
    draft: KeyDraft,
    id: KeyId,
    config: &Config,
    now: Timestamp,
) -> Result<(Key, Vec<Redaction>)> {
    let KeyDraft { name, rights, bound, trust, expires_at } = draft;
    check_name(&name)?;
    let expires_at = expires_at.map(microseconds);
    if expires_at.is_some_and(|end| end <= now) {
        return Err(Error::invalid("a key cannot end before it begins"));
    }
    let bound = checked_bound(bound, rights)?;
    // Nobody is asked about a name, so what may be a secret goes too.
    let mut cleaner = Cleaner::new(config, Trust::High, Doubt::Redact);
    let name = cleaner.key_name(&name);
    let (revoked_at, replaced_by) = (None, None);
    let key = Key {
        id,
        name,
        rights,
        bound,
        trust,
        created_at: now,
        expires_at,
        revoked_at,
        replaced_by,
    };
    Ok((key, cleaner.finish()?))
}

fn check_name(name: &str) -> Result<()> {
    let shown = |cause: Error| Error::invalid("a key needs a name to know it by").caused_by(cause);
    Identifier::new(name).map(drop).map_err(shown)
}

/// Refuses a key that would open nothing, or be thought to open less than it does.
fn checked_bound(bound: Bound, rights: Rights) -> Result<Bound> {
    if rights == Rights::NONE {
        return Err(Error::invalid("a key needs a right: read, write, delete or admin"));
    }
    let is_bound = bound.iter().next().is_some();
    if rights.contains(Right::Admin) {
        if is_bound {
            let message =
                "a key that may administer the store opens everything, and takes no identifiers";
            return Err(Error::invalid(message));
        }
        return Ok(Bound::everything());
    }
    if !is_bound {
        return Err(Error::invalid("a key needs something to open, such as a user or a project"));
    }
    for (layer, _) in bound.iter() {
        let missing = |name: &&Layer| bound.grant(**name).is_empty();
        if let Some(name) = layer.required().iter().find(missing) {
            let message = format!("a key for the {layer} layer has to open the {name} layer too");
            return Err(Error::invalid(message).with("missing", format!("{name}Id")));
        }
    }
    bound.names().try_for_each(refuse_secret_name)?;
    Ok(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "AKIAQ4WXZ7TJ3M5NPL2V";

    fn named(name: &str) -> Identifier {
        Identifier::new(name).unwrap()
    }

    fn alice() -> Bound {
        Bound::default().with(Layer::User, named("alice"))
    }

    fn prepared(draft: KeyDraft) -> Result<Key> {
        let id = "key_0198c0de0000700080000000000000aa".parse().unwrap();
        let now = "2026-03-01T12:00:00Z".parse().unwrap();
        prepare_key(draft, id, &Config::default(), now).map(|(key, _)| key)
    }

    fn refused(draft: KeyDraft, expected: &str) {
        let error = prepared(draft).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_key_opens_something_and_may_do_something() {
        refused(KeyDraft::new("laptop", Bound::default()), "something to open");
        let draft = KeyDraft { rights: Rights::NONE, ..KeyDraft::new("laptop", alice()) };
        refused(draft, "needs a right");
        let session = Bound::default().with(Layer::Session, named("s1"));
        refused(KeyDraft::new("laptop", session.clone()), "has to open the user layer too");
        assert!(prepared(KeyDraft::new("laptop", session.with_any(Layer::User))).is_ok());
    }

    #[test]
    fn who_administers_opens_everything_and_names_nothing() {
        let rights = Rights::of(&[Right::Read, Right::Admin]);
        refused(KeyDraft { rights, ..KeyDraft::new("ops", alice()) }, "takes no identifiers");
        let everything = KeyDraft { rights, ..KeyDraft::new("ops", Bound::default()) };
        let key = prepared(everything).unwrap();
        assert_eq!((key.bound, key.rights), (Bound::everything(), rights));
    }

    #[test]
    fn a_name_is_visible_and_without_secrets() {
        for name in ["", " laptop", "lap\u{200b}top", "lap\ntop"] {
            refused(KeyDraft::new(name, alice()), "needs a name");
        }
        let pasted = prepared(KeyDraft::new(format!("ci {SECRET}"), alice())).unwrap();
        assert_eq!(pasted.name, "ci [SECRET_REDACTED]");
        refused(KeyDraft::new("ci", alice().with(Layer::Team, named(SECRET))), "like a secret");
    }

    #[test]
    fn a_key_ends_after_it_begins() {
        let expires_at = Some("2026-03-01T12:00:00Z".parse().unwrap());
        refused(KeyDraft { expires_at, ..KeyDraft::new("laptop", alice()) }, "cannot end before");
    }
}
