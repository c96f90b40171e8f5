//! What slots and models are called on servers.
//!
//! A scope is called by its tag, a hash that has the same form whatever people call each other; no
//! slot has a name without it.

use cofio::model::{MemoryId, Scope};
use cofio::shelf::Slot;
use sha2::{Digest as _, Sha256};

/// Digits of a edition, so that names sort as editions do.
const EDITION_DIGITS: usize = 20;

/// Returns what a scope is called.
pub fn tag(scope: &Scope) -> String {
    hashed(&scope.to_string())
}

/// Returns the hash of a name, in hexadecimal digits.
pub fn hashed(name: &str) -> String {
    let hash = Sha256::digest(name.as_bytes());
    // Half of it tells one name from every other.
    let half = hash.first_chunk().expect("a hash has 32 bytes");
    format!("{:032x}", u128::from_be_bytes(*half))
}

/// Returns what a slot is called among those of its scope; these names sort as slots do.
pub fn within_scope(slot: &Slot) -> String {
    format!("{}:{:0EDITION_DIGITS$}", slot.id, slot.edition)
}

/// Returns what a slot is called among all.
#[cfg(any(feature = "chroma", feature = "mem0", feature = "qdrant"))]
pub fn whole(slot: &Slot) -> String {
    format!("{}:{}", tag(&slot.scope), within_scope(slot))
}

/// Returns the slot of a scope that is called so, unless that is not a name of ours.
pub fn slot(scope: &Scope, name: &str) -> Option<Slot> {
    let (id, edition) = name.split_once(':')?;
    let id: MemoryId = id.parse().ok()?;
    Some(Slot { scope: scope.clone(), id, edition: edition.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use cofio::model::Identifier;

    use super::*;

    fn slot_of(name: &str, edition: u64) -> Slot {
        let scope = Scope::user(Identifier::new(name).unwrap());
        let id = format!("fact_{:032x}", 7).parse().unwrap();
        Slot { scope, id, edition }
    }

    #[test]
    fn names_lead_back_to_their_slots() {
        for edition in [1, 10, u64::MAX] {
            let slot = slot_of("a:b/{c}", edition);
            assert_eq!(super::slot(&slot.scope, &within_scope(&slot)), Some(slot));
        }
        let scope = slot_of("alice", 1).scope;
        for name in ["", "fact_7:1", "fact:1", "no_id", "fact_00000000000000000000000000000007:x"] {
            assert_eq!(super::slot(&scope, name), None, "{name}");
        }
    }

    #[test]
    fn names_sort_as_slots_do() {
        let mut names: Vec<String> =
            [10, 9, u64::MAX, 1].map(|edition| within_scope(&slot_of("alice", edition))).into();
        names.sort();
        let sorted = [1, 9, 10, u64::MAX].map(|edition| within_scope(&slot_of("alice", edition)));
        assert_eq!(names, sorted);
    }

    #[test]
    fn a_tag_has_one_form() {
        for name in ["alice", "{alice}", "アリス", "a b"] {
            let tag = tag(&slot_of(name, 1).scope);
            assert!(tag.len() == 32 && tag.bytes().all(|byte| byte.is_ascii_hexdigit()), "{tag}");
        }
        assert_ne!(tag(&slot_of("alice", 1).scope), tag(&slot_of("Alice", 1).scope));
    }
}
