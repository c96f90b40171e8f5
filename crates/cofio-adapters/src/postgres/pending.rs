//! Memories that wait for their vectors, and the model that makes them.

use cofio::Result;
use cofio::model::{Fingerprint, MemoryId, Timestamp};
use cofio::store::{Claimed, EmbeddingState};

use super::audit::Head;
use super::plain::{original, plain};
use super::rows::{self, MEMORY, MEMORY_COLUMNS, bounded, count, get};
use super::session::{Session, Sql};
use super::unshelved::standing;

/// Returns the model that memories are embedded with.
pub(super) async fn adopted(session: &Session) -> Result<Option<Fingerprint>> {
    let rows = session.query("SELECT value FROM settings WHERE name = 'model'", &[]).await?;
    rows.first().map(|row| Fingerprint::new(get::<&str>(row, 0)?)).transpose()
}

/// Returns how many memories of the open scopes have no vector of a model.
pub(super) async fn lacking(session: &Session, model: &Fingerprint) -> Result<u64> {
    let mut sql = Sql::default();
    let (pending, memories) = (sql.within("p", session.open()), sql.within("m", session.open()));
    let model = sql.bind(model.as_str().to_owned());
    sql.push(&format!(
        "SELECT CASE WHEN (SELECT value FROM settings WHERE name = 'model') = {model}
             THEN (SELECT count(*) FROM pending AS p WHERE {pending})
             ELSE (SELECT count(*) FROM memories AS m
                   WHERE {memories} AND m.fingerprint IS DISTINCT FROM {model}) END"
    ));
    count(&session.run(&sql).await?[0], 0)
}

/// Makes a claim end at another moment, for those memories that are still in it.
pub(super) async fn extend(
    session: &Session,
    ids: &[MemoryId],
    claim: Timestamp,
    until: Timestamp,
) -> Result<()> {
    let ids: Vec<&str> = ids.iter().map(MemoryId::as_str).collect();
    session
        .execute(
            "UPDATE pending SET claimed_until = $3 WHERE claimed_until = $2
             AND memory IN (SELECT memory FROM memories WHERE id = ANY ($1))",
            &[&ids, &claim.as_microsecond(), &until.as_microsecond()],
        )
        .await
        .map(drop)
}

/// Puts a memory aside that is still in a claim.
pub(super) async fn refuse(
    session: &Session,
    id: &MemoryId,
    claim: Timestamp,
    until: Timestamp,
    why: &str,
) -> Result<()> {
    session
        .execute(
            "UPDATE pending SET claimed_until = $3, refused_because = $4,
                    refusals = least(refusals, 1 << 30) + 1
             WHERE claimed_until = $2
               AND memory IN (SELECT memory FROM memories WHERE id = $1)",
            &[&id.as_str(), &claim.as_microsecond(), &until.as_microsecond(), &plain(why)],
        )
        .await
        .map(drop)
}

/// Makes a model the one that memories are embedded with, and puts into the queue what lacks it.
pub(super) async fn adopt(session: &Session, fingerprint: &Fingerprint) -> Result<bool> {
    if adopted(session).await?.as_ref() == Some(fingerprint) {
        return Ok(false);
    }
    // Nobody commits a vector meanwhile, and nobody else adopts.
    Head::lock(session).await?;
    if adopted(session).await?.as_ref() == Some(fingerprint) {
        return Ok(false);
    }
    session
        .execute(
            "INSERT INTO settings (name, value) VALUES ('model', $1)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            &[&fingerprint.as_str()],
        )
        .await?;
    // Whoever has claimed something embeds it with the earlier model.
    wait_anew(session).await?;
    Ok(true)
}

/// Lets exactly those memories wait that have no vectors of the adopted model; before one is, any
/// will do.
pub(super) async fn wait_anew(session: &Session) -> Result<()> {
    session.execute("DELETE FROM pending", &[]).await?;
    let standing = standing("m");
    let sql = format!(
        "INSERT INTO pending (memory, scope) SELECT m.memory, m.scope FROM memories AS m
         WHERE m.fingerprint IS NULL
            OR m.fingerprint <> (SELECT value FROM settings WHERE name = 'model')
            OR (NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.memory = m.memory)
                AND ({standing} ->> 'vectors') IS DISTINCT FROM 'true')"
    );
    session.execute(&sql, &[]).await.map(drop)
}

