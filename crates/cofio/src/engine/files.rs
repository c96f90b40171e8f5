mod taking;

use std::collections::HashMap;

use super::maintain::{count, described};
use super::{Engine, check_open};
use crate::error::{Error, ErrorKind, Result};
use crate::files::compare::{self, Conflict, Known};
use crate::files::folder::Relative;
use crate::files::mirror::{Look, Section, Written, sheets};
use crate::files::{Marker, Place};
use crate::lifecycle::guard;
use crate::lifecycle::plan::Plan;
use crate::model::{
    Caller, Counts, Criteria, Filter, Job, Kind, Memory, MemoryId, Right, Scope, State, Task,
    Timestamp, Work,
};
use taking::{Taken, Taking};

/// How often both sides are compared anew because somebody changed the store meanwhile.
const ATTEMPTS: usize = 5;

/// What may be done to bring files and store together.
#[derive(Debug, Clone, Copy, Default)]
pub struct Syncing {
    /// Whether somebody agreed to everything that was deleted from files.
    pub agreed: bool,
    /// Whether secrets are taken out of files too, in place of leaving what has one out of the store.
    pub redact: bool,
    /// Whether nothing is changed, on either side.
    pub dry_run: bool,
}

/// How files and store were brought together.
#[derive(Debug, Default)]
pub struct Synced {
    /// The job that took in what people changed, if they changed anything.
    pub job: Option<Job>,
    /// The files as they are to be.
    pub written: Vec<Written>,
    /// How many changes went to the store and to the files.
    pub counts: SyncCounts,
    /// What the two sides see differently, and where.
    pub conflicts: Vec<(Relative, Conflict)>,
    /// What was not taken in.
    pub problems: Vec<Problem>,
    /// How many of how many memories were deleted from files, if that is held until somebody agrees;
    /// then nothing else was done.
    pub held: Option<(usize, usize)>,
}

/// How many changes went to each side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SyncCounts {
    /// New memories from files.
    pub added: usize,
    /// Memories that files changed.
    pub edited: usize,
    /// Memories that were deleted from files.
    pub deleted: usize,
    /// Entries that were written to files, new or changed.
    pub written: usize,
    /// Entries that were removed from files.
    pub removed: usize,
}

/// Something in a file that was not taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: Relative,
    /// The line, counted from 1.
    pub line: usize,
    /// Why, in words of ours.
    pub why: String,
}

impl Engine {
    /// Takes what people changed in a folder into a scope, in one commit that can be taken back, and
    /// returns how its files are to be.
    ///
    /// A line that was deleted puts its memory away, to be forgotten in a while; many at once are held
    /// until somebody agrees. What has a secret is not taken in, and is told of.
    pub async fn sync_files(
        &self,
        caller: &Caller,
        scope: &Scope,
        look: &Look,
        syncing: Syncing,
    ) -> Result<Synced> {
        let sync = async {
            for right in [Right::Read, Right::Write, Right::Delete] {
                caller.require(right)?;
            }
            check_open(caller, scope)?;
            for _ in 1..ATTEMPTS {
                match self.sync_once(caller, scope, look, syncing).await {
                    Err(error) if error.kind() == ErrorKind::Conflict => {}
                    settled => return settled,
                }
            }
            self.sync_once(caller, scope, look, syncing).await
        };
        sync.await.map_err(|error: Error| error.during("sync"))
    }

