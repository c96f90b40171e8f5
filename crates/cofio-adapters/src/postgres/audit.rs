//! The audit: a chain of entries, its head kept outside the table.

use cofio::model::{
    AuditEntry, AuditEvent, AuditRecord, ChangeKind, ChangeRange, Identifier, MemoryId, Timestamp,
};
use cofio::store::kit::{broken, moment};
use cofio::store::{Entries, GENESIS, change_digest, link, verify as verify_chain};
use cofio::{Error, ErrorKind, Result};
use serde_json::{Map, Value};
use tokio_postgres::Row;

use super::rows::{bounded, count, get, parsed};
use super::session::{Session, Sql};

/// How many entries are verified at a time, so that a long chain needs little memory.
const PIECE: usize = 1_000;

/// How far everything is, in the order of commits.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) change: u64,
    pub(super) entry: u64,
    pub(super) hash: String,
    pub(super) memory: i64,
    pub(super) scope: i64,
}

impl Head {
    /// Takes the turn to write, which is given back with the end of the transaction; returns the name
    /// of the transaction as well, by which its fate can be asked for.
    pub(super) async fn lock(session: &Session) -> Result<(Self, String)> {
        let sql = "SELECT change, entry, hash, memory, scope, pg_current_xact_id()::text
                   FROM head FOR UPDATE";
        let rows = session.query(sql, &[]).await?;
        let row = rows.first().ok_or_else(|| broken(1))?;
        Ok((Self::of(row)?, get(row, 5)?))
    }

    /// Returns how far everything is, without waiting for anybody.
    pub(super) async fn read(session: &Session) -> Result<Self> {
        let rows =
            session.query("SELECT change, entry, hash, memory, scope FROM head", &[]).await?;
        Self::of(rows.first().ok_or_else(|| broken(1))?)
    }

    fn of(row: &Row) -> Result<Self> {
        Ok(Self {
            change: count(row, 0)?,
            entry: count(row, 1)?,
            hash: get(row, 2)?,
            memory: get(row, 3)?,
            scope: get(row, 4)?,
        })
    }

    /// Chains an event to the audit.
    pub(super) fn enter(
        &mut self,
        actor: &Identifier,
        at: Timestamp,
        event: &AuditEvent,
        changes: Option<ChangeRange>,
    ) -> AuditEntry {
        self.entry += 1;
        let record = AuditRecord {
            sequence: self.entry,
            at,
            actor: actor.clone(),
            action: event.action,
            scope: event.scope.as_ref().map(ToString::to_string),
            changes,
            details: event.details.clone(),
        };
        let entry = link(record, &self.hash);
        self.hash.clone_from(&entry.hash);
        entry
    }

    /// Returns what keeps how far everything is, with the entries that were chained.
    pub(super) fn keep(&self, entries: &[AuditEntry]) -> Vec<Sql> {
        let update = Sql::with(
            "UPDATE head SET change = $1, entry = $2, hash = $3, memory = $4, scope = $5",
            vec![
                Box::new(bounded(self.change)),
                Box::new(bounded(self.entry)),
                Box::new(self.hash.clone()),
                Box::new(self.memory),
                Box::new(self.scope),
            ],
        );
        if entries.is_empty() { vec![update] } else { vec![append(entries), update] }
    }
}

fn append(entries: &[AuditEntry]) -> Sql {
    let records = || entries.iter().map(|entry| &entry.record);
    let range = |of: fn(&ChangeRange) -> u64| -> Vec<Option<i64>> {
        records().map(|record| record.changes.as_ref().map(|range| bounded(of(range)))).collect()
    };
    let texts = |of: fn(&AuditEntry) -> String| entries.iter().map(of).collect::<Vec<_>>();
    let digest = |record: &AuditRecord| Some(record.changes.as_ref()?.digest.clone());
    Sql::with(
        "INSERT INTO audit (sequence, at, actor, action, scope, first_change, last_change, digest,
                            details, previous, hash)
         SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[],
                              $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[],
                              $11::text[])",
        vec![
            Box::new(records().map(|record| bounded(record.sequence)).collect::<Vec<i64>>()),
            Box::new(records().map(|record| record.at.as_microsecond()).collect::<Vec<i64>>()),
            Box::new(texts(|entry| entry.record.actor.to_string())),
            Box::new(texts(|entry| entry.record.action.to_string())),
            Box::new(records().map(|record| record.scope.clone()).collect::<Vec<_>>()),
            Box::new(range(|range| range.first)),
            Box::new(range(|range| range.last)),
            Box::new(records().map(digest).collect::<Vec<_>>()),
            Box::new(texts(|entry| Value::from(entry.record.details.clone()).to_string())),
            Box::new(texts(|entry| entry.previous.clone())),
            Box::new(texts(|entry| entry.hash.clone())),
        ],
    )
}

