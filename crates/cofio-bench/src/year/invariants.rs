//! What has to hold whatever the jobs do.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use cofio::Engine;
use cofio::engine::{Assignment, Undoing};
use cofio::model::{
    Accesses, Caller, Criteria, Identifiers, JobState, Layer, Memory, MemoryId, State, Task,
};
use cofio::store::{SqliteStore, Store as _};
use cofio::{ErrorKind, Selection};
use pollster::block_on;

use super::conversation::Year;

/// Everything that is kept, by id, but for versions and how often it was read.
pub type Snapshot = BTreeMap<MemoryId, Memory>;

/// Returns everything that is kept of all users.
pub fn snapshot(engine: &Engine, keeper: &Caller, year: &Year) -> Result<Snapshot> {
    let mut all = Snapshot::new();
    for user in &year.users {
        let name = cofio::model::Identifier::new(&user.name)?;
        let mine = Identifiers::default().with(Layer::User, name);
        let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
        let memories = block_on(engine.list_all(keeper, &Selection::with(mine, criteria)))?;
        all.extend(memories.into_iter().map(|memory| {
            let (version, updated_at) = (0, memory.created_at);
            let accesses = Accesses::default();
            (memory.id.clone(), Memory { version, updated_at, accesses, ..memory })
        }));
    }
    Ok(all)
}

/// Returns the ids of what has ended or was forgotten.
pub fn gone(store: &SqliteStore, keeper: &Caller) -> Result<BTreeSet<MemoryId>> {
    let tombstones = block_on(store.tombstones(keeper.access()))?;
    Ok(tombstones.into_iter().map(|tombstone| tombstone.id).collect())
}

/// Fails if something names what never was, or is trusted further than what it rests on.
///
/// A turn ends by itself before what was learnt from it, which keeps its id.
pub fn check(all: &Snapshot, gone: &BTreeSet<MemoryId>) -> Result<()> {
    for memory in all.values() {
        let provenance = &memory.provenance;
        for id in &provenance.derived_from {
            let Some(source) = all.get(id) else {
                ensure!(gone.contains(id), "{} rests on {id}, which never was", memory.id);
                continue;
            };
            let trusted = source.source.trust() >= memory.source.trust();
            ensure!(trusted, "{} is trusted further than {id}", memory.id);
        }
        if let Some(by) = &provenance.superseded_by {
            ensure!(memory.state == State::Superseded, "{} is replaced and in use", memory.id);
            match all.get(by) {
                Some(by) => {
                    ensure!(by.scope == memory.scope, "{} was replaced elsewhere", memory.id);
                }
                None => ensure!(gone.contains(by), "{by} replaced {} and never was", memory.id),
            }
        }
    }
    Ok(())
}

/// Does a task, takes it back, fails unless everything is as before, and does it again; returns
/// whether it changed anything.
pub fn round_trip(engine: &Engine, keeper: &Caller, year: &Year, task: Task) -> Result<bool> {
    let assignment = Assignment { only_over: true, agreed: true, ..Assignment::of(task) };
    let work = || block_on(engine.maintain(keeper, &assignment, &|_, _| {}));
    let before = snapshot(engine, keeper, year)?;
    let job = work()?;
    ensure!(job.state == JobState::Completed, "{task} is {}: {:?}", job.state, job.note);
    let after = snapshot(engine, keeper, year)?;
    let undoing = Undoing { again: true, ..Undoing::default() };
    match block_on(engine.undo(keeper, &job.id, undoing)) {
        Err(error) if error.kind() == ErrorKind::Conflict && task == Task::Expire => {}
        undone => {
            undone?;
            ensure!(snapshot(engine, keeper, year)? == before, "{task} was not taken back exactly");
            work()?;
        }
    }
    Ok(before != after)
}
