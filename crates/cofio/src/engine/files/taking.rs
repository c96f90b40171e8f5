//! What people did to files, as changes to memories.

mod added;
mod known;

use std::collections::{HashMap, HashSet};

use jiff::SignedDuration;

use super::{Problem, Syncing};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::files::compare::Plan;
use crate::files::mirror::{self, Layout, Sheet};
use crate::files::{Marker, Place, normal};
use crate::ingest::{self, Redaction};
use crate::lifecycle::plan::Step;
use crate::model::{
    Caller, Change, Commit, Doubt, Memory, MemoryId, Patch, Scope, State, Timestamp,
};

/// How long a memory is kept whose line was deleted.
const GRACE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What was found out so far.
pub(super) struct Taking<'a> {
    layout: &'a Layout,
    memories: HashMap<&'a MemoryId, &'a Memory>,
    syncing: Syncing,
    now: Timestamp,
    /// What the store is to do.
    pub(super) steps: Vec<Step>,
    /// Where each new memory stands, among those of `steps`.
    new: HashMap<MemoryId, (usize, usize)>,
    /// What makes the memories that were edited the ones they are.
    identities: HashSet<(Scope, [u8; 32])>,
    /// The files that were looked through.
    pub(super) taken: Vec<Taken>,
    /// What was not taken in.
    pub(super) problems: Vec<Problem>,
}

/// A file that was looked through.
pub(super) struct Taken {
    pub(super) sheet: Sheet,
    pub(super) plan: Plan,
    /// The markers of the plan's new entries, except for those that were not taken in.
    pub(super) added: Vec<Option<Marker>>,
    /// The memories whose changes were not taken in.
    pub(super) refused: Vec<MemoryId>,
}

impl<'a> Taking<'a> {
    pub(super) fn new(
        layout: &'a Layout,
        memories: &'a [Memory],
        syncing: Syncing,
        now: Timestamp,
    ) -> Self {
        let memories = memories.iter().map(|memory| (&memory.id, memory)).collect();
        let (steps, new, identities, taken, problems) = Default::default();
        Self { layout, memories, syncing, now, steps, new, identities, taken, problems }
    }

    fn report(&mut self, taken: &Taken, place: Place, why: impl Into<String>) {
        let path = taken.sheet.page.path.clone();
        self.problems.push(Problem { path, line: taken.line(place), why: why.into() });
    }

    /// Returns what becomes of what may be a secret.
    fn doubt(&self) -> Doubt {
        if self.syncing.redact { Doubt::Redact } else { Doubt::Ask }
    }

    /// Lets a memory stay whose line was deleted in one file and stands in another, and returns its
    /// marker.
    fn moved(&mut self, id: &MemoryId) -> Option<Marker> {
        let from = self.taken.iter_mut().find(|taken| taken.plan.deleted.contains(id))?;
        from.plan.deleted.retain(|deleted| deleted != id);
        self.steps.retain(|step| step.id() != id);
        Some(
            self.memories
                .get(id)
                .map_or_else(|| Marker::new(id.clone()), |one| mirror::marker(one)),
        )
    }

    /// Refuses a text that something was taken out of, unless that is to happen in the file too.
    fn check_secrets(&self, redactions: &[Redaction]) -> Result<()> {
        if redactions.is_empty() || self.syncing.redact {
            return Ok(());
        }
        let message = "it has a secret, and is not taken in; take it out, or let it be taken out";
        Err(Error::new(ErrorKind::Refused, message))
    }
}

impl Engine {
    /// Looks through one file.
    pub(super) async fn take_sheet(
        &self,
        caller: &Caller,
        taking: &mut Taking<'_>,
        sheet: Sheet,
    ) -> Result<()> {
        let plan = sheet.plan();
        let mut taken = Taken { sheet, plan, added: Vec::new(), refused: Vec::new() };
        for (id, text) in taken.plan.edited.clone() {
            if let Err(error) = self.take_edited(caller, taking, &mut taken, &id, text).await {
                let place = taken.plan.kept.iter().find(|(_, kept)| *kept == id);
                let place = place.map(|(place, _)| *place).ok_or_else(|| changed(&id))?;
                taking.report(&taken, place, told(error)?);
                taken.refused.push(id);
            }
        }
        self.take_added(caller, taking, &mut taken).await?;
        for id in &taken.plan.deleted {
            let memory = taking.memories.get(id).ok_or_else(|| changed(id))?;
            taking.steps.push(put_away(memory, taking.now));
        }
        taking.taken.push(taken);
        Ok(())
    }

