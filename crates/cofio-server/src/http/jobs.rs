//! Work that goes on after its request was answered.
//!
//! It is known to this process alone: what ends with the process was accepted, not promised.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use cofio::ErrorKind;
use cofio::model::Identifier;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Value;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::failure::{Failure, Outcome, Said};

/// How many jobs run at the same time.
const RUNNING: usize = 16;

/// How many jobs of one caller run at the same time.
const RUNNING_EACH: usize = 4;

/// How many jobs are remembered.
const KEPT: usize = 1_000;

/// How many bytes of answers are remembered; the latest is, whatever its size.
const KEPT_BYTES: usize = 64 * 1024 * 1024;

/// When to try again if too many jobs run.
const PAUSE: Duration = Duration::from_secs(5);

/// Every job that runs, and those that ended lately.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    /// The oldest first.
    jobs: Mutex<VecDeque<Job>>,
    tasks: TaskTracker,
}

#[derive(Debug)]
struct Job {
    id: String,
    owner: Identifier,
    operation: &'static str,
    started_at: Timestamp,
    ended: Option<Ended>,
}

#[derive(Debug)]
struct Ended {
    at: Timestamp,
    outcome: Result<Arc<Value>, Said>,
    bytes: usize,
}

/// Work that was accepted.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct JobOutput {
    /// Where it is asked after: `/v1/jobs/` and this.
    pub(crate) id: String,
    /// What was asked for.
    operation: &'static str,
    /// How far it is.
    state: JobState,
    started_at: String,
    ended_at: Option<String>,
    /// What would have been answered.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shared")]
    #[schemars(with = "Option<Value>")]
    result: Option<Arc<Value>>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Said>,
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum JobState {
    Running,
    Done,
    Failed,
}

impl Jobs {
    /// Lets some work go on, and returns the job.
    pub(crate) fn start(
        self: &Arc<Self>,
        owner: &Identifier,
        operation: &'static str,
        work: impl Future<Output = Outcome<Value>> + Send + 'static,
    ) -> Outcome<JobOutput> {
        let job = Job::new(owner.clone(), operation);
        let (id, output) = (job.id.clone(), job.output());
        self.admit(job)?;
        let jobs = Arc::clone(self);
        self.tasks.spawn(async move {
            // Work that breaks down must not seem to go on for ever.
            let outcome = tokio::spawn(work).await.unwrap_or_else(|_| Err(broke_down()));
            jobs.end(&id, outcome.map_err(|failure| failure.during(operation).said()));
        });
        Ok(output)
    }

