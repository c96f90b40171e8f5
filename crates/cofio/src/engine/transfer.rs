use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Write};

use super::{Engine, check_open};
use crate::bundle::{Reader, Record, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{self, Prepared, Redaction};
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Commit, Criteria, Doubt, Filter, Memory, MemoryId,
    Outcome, State, Trust,
};
use crate::store::{Order, Page};

/// How many memories are written together.
const PIECE: usize = 500;

/// How a bundle is taken in.
#[derive(Debug, Clone, Copy)]
pub struct Importing {
    /// What to do with a memory whose id is there already.
    pub on_conflict: ConflictMode,
    /// The most that anything in the bundle is trusted.
    pub trusted_at_most: Trust,
    /// What becomes of what may be a secret.
    pub doubt: Doubt,
    /// Whether to change anything at all.
    pub dry_run: bool,
}

/// What to do with a memory whose id is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConflictMode {
    /// Leave it as it is.
    Skip,
    /// Make what is in the bundle its next version.
    Replace,
    /// Do so if the bundle's was changed later.
    Newer,
    /// Stop before changing anything more.
    Fail,
}

/// What became of a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// Memories that were added.
    pub created: u64,
    /// Memories that got a next version.
    pub replaced: u64,
    /// Memories that were there already and stay as they are.
    pub skipped: u64,
    /// Memories that another one in the same scope says the same as.
    pub duplicates: u64,
    /// Memories that were forgotten here, and stay so.
    pub forgotten: u64,
    /// Memories that say what was rejected here or are trusted less than what they would replace,
    /// and stay out.
    pub refused: u64,
    /// Secrets that were taken out.
    pub redacted: u64,
}

impl Engine {
    /// Writes everything that the caller opens as a bundle, and returns how many memories it has.
    ///
    /// `progress` is told the number so far.
    pub async fn export(
        &self,
        caller: &Caller,
        out: impl Write,
        progress: impl FnMut(u64),
    ) -> Result<u64> {
        self.write_bundle(caller, out, progress).await.map_err(|error| error.during("export"))
    }

    async fn write_bundle(
        &self,
        caller: &Caller,
        out: impl Write,
        mut progress: impl FnMut(u64),
    ) -> Result<u64> {
        let now = self.now();
        let mut writer = Writer::new(out, now)?;
        let mut written = 0;
        for summary in self.store.scopes(caller.access(), now).await? {
            let criteria = Criteria { states: State::ALL.to_vec(), ..Criteria::default() };
            let filter = Filter { scopes: vec![summary.scope], now, criteria };
            let mut page = Page { limit: PIECE, order: Order::Newest, after: None };
            loop {
                let listing = self.store.list(&filter, &page).await?;
                page.after = listing.memories.last().map(|memory| page.order.position(memory));
                for memory in listing.memories {
                    writer.add(&self.with_history(caller, memory).await?)?;
                    written += 1;
                }
                progress(written);
                if !listing.more {
                    break;
                }
            }
        }
        self.observe_passing(caller, now, "export", written);
        writer.finish()
    }

    async fn with_history(&self, caller: &Caller, memory: Memory) -> Result<Record> {
        let history = match memory.version {
            1 => Vec::new(),
            _ => self.store.history(caller.access(), &memory.id).await?,
        };
        Ok(Record { memory, history })
    }

    /// Takes a bundle in; every memory passes the same rules as if it were said today.
    ///
    /// The bundle should have been verified before: what is wrong with it then changes nothing.
    pub async fn import(
        &self,
        caller: &Caller,
        input: impl BufRead,
        importing: Importing,
        progress: impl FnMut(u64),
    ) -> Result<Imported> {
        self.read_bundle(caller, input, importing, progress)
            .await
            .map_err(|error| error.during("import"))
    }

    async fn read_bundle(
        &self,
        caller: &Caller,
        input: impl BufRead,
        importing: Importing,
        mut progress: impl FnMut(u64),
    ) -> Result<Imported> {
        let mut reader = Reader::new(input)?;
        let mut imported = Imported::default();
        let mut seen = HashSet::new();
        let mut piece = Vec::new();
        let mut read = 0;
        while let Some(record) = reader.read()? {
            check_open(caller, &record.memory.scope)?;
            if !seen.insert(record.memory.id.clone()) {
                return Err(Error::invalid(format!("{} is in the bundle twice", record.memory.id)));
            }
            piece.push(record);
            read += 1;
            if piece.len() == PIECE {
                self.import_piece(caller, std::mem::take(&mut piece), importing, &mut imported)
                    .await?;
                progress(read);
            }
        }
        self.import_piece(caller, piece, importing, &mut imported).await?;
        progress(read);
        Ok(imported)
    }

