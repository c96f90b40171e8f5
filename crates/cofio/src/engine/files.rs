mod taking;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::thread::sleep;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::maintain::{count, described};
use super::{Engine, check_open};
use crate::error::{Error, ErrorKind, Result};
use crate::files::compare::{self, Conflict, Known, Plan as Comparison, Said};
use crate::files::folder::Relative;
use crate::files::mirror::{self, Layout, Look, Span, Unread, Written, sheets};
use crate::files::{Marker, Mirror, Place, Shape};
use crate::lifecycle::guard;
use crate::lifecycle::plan::Plan;
use crate::model::{
    Caller, Counts, Criteria, Filter, Job, Memory, MemoryId, Right, State, Task, Timestamp, Work,
};
use taking::{Taken, Taking};

/// How many memories or changes are read at a time.
const PIECE: usize = 500;

/// How often both sides are compared anew because somebody changed one of them meanwhile, and how
/// long it is waited before that: longer every time.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);

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
    /// How many changes went to the store and to the files.
    pub counts: SyncCounts,
    /// What the two sides see differently, and where.
    pub conflicts: Vec<(Relative, Conflict)>,
    /// What was not taken in.
    pub problems: Vec<Problem>,
    /// The files that could not be read.
    pub unread: Vec<Unread>,
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
    /// Brings a folder and the store together: takes what people changed in files into the store, in
    /// one commit that can be taken back, and writes what changed in the store to the files.
    ///
    /// A line that was deleted puts its memory away, to be forgotten in a while; many at once are held
    /// until somebody agrees. What has a secret is not taken in, and is told of. If anybody writes to
    /// the same files or memories meanwhile, everything is compared anew.
    pub async fn sync_files(
        &self,
        caller: &Caller,
        mirror: &Mirror,
        syncing: Syncing,
    ) -> Result<Synced> {
        let sync = async {
            for right in [Right::Read, Right::Write, Right::Delete] {
                caller.require(right)?;
            }
            if let Layout::Scope(scope) = mirror.layout() {
                check_open(caller, scope)?;
            }
            for attempt in 1..ATTEMPTS {
                match self.sync_once(caller, mirror, syncing).await {
                    Err(error) if error.kind() == ErrorKind::Conflict => sleep(PAUSE * attempt),
                    settled => return settled,
                }
            }
            self.sync_once(caller, mirror, syncing).await
        };
        sync.await.map_err(|error: Error| error.during("sync"))
    }

    async fn sync_once(
        &self,
        caller: &Caller,
        mirror: &Mirror,
        syncing: Syncing,
    ) -> Result<Synced> {
        let now = self.now();
        let sequence = self.store.last_change().await?;
        let mut look = mirror.look(now)?;
        let memories = self.meet(caller, mirror, &mut look, now).await?;
        let unread = std::mem::take(&mut look.unread);
        if look.pages.is_empty() && look.sequence == Some(sequence) {
            return Ok(Synced { unread, ..Synced::default() });
        }
        let layout = mirror.layout();
        let mut taking = Taking::new(layout, &memories, syncing, now);
        let sheets = sheets(&look, &memories, layout, self.zone());
        // What belongs into a file that cannot be read has to be looked at again.
        let placed = sheets.iter().map(|sheet| sheet.store.len()).sum::<usize>();
        let sequence = Some(sequence).filter(|_| placed == memories.len());
        for sheet in sheets {
            self.take_sheet(caller, &mut taking, sheet).await?;
        }
        self.recognise_known(caller, &mut taking).await?;
        let Taking { steps, taken, problems, .. } = taking;
        let among = look.count.max(memories.len());
        let plan = Plan { steps, looked_at: memories.len() as u64, refused: 0 };
        if let Some(held) = self.held(&plan, among, syncing) {
            return Ok(Synced { held: Some(held), problems, unread, ..Synced::default() });
        }
        let counts = counts(&taken);
        let mut synced = Synced { counts, problems, unread, ..Synced::default() };
        if !syncing.dry_run && !plan.steps.is_empty() {
            mirror.check(&look)?;
            synced.job = Some(self.take_in(caller, plan, now).await?);
        }
        let mut written = Vec::new();
        let by_id = memories.iter().map(|memory| (&memory.id, memory)).collect();
        for one in taken {
            let path = &one.sheet.page.path;
            let conflicts = one.plan.conflicts.iter().cloned();
            synced.conflicts.extend(conflicts.map(|conflict| (path.clone(), conflict)));
            written.push(one.written(&by_id, layout, self.zone(), now));
        }
        if !syncing.dry_run {
            mirror.write(&written, &memories, sequence)?;
        }
        Ok(synced)
    }

    /// Returns the memories that the files which were looked at are about, the oldest first, and looks
    /// at the files of those that the store changed.
    async fn meet(
        &self,
        caller: &Caller,
        mirror: &Mirror,
        look: &mut Look,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let layout = mirror.layout();
        let Some(after) = look.sequence else {
            let memories = self.mirrored(caller, layout, now).await?;
            let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id.clone()).collect();
            mirror.look_for(look, &ids, &memories, self.zone())?;
            return Ok(memories);
        };
        let mut ids = self.changed_since(caller, layout, after).await?;
        let changed = self.standing(caller, layout, &ids, now).await?;
        mirror.look_for(look, &ids, &changed, self.zone())?;
        let pages = look.pages.iter();
        let named = pages.flat_map(|page| page.ids().chain(page.base.iter().map(|(id, _)| id)));
        ids.extend(named.cloned());
        ids.sort();
        ids.dedup();
        self.standing(caller, layout, &ids, now).await
    }

    /// Returns the memories that changed after a place in the sequence of changes.
    async fn changed_since(
        &self,
        caller: &Caller,
        layout: &Layout,
        mut after: u64,
    ) -> Result<Vec<MemoryId>> {
        let mut ids = BTreeSet::new();
        loop {
            let changes = self.store.changes(caller.access(), after, PIECE).await?;
            let Some(last) = changes.last() else { return Ok(ids.into_iter().collect()) };
            after = last.sequence;
            let own = changes.into_iter().filter(|change| layout.has(&change.scope));
            ids.extend(own.map(|change| change.id));
        }
    }

    /// Returns those of some memories that stand in files, the oldest first.
    async fn standing(
        &self,
        caller: &Caller,
        layout: &Layout,
        ids: &[MemoryId],
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let mut memories = Vec::new();
        for piece in ids.chunks(PIECE) {
            let found = self.store.get(caller.access(), piece).await?.into_iter();
            memories.extend(found.filter(|memory| {
                layout.has(&memory.scope) && mirror::stands(memory) && !memory.expired(now)
            }));
        }
        memories
            .sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        Ok(memories)
    }

    /// Returns all memories that stand in files, the oldest first.
    async fn mirrored(
        &self,
        caller: &Caller,
        layout: &Layout,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let scopes = match layout {
            Layout::Scope(scope) => vec![scope.clone()],
            Layout::Workspace(_) => {
                let all = self.store.scopes(caller.access(), now).await?;
                all.into_iter().map(|summary| summary.scope).collect()
            }
        };
        if scopes.is_empty() {
            return Ok(Vec::new());
        }
        let criteria = Criteria { states: vec![State::Active], ..Criteria::default() };
        let mut memories = self.whole(&Filter { scopes, now, criteria }).await?;
        memories.retain(mirror::stands);
        memories.reverse();
        Ok(memories)
    }

    /// Returns where days begin and end.
    fn zone(&self) -> &TimeZone {
        &self.config.expiry.time_zone
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
    /// Returns the file as it is to be.
    fn written(
        self,
        memories: &HashMap<&MemoryId, &Memory>,
        layout: &Layout,
        zone: &TimeZone,
        now: Timestamp,
    ) -> Written {
        let (taken, span) = (self.taken(), self.span(memories, now));
        let Self { sheet, plan, added, refused } = self;
        let spot = |id: &MemoryId| layout.spot(memories.get(id)?, zone);
        let document = plan.write(&sheet.page.document, &added, layout.bare(), |id, marker| {
            let spot = spot(id);
            Known {
                marker: marked(id, memories.get(id).copied(), marker),
                path: spot.as_ref().map(|spot| spot.titles.clone()),
                shape: spot.map_or(Shape::Item, |spot| spot.shape),
            }
        });
        let path = sheet.page.path.as_str();
        let document = layout.headed(path, &sheet.page.document, document, span);
        let said = compare::base(&document, &sheet.base, &refused);
        Written { before: sheet.page, document, said, taken }
    }

    /// Returns of when the memories of the file are.
    fn span(&self, memories: &HashMap<&MemoryId, &Memory>, now: Timestamp) -> Span {
        let Comparison { edited, added, deleted, .. } = &self.plan;
        let known = self.sheet.store.iter().filter_map(|(id, _)| memories.get(id));
        let span = known.fold(Span::default(), |span, memory| span.with(memory));
        let taken_in = !(edited.is_empty() && added.is_empty() && deleted.is_empty());
        if taken_in { span.until(now) } else { span }
    }

    /// Returns what both sides agree on as long as the file is as it was read, as the store has taken
    /// it in.
    fn taken(&self) -> Vec<Said> {
        let kept = self.plan.kept.iter().map(|(place, id)| (*place, id));
        let added = self.plan.added.iter().zip(&self.added);
        let added = added.filter_map(|(added, marker)| Some((added.place, &marker.as_ref()?.id)));
        let memories: HashMap<Place, &MemoryId> = kept.chain(added).collect();
        let before: HashMap<&MemoryId, &String> =
            self.sheet.base.iter().map(|(id, text)| (id, text)).collect();
        let mut seen = HashSet::new();
        let mut said = Vec::new();
        for entry in self.sheet.page.document.entries() {
            let marked = entry.marker().map(|marker| &marker.id);
            let id = memories.get(&entry.place()).copied();
            match (id, marked) {
                (Some(id), _) if !self.refused.contains(id) => {
                    seen.insert(id);
                    said.push((id.clone(), entry.text()));
                }
                (_, Some(marked)) if seen.insert(marked) => {
                    said.extend(before.get(marked).map(|text| (marked.clone(), (*text).clone())));
                }
                _ => {}
            }
        }
        said
    }

    /// Returns the line of an entry.
    fn line(&self, place: Place) -> usize {
        self.sheet.page.document.entry(place).map_or(0, |entry| entry.line())
    }
}

/// Returns the marker of a memory, with what stands in the one it has that we know nothing of.
fn marked(id: &MemoryId, memory: Option<&Memory>, old: Option<&Marker>) -> Marker {
    let new = memory.map_or_else(|| Marker::new(id.clone()), mirror::marker);
    let Some(old) = old.filter(|old| old.id == *id) else { return new };
    match memory {
        Some(_) => old.attributes().fold(new, |marker, (name, value)| {
            if mirror::is_ours(name) { marker } else { marker.with(name, value) }
        }),
        None => old.clone(),
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
