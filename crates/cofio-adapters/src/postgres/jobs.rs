//! The ledger of jobs, what they have come to, and who may run them.

use cofio::Result;
use cofio::model::{
    Identifier, Job, JobId, Memory, MemoryId, Portion, Stage, Task, Timestamp, Waiting, Work,
};
use cofio::store::kit::moment;
use cofio::store::{LONGEST_LEASE, decode_job, encode_job};
use tokio_postgres::Row;

use super::plain::plain;
use super::rows::{self, MEMORY, SCOPE, bounded, count, get, parsed};
use super::session::{Session, Sql};

/// Returns what keeps the jobs of a commit as they are afterwards, and which memories came through a
/// stage.
pub(super) fn keep(work: &Work) -> Vec<Sql> {
    let mut all: Vec<Sql> = work.other.iter().chain([&work.job]).map(put).collect();
    if let Some(again) = &work.again {
        let values = vec![Box::new(again.to_string()) as _];
        all.push(Sql::with("DELETE FROM stages WHERE job = $1", values));
    }
    if !work.through.is_empty() {
        all.push(through(work));
    }
    all.extend(work.dismissed.as_ref().map(dismiss));
    all
}

fn through(work: &Work) -> Sql {
    let ids: Vec<String> = work.through.iter().map(|(id, _)| id.to_string()).collect();
    let stages: Vec<&str> = work.through.iter().map(|(_, stage)| stage.as_str()).collect();
    Sql::with(
        "INSERT INTO stages (memory, stage, scope, job)
         SELECT m.memory, t.stage, m.scope, $3
         FROM unnest($1::text[], $2::text[]) AS t (id, stage)
         JOIN memories AS m ON m.id = t.id COLLATE \"C\" ON CONFLICT DO NOTHING",
        vec![Box::new(ids), Box::new(stages), Box::new(work.job.id.to_string())],
    )
}

/// Returns what keeps a job no longer in which nothing was done or spent.
fn dismiss(job: &JobId) -> Sql {
    Sql::with(
        "DELETE FROM jobs WHERE id = $1
         AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.job = jobs.id)
         AND NOT EXISTS (SELECT 1 FROM stages WHERE stages.job = jobs.id)
         AND NOT EXISTS (SELECT 1 FROM spending WHERE spending.job = jobs.id)",
        vec![Box::new(job.to_string())],
    )
}

fn put(job: &Job) -> Sql {
    Sql::with(
        "INSERT INTO jobs (id, task, actor, started_at, record) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (id) DO UPDATE SET record = excluded.record",
        vec![
            Box::new(job.id.to_string()),
            Box::new(job.task.as_str()),
            Box::new(job.actor.to_string()),
            Box::new(job.started_at.as_microsecond()),
            Box::new(encode_job(job)),
        ],
    )
}

/// Returns jobs, the latest first.
pub(super) async fn list(
    session: &Session,
    actor: Option<&Identifier>,
    task: Option<Task>,
    limit: usize,
) -> Result<Vec<Job>> {
    let sql = "SELECT record FROM jobs
               WHERE ($1::text IS NULL OR actor = $1) AND ($2::text IS NULL OR task = $2)
               ORDER BY started_at DESC, id DESC LIMIT $3";
    let (actor, task) = (actor.map(Identifier::as_str), task.map(Task::as_str));
    let rows = session.query(sql, &[&actor, &task, &bounded(limit)]).await?;
    rows.iter().map(|row| decode_job(get(row, 0)?)).collect()
}

/// Returns one job.
pub(super) async fn find(session: &Session, id: &JobId) -> Result<Option<Job>> {
    let rows = session.query("SELECT record FROM jobs WHERE id = $1", &[&id.as_str()]).await?;
    rows.first().map(|row| decode_job(get(row, 0)?)).transpose()
}