    /// Does some work to its end, even if nobody waits for it any more.
    pub(crate) async fn finish<T: Send + 'static>(
        &self,
        work: impl Future<Output = Outcome<T>> + Send + 'static,
    ) -> Outcome<T> {
        self.tasks.spawn(work).await.unwrap_or_else(|_| Err(broke_down()))
    }

    /// Returns somebody's jobs without what came of them, the latest first.
    pub(crate) fn of(&self, owner: &Identifier) -> Vec<JobOutput> {
        let jobs = self.lock();
        let own = jobs.iter().rev().filter(|job| job.owner == *owner);
        own.map(|job| JobOutput { result: None, ..job.output() }).collect()
    }

    /// Returns one of somebody's jobs.
    pub(crate) fn get(&self, owner: &Identifier, id: &str) -> Option<JobOutput> {
        let jobs = self.lock();
        jobs.iter().find(|job| job.id == id && job.owner == *owner).map(Job::output)
    }

    /// Returns how many run; none waits, as those that are too many are refused.
    pub(crate) fn running(&self) -> usize {
        running(&self.lock()).count()
    }

    /// Waits until no job runs.
    pub(crate) async fn ended(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn admit(&self, job: Job) -> Outcome<()> {
        let mut jobs = self.lock();
        let own = running(&jobs).filter(|other| other.owner == job.owner);
        let message = if own.count() >= RUNNING_EACH {
            Some("too many jobs of this caller are running; try again, or without respond-async")
        } else if running(&jobs).count() >= RUNNING {
            Some("too many jobs are running; try again, or without respond-async")
        } else {
            None
        };
        if let Some(message) = message {
            return Err(Failure::busy(StatusCode::SERVICE_UNAVAILABLE, message, PAUSE));
        }
        jobs.push_back(job);
        Ok(())
    }

    fn end(&self, id: &str, outcome: Result<Value, Said>) {
        let bytes = outcome.as_ref().map_or(0, length);
        let outcome = outcome.map(Arc::new);
        let mut jobs = self.lock();
        let Some(place) = jobs.iter().position(|job| job.id == id) else { return };
        jobs[place].ended = Some(Ended { at: Timestamp::now(), outcome, bytes });
        make_room(&mut jobs, id);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn running(jobs: &VecDeque<Job>) -> impl Iterator<Item = &Job> {
    jobs.iter().filter(|job| job.ended.is_none())
}

/// Forgets jobs that ended, until there is room again: those of whoever needs it first.
fn make_room(jobs: &mut VecDeque<Job>, latest: &str) {
    let owner = jobs.iter().find(|job| job.id == latest).map(|job| job.owner.clone());
    while jobs.len() > KEPT || jobs.iter().map(Job::bytes).sum::<usize>() > KEPT_BYTES {
        let can_go = |job: &Job| job.ended.is_some() && job.id != latest;
        let own = jobs.iter().position(|job| can_go(job) && Some(&job.owner) == owner.as_ref());
        let Some(oldest) = own.or_else(|| jobs.iter().position(can_go)) else { return };
        jobs.remove(oldest);
    }
}

/// Returns how long a value is as JSON, without writing it anywhere.
fn length(value: &Value) -> usize {
    struct Counted(usize);

    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut counted = Counted(0);
    // Counting cannot fail.
    let _ = serde_json::to_writer(&mut counted, value);
    counted.0
}

/// Writes a result that others have too.
#[expect(clippy::ref_option, reason = "it is called with a reference to the field")]
fn shared<S: Serializer>(result: &Option<Arc<Value>>, writer: S) -> Result<S::Ok, S::Error> {
    result.as_deref().serialize(writer)
}

fn broke_down() -> Failure {
    let message = "the work broke down, and may be done in part";
    let code = ErrorKind::Provider.code();
    Failure::new(StatusCode::INTERNAL_SERVER_ERROR, code, message)
}

impl Job {
    fn new(owner: Identifier, operation: &'static str) -> Self {
        let id = format!("job_{}", Uuid::now_v7().simple());
        Self { id, owner, operation, started_at: Timestamp::now(), ended: None }
    }

    fn bytes(&self) -> usize {
        self.ended.as_ref().map_or(0, |ended| ended.bytes)
    }

    fn output(&self) -> JobOutput {
        let (state, result, error) = match self.ended.as_ref().map(|ended| &ended.outcome) {
            None => (JobState::Running, None, None),
            Some(Ok(result)) => (JobState::Done, Some(Arc::clone(result)), None),
            Some(Err(error)) => (JobState::Failed, None, Some(error.clone())),
        };
        JobOutput {
            id: self.id.clone(),
            operation: self.operation,
            state,
            started_at: self.started_at.to_string(),
            ended_at: self.ended.as_ref().map(|ended| ended.at.to_string()),
            result,
            error,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::Poll;

    use super::*;
    use serde_json::json;
    use tokio::runtime::Builder;
    use tokio::task;

    fn ended(owner: &str, bytes: usize) -> Job {
        let owner = Identifier::new(owner).unwrap();
        let outcome = Ok(Arc::new(json!({})));
        let ended = Some(Ended { at: Timestamp::UNIX_EPOCH, outcome, bytes });
        Job { ended, ..Job::new(owner, "test") }
    }

    /// Checks how many jobs of each caller are left when the last one has ended.
    fn check(jobs: impl Iterator<Item = Job>, alice: usize, bob: usize) {
        let mut jobs: VecDeque<Job> = jobs.collect();
        let latest = jobs.back().unwrap().id.clone();
        make_room(&mut jobs, &latest);
        let count = |name: &str| jobs.iter().filter(|job| job.owner.as_str() == name).count();
        assert_eq!((count("alice"), count("bob")), (alice, bob));
        assert_eq!(jobs.back().unwrap().id, latest);
    }

    #[test]
    fn whoever_needs_room_gives_theirs_first() {
        let bobs = || (0..10).map(|_| ended("bob", 1));
        check(bobs().chain((0..KEPT).map(|_| ended("alice", 1))), KEPT - 10, 10);
        check(bobs().chain([ended("alice", KEPT_BYTES), ended("alice", 1)]), 1, 10);
        check(bobs().chain([ended("alice", KEPT_BYTES)]), 1, 0);
        check([ended("alice", KEPT_BYTES + 1)].into_iter(), 1, 0);
    }

    #[test]
    fn a_job_is_its_owners() {
        let jobs = Jobs::default();
        let (alice, bob) = (Identifier::new("alice").unwrap(), Identifier::new("bob").unwrap());
        jobs.lock().push_back(ended("alice", 2));
        let id = jobs.of(&alice)[0].id.clone();
        assert!(jobs.get(&alice, &id).unwrap().result.is_some());
        assert!(jobs.get(&bob, &id).is_none());
        assert!(jobs.of(&bob).is_empty());
    }

    #[test]
    fn only_so_many_run_at_once() {
        let jobs = Jobs::default();
        let name = |number: usize| Identifier::new(&format!("user-{number}")).unwrap();
        let admit = |number: usize| jobs.admit(Job::new(name(number), "test"));
        for owner in 0..RUNNING / RUNNING_EACH {
            (0..RUNNING_EACH).for_each(|_| admit(owner).unwrap());
            // Whoever has as many as they may leaves room for others.
            assert_eq!(admit(owner).unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE);
        }
        assert_eq!(admit(RUNNING).unwrap_err().status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(jobs.running(), RUNNING);
        let first = jobs.of(&name(0)).pop().unwrap().id;
        jobs.end(&first, Ok(json!({})));
        assert_eq!(jobs.running(), RUNNING - 1);
        admit(RUNNING).unwrap();
    }

    #[test]
    fn a_result_is_counted_as_it_is_written_and_kept_once() {
        let value = json!({ "results": [1, 2.5, "\u{e9}\n\"", null, true] });
        assert_eq!(length(&value), value.to_string().len());
        let jobs = Jobs::default();
        jobs.lock().push_back(ended("alice", 2));
        let alice = Identifier::new("alice").unwrap();
        let id = jobs.of(&alice)[0].id.clone();
        let [first, second] = [0; 2].map(|_| jobs.get(&alice, &id).unwrap().result.unwrap());
        assert!(Arc::ptr_eq(&first, &second));
    }

    #[test]
    fn what_runs_is_never_forgotten() {
        let running = || Job { ended: None, ..ended("alice", 0) };
        let jobs = (0..KEPT).map(|_| running()).chain([ended("alice", 0)]);
        check(jobs, KEPT + 1, 0);
    }

    #[test]
    fn work_comes_to_its_end_when_nobody_waits_for_it_any_more() {
        let done = Arc::new(AtomicBool::new(false));
        let work = {
            let done = Arc::clone(&done);
            async move {
                task::yield_now().await;
                done.store(true, Ordering::Relaxed);
                Ok(())
            }
        };
        Builder::new_current_thread().build().unwrap().block_on(async {
            let jobs = Jobs::default();
            {
                let mut waiting = pin!(jobs.finish(work));
                let poll_once = std::future::poll_fn(|context| {
                    assert!(waiting.as_mut().poll(context).is_pending());
                    Poll::Ready(())
                });
                poll_once.await;
            }
            jobs.ended().await;
        });
        assert!(done.load(Ordering::Relaxed));
    }
}
