//! Moving, the way rsync does: what differs is copied, until nothing does.
//!
//! Whoever is interrupted begins again, and finds what is there already. The other side may be
//! written to meanwhile: what was missed is found by the next pass. A pass in which nothing differs
//! is the proof, as it has compared everything.

use std::fmt;

use jiff::SignedDuration;

use super::digest::Digest;
use super::{CarriedMemory, Movable, Part, Record, RecordKey, Stretch};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{AuditEntry, Memory, Timestamp};
use crate::store::{Clock, Entries, GENESIS, document};

/// How many memories are moved together.
const MEMORIES: usize = 250;

/// How many records of any other part.
const ROWS: usize = 2_000;

/// How often everything is compared before whoever writes is too much.
const PASSES: u32 = 10;

/// The name of what only one may do at a time, and for how long it is taken.
const LEASE: (&str, SignedDuration) = ("migrate", SignedDuration::from_secs(10));

/// After how long it is taken anew.
const RENEWAL: SignedDuration = SignedDuration::from_secs(3);

/// Moves everything from one store to another, and leaves the first as it is.
pub struct Mover<'a> {
    /// What is read.
    pub from: &'a dyn Movable,
    /// What is written.
    pub to: &'a dyn Movable,
    /// Tells this move from others.
    pub holder: &'a str,
    /// Says which moment it is.
    pub clock: &'a dyn Clock,
}

/// How far a move is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Which pass over everything; the last one finds no difference.
    pub pass: u32,
    /// What is compared.
    pub part: Part,
    /// How many records of all parts have been compared in this pass.
    pub done: u64,
    /// How many there were in the beginning.
    pub total: u64,
}

/// What was moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// What both stores hold, part by part.
    pub parts: Vec<MovedPart>,
    /// How many passes it took.
    pub passes: u32,
}

/// What both stores hold of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedPart {
    /// Which part.
    pub part: Part,
    /// How many records.
    pub count: u64,
    /// How many were written or removed, in all passes.
    pub changed: u64,
    /// The digest of all of them, in hexadecimal.
    pub digest: String,
}

impl fmt::Debug for Mover<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mover").field("holder", &self.holder).finish_non_exhaustive()
    }
}

