use std::collections::BTreeSet;

use super::{Identifier, Identifiers, Layer, Right, Rights, Scope, Trust};
use crate::error::{Error, ErrorKind, Result};

/// Who asks, what they may open, what they may do there, and how far they are trusted.
#[derive(Debug, Clone)]
pub struct Caller {
    actor: Identifier,
    access: Access,
    rights: Rights,
    trust: Trust,
}

impl Caller {
    /// Makes the caller to whom some scopes are open, with every right.
    pub(super) fn opening(actor: Identifier, access: Access) -> Self {
        Self { actor, access, rights: Rights::ALL, trust: Trust::High }
    }

    /// Makes the caller who is bound to exactly these identifiers, and may do everything there but
    /// administer the store.
    pub fn bound(actor: Identifier, identifiers: &Identifiers) -> Self {
        let mut access = Access::nothing();
        for (layer, identifier) in identifiers.iter() {
            access.0[layer.index()] = Grant::Only(BTreeSet::from([identifier.clone()]));
        }
        Self::opening(actor, access).with_rights(Rights::of(&[
            Right::Read,
            Right::Write,
            Right::Delete,
        ]))
    }

    /// Returns the same caller, to whom every identifier that belongs to `layer` is open.
    #[must_use]
    pub fn opening_every(mut self, layer: Layer) -> Self {
        self.access.0[layer.index()] = Grant::Any;
        self
    }

    /// Makes the caller for a person at their own machine.
    ///
    /// As a user they are themselves only; agents, sessions, projects, teams, organisations and
    /// companies are all in a file that is theirs. They may administer it, which opens nothing more.
    pub fn local(user: Identifier) -> Self {
        let mut access = Access::everything();
        access.0[Layer::User.index()] = Grant::Only(BTreeSet::from([user.clone()]));
        Self::opening(user, access)
    }

    /// Makes the caller for whoever keeps the store: every user's memories are open to them.
    pub fn keeper(actor: Identifier) -> Self {
        Self::opening(actor, Access::everything())
    }

    /// Returns the same caller with no other rights than these; no right is added.
    #[must_use]
    pub fn with_rights(mut self, rights: Rights) -> Self {
        self.rights = self.rights.shared(rights);
        self
    }

    /// Returns the same caller, whose words are trusted no further than `most`, whatever channel
    /// they come through.
    #[must_use]
    pub fn trusted_at_most(mut self, most: Trust) -> Self {
        self.trust = self.trust.min(most);
        self
    }

    /// Returns the same caller with every right, for what the engine itself does on the way.
    #[must_use]
    pub(crate) fn with_every_right(&self) -> Self {
        Self { rights: Rights::ALL, ..self.clone() }
    }

    /// Returns the name under which this caller is recorded.
    pub fn actor(&self) -> &Identifier {
        &self.actor
    }

    /// Returns whether every user's memories are open to this caller.
    pub fn keeps_the_store(&self) -> bool {
        self.access.0.iter().all(|grant| matches!(grant, Grant::Any))
    }

    /// Returns what this caller may open.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Returns what this caller may do.
    pub fn rights(&self) -> Rights {
        self.rights
    }

    /// Returns how far this caller's words are trusted at most.
    pub fn trust(&self) -> Trust {
        self.trust
    }

    /// Refuses a caller who does not have a right.
    pub fn require(&self, right: Right) -> Result<()> {
        if self.rights.contains(right) {
            return Ok(());
        }
        let what = match right {
            Right::Read => "read",
            Right::Write => "write",
            Right::Delete => "delete",
            Right::Admin => "administer the store",
        };
        let message = format!("this key may not {what}");
        Err(Error::new(ErrorKind::Unauthorized, message).with("right", right.as_str()))
    }
}

/// Which scopes are open: one grant for each kind of identifier.
#[derive(Debug, Clone)]
pub struct Access([Grant; 7]);