/// Hands out memories that nobody is embedding, and puts aside what cannot be read.
pub(super) async fn claim(
    session: &Session,
    now: Timestamp,
    until: Timestamp,
    limit: usize,
) -> Result<Vec<Claimed>> {
    let mut claimed = Vec::new();
    while claimed.len() < limit {
        let missing = bounded(limit - claimed.len());
        let sql = format!(
            "WITH free AS (
                 SELECT p.memory FROM pending AS p WHERE p.claimed_until <= $1
                 ORDER BY p.memory LIMIT $3 FOR UPDATE SKIP LOCKED
             ), taken AS (
                 UPDATE pending AS p SET claimed_until = $2 FROM free WHERE p.memory = free.memory
                 RETURNING p.memory, p.refusals
             )
             SELECT {MEMORY}, t.refusals, t.memory FROM taken AS t JOIN memories AS m USING (memory)
             ORDER BY t.memory"
        );
        let values = (now.as_microsecond(), until.as_microsecond());
        let rows = session.query(&sql, &[&values.0, &values.1, &missing]).await?;
        let before = claimed.len();
        for row in &rows {
            match rows::memory(row, 0) {
                Ok(memory) => {
                    let refusals: i32 = get(row, MEMORY_COLUMNS)?;
                    claimed.push(Claimed { memory, refusals: refusals.unsigned_abs() });
                }
                Err(error) => {
                    let number: i64 = get(row, MEMORY_COLUMNS + 1)?;
                    put_aside(session, number, &error.to_string()).await?;
                }
            }
        }
        // What is claimed until a moment that has come would be handed out for ever.
        if rows.len() == claimed.len() - before || until <= now {
            break;
        }
    }
    Ok(claimed)
}

async fn put_aside(session: &Session, number: i64, why: &str) -> Result<()> {
    session
        .execute(
            "UPDATE pending SET refused_because = $2, refusals = least(refusals, 1 << 30) + 1
             WHERE memory = $1",
            &[&number, &plain(why)],
        )
        .await
        .map(drop)
}

/// Returns how far the embedding of everything is.
pub(super) async fn state(session: &Session) -> Result<EmbeddingState> {
    let rows = session
        .query("SELECT (SELECT count(*) FROM pending), (SELECT count(*) FROM memories)", &[])
        .await?;
    let (pending, all) = (count(&rows[0], 0)?, count(&rows[0], 1)?);
    let model = adopted(session).await?;
    let mut retiring = models(session).await?;
    retiring.retain(|(_, fingerprint, _)| Some(fingerprint) != model.as_ref());
    Ok(EmbeddingState {
        model,
        embedded: all.saturating_sub(pending),
        pending,
        refused: refused(session).await?,
        retiring: retiring.into_iter().map(|(_, model, vectors)| (model, vectors)).collect(),
    })
}

/// Returns why memories could not be embedded, with how many.
async fn refused(session: &Session) -> Result<Vec<(String, u64)>> {
    let sql = "SELECT refused_because, count(*) FROM pending WHERE refused_because IS NOT NULL
               GROUP BY refused_because ORDER BY count(*) DESC, refused_because";
    let rows = session.query(sql, &[]).await?;
    rows.iter().map(|row| Ok((original(get(row, 0)?), count(row, 1)?))).collect()
}

/// Removes some vectors of models other than the adopted one, and returns how many are left.
pub(super) async fn retire(session: &Session, limit: usize) -> Result<u64> {
    let adopted = adopted(session).await?;
    let mut others = models(session).await?;
    others.retain(|(_, fingerprint, _)| Some(fingerprint) != adopted.as_ref());
    let numbers: Vec<i32> = others.iter().map(|(number, ..)| *number).collect();
    let removed = session
        .execute(
            "DELETE FROM vectors WHERE ctid = ANY (ARRAY(
                 SELECT ctid FROM vectors WHERE model = ANY ($1) ORDER BY model LIMIT $2))",
            &[&numbers, &bounded(limit)],
        )
        .await?;
    let all: u64 = others.iter().map(|(_, _, vectors)| vectors).sum();
    Ok(all.saturating_sub(removed))
}

/// Returns the models that vectors are kept of, with how many.
async fn models(session: &Session) -> Result<Vec<(i32, Fingerprint, u64)>> {
    let sql = "SELECT n.model, n.fingerprint, count(*) FROM models AS n JOIN vectors USING (model)
               GROUP BY n.model, n.fingerprint ORDER BY n.model";
    let rows = session.query(sql, &[]).await?;
    let model = |row| Ok((get(row, 0)?, Fingerprint::new(get::<&str>(row, 1)?)?, count(row, 2)?));
    rows.iter().map(model).collect()
}