    async fn sync_once(
        &self,
        caller: &Caller,
        scope: &Scope,
        look: &Look,
        syncing: Syncing,
    ) -> Result<Synced> {
        let now = self.now();
        let zone = &self.config.expiry.time_zone;
        let memories = self.mirrored(scope, now).await?;
        let sheets = sheets(look, &memories, zone)?;
        let mut taking = Taking::new(scope, &memories, syncing, now);
        for sheet in sheets {
            self.take_sheet(caller, &mut taking, sheet).await?;
        }
        self.recognise_known(caller, &mut taking).await?;
        let Taking { steps, taken, problems, .. } = taking;
        let plan = Plan { steps, looked_at: memories.len() as u64, refused: 0 };
        if let Some(held) = self.held(&plan, memories.len(), syncing) {
            return Ok(Synced { held: Some(held), problems, ..Synced::default() });
        }
        let mut synced = Synced { problems, counts: counts(&taken), ..Synced::default() };
        if !syncing.dry_run && !plan.steps.is_empty() {
            synced.job = Some(self.take_in(caller, plan, now).await?);
        }
        let by_id: HashMap<&MemoryId, &Memory> =
            memories.iter().map(|memory| (&memory.id, memory)).collect();
        for one in taken {
            let path = &one.sheet.page.path;
            let conflicts = one.plan.conflicts.iter().cloned();
            synced.conflicts.extend(conflicts.map(|conflict| (path.clone(), conflict)));
            synced.written.push(one.written(|id| {
                let titles = |memory: &&Memory| Section::of(memory, zone).titles;
                by_id.get(id).map(titles)
            }));
        }
        Ok(synced)
    }

    /// Returns the memories of a scope that stand in files, the newest first.
    async fn mirrored(&self, scope: &Scope, now: Timestamp) -> Result<Vec<Memory>> {
        let kinds = Kind::ALL.iter().copied().filter(|kind| *kind != Kind::Working).collect();
        let criteria = Criteria { kinds, states: vec![State::Active], ..Criteria::default() };
        self.all(&Filter { scopes: vec![scope.clone()], now, criteria }).await
    }

    /// Returns how much a plan takes away, if somebody has to agree first.
    fn held(&self, plan: &Plan, among: usize, syncing: Syncing) -> Option<(usize, usize)> {
        let policy = &self.config.guard;
        let taken = guard::taken(plan);
        #[expect(clippy::cast_precision_loss, reason = "a share of very many needs no last digit")]
        let large = taken as f64 > policy.share * among as f64;
        let held = taken > policy.count && large && !syncing.agreed;
        held.then_some((taken, among))
    }

    /// Commits what people changed.
    async fn take_in(&self, caller: &Caller, plan: Plan, now: Timestamp) -> Result<Job> {
        let mut counts = Counts::default();
        count(&mut counts, &plan);
        let job = self.done_by_hand(caller, Task::Files, counts, now);
        let audit = vec![described(&job, &plan)];
        let changes = plan.steps.into_iter().map(|step| step.change).collect();
        self.commit_work(caller, now, changes, audit, Work::on(job.clone())).await?;
        self.announce();
        Ok(job)
    }
}

impl Taken {
    /// Returns the file as it is to be; `titles` says what a memory that is new there is put under.
    fn written(self, titles: impl Fn(&MemoryId) -> Option<Vec<String>>) -> Written {
        let Self { sheet, plan, added, refused } = self;
        let markers: Vec<Option<Marker>> =
            added.into_iter().map(|id| id.map(Marker::new)).collect();
        let document = plan.write(&sheet.page.document, &markers, |id, marker| {
            let same = marker.filter(|marker| marker.id == *id).cloned();
            Known { marker: same.unwrap_or_else(|| Marker::new(id.clone())), path: titles(id) }
        });
        let said = compare::base(&document, &sheet.base, &refused);
        Written { before: sheet.page, document, said }
    }

    /// Returns the line of an entry.
    fn line(&self, place: Place) -> usize {
        let mut entries = self.sheet.page.document.entries();
        entries.find(|entry| entry.place() == place).map_or(0, |entry| entry.line())
    }
}

fn counts(taken: &[Taken]) -> SyncCounts {
    let mut counts = SyncCounts::default();
    for Taken { plan, added, refused, .. } in taken {
        counts.added += added.iter().flatten().count();
        counts.edited += plan.edited.iter().filter(|(id, _)| !refused.contains(id)).count();
        counts.deleted += plan.deleted.len();
        counts.written += plan.written.len() + plan.arrived.len();
        counts.removed += plan.removed.len();
    }
    counts
}
