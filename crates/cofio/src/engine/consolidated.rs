use super::{Engine, check_open};
use crate::error::{Error, Result};
use crate::model::{
    Caller, Counts, Identifier, Job, Memory, Portion, Right, Scope, Stage, Task, Timestamp, Work,
};

impl Engine {
    /// Returns turns of a conversation that nobody has read for facts yet, at most so many; what was
    /// said first comes first.
    pub async fn unread_turns(
        &self,
        caller: &Caller,
        scopes: &[Scope],
        conversation: &Identifier,
        limit: usize,
    ) -> Result<Vec<Memory>> {
        let read = async {
            caller.require(Right::Read)?;
            self.unread(caller, scopes, conversation, limit, self.now()).await
        };
        read.await.map_err(|error: Error| error.during("unread_turns"))
    }

    /// Puts on record that somebody has read a conversation for facts, so that no job does so again.
    ///
    /// The ledger has it as a job, which is returned; there is none if nothing was left to read.
    pub async fn mark_consolidated(
        &self,
        caller: &Caller,
        scopes: &[Scope],
        conversation: &Identifier,
    ) -> Result<Option<Job>> {
        let mark = async {
            caller.require(Right::Read)?;
            caller.require(Right::Write)?;
            let now = self.now();
            let turns = self.unread(caller, scopes, conversation, usize::MAX, now).await?;
            if turns.is_empty() {
                return Ok(None);
            }
            let job = self.reading(caller, turns.len() as u64, now);
            let through = turns.into_iter().map(|turn| (turn.id, Stage::Consolidated)).collect();
            let work = Work { through, ..Work::on(job.clone()) };
            self.commit_work(caller, now, Vec::new(), Vec::new(), work).await?;
            Ok(Some(job))
        };
        mark.await.map_err(|error: Error| error.during("mark_consolidated"))
    }

    async fn unread(
        &self,
        caller: &Caller,
        scopes: &[Scope],
        conversation: &Identifier,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Memory>> {
        let mut turns = Vec::new();
        for scope in scopes {
            check_open(caller, scope)?;
            let portion = Portion {
                stage: Stage::Consolidated,
                scope: scope.clone(),
                conversation: Some(conversation.clone()),
                now,
                limit,
            };
            turns.extend(self.store.first_waiting(&portion).await?);
        }
        turns.sort_by(|one, other| (one.event_at, &one.id).cmp(&(other.event_at, &other.id)));
        turns.truncate(limit);
        Ok(turns)
    }

    /// Returns the job of somebody who has read so many turns.
    fn reading(&self, caller: &Caller, looked_at: u64, now: Timestamp) -> Job {
        let counts = Counts { looked_at, ..Counts::default() };
        self.done_by_hand(caller, Task::Consolidate, counts, now)
    }
}
