//! Everything that is not a memory, as fields and back.

use std::vec::IntoIter;

use super::super::contents::{Contents, Request};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{
    Amount, AuditEntry, AuditRecord, ChangeRange, ChangeRecord, Fingerprint, Identifier, Job,
    JobId, Key, KeyHash, KeyId, Right, Rights, Scope, Spending, Timestamp,
};
use crate::store::document::moment;
use crate::store::kit::{decode_bound, decode_outcomes, encode_bound, encode_outcomes};
use crate::store::moving::{Field, Part, Record};
use crate::store::{Rejection, Tombstone, decode_job, encode_job};

/// Returns all records of a part.
pub(super) fn all(contents: &Contents, part: Part) -> Vec<Record> {
    let rows: Vec<Vec<Field>> = match part {
        Part::Settings => contents.model.iter().map(model).collect(),
        Part::Jobs => contents.ledger.jobs.values().map(job).collect(),
        Part::Tombstones => contents.tombstones.values().map(tombstone).collect(),
        Part::Rejections => contents.rejections.values().map(rejection).collect(),
        Part::Requests => {
            contents.requests.iter().map(|((actor, key), one)| request(actor, key, one)).collect()
        }
        Part::Keys => contents.keys.values().map(|(one, hash)| key(one, hash)).collect(),
        Part::Spending => {
            contents.ledger.spending.iter().map(|(ticket, one)| spending(*ticket, one)).collect()
        }
        Part::Changes => contents.journal.changes().map(|(one, job)| change(one, job)).collect(),
        Part::Audit => contents.journal.entries_after(0).map(entry).collect(),
        Part::Memories => Vec::new(),
    };
    rows.into_iter().map(Record::Row).collect()
}

/// Puts all records of a part in the place of those that are there.
pub(super) fn put(
    contents: &mut Contents,
    part: Part,
    records: impl Iterator<Item = Record>,
) -> Result<()> {
    let mut rows = Vec::new();
    for record in records {
        let Record::Row(fields) = record else { return Err(strange()) };
        rows.push(Fields(fields.into_iter()));
    }
    match part {
        Part::Settings => {
            contents.model = None;
            for fields in rows {
                contents.adopt(&fields.model()?);
            }
        }
        Part::Jobs => {
            let job = |fields: Fields| fields.job().map(|job| (job.id.clone(), job));
            contents.ledger.jobs = rows.into_iter().map(job).collect::<Result<_>>()?;
        }
        Part::Tombstones => {
            let one = |fields: Fields| fields.tombstone().map(|one| (one.id.clone(), one));
            contents.tombstones = rows.into_iter().map(one).collect::<Result<_>>()?;
        }
        Part::Rejections => {
            let one = |fields: Fields| {
                fields.rejection().map(|one| ((one.scope.to_string(), one.value), one))
            };
            contents.rejections = rows.into_iter().map(one).collect::<Result<_>>()?;
        }
        Part::Requests => {
            contents.requests = rows.into_iter().map(Fields::request).collect::<Result<_>>()?;
        }
        Part::Keys => {
            let one = |fields: Fields| fields.key().map(|one| (one.0.id.clone(), one));
            contents.keys = rows.into_iter().map(one).collect::<Result<_>>()?;
        }
        Part::Spending => {
            let ledger = &mut contents.ledger;
            ledger.spending = rows.into_iter().map(Fields::spending).collect::<Result<_>>()?;
            let last = ledger.spending.keys().next_back().copied().unwrap_or_default();
            ledger.last_ticket = ledger.last_ticket.max(last);
        }
        Part::Changes => {
            let changes = rows.into_iter().map(Fields::change).collect::<Result<_>>()?;
            contents.journal.replace_changes(changes);
        }
        Part::Audit => {
            let entries = rows.into_iter().map(Fields::entry).collect::<Result<_>>()?;
            contents.journal.replace_entries(entries);
        }
        Part::Memories => {}
    }
    Ok(())
}

fn model(model: &Fingerprint) -> Vec<Field> {
    vec![text("model"), text(model.as_str())]
}

