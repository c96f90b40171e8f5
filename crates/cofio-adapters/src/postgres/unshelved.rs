//! Texts that stood on shelves and that no memory has any more.

use cofio::Result;
use cofio::model::{Identifier, Memory, MemoryId, Slot as Place, Unshelved};
use cofio::store::decode;
use tokio_postgres::Row;

use super::rows::{self, SCOPE, get};
use super::session::{Session, Sql};
use super::slot::{Content, Slot};

/// What is in every persisted memory whose text stands elsewhere.
const SIGN: &str = "\"standing\":";

/// Returns the SQL for where a document of a table says that its text stands; null if it stands in it.
///
/// PostgreSQL looks into no document that has a zero byte anywhere, so that another character is
/// there meanwhile; what only looks like a zero byte becomes another text, which nobody reads here.
pub(super) fn standing(table: &str) -> String {
    format!(
        r"(CASE WHEN strpos({table}.document, '{SIGN}') > 0
           THEN replace({table}.document, '\u0000', '\ufffd')::json -> 'standing' END)"
    )
}

/// Notes the texts of memories that are removed, and of their earlier versions.
pub(super) fn note(gone: &[(&MemoryId, &Slot)]) -> Vec<Sql> {
    let stored = gone.iter().filter(|(_, slot)| slot.stored.is_some());
    let stored: Vec<i64> = stored.map(|(_, slot)| slot.number).collect();
    let fresh: Vec<Fresh> = gone.iter().flat_map(|(id, slot)| Fresh::of(id, slot)).collect();
    let mut all = Vec::new();
    if !stored.is_empty() {
        let standing = standing("d");
        let sql = format!(
            "INSERT INTO unshelved (shelf, scope, id, edition)
             SELECT s.standing ->> 'shelf', s.scope, s.id, (s.standing ->> 'edition')::bigint
             FROM (
                 SELECT d.scope, d.id, {standing} AS standing FROM (
                     SELECT m.scope, m.id, m.document FROM memories AS m WHERE m.memory = ANY ($1)
                     UNION ALL
                     SELECT m.scope, m.id, v.document
                     FROM memories AS m JOIN versions AS v USING (memory) WHERE m.memory = ANY ($1)
                 ) AS d
             ) AS s
             WHERE s.standing IS NOT NULL
             ON CONFLICT DO NOTHING"
        );
        all.push(Sql::with(&sql, vec![Box::new(stored)]));
    }
    if !fresh.is_empty() {
        let column = |of: fn(&Fresh) -> String| fresh.iter().map(of).collect::<Vec<String>>();
        let scopes: Vec<i64> = fresh.iter().map(|one| one.scope).collect();
        let editions: Vec<i64> = fresh.iter().map(|one| one.edition).collect();
        let sql = "INSERT INTO unshelved (shelf, scope, id, edition)
                   SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[])
                   ON CONFLICT DO NOTHING";
        all.push(Sql::with(
            sql,
            vec![
                Box::new(column(|one| one.shelf.clone())),
                Box::new(scopes),
                Box::new(column(|one| one.id.clone())),
                Box::new(editions),
            ],
        ));
    }
    all
}

/// A text that was written and removed in one go.
struct Fresh {
    shelf: String,
    scope: i64,
    id: String,
    edition: i64,
}

impl Fresh {
    fn of(id: &MemoryId, slot: &Slot) -> Vec<Self> {
        let earlier = slot.earlier.iter().filter(|version| version.document.contains(SIGN));
        let earlier: Vec<Memory> =
            earlier.filter_map(|version| decode(&version.document).ok()).collect();
        let written = slot.content.as_ref().map(Content::memory);
        let standing = earlier.iter().chain(written).filter_map(|memory| memory.content.standing());
        standing
            .map(|standing| Self {
                shelf: standing.shelf.to_string(),
                scope: slot.scope,
                id: id.to_string(),
                edition: standing.edition.cast_signed(),
            })
            .collect()
    }
}

/// Returns some of the texts that were noted.
pub(super) async fn list(
    session: &Session,
    shelf: &Identifier,
    limit: usize,
) -> Result<Vec<Unshelved>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let sql = format!(
        "SELECT u.shelf, u.id, u.edition, {SCOPE}
         FROM unshelved AS u JOIN scopes AS s USING (scope) WHERE u.shelf = $1 LIMIT $2"
    );
    let read = |row: &Row| {
        let (shelf, id, edition): (&str, &str, i64) = (get(row, 0)?, get(row, 1)?, get(row, 2)?);
        let edition = edition.cast_unsigned();
        let slot = Place { scope: rows::scope(row, 3)?, id: id.parse()?, edition };
        Ok(Unshelved { shelf: Identifier::new(shelf)?, slot })
    };
    session.query(&sql, &[&shelf.as_str(), &limit]).await?.iter().map(read).collect()
}

/// Strikes texts off.
pub(super) async fn strike_off(session: &Session, gone: &[Unshelved]) -> Result<()> {
    let column = |of: fn(&Unshelved) -> String| gone.iter().map(of).collect::<Vec<String>>();
    let editions: Vec<i64> = gone.iter().map(|one| one.slot.edition.cast_signed()).collect();
    let sql = "DELETE FROM unshelved AS u
               USING unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
                         AS g (shelf, scope, id, edition), scopes AS s
               WHERE s.text = g.scope AND u.shelf = g.shelf AND u.scope = s.scope
                 AND u.id = g.id AND u.edition = g.edition";
    session
        .execute(
            sql,
            &[
                &column(|one| one.shelf.to_string()),
                &column(|one| one.slot.scope.to_string()),
                &column(|one| one.slot.id.to_string()),
                &editions,
            ],
        )
        .await
        .map(drop)
}