/// Returns where memories have still to come through a stage; what was learnt last comes last.
pub(super) async fn waiting(
    session: &Session,
    stage: Stage,
    now: Timestamp,
) -> Result<Vec<Waiting>> {
    let conversation = match stage {
        Stage::Consolidated => "m.session",
        _ => "NULL::text",
    };
    let mut sql = Sql::default();
    let (within, condition) = (sql.within("m", session.open()), not_through(&mut sql, stage, now));
    sql.push(&format!(
        "SELECT g.conversation, g.count, g.latest, {SCOPE} FROM (
             SELECT m.scope, {conversation} AS conversation, count(*) AS count,
                    max(m.created_at) AS latest
             FROM memories AS m WHERE {condition} AND {within} GROUP BY 1, 2
         ) AS g JOIN scopes AS s USING (scope) ORDER BY g.latest, g.scope, g.conversation"
    ));
    let waiting = |row: &Row| {
        let conversation: Option<&str> = get(row, 0)?;
        Ok(Waiting {
            conversation: conversation.map(Identifier::new).transpose()?,
            count: count(row, 1)?,
            latest_at: moment(get(row, 2)?)?,
            scope: rows::scope(row, 3)?,
        })
    };
    session.run(&sql).await?.iter().map(waiting).collect()
}

/// Returns the first memories of a portion, whose scope is open.
pub(super) async fn first_waiting(session: &Session, portion: &Portion) -> Result<Vec<Memory>> {
    let Portion { stage, conversation, now, limit, .. } = portion;
    let mut sql = Sql::default();
    let within = sql.within("m", session.open());
    let condition = not_through(&mut sql, *stage, *now);
    let named = match conversation {
        Some(name) => format!("AND m.session = {}", sql.bind(name.to_string())),
        None => String::new(),
    };
    let limit = sql.bind(bounded(*limit));
    sql.push(&format!(
        "SELECT {MEMORY} FROM memories AS m WHERE {condition} AND {within} {named}
         ORDER BY m.event_at, m.id LIMIT {limit}"
    ));
    session.run(&sql).await?.iter().map(|row| rows::memory(row, 0)).collect()
}

/// Returns the memories that came through a stage.
pub(super) async fn came_through(session: &Session, stage: Stage) -> Result<Vec<MemoryId>> {
    let mut sql = Sql::default();
    let (within, stage) = (sql.within("m", session.open()), sql.bind(stage.as_str()));
    sql.push(&format!(
        "SELECT m.id FROM memories AS m JOIN stages AS t USING (memory)
         WHERE {within} AND t.stage = {stage}"
    ));
    session.run(&sql).await?.iter().map(|row| parsed(row, 0)).collect()
}

/// Returns the condition on a memory `m` that it has still to come through a stage.
fn not_through(sql: &mut Sql, stage: Stage, now: Timestamp) -> String {
    let meant = match stage {
        Stage::Consolidated => "m.kind = 'episode' AND m.session IS NOT NULL",
        Stage::Enriched => "m.kind IN ('episode', 'fact')",
        _ => "false",
    };
    let now = sql.bind(now.as_microsecond());
    format!(
        "{meant} AND m.state = 'active' AND (m.expires_at IS NULL OR m.expires_at > {now})
         AND NOT EXISTS (SELECT 1 FROM stages AS t
                         WHERE t.memory = m.memory AND t.stage = '{stage}')"
    )
}

/// Lets a holder do what only one may do at a time, unless somebody else does; returns whether it may.
pub(super) async fn lease(
    session: &Session,
    name: &str,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool> {
    // One that ends later than any can was taken by a clock that was wrong.
    let latest = now.checked_add(LONGEST_LEASE).unwrap_or(Timestamp::MAX);
    let taken = session
        .execute(
            "INSERT INTO leases AS l (name, holder, until) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
             WHERE l.holder = excluded.holder OR l.until <= $4 OR l.until > $5",
            &[
                &plain(name),
                &plain(holder),
                &until.as_microsecond(),
                &now.as_microsecond(),
                &latest.as_microsecond(),
            ],
        )
        .await?;
    Ok(taken > 0)
}
