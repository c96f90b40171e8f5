//! What keys are called.

use cofio::model::Scope;
use cofio::shelf::Slot;

use crate::naming;

/// The keys of one scope.
pub struct Keys {
    root: String,
}

impl Keys {
    /// Returns the keys of a scope; the braces make Redis keep them on one node.
    pub fn new(prefix: &str, scope: &Scope) -> Self {
        Self { root: format!("{prefix}:{{{}}}", naming::tag(scope)) }
    }

    /// Returns the key of a text.
    pub fn text(&self, slot: &Slot) -> String {
        self.text_named(&naming::within_scope(slot))
    }

    /// Returns the key of the text whose slot is called so.
    pub fn text_named(&self, name: &str) -> String {
        format!("{}:text:{name}", self.root)
    }

    /// Returns the key of the set that says which slots there are.
    pub fn slots(&self) -> String {
        format!("{}:slots", self.root)
    }
}
