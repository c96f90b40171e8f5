//! What holds after every job, whatever it did.

use std::collections::BTreeSet;

use cofio::model::{Layer, Memory, MemoryId, Scope, State, Task, Timestamp, Trust};

use super::world::Snapshot;

/// Checks what a job did.
pub fn job(
    task: Task,
    within: Option<&Scope>,
    before: &Snapshot,
    after: &Snapshot,
    now: Timestamp,
) {
    for old in before.values() {
        match after.get(&old.id) {
            Some(new) if new == old => {}
            Some(new) => changed(old, new, within),
            // What has ended may have to make room for what says the same.
            None => assert!(old.expired(now), "{task} removed {old:?}"),
        }
    }
    for new in after.values().filter(|memory| !before.contains_key(&memory.id)) {
        added(new, after, within);
    }
}

/// Checks a memory that a job changed.
fn changed(old: &Memory, new: &Memory, within: Option<&Scope>) {
    assert!(new.source.trust() <= old.source.trust(), "{new:?} is trusted further than {old:?}");
    assert_eq!((&new.content, &new.scope, new.kind), (&old.content, &old.scope, old.kind));
    assert!(old.state != State::Pending || new.state != State::Active, "{new:?} was confirmed");
    assert!(within.is_none_or(|scope| *scope == new.scope), "{new:?} is outside {within:?}");
}

/// Checks a memory that a job added.
fn added(new: &Memory, after: &Snapshot, within: Option<&Scope>) {
    let evidence = &new.provenance.derived_from;
    assert!(!evidence.is_empty(), "{new:?} has no evidence");
    for id in evidence {
        let source = after.get(id).unwrap_or_else(|| panic!("{new:?} was concluded from nothing"));
        assert!(new.source.trust() <= source.source.trust(), "{new:?} from {source:?}");
        let near = source.scope == new.scope || user_of(&source.scope).as_ref() == Some(&new.scope);
        assert!(near, "{new:?} from {source:?}");
        assert!(within.is_none_or(|scope| *scope == source.scope), "{new:?} outside {within:?}");
    }
    let fact = new.kind.as_str() == "fact" && new.state == State::Active;
    assert!(!fact || new.source.trust() == Trust::High, "{new:?} is believed");
}

/// Checks that no memory names another that never was, and that what took the place of another is
/// named by it.
pub fn edges(everything: &Snapshot, gone: &BTreeSet<MemoryId>) {
    for memory in everything.values() {
        let provenance = &memory.provenance;
        let named = provenance.derived_from.iter();
        let named = named.chain(&provenance.supersedes).chain(&provenance.superseded_by);
        for id in named {
            assert!(everything.contains_key(id) || gone.contains(id), "{memory:?} names {id}");
        }
        if memory.state == State::Superseded {
            assert!(provenance.superseded_by.is_some(), "nothing took the place of {memory:?}");
        }
        let replaced = provenance.supersedes.as_ref().and_then(|id| everything.get(id));
        if let Some(old) = replaced {
            let by = old.provenance.superseded_by.as_ref();
            assert_eq!((old.state, by), (State::Superseded, Some(&memory.id)), "{memory:?}");
        }
        let by = provenance.superseded_by.as_ref().and_then(|id| everything.get(id));
        assert!(by.is_none_or(|by| by.scope == memory.scope), "{memory:?} and {by:?}");
    }
}

fn user_of(scope: &Scope) -> Option<Scope> {
    let user = scope.identifiers().get(Layer::User)?;
    (scope.layer() == Layer::Session).then(|| Scope::user(user.clone()))
}
