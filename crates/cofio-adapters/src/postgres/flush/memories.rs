//! Rows of `memories`, sent as one array for each column: PostgreSQL takes those as they are, where
//! it would have to parse a document of all rows.

use std::error::Error;

use bytes::{BufMut as _, BytesMut};
use cofio::model::{Accesses, Memory, MemoryId, Timestamp};
use cofio::store::Order;
use cofio::store::kit::Derived;
use cofio::text::fold;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use super::{Value, column};
use crate::postgres::labels;
use crate::postgres::plain::plain;
use crate::postgres::rows::bounded;
use crate::postgres::session::Sql;
use crate::postgres::slot::Slot;

/// What no later version of a memory changes.
const STAYS: [&str; 3] = ["id", "access_count", "accessed_at"];

/// Returns what writes the rows of new memories.
pub(super) fn insert(slots: &[(&MemoryId, &Slot)]) -> Option<Sql> {
    let columns = columns(slots)?;
    let names = names(&columns);
    let text = format!("INSERT INTO memories ({names}) SELECT {names} FROM {}", rows(&columns));
    Some(statement(&text, columns))
}

/// Returns what writes later versions in the rows of those before.
pub(super) fn update(slots: &[(&MemoryId, &Slot)]) -> Option<Sql> {
    let columns = columns(slots)?;
    let set: Vec<String> = columns
        .iter()
        .filter(|column| !STAYS.contains(&column.name))
        .map(|Column { name, .. }| format!("{name} = r.{name}"))
        .collect();
    let (set, rows) = (set.join(", "), rows(&columns));
    let text = format!("UPDATE memories AS m SET {set} FROM {rows} WHERE m.memory = r.memory");
    Some(statement(&text, columns))
}

/// What some rows have in a column.
struct Column {
    name: &'static str,
    of: &'static str,
    values: Value,
}

fn names(columns: &[Column]) -> String {
    columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
}

/// Returns how the arrays are read as rows.
fn rows(columns: &[Column]) -> String {
    let arrays = (1..).zip(columns).map(|(place, column)| format!("${place}::{}[]", column.of));
    format!("unnest({}) AS r ({})", arrays.collect::<Vec<_>>().join(", "), names(columns))
}

fn statement(text: &str, columns: Vec<Column>) -> Sql {
    Sql::with(text, columns.into_iter().map(|column| column.values).collect())
}

/// Returns what memories have in their rows, if there are any.
fn columns(slots: &[(&MemoryId, &Slot)]) -> Option<Vec<Column>> {
    let rows: Vec<Row<'_>> = slots.iter().filter_map(|(_, slot)| Row::of(slot)).collect();
    if rows.is_empty() {
        return None;
    }
    macro_rules! columns {
        ($($name:ident $of:literal: |$row:ident| $value:expr,)*) => {
            vec![$(Column {
                name: stringify!($name),
                of: $of,
                values: column(&rows, |$row| $value),
            }),*]
        };
    }
    let micros = Timestamp::as_microsecond;
    Some(columns! {
        memory "bigint": |row| row.slot.number,
        id "text": |row| row.memory.id.to_string(),
        scope "bigint": |row| row.slot.scope,
        kind "text": |row| row.memory.kind.as_str(),
        state "text": |row| row.memory.state.as_str(),
        trust "smallint": |row| row.memory.source.trust() as i16,
        session "text": |row| row.memory.conversation().map(ToOwned::to_owned),
        author "text": |row| row.memory.author().map(owned),
        key "text": |row| row.memory.key.as_deref().map(owned),
        fact_type "text": |row| row.memory.triple.as_ref().map(|triple| folded(&triple.fact_type)),
        subject "text": |row| row.memory.triple.as_ref().map(|triple| folded(&triple.subject)),
        predicate "text": |row| row.memory.triple.as_ref().map(|triple| folded(&triple.predicate)),
        object "text": |row| row.memory.triple.as_ref().map(|triple| folded(&triple.object)),
        confidence "bigint": |row| Order::Confidence.position(row.memory).key,
        event_at "bigint": |row| micros(row.memory.event_at),
        created_at "bigint": |row| micros(row.memory.created_at),
        written_at "bigint": |row| micros(row.memory.written_at()),
        expires_at "bigint": |row| row.memory.expires_at.map(micros),
        valid_until "bigint": |row| row.memory.valid_until.map(micros),
        version "bigint": |row| bounded(row.memory.version),
        bytes "bigint": |row| bounded(row.memory.content.bytes()),
        length "bigint": |row| i64::from(row.derived.analysed.length()),
        passages "bigint": |row| bounded(row.derived.analysed.passages.len()),
        assistant "boolean": |row| row.slot.assistant,
        question "boolean": |row| row.memory.is_question(),
        instructs "boolean": |row| row.memory.instructs,
        identity "bytea": |row| row.slot.identity.map(|identity| identity.to_vec()),
        labels "jsonb": |row| Json(labels::of(row.memory).to_string()),
        document "text": |row| row.derived.document.clone(),
        access_count "bigint": |row| bounded(row.accesses().count),
        accessed_at "bigint": |row| row.accesses().last_at.map(micros),
    })
}

/// A row, and where what it says comes from.
struct Row<'a> {
    slot: &'a Slot,
    memory: &'a Memory,
    derived: &'a Derived,
}

impl<'a> Row<'a> {
    fn of(slot: &'a Slot) -> Option<Self> {
        let content = slot.content.as_ref()?;
        Some(Self { slot, memory: content.memory(), derived: content.derived() })
    }

    /// Returns how often a memory was read before it came here.
    fn accesses(&self) -> Accesses {
        self.slot.created.as_ref().map_or(Accesses::default(), |it| it.memory().accesses)
    }
}

fn owned(text: &str) -> String {
    plain(text).into_owned()
}

fn folded(part: &str) -> String {
    owned(&fold(part))
}

/// A JSON document, as PostgreSQL takes one.
#[derive(Debug)]
struct Json(String);

impl ToSql for Json {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        // The version of its form.
        out.put_u8(1);
        out.put_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::JSONB
    }

    to_sql_checked!();
}
