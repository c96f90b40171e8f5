//! The ledger of jobs, what they have come to, and who may run them.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::filter::{self, Condition};
use super::read::{self, MEMORY, SCOPE, collect};
use super::unexpected;
use crate::error::Result;
use crate::model::{
    Access, Identifier, Job, JobId, Memory, MemoryId, Portion, Scope, Stage, Task, Timestamp,
    Waiting, Work,
};
use crate::store::document::moment;
use crate::store::{LONGEST_LEASE, decode_job, encode_job};

/// Keeps the jobs of a commit as they are afterwards, and returns the number of the one whose work
/// it is.
pub(super) fn keep(connection: &Connection, work: &Work) -> Result<i64> {
    if let Some(other) = &work.other {
        put(connection, other)?;
    }
    put(connection, &work.job)
}

/// Notes which memories came through a stage, and which have to come through it again.
pub(super) fn keep_stages(connection: &Connection, job: i64, work: &Work) -> Result<()> {
    if let Some(again) = &work.again {
        connection
            .execute(
                "DELETE FROM stages WHERE job = (SELECT job FROM jobs WHERE id = ?)",
                [again.as_str()],
            )
            .map_err(unexpected)?;
    }
    let mut insert = connection
        .prepare_cached(
            "INSERT INTO stages (memory, stage, job) SELECT memory, ?, ? FROM memories WHERE id = ?
             ON CONFLICT DO NOTHING",
        )
        .map_err(unexpected)?;
    for (id, stage) in &work.through {
        insert.execute(params![stage.as_str(), job, id.as_str()]).map_err(unexpected)?;
    }
    Ok(())
}

/// Keeps a job no longer in which nothing was done or spent.
pub(super) fn dismiss(connection: &Connection, job: &JobId) -> Result<()> {
    connection
        .prepare_cached(
            "DELETE FROM jobs WHERE id = ?
             AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.job = jobs.job)
             AND NOT EXISTS (SELECT 1 FROM stages WHERE stages.job = jobs.job)
             AND NOT EXISTS (SELECT 1 FROM spending WHERE spending.job = jobs.id)",
        )
        .and_then(|mut delete| delete.execute([job.as_str()]))
        .map(drop)
        .map_err(unexpected)
}

/// Lets a memory that changed come through stages again: if its text is the same, through those that
/// are not of its text.
pub(super) fn begin_again(connection: &Connection, number: i64, same_text: bool) -> Result<()> {
    let mut delete = connection
        .prepare_cached("DELETE FROM stages WHERE memory = ? AND stage = ?")
        .map_err(unexpected)?;
    for stage in Stage::ALL.iter().filter(|stage| !same_text || !stage.is_of_text()) {
        delete.execute(params![number, stage.as_str()]).map_err(unexpected)?;
    }
    Ok(())
}

fn put(connection: &Connection, job: &Job) -> Result<i64> {
    connection
        .prepare_cached(
            "INSERT INTO jobs (id, task, actor, started_at, record) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET record = excluded.record RETURNING job",
        )
        .and_then(|mut insert| {
            let started_at = job.started_at.as_microsecond();
            let (id, task, actor) = (job.id.as_str(), job.task.as_str(), job.actor.as_str());
            let values = params![id, task, actor, started_at, encode_job(job)];
            insert.query_row(values, |row| row.get(0))
        })
        .map_err(unexpected)
}

/// Returns jobs, the latest first.
pub(super) fn list(
    connection: &Connection,
    actor: Option<&Identifier>,
    task: Option<Task>,
    limit: usize,
) -> Result<Vec<Job>> {
    let mut condition = Condition::always();
    if let Some(actor) = actor {
        condition.and("actor = ?", [Sql::from(actor.as_str().to_owned())]);
    }
    if let Some(task) = task {
        condition.and("task = ?", [Sql::from(task.as_str().to_owned())]);
    }
    let sql = format!(
        "SELECT record FROM jobs WHERE {} ORDER BY started_at DESC, id DESC LIMIT ?",
        condition.sql
    );
    let limit = Sql::from(i64::try_from(limit).unwrap_or(i64::MAX));
    collect(connection, &sql, condition.values.into_iter().chain([limit]), |row| {
        decode_job(&row.get::<_, String>(0).map_err(unexpected)?)
    })
}

/// Returns one job.
pub(super) fn find(connection: &Connection, id: &JobId) -> Result<Option<Job>> {
    let record: Option<String> = connection
        .query_row("SELECT record FROM jobs WHERE id = ?", [id.as_str()], |row| row.get(0))
        .optional()
        .map_err(unexpected)?;
    record.map(|record| decode_job(&record)).transpose()
}

