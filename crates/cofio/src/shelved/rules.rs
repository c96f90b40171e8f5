//! Which text stands where.

use crate::model::{Identifier, Kind, Layer, Memory, State};

/// Rules in the order in which they count: the first that means a memory says where its text stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(pub Vec<Rule>);

/// Says of some memories where their texts stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    /// What they are; none means anything.
    pub kinds: Vec<Kind>,
    /// Whose they are; none means anybody's.
    pub layers: Vec<Layer>,
    /// Where they are in their lives; none means anywhere.
    pub states: Vec<State>,
    /// The shelf; without one, the text stands beside its memory.
    pub shelf: Option<Identifier>,
}

impl Rules {
    /// Returns the shelf that the text of a memory stands on, if it does not stand beside it.
    pub fn shelf(&self, memory: &Memory) -> Option<&Identifier> {
        self.0.iter().find(|rule| rule.means(memory))?.shelf.as_ref()
    }

    /// Returns the shelves that rules name.
    pub fn shelves(&self) -> impl Iterator<Item = &Identifier> {
        self.0.iter().filter_map(|rule| rule.shelf.as_ref())
    }
}

impl Rule {
    /// Puts every text on one shelf.
    pub fn everything(shelf: Identifier) -> Self {
        Self { shelf: Some(shelf), ..Self::default() }
    }

    fn means(&self, memory: &Memory) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&memory.kind))
            && (self.layers.is_empty() || self.layers.contains(&memory.scope.layer()))
            && (self.states.is_empty() || self.states.contains(&memory.state))
    }
}
