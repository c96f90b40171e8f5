//! The parts that are tables: how a row is read, and how it is put in the place of another.

use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

use crate::error::{Error, ErrorKind, Result};
use crate::model::Scope;
use crate::store::moving::{Field, Part, Record, RecordKey, Stretch};
use crate::store::sqlite::read::{bounded, collect};
use crate::store::sqlite::{pending, rows, unexpected};

/// A part that is a table.
struct Table {
    /// The fields, in their order, with what they are called in `from`.
    columns: &'static str,
    from: &'static str,
    /// What tells a row from all others, as `from` calls it.
    key: &'static [&'static str],
    /// Which of the fields is the text of a scope that is kept by its number.
    scope: Option<usize>,
    insert: &'static str,
    /// The value of each key comes twice, so that two statements can use them.
    delete: &'static str,
}

fn table(part: Part) -> &'static Table {
    match part {
        Part::Jobs => &JOBS,
        Part::Tombstones => &TOMBSTONES,
        Part::Rejections => &REJECTIONS,
        Part::Requests => &REQUESTS,
        Part::Keys => &KEYS,
        Part::Spending => &SPENDING,
        Part::Changes => &CHANGES,
        Part::Audit => &AUDIT,
        Part::Settings | Part::Memories => &SETTINGS,
    }
}

const SETTINGS: Table = Table {
    columns: "name, value",
    from: "(SELECT name, value FROM settings WHERE name = 'model')",
    key: &["name"],
    scope: None,
    insert: "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
    delete: "DELETE FROM settings WHERE name = ?",
};

const JOBS: Table = Table {
    columns: "id, task, actor, started_at, record",
    from: "jobs",
    key: &["id"],
    scope: None,
    insert: "INSERT INTO jobs (id, task, actor, started_at, record) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET task = excluded.task, actor = excluded.actor,
             started_at = excluded.started_at, record = excluded.record",
    delete: "DELETE FROM jobs WHERE id = ?",
};

const TOMBSTONES: Table = Table {
    columns: "t.id, s.text, t.at",
    from: "tombstones AS t JOIN scopes AS s USING (scope)",
    key: &["t.id"],
    scope: Some(1),
    insert: "INSERT OR REPLACE INTO tombstones (id, scope, at) VALUES (?, ?, ?)",
    delete: "DELETE FROM tombstones WHERE id = ?",
};

const REJECTIONS: Table = Table {
    columns: "s.text, r.value, r.at",
    from: "rejections AS r JOIN scopes AS s USING (scope)",
    key: &["s.text", "r.value"],
    scope: Some(0),
    insert: "INSERT OR REPLACE INTO rejections (scope, value, at) VALUES (?, ?, ?)",
    delete: "DELETE FROM rejections
             WHERE scope = (SELECT scope FROM scopes WHERE text = ?) AND value = ?",
};

const REQUESTS: Table = Table {
    columns: "actor, key, request, outcomes, at",
    from: "idempotency",
    key: &["actor", "key"],
    scope: None,
    insert: "INSERT OR REPLACE INTO idempotency (actor, key, request, outcomes, at)
             VALUES (?, ?, ?, ?, ?)",
    delete: "DELETE FROM idempotency WHERE actor = ? AND key = ?",
};

const KEYS: Table = Table {
    columns: "id, hash, name, rights, bound, trust, created_at, expires_at, revoked_at, replaced_by",
    from: "keys",
    key: &["id"],
    scope: None,
    insert: "INSERT OR REPLACE INTO keys (id, hash, name, rights, bound, trust, created_at,
                                          expires_at, revoked_at, replaced_by)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    delete: "DELETE FROM keys WHERE id = ?",
};

const SPENDING: Table = Table {
    columns: "ticket, day, job, scope, model, input, output, money, settled",
    from: "spending",
    key: &["ticket"],
    scope: None,
    insert: "INSERT OR REPLACE INTO spending (ticket, day, job, scope, model, input, output, money,
                                              settled)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    delete: "DELETE FROM spending WHERE ticket = ?",
};

const CHANGES: Table = Table {
    columns: "c.sequence, c.id, s.text, c.kind, c.version, c.at, j.id",
    from: "changes AS c JOIN scopes AS s USING (scope) LEFT JOIN jobs AS j ON j.job = c.job",
    key: &["c.sequence"],
    scope: Some(2),
    insert: "INSERT OR REPLACE INTO changes (sequence, id, scope, kind, version, at, job)
             VALUES (?, ?, ?, ?, ?, ?, (SELECT job FROM jobs WHERE id = ?))",
    delete: "DELETE FROM changes WHERE sequence = ?",
};

const AUDIT: Table = Table {
    columns: "sequence, at, actor, action, scope, first_change, last_change, digest, details,
              previous, hash",
    from: "audit",
    key: &["sequence"],
    scope: None,
    insert: "INSERT OR REPLACE INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    delete: "DELETE FROM audit WHERE sequence = ?",
};

