use super::Engine;
use crate::error::{Error, Result};
use crate::model::{Caller, ChangeRecord, Job, JobId, Right, Task};

impl Engine {
    /// Returns jobs, the latest first: all of them to whoever administers the store, to others
    /// their own.
    pub async fn jobs(
        &self,
        caller: &Caller,
        task: Option<Task>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        let list = async {
            caller.require(Right::Read)?;
            let most = self.config.limits.search_results;
            if limit == 0 || limit > most {
                return Err(Error::invalid(format!("1 to {most} jobs are listed")));
            }
            let own = (!sees_all(caller)).then(|| caller.actor());
            let jobs = self.store.jobs(own, task, limit).await?;
            let now = self.now();
            Ok(jobs.into_iter().map(|job| Job { state: job.state_at(now), ..job }).collect())
        };
        list.await.map_err(|error: Error| error.during("jobs"))
    }

    /// Returns a job, with the changes that it made and the caller may see.
    pub async fn job(&self, caller: &Caller, id: &JobId) -> Result<(Job, Vec<ChangeRecord>)> {
        let look = async {
            let job = self.load_job(caller, id).await?;
            let changes = self.store.changes_of(caller.access(), id).await?;
            Ok((job, changes))
        };
        look.await.map_err(|error: Error| error.during("jobs"))
    }

    /// Loads a job that the caller may see.
    pub(super) async fn load_job(&self, caller: &Caller, id: &JobId) -> Result<Job> {
        caller.require(Right::Read)?;
        let found = self.store.job(id).await?;
        let seen = found.filter(|job| sees_all(caller) || job.actor == *caller.actor());
        let job = seen.ok_or_else(|| JobId::not_found(id.as_str()))?;
        Ok(Job { state: job.state_at(self.now()), ..job })
    }
}

fn sees_all(caller: &Caller) -> bool {
    caller.rights().contains(Right::Admin)
}