/// Returns where memories have still to come through a stage, where access opens it; what was
/// learnt last comes last.
pub(super) fn waiting(
    connection: &Connection,
    access: &Access,
    stage: Stage,
    now: Timestamp,
) -> Result<Vec<Waiting>> {
    let open = filter::access(access);
    let conversation = match stage {
        Stage::Consolidated => "m.session",
        _ => "NULL",
    };
    let sql = format!(
        "SELECT {conversation}, count(*), max(m.created_at), {SCOPE}
         FROM memories AS m JOIN scopes AS s USING (scope)
         WHERE {} AND {} GROUP BY m.scope, {conversation} ORDER BY max(m.created_at), m.scope",
        not_through(stage),
        open.sql
    );
    let values = [Sql::from(now.as_microsecond())].into_iter().chain(open.values);
    collect(connection, &sql, values, |row| {
        let conversation: Option<String> = row.get(0).map_err(unexpected)?;
        Ok(Waiting {
            conversation: conversation.map(|name| Identifier::new(&name)).transpose()?,
            count: row.get(1).map_err(unexpected)?,
            latest_at: moment(row.get(2).map_err(unexpected)?)?,
            scope: read::scope(row, 3)?,
        })
    })
}

/// Returns the first memories of a scope, and of a conversation if one is named, that have not come
/// through a stage.
pub(super) fn first_waiting(connection: &Connection, portion: &Portion) -> Result<Vec<Memory>> {
    let Portion { stage, scope, conversation, now, limit } = portion;
    let Some(&scope) = read::scope_numbers(connection, std::slice::from_ref(scope))?.first() else {
        return Ok(Vec::new());
    };
    let mut values = vec![Sql::from(now.as_microsecond()), Sql::from(scope)];
    let mut named = "";
    if let Some(conversation) = conversation {
        named = "AND m.session = ?";
        values.push(conversation.as_str().to_owned().into());
    }
    values.push(i64::try_from(*limit).unwrap_or(i64::MAX).into());
    let sql = format!(
        "SELECT {MEMORY} FROM memories AS m WHERE {} AND m.scope = ? {named}
         ORDER BY m.event_at, m.id LIMIT ?",
        not_through(*stage)
    );
    collect(connection, &sql, values, read::memory)
}

/// Returns the memories of a scope that came through a stage.
pub(super) fn came_through(
    connection: &Connection,
    scope: &Scope,
    stage: Stage,
) -> Result<Vec<MemoryId>> {
    let Some(&scope) = read::scope_numbers(connection, std::slice::from_ref(scope))?.first() else {
        return Ok(Vec::new());
    };
    let sql = "SELECT m.id FROM memories AS m JOIN stages AS t USING (memory)
               WHERE m.scope = ? AND t.stage = ?";
    let values = [Sql::from(scope), Sql::from(stage.as_str().to_owned())];
    collect(connection, sql, values, |row| row.get::<_, String>(0).map_err(unexpected)?.parse())
}

/// Returns the condition on a memory `m` that it has still to come through a stage; its one value is
/// the moment.
fn not_through(stage: Stage) -> String {
    let meant = match stage {
        Stage::Consolidated => "m.kind = 'episode' AND m.session IS NOT NULL",
        Stage::Enriched => "m.kind IN ('episode', 'fact')",
        _ => "false",
    };
    format!(
        "{meant} AND m.state = 'active' AND (m.expires_at IS NULL OR m.expires_at > ?)
         AND NOT EXISTS (SELECT 1 FROM stages AS t
                         WHERE t.memory = m.memory AND t.stage = '{stage}')"
    )
}

/// Lets a holder do what only one may do at a time, unless somebody else does; returns whether it may.
pub(super) fn lease(
    connection: &Connection,
    name: &str,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool> {
    // One that ends later than any can was taken by a clock that was wrong.
    let latest = now.checked_add(LONGEST_LEASE).unwrap_or(Timestamp::MAX);
    let taken = connection
        .execute(
            "INSERT INTO leases (name, holder, until) VALUES (?1, ?2, ?3)
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
             WHERE holder = excluded.holder OR until <= ?4 OR until > ?5",
            params![
                name,
                holder,
                until.as_microsecond(),
                now.as_microsecond(),
                latest.as_microsecond()
            ],
        )
        .map_err(unexpected)?;
    Ok(taken > 0)
}
