//! New entries that say what a memory says already.

use super::{Taken, Taking, brought_back, is_away, rehearsal, told};
use crate::engine::Engine;
use crate::engine::files::Problem;
use crate::error::Result;
use crate::files::{Marker, mirror, normal};
use crate::ingest;
use crate::lifecycle::plan::Step;
use crate::model::{Caller, Change, Memory, MemoryId, Outcome, Patch, State, Timestamp};

impl Engine {
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
    pub(in crate::engine::files) async fn recognise_known(
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
