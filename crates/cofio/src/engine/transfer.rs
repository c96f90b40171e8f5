use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, BufRead, Write};

use super::{Engine, check_open};
use crate::bundle::{Reader, Record};
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::{self, Prepared, Redaction};
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Commit, Doubt, Memory, MemoryId, Outcome, Right,
    SourceType, Trust,
};

/// How many memories are written together.
const PIECE: usize = 500;

/// How many bytes of a bundle are held before what they say is written, about.
const PIECE_BYTES: u64 = 16 * 1024 * 1024;

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
    /// Memories that say what was rejected here, and stay out.
    pub rejected: u64,
    /// Memories that the rules of every write refuse: credentials that pose as facts, and what is
    /// trusted less than that which it would replace.
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
        mut out: impl Write,
        mut progress: impl FnMut(u64),
    ) -> Result<u64> {
        let mut exporting = self.exporting(caller).await?;
        while let Some(piece) = exporting.next().await? {
            out.write_all(&piece).map_err(cannot_write)?;
            progress(exporting.memories());
        }
        out.flush().map_err(cannot_write)?;
        Ok(exporting.memories())
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
        caller.require(Right::Write)?;
        let trusted_at_most = importing.trusted_at_most.min(caller.trust());
        let importing = Importing { trusted_at_most, ..importing };
        let mut reader = Reader::new(input)?;
        let mut imported = Imported::default();
        let mut seen = HashSet::new();
        let mut piece = Vec::new();
        let (mut read, mut written) = (0, 0);
        while let Some(record) = reader.read()? {
            check_open(caller, &record.memory.scope)?;
            if !seen.insert(record.memory.id.clone()) {
                return Err(Error::invalid(format!("{} is in the bundle twice", record.memory.id)));
            }
            piece.push(record);
            read += 1;
            if piece.len() == PIECE || reader.bytes() - written > PIECE_BYTES {
                written = reader.bytes();
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
        imported.rejected += rejected.len() as u64;
        let ids: Vec<MemoryId> = piece.iter().map(|record| record.memory.id.clone()).collect();
        let here = self.store.get(caller.access(), &ids).await?;
        let here: HashMap<MemoryId, Memory> =
            here.into_iter().map(|memory| (memory.id.clone(), memory)).collect();
        let mut changes = Vec::new();
        let mut redactions = Vec::new();
        let mut blocked = BTreeMap::new();
        if !rejected.is_empty() {
            blocked.insert("rejected".to_owned(), rejected.len());
        }
        for record in piece.into_iter().filter(|record| !rejected.contains(&record.memory.id)) {
            match self.plan(here.get(&record.memory.id), record, importing) {
                Ok(Some((change, taken_out))) => {
                    changes.push(change);
                    redactions.extend(taken_out);
                }
                Ok(None) => imported.skipped += 1,
                Err(error) if error.kind() == ErrorKind::Refused => {
                    imported.refused += 1;
                    *blocked.entry(reason(&error)).or_default() += 1;
                }
                Err(error) => return Err(error),
            }
        }
        imported.redacted += redactions.len() as u64;
        let count = changes.len();
        let mut event =
            AuditEvent::new(AuditAction::Write).with("reason", "import").with("count", count);
        event.details.extend(super::described(changes.iter().filter_map(written)));
        let mut audit = vec![event];
        audit.extend(super::redaction_event(redactions.iter()));
        super::check_changes(caller, &changes)?;
        let (actor, at) = (caller.actor().clone(), self.now());
        let commit = Commit { actor, at, changes, audit, idempotency: None, work: None };
        imported.count(&match importing.dry_run {
            _ if count == 0 => Vec::new(),
            true => self.store.rehearse(commit).await?,
            false => self.store.commit(commit).await?,
        });
        if !importing.dry_run {
            self.record_blocked(caller, &blocked).await?;
        }
        Ok(())
    }

    /// Puts on record how many memories of a bundle were refused, and why.
    async fn record_blocked(
        &self,
        caller: &Caller,
        blocked: &BTreeMap<String, usize>,
    ) -> Result<()> {
        if blocked.is_empty() {
            return Ok(());
        }
        let event = |(reason, count): (&String, &usize)| {
            AuditEvent::new(AuditAction::PoisoningAttemptBlocked)
                .with("reason", reason.as_str())
                .with("count", *count)
                .with("source", SourceType::Import.as_str())
        };
        let events = blocked.iter().map(event).collect();
        self.commit(caller, self.now(), Vec::new(), events, None).await.map(drop)
    }

    /// Returns what a record changes, if anything.
    fn plan(
        &self,
        known: Option<&Memory>,
        record: Record,
        importing: Importing,
    ) -> Result<Option<(Change, Vec<Redaction>)>> {
        let capped = |memory: Memory| {
            let source = memory.source.clone().trusted_at_most(importing.trusted_at_most);
            Memory { source, ..memory }
        };
        let admitted = ingest::readmit(capped(record.memory), importing.doubt, &self.config)?;
        let Prepared { mut memory, identity, mut redactions } = admitted;
        let Some(known) = known else {
            let mut history = Vec::with_capacity(record.history.len());
            for version in record.history {
                let admitted =
                    ingest::readmit_version(capped(version), importing.doubt, &self.config)?;
                redactions.extend(admitted.redactions);
                history.push(admitted.memory);
            }
            let memory = Box::new(memory);
            return Ok(Some((Change::Create { memory, identity, history }, redactions)));
        };
        if !importing.on_conflict.replaces(known, &memory)? {
            return Ok(None);
        }
        ingest::refuse_lower_trust(known, memory.source.trust())?;
        memory.version = known.version + 1;
        memory.created_at = known.created_at;
        Ok(Some((Change::Update { memory: Box::new(memory), identity }, redactions)))
    }
}

fn cannot_write(cause: io::Error) -> Error {
    Error::new(ErrorKind::Provider, "cannot write the bundle").caused_by(cause)
}

/// Returns the memory that a change writes.
fn written(change: &Change) -> Option<&Memory> {
    match change {
        Change::Create { memory, .. } | Change::Update { memory, .. } => Some(memory),
        Change::Forget { .. } | Change::Reject { .. } | Change::Embed { .. } => None,
    }
}

/// Returns the word for why a write was refused.
fn reason(error: &Error) -> String {
    let reason = error.details().get("reason").and_then(|reason| reason.as_str());
    reason.unwrap_or("policy").to_owned()
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
