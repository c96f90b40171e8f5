use super::{Access, Grant, Identifier, Identifiers, Layer};

/// What a key opens: for each kind of identifier some names, or any.
///
/// Any is never a name: `*` is one like all others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bound([Grant; 7]);

impl Bound {
    /// Opens everything.
    pub fn everything() -> Self {
        Self(std::array::from_fn(|_| Grant::Any))
    }

    /// Opens one more name; among any it makes no difference.
    #[must_use]
    pub fn with(mut self, layer: Layer, identifier: Identifier) -> Self {
        if let Grant::Only(names) = &mut self.0[layer.index()] {
            names.insert(identifier);
        }
        self
    }

    /// Opens every name that belongs to a layer.
    #[must_use]
    pub fn with_any(mut self, layer: Layer) -> Self {
        self.0[layer.index()] = Grant::Any;
        self
    }

    /// Returns what is open of the identifiers that belong to `layer`.
    pub fn grant(&self, layer: Layer) -> &Grant {
        &self.0[layer.index()]
    }

    /// Returns the layers that something is open of, with what.
    pub fn iter(&self) -> impl Iterator<Item = (Layer, &Grant)> {
        let all = Layer::ALL.iter().map(|&layer| (layer, self.grant(layer)));
        all.filter(|(_, grant)| !grant.is_empty())
    }

    /// Returns the names that are open by themselves, in the order of the layers.
    pub fn names(&self) -> impl Iterator<Item = &Identifier> {
        self.0.iter().filter_map(Grant::names).flatten()
    }

    /// Returns the names that are the only ones of their kind, which are meant where none is said.
    pub fn identifiers(&self) -> Identifiers {
        self.iter().fold(Identifiers::default(), |all, (layer, grant)| match grant {
            Grant::Only(names) if names.len() == 1 => {
                names.iter().fold(all, |all, name| all.with(layer, name.clone()))
            }
            _ => all,
        })
    }

    /// Returns which scopes are open.
    ///
    /// With a user, all of that user's agents and sessions are, unless some are named.
    pub fn access(&self) -> Access {
        let mut grants = self.0.clone();
        if !self.grant(Layer::User).is_empty() {
            for layer in [Layer::Agent, Layer::Session] {
                let grant = &mut grants[layer.index()];
                if grant.is_empty() {
                    *grant = Grant::Any;
                }
            }
        }
        Access::new(grants)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Scope;

    fn named(name: &str) -> Identifier {
        Identifier::new(name).unwrap()
    }

    fn scope(layer: Layer, names: &[(Layer, &str)]) -> Scope {
        let with = |all: Identifiers, (layer, name): &(Layer, &str)| all.with(*layer, named(name));
        Scope::new(layer, &names.iter().fold(Identifiers::default(), with)).unwrap()
    }

    fn check(bound: &Bound, layer: Layer, names: &[(Layer, &str)], expected: bool) {
        assert_eq!(bound.access().opens(&scope(layer, names)), expected, "{layer} of {names:?}");
    }

    #[test]
    fn a_user_comes_with_all_sessions_and_agents_unless_some_are_named() {
        use Layer::{Agent, Session, User};
        let alice = Bound::default().with(User, named("alice"));
        check(&alice, User, &[(User, "alice")], true);
        check(&alice, Session, &[(User, "alice"), (Session, "s1")], true);
        check(&alice, Agent, &[(User, "alice"), (Agent, "coder")], true);
        check(&alice, Session, &[(User, "bob"), (Session, "s1")], false);
        check(&alice, Layer::Project, &[(Layer::Project, "cofio")], false);
        let narrow = alice.with(Session, named("s1"));
        check(&narrow, Session, &[(User, "alice"), (Session, "s1")], true);
        check(&narrow, Session, &[(User, "alice"), (Session, "s2")], false);
        check(&narrow, Agent, &[(User, "alice"), (Agent, "coder")], true);
    }

    #[test]
    fn a_star_is_a_name_and_not_any() {
        let star = Bound::default().with(Layer::User, named("*"));
        check(&star, Layer::User, &[(Layer::User, "*")], true);
        check(&star, Layer::User, &[(Layer::User, "alice")], false);
        let any = Bound::default().with_any(Layer::User).with(Layer::User, named("*"));
        check(&any, Layer::User, &[(Layer::User, "alice")], true);
    }

    #[test]
    fn only_a_name_that_is_alone_is_meant_without_being_said() {
        let bound = Bound::default()
            .with(Layer::User, named("alice"))
            .with(Layer::Project, named("cofio"))
            .with(Layer::Project, named("website"))
            .with_any(Layer::Team);
        let meant: Vec<_> = bound.identifiers().iter().map(|(layer, _)| layer).collect();
        assert_eq!(meant, [Layer::User]);
        assert_eq!(
            bound.names().map(Identifier::as_str).collect::<Vec<_>>(),
            ["alice", "cofio", "website"]
        );
    }
}