/// Which identifiers of one kind are open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Grant {
    /// Every one.
    Any,
    /// These and no others.
    Only(BTreeSet<Identifier>),
}

impl Access {
    pub(super) fn new(grants: [Grant; 7]) -> Self {
        Self(grants)
    }

    fn nothing() -> Self {
        Self(std::array::from_fn(|_| Grant::default()))
    }

    pub(crate) fn everything() -> Self {
        Self(std::array::from_fn(|_| Grant::Any))
    }

    /// Returns what is open of the identifiers that belong to `layer`.
    pub fn grant(&self, layer: Layer) -> &Grant {
        &self.0[layer.index()]
    }

    /// Returns whether every identifier of the scope is open.
    pub fn opens(&self, scope: &Scope) -> bool {
        let open = |(layer, identifier)| self.grant(layer).opens(identifier);
        scope.identifiers().iter().all(open)
    }

    /// Returns whether everything that another access opens is open.
    pub fn opens_all(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(own, other)| own.opens_all(other))
    }
}

impl Grant {
    /// Returns the names that are open, unless every one is.
    pub fn names(&self) -> Option<&BTreeSet<Identifier>> {
        match self {
            Self::Any => None,
            Self::Only(names) => Some(names),
        }
    }

    /// Returns whether nothing is open.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Only(names) if names.is_empty())
    }

    fn opens(&self, identifier: &Identifier) -> bool {
        match self {
            Self::Any => true,
            Self::Only(names) => names.contains(identifier),
        }
    }

    fn opens_all(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (Self::Only(_), Self::Any) => false,
            (Self::Only(names), Self::Only(others)) => others.is_subset(names),
        }
    }
}

/// Opens nothing.
impl Default for Grant {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Bound;

    fn named(name: &str) -> Identifier {
        Identifier::new(name).unwrap()
    }

    fn session_of(user: &str) -> Scope {
        let identifiers =
            Identifiers::default().with(Layer::User, named(user)).with(Layer::Session, named("s1"));
        Scope::new(Layer::Session, &identifiers).unwrap()
    }

    #[test]
    fn a_person_opens_their_own_sessions_only() {
        let alice = Caller::local(named("alice"));
        assert!(alice.access().opens(&session_of("alice")));
        assert!(!alice.access().opens(&session_of("bob")));
    }

    #[test]
    fn a_bound_caller_opens_nothing_that_was_not_named() {
        let identifiers = Identifiers::default().with(Layer::User, named("alice"));
        let alice = Caller::bound(named("key-1"), &identifiers);
        assert!(alice.access().opens(&Scope::user(named("alice"))));
        assert!(!alice.access().opens(&session_of("alice")));
        let alice = alice.opening_every(Layer::Session);
        assert!(alice.access().opens(&session_of("alice")));
        assert!(!alice.access().opens(&session_of("bob")));
    }

    #[test]
    fn rights_and_trust_are_only_taken_away() {
        let reader = Caller::local(named("alice")).with_rights(Rights::of(&[Right::Read]));
        let reader = reader.with_rights(Rights::ALL).trusted_at_most(Trust::Low);
        assert_eq!(reader.rights(), Rights::of(&[Right::Read]));
        assert_eq!(reader.trusted_at_most(Trust::High).trust(), Trust::Low);
        let error = Caller::keeper(named("k")).with_rights(Rights::NONE).require(Right::Delete);
        assert_eq!(error.unwrap_err().to_string(), "this key may not delete");
    }

    #[test]
    fn nobody_opens_more_by_opening_less() {
        let of = |name: &str| Bound::default().with(Layer::User, named(name)).access();
        let (alice, bob) = (Caller::local(named("alice")), of("bob"));
        assert!(alice.access().opens_all(&of("alice")));
        assert!(!alice.access().opens_all(&bob));
        assert!(!bob.opens_all(alice.access()));
        assert!(!alice.access().opens_all(&Access::everything()));
        assert!(Access::everything().opens_all(alice.access()));
    }
}
