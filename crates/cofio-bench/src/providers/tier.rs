//! Kinds of memories as the first draft of this system has them, with the times it names for each.

use anyhow::{Context as _, Result};
use cofio::model::{
    Caller, Channel, Draft, Identifier, Identifiers, Kind, Layer, Lifetime, Scope, Source, Triple,
};
use cofio::retrieval::Selection;
use jiff::SignedDuration;

use crate::texts::Texts;

/// How many memories working and session memory have, however large the rest is.
const SMALL: usize = 1_000;

/// How many subjects the statements of a procedural memory are about, per hundred of them.
const SUBJECTS: usize = 10;

/// Whose memories something is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum People {
    /// Those who ask, and have as many memories as are told.
    Asking,
    /// Those to whose memories is added while adding is measured.
    Adding,
}

/// A kind of memories, in a scope of its own.
#[derive(Clone, Copy)]
pub struct Tier {
    pub name: &'static str,
    kind: Kind,
    layer: Layer,
    session: &'static str,
    pub goals: Goals,
}

/// Milliseconds within which things are to be done, as far as anybody named any.
#[derive(Clone, Copy)]
pub struct Goals {
    pub add: Option<f64>,
    pub batch: Option<f64>,
    pub get: Option<f64>,
    pub range: Option<f64>,
    pub query: Option<f64>,
}

const NONE: Goals = Goals { add: None, batch: None, get: None, range: None, query: None };

pub const TIERS: [Tier; 5] = [
    Tier {
        name: "working",
        kind: Kind::Working,
        layer: Layer::Session,
        session: "now",
        goals: Goals { get: Some(0.001), query: Some(0.1), ..NONE },
    },
    Tier {
        name: "session",
        kind: Kind::Context,
        layer: Layer::Session,
        session: "talk",
        goals: Goals { add: Some(5.0), get: Some(5.0), query: Some(20.0), ..NONE },
    },
    Tier {
        name: "episodic",
        kind: Kind::Episode,
        layer: Layer::User,
        session: "now",
        goals: Goals { add: Some(50.0), range: Some(30.0), query: Some(100.0), ..NONE },
    },
    Tier {
        name: "semantic",
        kind: Kind::Fact,
        layer: Layer::Project,
        session: "now",
        goals: Goals { add: Some(5.0), batch: Some(10.0), query: Some(200.0), ..NONE },
    },
    Tier {
        name: "procedural",
        kind: Kind::Procedure,
        layer: Layer::Agent,
        session: "now",
        goals: Goals { add: Some(30.0), query: Some(30.0), ..NONE },
    },
];

impl Tier {
    /// Returns how many of so many memories are of this kind.
    pub fn share(&self, memories: usize) -> usize {
        let small = SMALL.min(memories / TIERS.len());
        match self.kind {
            Kind::Working | Kind::Context => small,
            _ => (memories - 2 * small) / 3,
        }
    }

    /// Means everything of this kind, and nothing else.
    pub fn selection(&self) -> Result<Selection> {
        let selection = Selection::new(self.identifiers(People::Asking)?);
        Ok(Selection { layers: Some(vec![self.layer]), ..selection })
    }

    pub fn scope(&self, people: People) -> Result<Scope> {
        Ok(Scope::new(self.layer, &self.identifiers(people)?)?)
    }

    pub fn draft(&self, people: People, texts: &mut Texts, number: usize) -> Result<Draft> {
        let source = Source::through(Channel::ExplicitSave);
        let note = texts.note();
        let mut draft = Draft::new(self.scope(people)?, self.kind, note.as_str(), source);
        if matches!(self.kind, Kind::Working | Kind::Context) {
            draft.lifetime = Lifetime::For(SignedDuration::from_hours(24));
        }
        if self.kind == Kind::Procedure {
            draft.triple = Some(Triple {
                fact_type: "uses".to_owned(),
                subject: subject(number),
                predicate: "prefers".to_owned(),
                object: note,
            });
        }
        Ok(draft)
    }

    /// Returns whether statements are asked for by what they are about.
    pub fn has_statements(&self) -> bool {
        self.kind == Kind::Procedure
    }

    fn identifiers(&self, people: People) -> Result<Identifiers> {
        Ok(people.identifiers()?.with(Layer::Session, Identifier::new(self.session)?))
    }
}

/// Returns what statements with a number are about.
pub fn subject(number: usize) -> String {
    format!("service {}", number / SUBJECTS)
}

impl People {
    pub const ALL: [Self; 2] = [Self::Asking, Self::Adding];

    /// Returns the names that open one scope of each kind.
    pub fn identifiers(self) -> Result<Identifiers> {
        let [user, project, agent] = match self {
            Self::Asking => ["ada", "apollo", "helper"],
            Self::Adding => ["grace", "gemini", "clerk"],
        };
        let names = [
            (Layer::User, user),
            (Layer::Session, "now"),
            (Layer::Project, project),
            (Layer::Agent, agent),
        ];
        names.into_iter().try_fold(Identifiers::default(), |all, (layer, name)| {
            Ok(all.with(layer, Identifier::new(name)?))
        })
    }

    /// Returns who asks for them: as bound as a program with a key is.
    pub fn caller(self) -> Result<Caller> {
        let identifiers = self.identifiers()?;
        let user = identifiers.get(Layer::User).context("they are of a user")?.clone();
        Ok(Caller::bound(user, &identifiers).opening_every(Layer::Session))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn shares_make_the_whole() {
        for (memories, expected) in [(10, 10), (10_000, 9_998), (100_000, 99_998)] {
            let all: usize = TIERS.iter().map(|tier| tier.share(memories)).sum();
            assert!(all.abs_diff(expected) <= 2, "{memories}: {all}");
        }
        assert_eq!(TIERS[0].share(100_000), 1_000);
    }

    #[test]
    fn every_kind_has_a_scope_of_its_own() {
        let scope = |tier: &Tier, people| tier.scope(people).unwrap().to_string();
        let of = |people| TIERS.iter().map(move |tier| scope(tier, people));
        let scopes: HashSet<String> = People::ALL.into_iter().flat_map(of).collect();
        assert_eq!(scopes.len(), TIERS.len() * People::ALL.len());
    }
}
