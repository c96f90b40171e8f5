//! Which of two facts was said later, and which may take the place of the other.

use super::statement::Statement;
use super::{Fact, Owner, reading};
use crate::model::{Fraction, Memory, State, Timestamp, Trust};

/// A fact in its place among others.
pub(super) struct Item {
    /// The fact.
    pub memory: Memory,
    /// What it states.
    pub statements: Vec<Statement>,
    /// When it was last said.
    pub said_at: Timestamp,
    /// In which turn and where in it that was; nothing is known of that if it was kept before.
    place: Option<(usize, usize)>,
    /// Whether it says one thing only.
    one: bool,
}

impl Item {
    /// Takes a fact that is kept already.
    pub fn known(memory: &Memory, owner: &Owner) -> Self {
        let (statements, one) = reading::statements(memory, owner);
        let said_at = reading::said_at(memory);
        Self { memory: memory.clone(), statements, said_at, place: None, one }
    }

    /// Takes a fact that was found.
    pub fn new(fact: Fact) -> Self {
        let Fact { memory, telling } = fact;
        let (said_at, place) = (telling.said_at, Some(telling.place));
        Self { memory, statements: vec![telling.statement], said_at, place, one: true }
    }

    /// Returns by what facts are ordered in time.
    ///
    /// At the same moment, what is kept already stands for what was said last: it was decided then.
    pub fn moment(&self) -> (Timestamp, bool, Option<(usize, usize)>) {
        (self.said_at, self.place.is_none(), self.place)
    }

    /// Returns how much two facts have in common if they say the same.
    pub fn repeats(&self, other: &Self) -> Option<f64> {
        if self.memory.content == other.memory.content {
            return Some(f64::INFINITY);
        }
        match (&self.statements[..], &other.statements[..]) {
            ([one], [another]) if self.one && other.one => one.repeats(another),
            _ => None,
        }
    }

    /// Returns whether this was said later than another fact, which cannot hold beside it.
    pub fn contradicts(&self, earlier: &Self) -> bool {
        self.moment() > earlier.moment()
            && self
                .statements
                .iter()
                .any(|statement| earlier.statements.iter().any(|other| statement.ends(other)))
    }

    /// Returns whether this takes the place of an earlier fact.
    ///
    /// What waits to be confirmed takes nobody's place, what is trusted less not that of what is
    /// trusted more, and only its owner's own word that of what somebody vouched for. A memory that
    /// tells more than what is over stays.
    pub fn replaces(&self, earlier: &Self) -> bool {
        let trust = self.memory.source.trust();
        self.memory.state != State::Pending
            && trust >= earlier.memory.source.trust()
            && (trust == Trust::High || !is_confirmed(&earlier.memory))
            && earlier.one
            && self.contradicts(earlier)
    }

    /// Returns since when an earlier fact no longer holds because of this one.
    pub fn ends_at(&self, earlier: &Self) -> Timestamp {
        let since = self.memory.event_at;
        if since > earlier.memory.event_at { since } else { self.said_at }
    }

    /// Returns whether it was said of a time at which it was kept to hold, though no more now.
    pub fn held(&self, said_at: Timestamp) -> bool {
        let memory = &self.memory;
        memory.state == State::Superseded
            && memory.event_at <= said_at
            && memory.valid_until.is_some_and(|end| said_at < end)
    }

    /// Returns whether all the evidence of another fact is known to be evidence of this one.
    pub fn has_evidence_of(&self, other: &Self) -> bool {
        let known = &self.memory.provenance.derived_from;
        other.memory.provenance.derived_from.iter().all(|id| known.contains(id))
    }
}

fn is_confirmed(memory: &Memory) -> bool {
    memory.decay_rate == 0.0 && memory.metadata.confidence == Some(Fraction::ONE)
}
