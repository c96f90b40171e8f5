//! The parts that are tables: how rows are read, and how they are put in the place of others.
//!
//! To the journal the role may only add, so that what is there already stays as it is.

use cofio::model::Scope;
use cofio::store::{Field, Part, Record, RecordKey, Stretch};
use cofio::{Error, ErrorKind, Result};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::super::audit::Head;
use super::super::flush::new_scopes;
use super::super::pending;
use super::super::plain::{original, plain};
use super::super::rows::{bounded, count as number, damaged, get};
use super::super::session::{Session, Sql};
use super::super::world::World;

/// A part that is a table.
struct Table {
    name: &'static str,
    /// What each field is called, and of which type it is.
    columns: &'static [(&'static str, &'static str)],
    /// How the fields are read, in their order.
    read: &'static str,
    from: &'static str,
    /// By what they are ordered.
    key: &'static [&'static str],
    /// What is done with a row that is there already.
    conflict: &'static str,
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
        Part::Memories => &MEMORIES,
        Part::Settings => &SETTINGS,
    }
}

const SETTINGS: Table = Table {
    name: "settings",
    columns: &[("name", "text"), ("value", "text")],
    read: "name, value",
    from: "(SELECT name, value FROM settings WHERE name = 'model') AS t",
    key: &["name COLLATE \"C\""],
    conflict: "(name) DO UPDATE SET value = excluded.value",
};

/// Memories are more than a table, and only counted here.
const MEMORIES: Table = Table {
    name: "memories",
    columns: &[],
    read: "memory",
    from: "memories",
    key: &["memory"],
    conflict: "DO NOTHING",
};

const JOBS: Table = Table {
    name: "jobs",
    columns: &[
        ("id", "text"),
        ("task", "text"),
        ("actor", "text"),
        ("started_at", "bigint"),
        ("record", "text"),
    ],
    read: "id, task, actor, started_at, record",
    from: "jobs",
    key: &["id"],
    conflict: "(id) DO UPDATE SET task = excluded.task, actor = excluded.actor,
               started_at = excluded.started_at, record = excluded.record",
};

const TOMBSTONES: Table = Table {
    name: "tombstones",
    columns: &[("id", "text"), ("scope", "scope"), ("at", "bigint")],
    read: "t.id, s.text, t.at",
    from: "tombstones AS t JOIN scopes AS s USING (scope)",
    key: &["t.id"],
    conflict: "DO NOTHING",
};

const REJECTIONS: Table = Table {
    name: "rejections",
    columns: &[("scope", "scope"), ("value", "bytea"), ("at", "bigint")],
    read: "s.text, t.value, t.at",
    from: "rejections AS t JOIN scopes AS s USING (scope)",
    key: &["s.text", "t.value"],
    conflict: "(scope, value) DO UPDATE SET at = excluded.at",
};

const REQUESTS: Table = Table {
    name: "idempotency",
    columns: &[
        ("actor", "text"),
        ("key", "text"),
        ("request", "bytea"),
        ("outcomes", "text"),
        ("at", "bigint"),
    ],
    read: "actor, key, request, outcomes, at",
    from: "idempotency",
    key: &["actor", "key COLLATE \"C\""],
    conflict: "(actor, key) DO UPDATE SET request = excluded.request,
               outcomes = excluded.outcomes, at = excluded.at",
};

const KEYS: Table = Table {
    name: "keys",
    columns: &[
        ("id", "text"),
        ("hash", "bytea"),
        ("name", "text"),
        ("rights", "text"),
        ("bound", "text"),
        ("trust", "text"),
        ("created_at", "bigint"),
        ("expires_at", "bigint"),
        ("revoked_at", "bigint"),
        ("replaced_by", "text"),
    ],
    read: "id, hash, name, rights, bound, trust, created_at, expires_at, revoked_at, replaced_by",
    from: "keys",
    key: &["id"],
    conflict: "(id) DO UPDATE SET hash = excluded.hash, name = excluded.name,
               rights = excluded.rights, bound = excluded.bound, trust = excluded.trust,
               created_at = excluded.created_at, expires_at = excluded.expires_at,
               revoked_at = excluded.revoked_at, replaced_by = excluded.replaced_by",
};

const SPENDING: Table = Table {
    name: "spending",
    columns: &[
        ("ticket", "bigint"),
        ("day", "text"),
        ("job", "text"),
        ("scope", "text"),
        ("model", "text"),
        ("input", "bigint"),
        ("output", "bigint"),
        ("money", "bigint"),
        ("settled", "boolean"),
    ],
    read: "ticket, day, job, scope, model, input, output, money, settled",
    from: "spending",
    key: &["ticket"],
    conflict: "(ticket) DO UPDATE SET day = excluded.day, job = excluded.job,
               scope = excluded.scope, model = excluded.model, input = excluded.input,
               output = excluded.output, money = excluded.money, settled = excluded.settled",
};

