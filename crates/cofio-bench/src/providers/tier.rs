//! Kinds of memories as the first draft of this system has them, with the times it names for each.

use anyhow::Result;
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
        let selection = Selection::new(self.identifiers()?);
        Ok(Selection { layers: Some(vec![self.layer]), ..selection })
    }

    pub fn scope(&self) -> Result<Scope> {
        Ok(Scope::new(self.layer, &self.identifiers()?)?)
    }

    pub fn draft(&self, texts: &mut Texts, number: usize) -> Result<Draft> {
        let source = Source::through(Channel::ExplicitSave);
        let note = texts.note();
        let mut draft = Draft::new(self.scope()?, self.kind, note.as_str(), source);
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

    fn identifiers(&self) -> Result<Identifiers> {
        Ok(everybody()?.with(Layer::Session, Identifier::new(self.session)?))
    }
}

/// Returns what statements with a number are about.
pub fn subject(number: usize) -> String {
    format!("service {}", number / SUBJECTS)
}

/// Returns the names that open one scope of each kind.
pub fn everybody() -> Result<Identifiers> {
    let names = [
        (Layer::User, "ada"),
        (Layer::Session, "now"),
        (Layer::Project, "apollo"),
        (Layer::Agent, "helper"),
    ];
    names.into_iter().try_fold(Identifiers::default(), |all, (layer, name)| {
        Ok(all.with(layer, Identifier::new(name)?))
    })
}

/// Returns who asks: as bound as a program with a key is.
pub fn caller() -> Result<Caller> {
    let caller = Caller::bound(Identifier::new("ada")?, &everybody()?);
    Ok(caller.opening_every(Layer::Session))
}

#[cfg(test)]
mod tests {
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
        let mut scopes: Vec<String> =
            TIERS.iter().map(|tier| tier.scope().unwrap().to_string()).collect();
        scopes.sort();
        scopes.dedup();
        assert_eq!(scopes.len(), TIERS.len());
    }
}