    async fn take_edited(
        &self,
        caller: &Caller,
        taking: &mut Taking<'_>,
        taken: &mut Taken,
        id: &MemoryId,
        text: String,
    ) -> Result<()> {
        let memory = *taking.memories.get(id).ok_or_else(|| changed(id))?;
        let content = Some(text.clone());
        let patch = Patch { content, doubt: taking.doubt(), ..Patch::default() };
        let revised = self.revise(caller, memory, patch, taking.now).await?;
        taking.check_secrets(&revised.redactions)?;
        if normal(revised.memory.content.as_str()) != text {
            let place = taken.plan.kept.iter().find(|(_, kept)| kept == id);
            let place = place.map(|(place, _)| *place).ok_or_else(|| changed(id))?;
            rewrite(&mut taken.plan, place, &revised.memory);
        }
        let why = "somebody edited it in a file";
        let step = Step::update(memory.clone(), revised.memory, revised.identity, why);
        self.check_single(caller, taking, &step).await?;
        taking.steps.push(step);
        Ok(())
    }

    /// Refuses a change after which two memories would be one.
    async fn check_single(
        &self,
        caller: &Caller,
        taking: &mut Taking<'_>,
        step: &Step,
    ) -> Result<()> {
        let same = || Error::new(ErrorKind::Refused, "another memory says the same already");
        if let Change::Update { memory, identity: Some(identity) } = &step.change
            && !taking.identities.insert((memory.scope.clone(), *identity))
        {
            return Err(same());
        }
        let commit = rehearsal(caller, vec![step.change.clone()], taking.now);
        match self.store.rehearse(commit).await {
            Err(error) if error.kind() == ErrorKind::Conflict => {
                // It may also be that somebody has just changed it.
                let found =
                    self.store.get(caller.access(), std::slice::from_ref(step.id())).await?;
                let version = taking.memories.get(step.id()).map(|memory| memory.version);
                let current = found.first().map(|memory| memory.version);
                Err(if current == version { same() } else { error })
            }
            outcome => outcome.map(|_| ()),
        }
    }
}

/// Returns a commit that is only rehearsed.
fn rehearsal(caller: &Caller, changes: Vec<Change>, at: Timestamp) -> Commit {
    let actor = caller.actor().clone();
    Commit { actor, at, changes, audit: Vec::new(), idempotency: None, work: None }
}

/// Returns whether a memory was put away or has faded.
fn is_away(memory: &Memory) -> bool {
    matches!(memory.state, State::Archived | State::Decayed)
}

/// Has a file say what is kept.
fn rewrite(plan: &mut Plan, place: Place, memory: &Memory) {
    plan.written.retain(|(written, _)| *written != place);
    plan.written.push((place, normal(memory.content.as_str())));
}

/// Puts a memory away whose line was deleted; in a while it is forgotten.
fn put_away(memory: &Memory, now: Timestamp) -> Step {
    let gone_at = now.checked_add(GRACE).unwrap_or(now);
    let expires_at = Some(memory.expires_at.map_or(gone_at, |ends| ends.min(gone_at)));
    let version = memory.version + 1;
    let (state, updated_at) = (State::Archived, now);
    let after = Memory { state, updated_at, expires_at, version, ..memory.clone() };
    let identity = ingest::identity_of(&after);
    Step::update(memory.clone(), after, identity, "somebody deleted it from a file")
}

/// Brings back a memory whose line is there again.
fn brought_back(memory: Memory, now: Timestamp) -> Step {
    let (state, expires_at, version) = (State::Active, None, memory.version + 1);
    let after = Memory { state, expires_at, version, updated_at: now, ..memory.clone() };
    let identity = ingest::identity_of(&after);
    Step::update(memory, after, identity, "somebody wrote it into a file again")
}

/// Returns what is told of a text that was not taken in; other failures concern everything.
fn told(error: Error) -> Result<String> {
    match error.kind() {
        ErrorKind::Refused
        | ErrorKind::Invalid
        | ErrorKind::Unauthorized
        | ErrorKind::ContentTooLong
        | ErrorKind::ConfirmationRequired => Ok(error.to_string()),
        _ => Err(error),
    }
}

/// Returns the error for a memory that is not as it was a moment ago.
fn changed(id: &MemoryId) -> Error {
    Error::new(ErrorKind::Conflict, format!("{id} was changed meanwhile"))
}
