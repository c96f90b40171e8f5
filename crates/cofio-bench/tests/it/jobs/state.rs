//! What is in a file, in words that are the same for the same work done twice.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use cofio::model::{Caller, Identifier, JobState, Layer, Memory, MemoryId, Task};
use cofio::store::{SqliteStore, Store as _};
use cofio::{Config, Engine};
use pollster::block_on;

use super::material::{HOUR, moment};

/// What is done together or not at all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// Everything in the store.
    Store,
    /// Everything of a user.
    Place,
    /// Each memory by itself.
    Memory,
}

/// What is known, by what is done together.
pub type State = BTreeMap<String, Vec<String>>;

/// Returns what is in a file.
pub fn read(path: &Path, whole: Whole) -> State {
    let known = everything(&SqliteStore::open(path).unwrap());
    let mut state = State::new();
    for memory in known.values() {
        let key = match whole {
            Whole::Store => String::new(),
            Whole::Place => memory.scope.identifiers().get(Layer::User).unwrap().to_string(),
            Whole::Memory => memory.id.to_string(),
        };
        state.entry(key).or_default().push(described(memory, &known));
    }
    for descriptions in state.values_mut() {
        descriptions.sort();
    }
    state
}

/// Returns how much of a state is as after the work, how much as before, and what is neither.
pub fn compare(state: &State, before: &State, after: &State) -> (usize, usize, Vec<String>) {
    let (mut done, mut left, mut torn) = (0, 0, Vec::new());
    let keys: BTreeSet<&String> = before.keys().chain(after.keys()).chain(state.keys()).collect();
    for key in keys {
        let (now, old, new) = (state.get(key), before.get(key), after.get(key));
        match (now == old, now == new) {
            (true, true) => {}
            (true, false) => left += 1,
            (false, true) => done += 1,
            (false, false) => {
                torn.push(format!("{key}: {now:#?}\nbefore {old:#?}\nafter {new:#?}"));
            }
        }
    }
    (done, left, torn)
}

/// Checks that a file is sound, and returns what its ledger says of the latest job of a task.
pub fn examine(path: &Path, task: Task) -> Option<JobState> {
    let store = Arc::new(SqliteStore::open(path).unwrap());
    // Later than any job that was killed counts as running.
    let engine = Engine::shared(store.clone(), || moment(9 * HOUR), Config::default());
    assert_eq!(block_on(store.check()).unwrap().problems, Vec::<String>::new());
    block_on(engine.verify_audit(&keeper())).unwrap();
    check_names(&store);
    let jobs = block_on(engine.jobs(&keeper(), Some(task), 100)).unwrap();
    jobs.first().map(|job| job.state)
}

/// Checks that no memory names another that is not there and was never forgotten, and that no fact
/// is without its evidence.
fn check_names(store: &SqliteStore) {
    let known = everything(store);
    let tombstones = block_on(store.tombstones(keeper().access())).unwrap();
    let gone: BTreeSet<MemoryId> = tombstones.into_iter().map(|one| one.id).collect();
    for memory in known.values() {
        let provenance = &memory.provenance;
        assert!(provenance.derived_from.iter().all(|id| known.contains_key(id)), "{memory:?}");
        for id in provenance.supersedes.iter().chain(&provenance.superseded_by) {
            assert!(known.contains_key(id) || gone.contains(id), "{memory:?}");
        }
        let replaced = provenance.supersedes.as_ref().and_then(|id| known.get(id));
        let by = replaced.map(|replaced| replaced.provenance.superseded_by.as_ref());
        assert!(by.is_none_or(|by| by == Some(&memory.id)), "{memory:?}");
    }
}

fn everything(store: &SqliteStore) -> HashMap<MemoryId, Memory> {
    let caller = keeper();
    let changes = block_on(store.changes(caller.access(), 0, 1_000_000)).unwrap();
    let ids: BTreeSet<MemoryId> = changes.into_iter().map(|change| change.id).collect();
    let ids: Vec<MemoryId> = ids.into_iter().collect();
    let memories = block_on(store.get(caller.access(), &ids)).unwrap();
    memories.into_iter().map(|memory| (memory.id.clone(), memory)).collect()
}

/// Describes a memory without anything that another run would make anew.
fn described(memory: &Memory, known: &HashMap<MemoryId, Memory>) -> String {
    let text = |id: &MemoryId| known.get(id).map_or("gone", |other| other.content.as_str());
    let Memory { scope, kind, state, content, expires_at, provenance, .. } = memory;
    let mut from: Vec<&str> = provenance.derived_from.iter().map(text).collect();
    from.sort_unstable();
    let mut names: Vec<&str> = memory.entities.iter().map(|entity| entity.name.as_str()).collect();
    names.sort_unstable();
    format!(
        "{scope} {kind} {state} {:?} names {names:?} ends {expires_at:?} over {} from {from:?} \
         for {:?} by {:?}",
        content.as_str(),
        memory.valid_until.is_some(),
        provenance.supersedes.as_ref().map(text),
        provenance.superseded_by.as_ref().map(text),
    )
}

fn keeper() -> Caller {
    Caller::keeper(Identifier::new("keeper").unwrap())
}