const CHANGES: Table = Table {
    name: "changes",
    columns: &[
        ("sequence", "bigint"),
        ("id", "text"),
        ("scope", "scope"),
        ("kind", "text"),
        ("version", "bigint"),
        ("at", "bigint"),
        ("job", "text"),
    ],
    read: "t.sequence, t.id, s.text, t.kind, t.version, t.at, t.job",
    from: "changes AS t JOIN scopes AS s USING (scope)",
    key: &["t.sequence"],
    conflict: "DO NOTHING",
};

const AUDIT: Table = Table {
    name: "audit",
    columns: &[
        ("sequence", "bigint"),
        ("at", "bigint"),
        ("actor", "text"),
        ("action", "text"),
        ("scope", "text"),
        ("first_change", "bigint"),
        ("last_change", "bigint"),
        ("digest", "text"),
        ("details", "text"),
        ("previous", "text"),
        ("hash", "text"),
    ],
    read:
        "sequence, at, actor, action, scope, first_change, last_change, digest, details, previous,
           hash",
    from: "audit",
    key: &["sequence"],
    conflict: "DO NOTHING",
};

/// Returns how many rows there are.
pub(super) async fn count(session: &Session, part: Part) -> Result<u64> {
    let sql = format!("SELECT count(*) FROM {}", table(part).from);
    number(&session.query(&sql, &[]).await?[0], 0)
}

/// Returns the first rows of a stretch.
pub(super) async fn read(
    session: &Session,
    part: Part,
    stretch: &Stretch,
    limit: usize,
) -> Result<Vec<Record>> {
    let Table { read, from, key, .. } = table(part);
    let (names, mut sql) = (key.join(", "), Sql::default());
    let mut conditions = vec!["true".to_owned()];
    for (place, comparison) in [(&stretch.after, ">"), (&stretch.until, "<=")] {
        if let Some(place) = place {
            let values: Vec<String> = place.iter().map(|field| bind(&mut sql, field)).collect();
            conditions.push(format!("({names}) {comparison} ({})", values.join(", ")));
        }
    }
    let limit = sql.bind(bounded(limit));
    sql.push(&format!(
        "SELECT {read} FROM {from} WHERE {} ORDER BY {names} LIMIT {limit}",
        conditions.join(" AND ")
    ));
    session.run(&sql).await?.iter().map(record).collect()
}

fn bind(sql: &mut Sql, field: &Field) -> String {
    match field {
        Field::Null => "NULL".to_owned(),
        Field::Number(number) => format!("{}::bigint", sql.bind(*number)),
        Field::Text(text) => format!("{}::text", sql.bind(plain(text).into_owned())),
        Field::Bytes(bytes) => format!("{}::bytea", sql.bind(bytes.clone())),
    }
}

fn record(row: &Row) -> Result<Record> {
    let field = |column: usize| match *row.columns()[column].type_() {
        Type::INT8 => Ok(Field::number(get(row, column)?)),
        Type::BOOL => Ok(Field::Number(get::<bool>(row, column)?.into())),
        Type::BYTEA => Ok(get::<Option<Vec<u8>>>(row, column)?.map_or(Field::Null, Field::Bytes)),
        _ => Ok(Field::text(get::<Option<String>>(row, column)?.map(original))),
    };
    Ok(Record::Row((0..row.len()).map(field).collect::<Result<_>>()?))
}

/// Removes rows, and puts others in the place of those with the same keys.
pub(super) async fn replace(
    session: &Session,
    part: Part,
    gone: &[RecordKey],
    records: &[Record],
) -> Result<()> {
    let (head, _) = Head::lock(session).await?;
    let table = table(part);
    if !gone.is_empty() {
        remove(session, part, gone).await?;
    }
    let rows: Vec<&[Field]> = records.iter().map(fields).collect::<Result<_>>()?;
    let mut world = World::new(head, None);
    name_scopes(session, table, &rows, &mut world).await?;
    let mut all: Vec<Sql> = new_scopes(&world).into_iter().collect();
    all.extend((!rows.is_empty()).then(|| insert(table, &rows)));
    session.pipeline(&all).await?;
    follow(session, part, world).await
}

fn fields(record: &Record) -> Result<&[Field]> {
    if let Record::Row(fields) = record { Ok(fields) } else { Err(damaged("a record")) }
}

/// Removes rows that nobody needs; of the journal and the keys, nothing is ever removed.
async fn remove(session: &Session, part: Part, gone: &[RecordKey]) -> Result<()> {
    let condition = match part {
        Part::Settings => "name = $1",
        Part::Jobs => "id = $1",
        Part::Requests => "actor = $1 AND key = $2",
        Part::Spending => "ticket = $1",
        Part::Rejections => "scope = (SELECT scope FROM scopes WHERE text = $1) AND value = $2",
        _ => {
            let message = format!("{} of the destination are not in the source", part.as_str());
            return Err(Error::new(ErrorKind::Conflict, message));
        }
    };
    let sql = format!("DELETE FROM {} WHERE {condition}", table(part).name);
    for key in gone {
        let values: Vec<Box<dyn ToSql + Sync + Send>> = key.iter().map(value).collect();
        session.pipeline(&[Sql::with(&sql, values)]).await?;
    }
    Ok(())
}

