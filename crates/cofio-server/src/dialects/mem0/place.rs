use std::collections::BTreeSet;

use cofio::model::{Caller, Identifier, Identifiers, Layer, Scope};
use cofio::{Engine, Error, ErrorKind, Result};
use serde_json::Value;

use super::condition::Condition;
use super::entity::Entity;
use super::test::Test;

/// How many scopes one request may look into.
const MOST: usize = 100;

/// How many scopes names may make before it is seen which of them there are.
const MOST_TOLD: usize = 1_000;

/// Which names of an entity can be meant, and whether having none can.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Possible {
    names: Names,
    absent: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Names {
    Every,
    Only(BTreeSet<String>),
}

impl Possible {
    /// Nobody can be meant.
    pub(super) fn nobody() -> Self {
        Self { names: Names::Only(BTreeSet::new()), absent: false }
    }

    /// Anybody can be meant.
    pub(super) fn anybody() -> Self {
        Self { names: Names::Every, absent: true }
    }

    /// Memories can be meant that have no such name.
    fn absent() -> Self {
        Self { absent: true, ..Self::nobody() }
    }

    /// Returns for which names a test can hold.
    pub(super) fn by(test: &Test) -> Self {
        let only = |values: &[Value]| Self {
            names: Names::Only(
                values.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect(),
            ),
            absent: values.contains(&Value::Null),
        };
        match test {
            Test::Equals(value) => only(std::slice::from_ref(value)),
            Test::In(values) => only(values),
            Test::Differs(_) => Self::anybody(),
            _ => Self { absent: false, ..Self::anybody() },
        }
    }

    /// Returns who can be meant by both.
    #[must_use]
    pub(super) fn and(self, other: Self) -> Self {
        let names = match (self.names, other.names) {
            (Names::Every, names) | (names, Names::Every) => names,
            (Names::Only(one), Names::Only(other)) => Names::Only(&one & &other),
        };
        Self { names, absent: self.absent && other.absent }
    }

    /// Returns who can be meant by either.
    #[must_use]
    pub(super) fn or(self, other: Self) -> Self {
        let names = match (self.names, other.names) {
            (Names::Only(one), Names::Only(other)) => Names::Only(&one | &other),
            _ => Names::Every,
        };
        Self { names, absent: self.absent || other.absent }
    }

    fn includes(&self, name: Option<&str>) -> bool {
        match (name, &self.names) {
            (None, _) => self.absent,
            (Some(_), Names::Every) => true,
            (Some(name), Names::Only(names)) => names.contains(name),
        }
    }

    /// Returns the names, unless it can be any.
    fn names(&self) -> Option<&BTreeSet<String>> {
        match &self.names {
            Names::Every => None,
            Names::Only(names) => Some(names),
        }
    }
}

/// Where memories can be that a condition means.
#[derive(Debug)]
pub(super) struct Places {
    user: Possible,
    agent: Possible,
    app: Possible,
    run: Possible,
}

impl Places {
    /// Finds the places that are read for a condition.
    ///
    /// Where no agent, app or run is spoken of, those are meant that belong to none; where no user
    /// is, the caller's own is.
    pub(super) fn of(
        caller: &Caller,
        at_hand: &Identifiers,
        condition: &Condition,
    ) -> Result<Self> {
        Self::new(caller, at_hand, condition, &Possible::absent())
    }

    /// Finds every place of those whom a condition names.
    pub(super) fn of_all(
        caller: &Caller,
        at_hand: &Identifiers,
        condition: &Condition,
    ) -> Result<Self> {
        Self::new(caller, at_hand, condition, &Possible::anybody())
    }