fn job(job: &Job) -> Vec<Field> {
    vec![
        text(job.id.as_str()),
        text(job.task.as_str()),
        text(job.actor.as_str()),
        at(job.started_at),
        text(encode_job(job)),
    ]
}

fn tombstone(tombstone: &Tombstone) -> Vec<Field> {
    vec![text(tombstone.id.as_str()), text(tombstone.scope.to_string()), at(tombstone.at)]
}

fn rejection(rejection: &Rejection) -> Vec<Field> {
    let value = Field::Bytes(rejection.value.to_vec());
    vec![text(rejection.scope.to_string()), value, at(rejection.at)]
}

fn request(actor: &Identifier, key: &str, request: &Request) -> Vec<Field> {
    vec![
        text(actor.as_str()),
        text(key),
        Field::Bytes(request.digest.to_vec()),
        text(encode_outcomes(&request.outcomes)),
        at(request.at),
    ]
}

fn key(key: &Key, hash: &KeyHash) -> Vec<Field> {
    let names: Vec<&str> = key.rights.iter().map(Right::as_str).collect();
    let moment = |at: Option<Timestamp>| Field::number(at.map(Timestamp::as_microsecond));
    vec![
        text(key.id.as_str()),
        Field::Bytes(hash.as_bytes().to_vec()),
        text(key.name.as_str()),
        text(names.join(" ")),
        text(encode_bound(&key.bound)),
        text(key.trust.as_str()),
        at(key.created_at),
        moment(key.expires_at),
        moment(key.revoked_at),
        Field::text(key.replaced_by.as_ref().map(KeyId::as_str)),
    ]
}

fn spending(ticket: u64, spending: &Spending) -> Vec<Field> {
    let Spending { day, job, scope, model, amount, settled } = spending;
    vec![
        count(ticket),
        text(day.to_string()),
        text(job.as_str()),
        text(scope.as_str()),
        text(model.as_str()),
        count(amount.input),
        count(amount.output),
        count(amount.money),
        Field::Number((*settled).into()),
    ]
}

fn change(change: &ChangeRecord, job: Option<&JobId>) -> Vec<Field> {
    vec![
        count(change.sequence),
        text(change.id.as_str()),
        text(change.scope.to_string()),
        text(change.kind.as_str()),
        count(change.version),
        at(change.at),
        Field::text(job.map(JobId::as_str)),
    ]
}

fn entry(entry: &AuditEntry) -> Vec<Field> {
    let (record, range) = (&entry.record, entry.record.changes.as_ref());
    let place = |of: fn(&ChangeRange) -> u64| range.map_or(Field::Null, |range| count(of(range)));
    vec![
        count(record.sequence),
        at(record.at),
        text(record.actor.as_str()),
        text(record.action.as_str()),
        Field::text(record.scope.clone()),
        place(|range| range.first),
        place(|range| range.last),
        Field::text(range.map(|range| range.digest.as_str())),
        text(serde_json::Value::from(record.details.clone()).to_string()),
        text(entry.previous.as_str()),
        text(entry.hash.as_str()),
    ]
}

fn text(text: impl Into<String>) -> Field {
    Field::Text(text.into())
}

fn at(moment: Timestamp) -> Field {
    Field::Number(moment.as_microsecond())
}

fn count(count: u64) -> Field {
    Field::Number(i64::try_from(count).unwrap_or(i64::MAX))
}

/// The fields of a record, to be taken one after the other.
struct Fields(IntoIter<Field>);

impl Fields {
    fn text(&mut self) -> Result<String> {
        self.maybe_text()?.ok_or_else(strange)
    }

    fn maybe_text(&mut self) -> Result<Option<String>> {
        match self.0.next() {
            Some(Field::Text(text)) => Ok(Some(text)),
            Some(Field::Null) => Ok(None),
            _ => Err(strange()),
        }
    }

    fn count(&mut self) -> Result<u64> {
        self.maybe_number()?.map(i64::unsigned_abs).ok_or_else(strange)
    }

    fn maybe_number(&mut self) -> Result<Option<i64>> {
        match self.0.next() {
            Some(Field::Number(number)) => Ok(Some(number)),
            Some(Field::Null) => Ok(None),
            _ => Err(strange()),
        }
    }

