//! The sequence of changes and the audit, to which only the end is ever added.

use std::ops::RangeInclusive;

use super::super::chain::{self, GENESIS, change_digest};
use crate::error::Result;
use crate::model::{
    AuditEntry, AuditEvent, AuditRecord, ChangeKind, ChangeRange, ChangeRecord, Identifier, JobId,
    Memory, MemoryId, Scope, Timestamp,
};

/// The sequence of changes and the audit.
#[derive(Default)]
pub(super) struct Journal {
    changes: Vec<ChangeRecord>,
    /// The job that made each change, if one did.
    jobs: Vec<Option<JobId>>,
    entries: Vec<AuditEntry>,
    /// The hash of the last entry, kept apart so that a shortened audit is noticed.
    head: Option<String>,
}

/// A change that has no place in the sequence yet.
pub(super) struct Unplaced {
    kind: ChangeKind,
    id: MemoryId,
    scope: Scope,
    version: u64,
}

impl Unplaced {
    /// Describes what happened to a memory.
    pub fn new(kind: ChangeKind, memory: &Memory) -> Self {
        let Memory { id, scope, version, .. } = memory;
        Self { kind, id: id.clone(), scope: scope.clone(), version: *version }
    }
}

impl Journal {
    /// Adds changes, perhaps a job's, to the sequence and returns where they stand, if there are any.
    pub fn record(
        &mut self,
        changes: Vec<Unplaced>,
        at: Timestamp,
        job: Option<&JobId>,
    ) -> Option<ChangeRange> {
        let first = self.changes.len() as u64 + 1;
        self.jobs.extend(changes.iter().map(|_| job.cloned()));
        let placed = (first..).zip(changes).map(|(sequence, change)| {
            let Unplaced { kind, id, scope, version } = change;
            ChangeRecord { sequence, id, scope, kind, version, at }
        });
        self.changes.extend(placed);
        let last = self.changes.len() as u64;
        let digest = self.digest(first..=last)?;
        Some(ChangeRange { first, last, digest })
    }

    /// Adds an entry to the audit.
    pub fn enter(
        &mut self,
        actor: &Identifier,
        at: Timestamp,
        event: AuditEvent,
        changes: Option<ChangeRange>,
    ) {
        let record = AuditRecord {
            sequence: self.entries.len() as u64 + 1,
            at,
            actor: actor.clone(),
            action: event.action,
            scope: event.scope.map(|scope| scope.to_string()),
            changes,
            details: event.details,
        };
        let entry = chain::link(record, self.head());
        self.head = Some(entry.hash.clone());
        self.entries.push(entry);
    }

    /// Returns the changes after a place in the sequence.
    pub fn changes_after(&self, after: u64) -> impl Iterator<Item = &ChangeRecord> {
        self.changes.iter().skip(position(after))
    }

    /// Returns the changes that a job made.
    pub fn changes_of(&self, job: &JobId) -> impl Iterator<Item = &ChangeRecord> {
        let made = self.changes.iter().zip(&self.jobs);
        made.filter(move |(_, maker)| maker.as_ref() == Some(job)).map(|(change, _)| change)
    }

    /// Returns the last place in the sequence of changes.
    pub fn last_change(&self) -> u64 {
        self.changes.len() as u64
    }

    /// Returns the audit entries after a place.
    pub fn entries_after(&self, after: u64) -> impl Iterator<Item = &AuditEntry> {
        self.entries.iter().skip(position(after))
    }

    /// Returns every change, with the job that made it.
    pub fn changes(&self) -> impl Iterator<Item = (&ChangeRecord, Option<&JobId>)> {
        self.changes.iter().zip(self.jobs.iter().map(Option::as_ref))
    }

    /// Puts all changes in the place of those that are there; the first is 1 and none is left out.
    pub fn replace_changes(&mut self, changes: Vec<(ChangeRecord, Option<JobId>)>) {
        (self.changes, self.jobs) = changes.into_iter().unzip();
    }

    /// Puts all entries in the place of those that are there; the first is 1 and none is left out.
    pub fn replace_entries(&mut self, entries: Vec<AuditEntry>) {
        self.head = entries.last().map(|entry| entry.hash.clone());
        self.entries = entries;
    }

    /// Checks the chain and the changes it vouches for, and returns how many entries there are.
    pub fn verify(&self) -> Result<u64> {
        let head = chain::verify(GENESIS, 1, &self.entries)?;
        let count = self.entries.len() as u64;
        if head != self.head() {
            return Err(chain::broken(count + 1));
        }
        let differs = |range: &ChangeRange| {
            self.digest(range.first..=range.last).as_ref() != Some(&range.digest)
        };
        let broken = |entry: &&AuditEntry| entry.record.changes.as_ref().is_some_and(differs);
        match self.entries.iter().find(broken) {
            Some(entry) => Err(chain::broken(entry.record.sequence)),
            None => Ok(count),
        }
    }

    fn head(&self) -> &str {
        self.head.as_deref().unwrap_or(GENESIS)
    }

    /// Returns the digest of a stretch of changes, unless it is empty or reaches past the end.
    fn digest(&self, range: RangeInclusive<u64>) -> Option<String> {
        let before_first = position(range.start().checked_sub(1)?);
        let stretch = self.changes.get(before_first..position(*range.end()))?;
        let facts = stretch.iter().map(|change| (change.sequence, &change.id, change.kind));
        (!stretch.is_empty()).then(|| change_digest(facts))
    }
}

/// Returns how many records stand up to a sequence number: the first is 1 and none is left out.
fn position(sequence: u64) -> usize {
    usize::try_from(sequence).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::model::AuditAction;

    fn journal() -> Journal {
        let mut journal = Journal::default();
        let actor = Identifier::new("alice").unwrap();
        for number in 1..=4 {
            let id = format!("fact_{number:032x}").parse().unwrap();
            let scope = Scope::user(actor.clone());
            let change = Unplaced { kind: ChangeKind::Created, id, scope, version: 1 };
            let range = journal.record(vec![change], Timestamp::UNIX_EPOCH, None);
            let event = AuditEvent::new(AuditAction::Write).with("count", number);
            journal.enter(&actor, Timestamp::UNIX_EPOCH, event, range);
        }
        journal
    }

    fn check(tamper: fn(&mut Journal), expected: Option<u64>) {
        let mut journal = journal();
        tamper(&mut journal);
        let broken_at = journal.verify().err().map(|error| {
            assert_eq!(error.kind(), ErrorKind::Damaged);
            error.details()["sequence"].as_u64().unwrap()
        });
        assert_eq!(broken_at, expected);
    }

    #[test]
    fn an_audit_that_nobody_touched_is_whole() {
        check(|_| {}, None);
    }

    #[test]
    fn an_entry_that_was_changed_moved_or_left_out_is_noticed() {
        check(
            |journal| drop(journal.entries[1].record.details.insert("count".into(), 9.into())),
            Some(2),
        );
        check(|journal| journal.entries[2].record.at = Timestamp::MAX, Some(3));
        check(|journal| journal.entries.swap(1, 2), Some(2));
        check(|journal| drop(journal.entries.remove(0)), Some(1));
        check(|journal| drop(journal.entries.remove(2)), Some(3));
        check(|journal| drop(journal.entries.pop()), Some(4));
        check(|journal| journal.entries.clear(), Some(1));
    }

    #[test]
    fn a_change_that_was_altered_or_left_out_is_noticed() {
        check(|journal| journal.changes[1].kind = ChangeKind::Deleted, Some(2));
        check(|journal| drop(journal.changes.pop()), Some(4));
        check(|journal| drop(journal.changes.remove(0)), Some(1));
    }
}
