//! What people did to files, as changes to memories.

use std::collections::{HashMap, HashSet};

use jiff::SignedDuration;

use super::{Problem, Syncing};
use crate::engine::{Engine, check_open};
use crate::error::{Error, ErrorKind, Result};
use crate::files::compare::{Added, Plan};
use crate::files::mirror::{self, Layout, Page, Sheet, Text};
use crate::files::{Marker, Place, normal};
use crate::ingest::{self, Redaction};
use crate::lifecycle::plan::Step;
use crate::model::{
    Caller, Change, Channel, Commit, Doubt, Draft, Memory, MemoryId, Outcome, Patch, Scope, Source,
    State, Timestamp,
};

/// The label of entries of a daily log.
const DAILY_TAG: &str = "daily";

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
        for index in 0..taken.plan.added.len() {
            let marker = match self.take_added(caller, taking, &mut taken, index).await {
                Ok(marker) => Some(marker),
                Err(error) => {
                    let place = taken.plan.added[index].place;
                    taking.report(&taken, place, told(error)?);
                    None
                }
            };
            taken.added.push(marker);
        }
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

    async fn take_added(
        &self,
        caller: &Caller,
        taking: &mut Taking<'_>,
        taken: &mut Taken,
        index: usize,
    ) -> Result<Marker> {
        let added = taken.plan.added[index].clone();
        let text = self.text_of(taking, taken, &added)?;
        if let Some(id) = &added.claimed
            && let Some(memory) = self.put_away_before(caller, &text.scope, id).await?
            && normal(memory.content.as_str()) == added.text
        {
            let marker = mirror::marker(&memory);
            taking.steps.push(brought_back(memory, taking.now));
            return Ok(marker);
        }
        check_open(caller, &text.scope)?;
        let draft = draft(taking, taken, &added, text);
        let prepared = self.prepare_all(caller, &[draft], taking.now).await?;
        let mut prepared =
            prepared.into_iter().next().ok_or_else(|| Error::invalid("nothing said"))?;
        taking.check_secrets(&prepared.redactions)?;
        if normal(prepared.memory.content.as_str()) != added.text {
            rewrite(&mut taken.plan, added.place, &prepared.memory);
        }
        // What stood in files before the store was made anew keeps its name.
        let kind = prepared.memory.kind;
        if let Some(id) = added.claimed.filter(|id| id.kind() == Some(kind)) {
            prepared.memory.id = id;
        }
        let marker = mirror::marker(&prepared.memory);
        taking.new.insert(marker.id.clone(), (taking.taken.len(), index));
        let why = "somebody wrote it into a file";
        taking.steps.push(Step::create(prepared.memory, prepared.identity, why));
        Ok(marker)
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

    /// Returns what a new entry is.
    fn text_of(&self, taking: &Taking<'_>, taken: &Taken, added: &Added) -> Result<Text> {
        let Page { path, document, .. } = &taken.sheet.page;
        let text = taking.layout.text(path.as_str(), document.form(), &added.path, self.zone());
        text.ok_or_else(|| Error::invalid("it stands in a file that is nobody's"))
    }

    /// Returns a memory of a scope that was put away or has faded.
    async fn put_away_before(
        &self,
        caller: &Caller,
        scope: &Scope,
        id: &MemoryId,
    ) -> Result<Option<Memory>> {
        let found = self.store.get(caller.access(), std::slice::from_ref(id)).await?;
        Ok(found.into_iter().find(|memory| memory.scope == *scope && is_away(memory)))
    }

    /// Brings back a memory that says something else now: one that is a whole file.
    async fn brought_back_as(
        &self,
        caller: &Caller,
        taking: &Taking<'_>,
        memory: Memory,
        text: String,
    ) -> Result<Step> {
        if normal(memory.content.as_str()) == text {
            return Ok(brought_back(memory, taking.now));
        }
        let patch = Patch { content: Some(text), doubt: taking.doubt(), ..Patch::default() };
        let revised = self.revise(caller, &memory, patch, taking.now).await?;
        taking.check_secrets(&revised.redactions)?;
        let after = Memory { state: State::Active, expires_at: None, ..revised.memory };
        let identity = ingest::identity_of(&after);
        Ok(Step::update(memory, after, identity, "somebody wrote it into a file again"))
    }

    /// Returns a step that makes a memory under another name, as the one it has is taken.
    fn renamed(&self, mut step: Step, now: Timestamp) -> Step {
        if let Change::Create { memory, .. } = &mut step.change {
            memory.id = self.new_id(memory.kind, now);
        }
        step
    }

    /// Recognises new entries that say what a memory says already: one that stands in no file yet is
    /// that memory, one that was put away comes back, and any other stays as it is in the file.
    pub(super) async fn recognise_known(
        &self,
        caller: &Caller,
        taking: &mut Taking<'_>,
    ) -> Result<()> {
        // What gets another name may still be what is known under a third.
        while !taking.new.is_empty() && self.recognise_once(caller, taking).await? {}
        Ok(())
    }

    /// Does so once, and returns whether something was given another name.
    async fn recognise_once(&self, caller: &Caller, taking: &mut Taking<'_>) -> Result<bool> {
        let changes = taking.steps.iter().map(|step| step.change.clone()).collect();
        let outcomes = self.store.rehearse(rehearsal(caller, changes, taking.now)).await?;
        let steps = std::mem::take(&mut taking.steps);
        let mut renamed = false;
        for (step, outcome) in steps.into_iter().zip(outcomes) {
            match (taking.new.get(step.id()).copied(), outcome) {
                (Some(place), Outcome::Existing(known)) => {
                    self.take_known(caller, taking, place, known).await?;
                }
                (Some((file, index)), Outcome::Missing(_)) => {
                    let step = self.renamed(step, taking.now);
                    let id = step.id().clone();
                    taking.new.insert(id.clone(), (file, index));
                    taking.taken[file].added[index] = Some(Marker::new(id));
                    taking.steps.push(step);
                    renamed = true;
                }
                _ => taking.steps.push(step),
            }
        }
        Ok(renamed)
    }

    async fn take_known(
        &self,
        caller: &Caller,
        taking: &mut Taking<'_>,
        (file, index): (usize, usize),
        known: MemoryId,
    ) -> Result<()> {
        let waits = |taken: &Taken| taken.plan.arrived.iter().any(|arrived| arrived.id == known);
        if let Some(other) = taking.taken.iter().position(waits) {
            taking.taken[other].plan.arrived.retain(|arrived| arrived.id != known);
            taking.taken[file].added[index] = Some(Marker::new(known));
            return Ok(());
        }
        if let Some(marker) = taking.moved(&known) {
            taking.taken[file].added[index] = Some(marker);
            return Ok(());
        }
        let found = self.store.get(caller.access(), std::slice::from_ref(&known)).await?;
        let mut why = format!("{known} says the same already");
        if let Some(memory) = found.into_iter().find(is_away) {
            let marker = mirror::marker(&memory);
            let text = taking.taken[file].plan.added[index].text.clone();
            match self.brought_back_as(caller, taking, memory, text).await {
                Ok(step) => {
                    taking.taken[file].added[index] = Some(marker);
                    taking.steps.push(step);
                    return Ok(());
                }
                Err(error) => why = told(error)?,
            }
        }
        let taken = &mut taking.taken[file];
        taken.added[index] = None;
        let path = taken.sheet.page.path.clone();
        let line = taken.line(taken.plan.added[index].place);
        taking.problems.push(Problem { path, line, why });
        Ok(())
    }
}

/// Returns a commit that is only rehearsed.
fn rehearsal(caller: &Caller, changes: Vec<Change>, at: Timestamp) -> Commit {
    let actor = caller.actor().clone();
    Commit { actor, at, changes, audit: Vec::new(), idempotency: None, work: None }
}

/// Returns what is to be kept of a new entry.
fn draft(taking: &Taking<'_>, taken: &Taken, added: &Added, text: Text) -> Draft {
    let Page { path, document, .. } = &taken.sheet.page;
    let entry = document.entries().find(|entry| entry.place() == added.place);
    let trust = mirror::trust(entry.and_then(|entry| entry.marker()));
    let mut source = Source::through(Channel::ExplicitSave).trusted_at_most(trust);
    source.reference = Some(path.as_str().to_owned());
    let Text { scope, kind, event_at, key, title, daily } = text;
    let mut draft = Draft::new(scope, kind, added.text.clone(), source);
    draft.metadata.title = title;
    draft.metadata.tags = if daily { vec![DAILY_TAG.to_owned()] } else { Vec::new() };
    Draft { event_at, key, doubt: taking.doubt(), ..draft }
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