    async fn import_piece(
        &self,
        caller: &Caller,
        piece: Vec<Record>,
        importing: Importing,
        imported: &mut Imported,
    ) -> Result<()> {
        let rejected = self.rejected(piece.iter().map(|record| &record.memory)).await?;
        let mut refused = rejected.len();
        let ids: Vec<MemoryId> = piece.iter().map(|record| record.memory.id.clone()).collect();
        let here = self.store.get(caller.access(), &ids).await?;
        let here: HashMap<MemoryId, Memory> =
            here.into_iter().map(|memory| (memory.id.clone(), memory)).collect();
        let mut changes = Vec::new();
        let mut redactions = Vec::new();
        for record in piece.into_iter().filter(|record| !rejected.contains(&record.memory.id)) {
            let known = here.get(&record.memory.id);
            if known.is_some_and(|known| importing.trusts_less(&record.memory, known)) {
                refused += 1;
                continue;
            }
            match self.plan(known, record, importing)? {
                Some((change, taken_out)) => {
                    changes.push(change);
                    redactions.extend(taken_out);
                }
                None => imported.skipped += 1,
            }
        }
        imported.redacted += redactions.len() as u64;
        let count = changes.len();
        let mut event =
            AuditEvent::new(AuditAction::Write).with("reason", "import").with("count", count);
        event.details.extend(super::described(changes.iter().filter_map(written)));
        let mut audit = vec![event];
        audit.extend(super::redaction_event(redactions.iter()));
        if refused > 0 {
            imported.refused += refused as u64;
            let event = AuditEvent::new(AuditAction::PoisoningAttemptBlocked);
            audit.push(event.with("reason", "import").with("count", refused));
        }
        let (actor, at) = (caller.actor().clone(), self.now());
        let commit = Commit { actor, at, changes, audit, idempotency: None };
        imported.count(&match importing.dry_run {
            _ if count == 0 && refused == 0 => Vec::new(),
            true => self.store.rehearse(commit).await?,
            false => self.store.commit(commit).await?,
        });
        Ok(())
    }

    /// Returns what a record changes, if anything.
    fn plan(
        &self,
        known: Option<&Memory>,
        record: Record,
        importing: Importing,
    ) -> Result<Option<(Change, Vec<Redaction>)>> {
        let mut redactions = Vec::new();
        let mut admit = |memory: Memory| -> Result<Prepared> {
            let source = memory.source.clone().trusted_at_most(importing.trusted_at_most);
            let prepared =
                ingest::readmit(Memory { source, ..memory }, importing.doubt, &self.config)?;
            redactions.extend(prepared.redactions.iter().copied());
            Ok(prepared)
        };
        let Prepared { mut memory, identity, .. } = admit(record.memory)?;
        let Some(known) = known else {
            let admit = |memory| admit(memory).map(|prepared| prepared.memory);
            let history = record.history.into_iter().map(admit).collect::<Result<_>>()?;
            let memory = Box::new(memory);
            return Ok(Some((Change::Create { memory, identity, history }, redactions)));
        };
        if !importing.on_conflict.replaces(known, &memory)? {
            return Ok(None);
        }
        memory.version = known.version + 1;
        memory.created_at = known.created_at;
        Ok(Some((Change::Update { memory: Box::new(memory), identity }, redactions)))
    }
}

impl Importing {
    /// Returns whether a memory would replace one that is trusted more.
    fn trusts_less(self, memory: &Memory, known: &Memory) -> bool {
        let trust = memory.source.trust().min(self.trusted_at_most);
        self.on_conflict != ConflictMode::Skip && trust < known.source.trust()
    }
}

/// Returns the memory that a change writes.
fn written(change: &Change) -> Option<&Memory> {
    match change {
        Change::Create { memory, .. } | Change::Update { memory, .. } => Some(memory),
        Change::Forget { .. } | Change::Reject { .. } | Change::Embed { .. } => None,
    }
}

impl ConflictMode {
    fn replaces(self, known: &Memory, other: &Memory) -> Result<bool> {
        if known.scope != other.scope {
            return Err(Error::new(
                ErrorKind::Conflict,
                format!("{} is in another scope here", known.id),
            ));
        }
        let same = Memory {
            version: known.version,
            created_at: known.created_at,
            updated_at: known.updated_at,
            accesses: known.accesses,
            embedding: known.embedding.clone(),
            ..other.clone()
        } == *known;
        match self {
            _ if same => Ok(false),
            Self::Skip => Ok(false),
            Self::Replace => Ok(true),
            Self::Newer => Ok(other.updated_at > known.updated_at),
            Self::Fail => {
                let message = format!("{} is here already and differs from the bundle's", known.id);
                Err(Error::new(ErrorKind::Conflict, message).with("id", known.id.as_str()))
            }
        }
    }
}

impl Imported {
    fn count(&mut self, outcomes: &[Outcome]) {
        for outcome in outcomes {
            match outcome {
                Outcome::Created(_) => self.created += 1,
                Outcome::Updated(_) => self.replaced += 1,
                Outcome::Existing(_) => self.duplicates += 1,
                _ => self.forgotten += 1,
            }
        }
    }
}