    fn new(
        caller: &Caller,
        at_hand: &Identifiers,
        condition: &Condition,
        unsaid: &Possible,
    ) -> Result<Self> {
        for (entity, name) in condition.named() {
            entity.check_open(caller, &Identifier::new(name)?)?;
        }
        let own = at_hand.get(Layer::User).map(|user| user.as_str().to_owned());
        // What belongs to an app belongs to no user.
        let own = Possible { names: Names::Only(own.into_iter().collect()), absent: true };
        let possible = |entity, unsaid: &Possible| {
            condition.possible(entity, unsaid).unwrap_or_else(|| unsaid.clone())
        };
        let places = Self {
            user: possible(Entity::User, &own),
            agent: possible(Entity::Agent, unsaid),
            app: possible(Entity::App, unsaid),
            run: possible(Entity::Run, unsaid),
        };
        if places.user == Possible::absent() && places.app == Possible::absent() {
            let message = "say whose memories are meant: the key is bound to no one user";
            return Err(Error::new(ErrorKind::MissingIdentifier, message));
        }
        Ok(places)
    }

    /// Returns every scope that there is, however many there are and whatever has ended in them.
    pub(super) async fn all(&self, engine: &Engine, caller: &Caller) -> Result<Vec<Scope>> {
        let mut scopes = engine.scopes(caller).await?;
        scopes.retain(|scope| self.includes(scope));
        Ok(scopes)
    }

    /// Returns the scopes: those that can be told from the names, or else those that there are.
    pub(super) async fn scopes(&self, engine: &Engine, caller: &Caller) -> Result<Vec<Scope>> {
        let scopes: Vec<Scope> = if let Some(scopes) = self.told() {
            scopes?
        } else {
            let there = engine.stats(caller, None).await?.scopes.into_iter();
            there.map(|summary| summary.scope).filter(|scope| self.includes(scope)).collect()
        };
        if scopes.len() > MOST {
            return Err(too_many(&scopes.len().to_string()));
        }
        Ok(scopes)
    }

    /// Returns whether memories of a scope can be meant.
    fn includes(&self, scope: &Scope) -> bool {
        let layer = scope.layer();
        let fits = |entity: Entity, possible: &Possible| {
            // What a label says is seen when the memory is.
            !entity.is_settled_by(layer) || possible.includes(entity.of_scope(scope))
        };
        matches!(layer, Layer::User | Layer::Agent | Layer::Session | Layer::Project)
            && fits(Entity::User, &self.user)
            && fits(Entity::Agent, &self.agent)
            && fits(Entity::App, &self.app)
            && fits(Entity::Run, &self.run)
    }

    /// Returns the scopes that the names make, unless any name is meant.
    fn told(&self) -> Option<Result<Vec<Scope>>> {
        let (users, agents) = (self.user.names()?, self.agent.names()?);
        let runs = self.run.names()?;
        if users.len().saturating_mul(1 + agents.len() + runs.len()) > MOST_TOLD {
            return Some(Err(too_many("more than a thousand")));
        }
        let mut scopes = Vec::new();
        for user in users {
            let of_user = [(Layer::User, user.as_str())];
            scopes.push(scope(Layer::User, &of_user));
            for agent in agents {
                scopes.push(scope(Layer::Agent, &[of_user[0], (Layer::Agent, agent)]));
            }
            for run in runs {
                scopes.push(scope(Layer::Session, &[of_user[0], (Layer::Session, run)]));
            }
        }
        if self.user.absent {
            for app in self.app.names()? {
                scopes.push(scope(Layer::Project, &[(Layer::Project, app)]));
            }
        }
        let scopes: Result<Vec<Scope>> = scopes.into_iter().collect();
        Some(scopes.map(|mut scopes| {
            scopes.retain(|scope| self.includes(scope));
            scopes
        }))
    }
}

fn scope(layer: Layer, names: &[(Layer, &str)]) -> Result<Scope> {
    let mut identifiers = Identifiers::default();
    for (layer, name) in names {
        identifiers = identifiers.with(*layer, Identifier::new(name)?);
    }
    Scope::new(layer, &identifiers)
}

/// Says that a request means too many scopes at once.
fn too_many(count: &str) -> Error {
    Error::invalid(format!(
        "this would look into {count} places and may look into {MOST}: name a user, agent, app or \
         run"
    ))
}