pub(super) fn count(connection: &Connection, part: Part) -> Result<u64> {
    let sql = format!("SELECT count(*) FROM {}", table(part).from);
    connection.query_row(&sql, [], |row| row.get(0)).map_err(unexpected)
}

/// Returns the first rows of a stretch.
pub(super) fn read(
    connection: &Connection,
    part: Part,
    stretch: &Stretch,
    limit: usize,
) -> Result<Vec<Record>> {
    let Table { columns, from, key, .. } = table(part);
    let (mut conditions, mut values) = (vec!["true".to_owned()], Vec::new());
    let (names, marks) = (key.join(", "), vec!["?"; key.len()].join(", "));
    for (place, comparison) in [(&stretch.after, ">"), (&stretch.until, "<=")] {
        if let Some(place) = place {
            conditions.push(format!("({names}) {comparison} ({marks})"));
            values.extend(place.iter().map(sql));
        }
    }
    values.push(bounded(limit as u64));
    let text = format!(
        "SELECT {columns} FROM {from} WHERE {} ORDER BY {names} LIMIT ?",
        conditions.join(" AND ")
    );
    collect(connection, &text, values, fields)
}

/// Removes rows, and puts others in the place of those with the same keys.
pub(super) fn replace(
    connection: &Connection,
    part: Part,
    gone: &[RecordKey],
    records: &[Record],
) -> Result<()> {
    let table = table(part);
    if part == Part::Jobs {
        release_jobs(connection, gone)?;
    }
    let mut delete = connection.prepare_cached(table.delete).map_err(unexpected)?;
    for key in gone {
        delete.execute(params_from_iter(key.iter().map(sql))).map_err(unexpected)?;
    }
    let mut insert = connection.prepare_cached(table.insert).map_err(unexpected)?;
    for record in records {
        let Record::Row(fields) = record else { return Err(strange()) };
        let mut values: Vec<Sql> = fields.iter().map(sql).collect();
        if let Some(place) = table.scope {
            values[place] = Sql::from(scope_number(connection, &fields[place])?);
        }
        insert.execute(params_from_iter(values)).map_err(unexpected)?;
    }
    match part {
        Part::Settings => wait_anew(connection),
        Part::Audit => keep_head(connection),
        _ => Ok(()),
    }
}

/// Lets nothing name a job any more that is to go; what did is compared later.
fn release_jobs(connection: &Connection, gone: &[RecordKey]) -> Result<()> {
    for key in gone {
        for statement in [
            "DELETE FROM stages WHERE job = (SELECT job FROM jobs WHERE id = ?)",
            "UPDATE changes SET job = NULL WHERE job = (SELECT job FROM jobs WHERE id = ?)",
        ] {
            connection
                .execute(statement, params_from_iter(key.iter().map(sql)))
                .map_err(unexpected)?;
        }
    }
    Ok(())
}

/// Lets exactly those memories wait for vectors that have none of the adopted model.
fn wait_anew(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM pending", []).map_err(unexpected)?;
    pending::refill(connection)
}

/// Keeps the head of the audit, which is its last entry.
fn keep_head(connection: &Connection) -> Result<()> {
    connection
        .execute_batch(
            "DELETE FROM settings WHERE name = 'audit_head';
             INSERT INTO settings (name, value)
             SELECT 'audit_head', sequence || ' ' || hash FROM audit
             ORDER BY sequence DESC LIMIT 1;",
        )
        .map_err(unexpected)
}

fn scope_number(connection: &Connection, scope: &Field) -> Result<i64> {
    let Field::Text(text) = scope else { return Err(strange()) };
    rows::scope_number(connection, &text.parse::<Scope>()?)
}

fn fields(row: &Row<'_>) -> Result<Record> {
    let count = row.as_ref().column_count();
    let field = |column| row.get_ref(column).map_err(unexpected).and_then(field);
    Ok(Record::Row((0..count).map(field).collect::<Result<_>>()?))
}

fn field(value: ValueRef<'_>) -> Result<Field> {
    Ok(match value {
        ValueRef::Null => Field::Null,
        ValueRef::Integer(number) => Field::Number(number),
        ValueRef::Text(text) => {
            Field::Text(str::from_utf8(text).map_err(|_| strange())?.to_owned())
        }
        ValueRef::Blob(bytes) => Field::Bytes(bytes.to_vec()),
        ValueRef::Real(_) => return Err(strange()),
    })
}

fn sql(field: &Field) -> Sql {
    match field {
        Field::Null => Sql::Null,
        Field::Number(number) => Sql::Integer(*number),
        Field::Text(text) => Sql::Text(text.clone()),
        Field::Bytes(bytes) => Sql::Blob(bytes.clone()),
    }
}

fn strange() -> Error {
    Error::new(ErrorKind::Damaged, "a record of a store is not what it should be")
}