    fn moment(&mut self) -> Result<Timestamp> {
        moment(self.maybe_number()?.ok_or_else(strange)?)
    }

    fn maybe_moment(&mut self) -> Result<Option<Timestamp>> {
        self.maybe_number()?.map(moment).transpose()
    }

    fn bytes(&mut self) -> Result<[u8; 32]> {
        match self.0.next() {
            Some(Field::Bytes(bytes)) => bytes.try_into().map_err(|_| strange()),
            _ => Err(strange()),
        }
    }

    fn scope(&mut self) -> Result<Scope> {
        self.text()?.parse()
    }

    fn model(mut self) -> Result<Fingerprint> {
        self.text()?;
        Fingerprint::new(self.text()?)
    }

    fn job(mut self) -> Result<Job> {
        self.0.nth(3);
        decode_job(&self.text()?)
    }

    fn tombstone(mut self) -> Result<Tombstone> {
        Ok(Tombstone { id: self.text()?.parse()?, scope: self.scope()?, at: self.moment()? })
    }

    fn rejection(mut self) -> Result<Rejection> {
        Ok(Rejection { scope: self.scope()?, value: self.bytes()?, at: self.moment()? })
    }

    fn request(mut self) -> Result<((Identifier, String), Request)> {
        let asked = (Identifier::new(&self.text()?)?, self.text()?);
        let (digest, outcomes) = (self.bytes()?, decode_outcomes(&self.text()?)?);
        Ok((asked, Request { digest, outcomes, at: self.moment()? }))
    }

    fn key(mut self) -> Result<(Key, KeyHash)> {
        let id = self.text()?.parse()?;
        let hash = KeyHash::from_bytes(self.bytes()?);
        let name = self.text()?;
        let rights = self.text()?;
        let rights: Vec<Right> =
            rights.split_whitespace().map(str::parse).collect::<Result<_>>()?;
        let key = Key {
            id,
            name,
            rights: Rights::of(&rights),
            bound: decode_bound(&self.text()?)?,
            trust: self.text()?.parse()?,
            created_at: self.moment()?,
            expires_at: self.maybe_moment()?,
            revoked_at: self.maybe_moment()?,
            replaced_by: self.maybe_text()?.map(|id| id.parse()).transpose()?,
        };
        Ok((key, hash))
    }

    fn spending(mut self) -> Result<(u64, Spending)> {
        let ticket = self.count()?;
        let day = self.text()?.parse().map_err(|_| strange())?;
        let (job, scope, model) = (self.text()?, self.text()?, self.text()?);
        let amount = Amount { input: self.count()?, output: self.count()?, money: self.count()? };
        let settled = self.count()? != 0;
        Ok((ticket, Spending { day, job, scope, model, amount, settled }))
    }

    fn change(mut self) -> Result<(ChangeRecord, Option<JobId>)> {
        let change = ChangeRecord {
            sequence: self.count()?,
            id: self.text()?.parse()?,
            scope: self.scope()?,
            kind: self.text()?.parse()?,
            version: self.count()?,
            at: self.moment()?,
        };
        Ok((change, self.maybe_text()?.map(|job| job.parse()).transpose()?))
    }

    fn entry(mut self) -> Result<AuditEntry> {
        let (sequence, at) = (self.count()?, self.moment()?);
        let (actor, action) = (Identifier::new(&self.text()?)?, self.text()?.parse()?);
        let scope = self.maybe_text()?;
        let (first, last) = (self.maybe_number()?, self.maybe_number()?);
        let digest = self.maybe_text()?;
        let changes = first.zip(last).zip(digest).map(|((first, last), digest)| ChangeRange {
            first: first.unsigned_abs(),
            last: last.unsigned_abs(),
            digest,
        });
        let details = serde_json::from_str(&self.text()?).map_err(|_| strange())?;
        let record = AuditRecord { sequence, at, actor, action, scope, changes, details };
        Ok(AuditEntry { record, previous: self.text()?, hash: self.text()? })
    }
}

fn strange() -> Error {
    Error::new(ErrorKind::Damaged, "a record of a store is not what it should be")
}