impl Mover<'_> {
    /// Moves everything, until both stores hold the same, and says how far it is.
    ///
    /// Fails with `Conflict`, and changes nothing, if the other store holds anything that is not a
    /// copy of this one, or if another move is under way.
    pub async fn run(&self, progress: &mut (dyn FnMut(Step) + Send)) -> Result<Moved> {
        self.check().await?;
        let mut lease = Lease { mover: self, taken_at: Timestamp::MIN };
        lease.renew().await?;
        let moved = self.move_all(&mut lease, progress).await;
        lease.give_back().await;
        moved
    }

    /// Returns how many records of each part there are, here and there; refuses what [`Mover::run`]
    /// would refuse.
    pub async fn compare_counts(&self) -> Result<Vec<(Part, u64, u64)>> {
        self.check().await?;
        let mut counts = Vec::with_capacity(Part::ALL.len());
        for part in Part::ALL {
            counts.push((part, self.from.count(part).await?, self.to.count(part).await?));
        }
        Ok(counts)
    }

    async fn move_all(
        &self,
        lease: &mut Lease<'_>,
        progress: &mut (dyn FnMut(Step) + Send),
    ) -> Result<Moved> {
        self.to.mark(Some(&self.origin().await?)).await?;
        let mut total = 0;
        for part in Part::ALL {
            total += self.from.count(part).await?;
        }
        let mut changed = [0; Part::ALL.len()];
        for pass in 1..=PASSES {
            let mut step = Step { pass, part: Part::Settings, done: 0, total };
            let (mut parts, mut differences) = (Vec::new(), 0);
            for (part, sum) in Part::ALL.into_iter().zip(&mut changed) {
                step.part = part;
                let mut passing = Passing { mover: self, lease, progress, step: &mut step };
                let compared = passing.pass(part).await?;
                differences += compared.changed;
                *sum += compared.changed;
                parts.push(MovedPart { changed: *sum, ..compared });
            }
            self.check_audit().await?;
            if differences == 0 {
                self.to.store().verify_audit().await?;
                self.to.mark(None).await?;
                return Ok(Moved { parts, passes: pass });
            }
        }
        Err(restless())
    }

    /// Refuses a store that holds anything but a copy, or the beginning of one.
    async fn check(&self) -> Result<()> {
        match self.to.unfinished().await? {
            Some(mark) if mark != GENESIS && mark != self.origin().await? => {
                let message = "the destination is the unfinished copy of another store: \
                               finish that move, or take an empty destination";
                return Err(Error::new(ErrorKind::Conflict, message));
            }
            None if latest(self.to).await?.is_none() && !self.is_empty().await? => {
                return Err(occupied());
            }
            _ => {}
        }
        self.check_audit().await
    }

    /// Checks that the last entry over there is one of this audit.
    async fn check_audit(&self) -> Result<()> {
        let Some(last) = latest(self.to).await? else { return Ok(()) };
        let before = Entries::After(last.record.sequence.saturating_sub(1));
        let same = self.from.store().audit(None, before, 1).await?;
        if same.first().is_some_and(|entry| entry.hash == last.hash) {
            return Ok(());
        }
        Err(occupied())
    }

    /// Returns whether the other store holds nothing; which model it adopted does not count.
    async fn is_empty(&self) -> Result<bool> {
        for part in Part::ALL.into_iter().filter(|part| *part != Part::Settings) {
            if self.to.count(part).await? > 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns what tells this store from others: how its audit begins.
    async fn origin(&self) -> Result<String> {
        let first = self.from.store().audit(None, Entries::After(0), 1).await?;
        Ok(first.into_iter().next().map_or_else(|| GENESIS.to_owned(), |entry| entry.hash))
    }
}

async fn latest(store: &dyn Movable) -> Result<Option<AuditEntry>> {
    Ok(store.store().audit(None, Entries::Latest, 1).await?.pop())
}

/// A pass over one part.
struct Passing<'a, 'b> {
    mover: &'a Mover<'a>,
    lease: &'a mut Lease<'b>,
    progress: &'a mut (dyn FnMut(Step) + Send),
    step: &'a mut Step,
}

impl Passing<'_, '_> {
    async fn pass(&mut self, part: Part) -> Result<MovedPart> {
        let portion = if part == Part::Memories { MEMORIES } else { ROWS };
        let (mut count, mut changed, mut digest) = (0, 0, Digest::default());
        let mut stretch = Stretch::default();
        loop {
            self.lease.renew().await?;
            let (from, to) = (self.mover.from, self.mover.to);
            let there = from.records(part, &stretch, portion).await?;
            let is_last = there.len() < portion;
            if !is_last {
                stretch.until = there.last().map(|record| record.key(part));
            }
            let here = to.records(part, &stretch, usize::MAX).await?;
            for record in &there {
                digest.add(record);
            }
            count += there.len() as u64;
            self.step.done += there.len() as u64;
            let now = self.mover.clock.now();
            let Differences { gone, different } = Differences::between(part, there, &here, now)?;
            if !gone.is_empty() || !different.is_empty() {
                changed += (gone.len() + different.len()) as u64;
                to.replace(part, gone, different).await?;
            }
            (self.progress)(*self.step);
            if is_last {
                return Ok(MovedPart { part, count, changed, digest: digest.finish() });
            }
            stretch.after = stretch.until.take();
        }
    }
}

/// What has to be done so that two stores hold the same.
struct Differences {
    gone: Vec<RecordKey>,
    different: Vec<Record>,
}

impl Differences {
    /// Compares records of the same stretch; both are in the order of their keys.
    fn between(part: Part, there: Vec<Record>, here: &[Record], now: Timestamp) -> Result<Self> {
        let (mut gone, mut different) = (Vec::new(), Vec::new());
        let mut here = here.iter().map(|record| (record.key(part), record)).peekable();
        for record in there {
            check_text(&record)?;
            let key = record.key(part);
            while let Some((other, _)) = here.next_if(|(other, _)| *other < key) {
                gone.push(other);
            }
            match here.next_if(|(other, _)| *other == key) {
                Some((_, other)) if is_same(&record, other, now) => {}
                _ => different.push(record),
            }
        }
        gone.extend(here.map(|(key, _)| key));
        Ok(Self { gone, different })
    }
}

/// Returns whether a record is the same over there.
///
/// Documents may be written in the form of an older version, and what has ended may be gone from its
/// shelf already.
fn is_same(record: &Record, other: &Record, now: Timestamp) -> bool {
    if record == other {
        return true;
    }
    let (Record::Memory(one), Record::Memory(two)) = (record, other) else { return false };
    let has_ended = document::decode(&one.document).is_ok_and(|memory| memory.expired(now));
    let beside = |memory: &CarriedMemory| {
        let bare =
            CarriedMemory { document: String::new(), versions: Vec::new(), ..memory.clone() };
        if has_ended { CarriedMemory { embedded_by: None, vectors: vec![], ..bare } } else { bare }
    };
    let documents = |memory: &CarriedMemory| {
        let versions = memory.versions.iter().map(|(_, document)| document.clone());
        versions.chain([memory.document.clone()]).collect::<Vec<String>>()
    };
    let (ours, theirs) = (documents(one), documents(two));
    beside(one) == beside(two)
        && ours.len() == theirs.len()
        && ours.iter().zip(&theirs).all(|(one, two)| one == two || says_the_same(one, two, now))
}

fn says_the_same(document: &str, other: &str, now: Timestamp) -> bool {
    let (Ok(memory), Ok(other)) = (document::decode(document), document::decode(other)) else {
        return false;
    };
    let has_ended = memory.expired(now) && other.content.as_str().is_empty();
    memory == other || has_ended && Memory { content: other.content.clone(), ..memory } == other
}

/// Refuses a memory whose text stands on a shelf that was not opened, or was lost there.
fn check_text(record: &Record) -> Result<()> {
    let Record::Memory(carried) = record else { return Ok(()) };
    let documents =
        carried.versions.iter().map(|(_, document)| document).chain([&carried.document]);
    for document in documents.filter(|document| document.contains("\"standing\":")) {
        let memory = document::decode(document)?;
        if let Some(standing) = memory.content.standing() {
            if carried.lost {
                return Err(memory.lost_text());
            }
            let message = format!(
                "texts of the source stand on {}: name the arrangement that it belongs to",
                standing.shelf
            );
            return Err(Error::new(ErrorKind::Configuration, message));
        }
    }
    Ok(())
}

/// The right to write to the other store, which is given back in the end.
struct Lease<'a> {
    mover: &'a Mover<'a>,
    taken_at: Timestamp,
}

