//! Making the index anew when another version of the analyser made it.

use cofio::Result;
use cofio::store::decode_analysed;
use cofio::text::ANALYSER_VERSION;

use super::audit::Head;
use super::connections::Connections;
use super::rows::get;
use super::schema::is_outdated;
use super::session::Session;
use super::terms::Terms;

/// How many memories are read at a time.
const PIECE: i64 = 1_000;

/// Makes the index anew if it is of an older analyser; refuses one of a newer.
pub(super) async fn if_outdated(connections: &Connections) -> Result<()> {
    let mut session = Session::write(connections).await?;
    let rebuilt = rebuild(&mut session).await;
    session.finish(rebuilt).await
}

async fn rebuild(session: &mut Session) -> Result<()> {
    if !is_outdated(&analyser(session).await?)? {
        return Ok(());
    }
    Head::lock(session).await?;
    // Another process may have done it while this one waited.
    if !is_outdated(&analyser(session).await?)? {
        return Ok(());
    }
    session.open_all().await?;
    session.execute("DELETE FROM passages", &[]).await?;
    let mut last = 0;
    while let Some(next) = rebuild_piece(session, last).await? {
        last = next;
    }
    session
        .execute(
            "UPDATE scopes AS s SET passages = (
                 SELECT coalesce(sum(m.passages), 0) FROM memories AS m WHERE m.scope = s.scope)",
            &[],
        )
        .await?;
    let version = ANALYSER_VERSION.to_string();
    session
        .execute("UPDATE settings SET value = $1 WHERE name = 'analyser'", &[&version])
        .await
        .map(drop)
}

async fn analyser(session: &Session) -> Result<String> {
    let rows = session.query("SELECT value FROM settings WHERE name = 'analyser'", &[]).await?;
    rows.first().map_or_else(|| Ok(String::new()), |row| get(row, 0))
}

/// Indexes some memories, and returns the last of them.
async fn rebuild_piece(session: &Session, after: i64) -> Result<Option<i64>> {
    let sql = "SELECT memory, scope, document FROM memories WHERE memory > $1
               ORDER BY memory LIMIT $2";
    let rows = session.query(sql, &[&after, &PIECE]).await?;
    let (mut memories, mut places) = (Vec::new(), Vec::new());
    let (mut scopes, mut terms) = (Vec::new(), Vec::new());
    let (mut numbers, mut counts, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    for row in &rows {
        let (memory, scope): (i64, i64) = (get(row, 0)?, get(row, 1)?);
        let (_, analysed) = decode_analysed(get(row, 2)?)?;
        for (place, passage) in (0_i32..).zip(&analysed.passages) {
            memories.push(memory);
            places.push(place);
            scopes.push(scope);
            terms.push(Terms::of(passage, scope));
        }
        numbers.push(memory);
        counts.push(i32::try_from(analysed.passages.len()).unwrap_or(i32::MAX));
        lengths.push(i64::from(analysed.length()));
    }
    session
        .execute(
            "INSERT INTO passages (memory, passage, scope, terms)
             SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::tsvector[])",
            &[&memories, &places, &scopes, &terms],
        )
        .await?;
    session
        .execute(
            "UPDATE memories AS m SET passages = c.passages, length = c.length
             FROM unnest($1::bigint[], $2::integer[], $3::bigint[]) AS c (memory, passages, length)
             WHERE m.memory = c.memory",
            &[&numbers, &counts, &lengths],
        )
        .await?;
    Ok(numbers.last().copied())
}
