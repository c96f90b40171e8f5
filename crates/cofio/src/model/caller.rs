use std::collections::BTreeSet;

use super::{Identifier, Identifiers, Layer, Scope};

/// Who asks, and what they may open.
#[derive(Debug, Clone)]
pub struct Caller {
    actor: Identifier,
    access: Access,
}

impl Caller {
    /// Makes the caller who is bound to exactly these identifiers.
    pub fn bound(actor: Identifier, identifiers: &Identifiers) -> Self {
        let mut access = Access::nothing();
        for (layer, identifier) in identifiers.iter() {
            access.0[layer.index()] = Grant::Only(BTreeSet::from([identifier.clone()]));
        }
        Self { actor, access }
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
    /// companies are all in a file that is theirs.
    pub fn local(user: Identifier) -> Self {
        let mut access = Access::everything();
        access.0[Layer::User.index()] = Grant::Only(BTreeSet::from([user.clone()]));
        Self { actor: user, access }
    }

    /// Makes the caller for whoever keeps the store: every user's memories are open to them.
    pub fn keeper(actor: Identifier) -> Self {
        Self { actor, access: Access::everything() }
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
}

/// Which scopes are open: one grant for each kind of identifier.
#[derive(Debug, Clone)]
pub struct Access([Grant; 7]);

/// Which identifiers of one kind are open.
#[derive(Debug, Clone)]
pub enum Grant {
    /// Every one.
    Any,
    /// These and no others.
    Only(BTreeSet<Identifier>),
}

impl Access {
    fn nothing() -> Self {
        Self(std::array::from_fn(|_| Grant::Only(BTreeSet::new())))
    }

    fn everything() -> Self {
        Self(std::array::from_fn(|_| Grant::Any))
    }

    /// Returns what is open of the identifiers that belong to `layer`.
    pub fn grant(&self, layer: Layer) -> &Grant {
        &self.0[layer.index()]
    }

    /// Returns whether every identifier of the scope is open.
    pub fn opens(&self, scope: &Scope) -> bool {
        scope.identifiers().iter().all(|(layer, identifier)| match self.grant(layer) {
            Grant::Any => true,
            Grant::Only(open) => open.contains(identifier),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