impl Lease<'_> {
    /// Takes it, or takes it for longer.
    async fn renew(&mut self) -> Result<()> {
        let now = self.mover.clock.now();
        if self.taken_at.checked_add(RENEWAL).is_ok_and(|due| now < due && now >= self.taken_at) {
            return Ok(());
        }
        let until = now.checked_add(LEASE.1).unwrap_or(Timestamp::MAX);
        if !self.mover.to.store().lease(LEASE.0, self.mover.holder, now, until).await? {
            let message = "another move to this destination is under way, or was stopped a few \
                           seconds ago: try again soon";
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        self.taken_at = now;
        Ok(())
    }

    async fn give_back(&self) {
        let now = self.mover.clock.now();
        // It ends by itself before long.
        let _ = self.mover.to.store().lease(LEASE.0, self.mover.holder, now, now).await;
    }
}

fn occupied() -> Error {
    let message = "the destination holds something that is not in the source: it was written to, or \
                   is no copy of it. Nothing was changed; take an empty destination";
    Error::new(ErrorKind::Conflict, message)
}

fn restless() -> Error {
    let message = format!(
        "the source was written to during each of {PASSES} passes: stop whoever writes, and move \
         again, which goes on from here"
    );
    Error::new(ErrorKind::Conflict, message)
}