/// Returns entries, the oldest first.
pub(super) async fn list(
    session: &Session,
    actor: Option<&Identifier>,
    which: Entries,
    limit: usize,
) -> Result<Vec<AuditEntry>> {
    let (after, direction) = match which {
        Entries::After(sequence) => (sequence, "ASC"),
        Entries::Latest => (0, "DESC"),
    };
    let sql = format!(
        "SELECT sequence, at, actor, action, scope, first_change, last_change, digest, details,
                previous, hash
         FROM audit WHERE sequence > $1 AND ($2::text IS NULL OR actor = $2)
         ORDER BY sequence {direction} LIMIT $3"
    );
    let actor = actor.map(Identifier::as_str);
    let rows = session.query(&sql, &[&bounded(after), &actor, &bounded(limit)]).await?;
    let mut entries: Vec<AuditEntry> = rows.iter().map(entry).collect::<Result<_>>()?;
    if which == Entries::Latest {
        entries.reverse();
    }
    Ok(entries)
}

fn entry(row: &Row) -> Result<AuditEntry> {
    let changes = match get::<Option<i64>>(row, 5)? {
        Some(first) => Some(ChangeRange {
            first: first.unsigned_abs(),
            last: count(row, 6)?,
            digest: get(row, 7)?,
        }),
        None => None,
    };
    let details: Map<String, Value> = serde_json::from_str(get(row, 8)?).map_err(|cause| {
        Error::new(ErrorKind::Provider, "an audit entry cannot be read").caused_by(cause)
    })?;
    let record = AuditRecord {
        sequence: count(row, 0)?,
        at: moment(get(row, 1)?)?,
        actor: Identifier::new(get(row, 2)?)?,
        action: parsed(row, 3)?,
        scope: get(row, 4)?,
        changes,
        details,
    };
    Ok(AuditEntry { record, previous: get(row, 9)?, hash: get(row, 10)? })
}

/// Checks the chain and the changes that it vouches for, and returns how many entries there are.
pub(super) async fn verify(session: &Session) -> Result<u64> {
    let (mut verified, mut last) = (0, GENESIS.to_owned());
    loop {
        let entries = match list(session, None, Entries::After(verified), PIECE).await {
            // An entry that cannot even be read was not written by us.
            Err(error) if error.kind() != ErrorKind::Provider => return Err(broken(verified + 1)),
            entries => entries?,
        };
        last = verify_chain(&last, verified + 1, &entries)?;
        verify_changes(session, &entries).await?;
        verified += entries.len() as u64;
        if entries.len() < PIECE {
            break;
        }
    }
    let head = Head::read(session).await?;
    if (head.entry, head.hash) == (verified, last) {
        Ok(verified)
    } else {
        Err(broken(verified + 1))
    }
}

async fn verify_changes(session: &Session, entries: &[AuditEntry]) -> Result<()> {
    let ranges =
        || entries.iter().filter_map(|entry| Some((entry, entry.record.changes.as_ref()?)));
    let first = ranges().map(|(_, range)| range.first).min().unwrap_or(1);
    let last = ranges().map(|(_, range)| range.last).max().unwrap_or(0);
    let sql = "SELECT sequence, id, kind FROM changes WHERE sequence BETWEEN $1 AND $2
               ORDER BY sequence";
    let rows = session.query(sql, &[&bounded(first), &bounded(last)]).await?;
    let changes: Vec<(u64, MemoryId, ChangeKind)> = rows
        .iter()
        .map(|row| Ok((count(row, 0)?, parsed(row, 1)?, parsed(row, 2)?)))
        .collect::<Result<_>>()?;
    for (entry, range) in ranges() {
        let from = changes.partition_point(|(sequence, ..)| *sequence < range.first);
        let to = changes.partition_point(|(sequence, ..)| *sequence <= range.last);
        let stretch = changes.get(from..to).unwrap_or_default();
        let parts = stretch.iter().map(|(sequence, id, kind)| (*sequence, id, *kind));
        if change_digest(parts) != range.digest {
            return Err(broken(entry.record.sequence));
        }
    }
    Ok(())
}