fn value(field: &Field) -> Box<dyn ToSql + Sync + Send> {
    match field {
        Field::Null => Box::new(None::<i64>),
        Field::Number(number) => Box::new(*number),
        Field::Text(text) => Box::new(plain(text).into_owned()),
        Field::Bytes(bytes) => Box::new(bytes.clone()),
    }
}

/// Gives numbers to scopes that have none.
async fn name_scopes(
    session: &Session,
    table: &Table,
    rows: &[&[Field]],
    world: &mut World,
) -> Result<()> {
    let Some(column) = table.columns.iter().position(|(_, kind)| *kind == "scope") else {
        return Ok(());
    };
    let text = |row: &&[Field]| {
        if let Field::Text(text) = &row[column] { Some(text.clone()) } else { None }
    };
    let mut texts: Vec<String> = rows.iter().filter_map(text).collect();
    texts.sort_unstable();
    texts.dedup();
    let known =
        session.query("SELECT text, scope FROM scopes WHERE text = ANY ($1)", &[&texts]).await?;
    for row in &known {
        world.scopes.insert(get(row, 0)?, get(row, 1)?);
    }
    for text in &texts {
        world.scope_number(&text.parse::<Scope>()?);
    }
    Ok(())
}

/// Returns what puts rows in the place of those with the same keys, column by column.
fn insert(table: &Table, rows: &[&[Field]]) -> Sql {
    let Table { name, columns, conflict, .. } = table;
    let mut sql = Sql::default();
    let (mut names, mut read, mut arrays) = (Vec::new(), Vec::new(), Vec::new());
    for (place, (column, kind)) in columns.iter().enumerate() {
        let of = |row: &&[Field]| row[place].clone();
        names.push(*column);
        let (array, kept) = match *kind {
            "bigint" => (numbers(&mut sql, rows.iter().map(of)), format!("r.{column}")),
            "boolean" => (numbers(&mut sql, rows.iter().map(of)), format!("r.{column} <> 0")),
            "bytea" => (bytes(&mut sql, rows.iter().map(of)), format!("r.{column}")),
            "scope" => {
                let number = format!("(SELECT s.scope FROM scopes AS s WHERE s.text = r.{column})");
                (texts(&mut sql, rows.iter().map(of)), number)
            }
            _ => (texts(&mut sql, rows.iter().map(of)), format!("r.{column}")),
        };
        arrays.push(array);
        read.push(kept);
    }
    let (names, read, arrays) = (names.join(", "), read.join(", "), arrays.join(", "));
    sql.push(&format!(
        "INSERT INTO {name} ({names}) OVERRIDING SYSTEM VALUE SELECT {read}
         FROM unnest({arrays}) AS r ({names}) ON CONFLICT {conflict}"
    ));
    sql
}

fn numbers(sql: &mut Sql, fields: impl Iterator<Item = Field>) -> String {
    let of = |field| if let Field::Number(number) = field { Some(number) } else { None };
    format!("{}::bigint[]", sql.bind(fields.map(of).collect::<Vec<_>>()))
}

fn texts(sql: &mut Sql, fields: impl Iterator<Item = Field>) -> String {
    let of =
        |field| if let Field::Text(text) = field { Some(plain(&text).into_owned()) } else { None };
    format!("{}::text[]", sql.bind(fields.map(of).collect::<Vec<_>>()))
}

fn bytes(sql: &mut Sql, fields: impl Iterator<Item = Field>) -> String {
    let of = |field| if let Field::Bytes(bytes) = field { Some(bytes) } else { None };
    format!("{}::bytea[]", sql.bind(fields.map(of).collect::<Vec<_>>()))
}

/// Keeps what follows from the rows that are there now.
async fn follow(session: &Session, part: Part, mut world: World) -> Result<()> {
    match part {
        Part::Settings => return pending::wait_anew(session).await,
        Part::Spending => {
            session.query("SELECT follow_tickets()", &[]).await?;
        }
        Part::Changes => {
            let sql = "SELECT coalesce(max(sequence), 0) FROM changes";
            world.head.change = number(&session.query(sql, &[]).await?[0], 0)?;
        }
        Part::Audit => {
            let sql = "SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1";
            if let Some(row) = session.query(sql, &[]).await?.first() {
                world.head.entry = number(row, 0)?;
                world.head.hash = get(row, 1)?;
            }
        }
        _ => {}
    }
    session.pipeline(&world.head.keep(&[])).await
}
