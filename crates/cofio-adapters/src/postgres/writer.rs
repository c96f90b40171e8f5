//! The one task that writes: it commits what has gathered together.
//!
//! Whoever writes locks the head of the store, so that commits come one after the other anyway; those
//! of one process share a transaction.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cofio::model::{Outcome, Reading, Scope};
use cofio::store::kit::Ready;
use cofio::{Error, ErrorKind, Result};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, timeout};

use super::audit::Head;
use super::connections::Connections;
use super::failure::{is_collision, is_lost, is_of_one_write, is_unheard_of, not_begun, undecided};
use super::flush::flush;
use super::load::{Asked, load};
use super::rows::{bounded, get};
use super::session::Session;
use super::world::{World, Written};
use crate::retry::Retry;

/// How many requests are committed together at most.
const GROUP: usize = 256;

/// How long what nobody waits for waits for others to be written with.
const SOON: Duration = Duration::from_millis(200);

/// How often a transaction is tried again that failed because of others, or of its connection.
const RETRY: Retry = Retry {
    retries: 5,
    first_delay: Duration::from_millis(80),
    factor: 2.0,
    longest_delay: Duration::from_millis(1_280),
    deadline: Duration::MAX,
};

/// How often it is asked what became of one.
const ASKING: Retry = Retry {
    first_delay: Duration::from_millis(50),
    longest_delay: Duration::from_millis(800),
    ..RETRY
};

/// Hands work to the task.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: mpsc::UnboundedSender<Job>,
    waiting: Arc<AtomicUsize>,
}

type Reply = oneshot::Sender<Result<Vec<Outcome>>>;

enum Job {
    Write(Write),
    Settle(oneshot::Sender<()>),
}

/// What is written in one transaction with others.
enum Write {
    Commit(Arc<Ready>, Reply),
    /// Keeps scopes in mind.
    Know(Vec<Scope>, Reply),
    CommitSoon(Arc<Ready>),
    Observe(Box<Reading>),
}

impl Writer {
    /// Starts the task; it ends when the writer is dropped and everything is done.
    pub(super) fn start(connections: Connections) -> (Self, impl Future<Output = ()>) {
        let (jobs, queue) = mpsc::unbounded_channel();
        let waiting = Arc::<AtomicUsize>::default();
        let task = run(connections, queue, Arc::clone(&waiting));
        (Self { jobs, waiting }, task)
    }

    /// Commits together with what others are committing at the moment.
    pub(super) async fn commit(&self, ready: Ready) -> Result<Vec<Outcome>> {
        self.write(|reply| Write::Commit(Arc::new(ready), reply)).await
    }

    /// Keeps scopes in mind, together with what others are committing at the moment.
    pub(super) async fn know(&self, scopes: Vec<Scope>) -> Result<()> {
        self.write(|reply| Write::Know(scopes, reply)).await.map(drop)
    }

    async fn write(&self, write: impl FnOnce(Reply) -> Write) -> Result<Vec<Outcome>> {
        let (reply, answer) = oneshot::channel();
        self.hand_over(Job::Write(write(reply)))?;
        answer.await.map_err(|_| stopped())?
    }

    /// Commits soon, without anybody waiting for it.
    pub(super) fn commit_soon(&self, ready: Ready) {
        // A store that has stopped commits nothing.
        let _ = self.hand_over(Job::Write(Write::CommitSoon(Arc::new(ready))));
    }

    /// Records a reading soon.
    pub(super) fn observe(&self, reading: Reading) {
        // A store that has stopped has nothing left to record.
        let _ = self.hand_over(Job::Write(Write::Observe(Box::new(reading))));
    }

    /// Waits until everything handed over before is done.
    pub(super) async fn settle(&self) -> Result<()> {
        let (reply, answer) = oneshot::channel();
        self.hand_over(Job::Settle(reply))?;
        answer.await.map_err(|_| stopped())
    }

    /// Returns how much is not begun yet.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn hand_over(&self, job: Job) -> Result<()> {
        // Before it can be taken, so that the count never falls below zero.
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.jobs.send(job).map_err(|_| stopped())
    }
}

fn stopped() -> Error {
    Error::new(ErrorKind::Provider, "the store in PostgreSQL was closed")
}

async fn run(
    connections: Connections,
    mut queue: mpsc::UnboundedReceiver<Job>,
    waiting: Arc<AtomicUsize>,
) {
    while let Some(first) = queue.recv().await {
        let group = gather(first, &mut queue).await;
        waiting.fetch_sub(group.len(), Ordering::Relaxed);
        let (mut writes, mut settled) = (Vec::new(), Vec::new());
        for job in group {
            match job {
                Job::Write(write) => writes.push(write),
                Job::Settle(reply) => settled.push(reply),
            }
        }
        for portion in portions(writes) {
            write(&connections, portion).await;
        }
        for reply in settled {
            let _ = reply.send(());
        }
    }
}

/// Returns something to do with what has gathered; what nobody waits for has time.
async fn gather(first: Job, queue: &mut mpsc::UnboundedReceiver<Job>) -> Vec<Job> {
    let has_time = |job: &Job| matches!(job, Job::Write(Write::CommitSoon(_) | Write::Observe(_)));
    let mut group = vec![first];
    while group.len() < GROUP {
        let next = if group.iter().all(has_time) {
            timeout(SOON, queue.recv()).await.ok().flatten()
        } else {
            queue.try_recv().ok()
        };
        match next {
            Some(next) => group.push(next),
            None => break,
        }
    }
    group
}

/// Returns what is written together: a job's commit is alone, as it may be about anything.
fn portions(writes: Vec<Write>) -> Vec<Vec<Write>> {
    let mut portions: Vec<Vec<Write>> = Vec::new();
    let mut alone = true;
    for write in writes {
        let of_job = write.ready().is_some_and(|ready| ready.commit.work.is_some());
        match portions.last_mut().filter(|_| !alone && !of_job) {
            Some(portion) => portion.push(write),
            None => portions.push(vec![write]),
        }
        alone = of_job;
    }
    portions
}

impl Write {
    fn ready(&self) -> Option<&Arc<Ready>> {
        match self {
            Self::Commit(ready, _) | Self::CommitSoon(ready) => Some(ready),
            Self::Know(..) | Self::Observe(_) => None,
        }
    }

    fn answer(self, answer: Result<Vec<Outcome>>) {
        if let Self::Commit(_, reply) | Self::Know(_, reply) = self {
            // Nobody may be waiting any more; then the answer is dropped.
            let _ = reply.send(answer);
        }
    }
}

/// Writes everything in one transaction, and answers those who wait.
async fn write(connections: &Connections, writes: Vec<Write>) {
    match write_together(connections, &writes).await {
        Ok(answers) => {
            for (write, answer) in writes.into_iter().zip(answers) {
                write.answer(answer);
            }
        }
        Err(error) if writes.len() > 1 && is_of_one_write(&error) => {
            write_alone(connections, writes).await;
        }
        // Nothing was committed, and each of them alone would fare no better.
        Err(error) => {
            for write in writes {
                write.answer(Err(again(&error)));
            }
        }
    }
}

/// Writes each in a transaction of its own, until one fails for a reason that the rest has as well.
async fn write_alone(connections: &Connections, writes: Vec<Write>) {
    let mut stopped_by = None;
    for write in writes {
        if let Some(error) = &stopped_by {
            write.answer(Err(again(error)));
            continue;
        }
        let answer = write_together(connections, std::slice::from_ref(&write)).await;
        if let Err(error) = &answer
            && !is_of_one_write(error)
        {
            // What became of this one may be unknown; the others were not begun.
            stopped_by = Some(if error.is_undecided() { not_begun() } else { again(error) });
        }
        write.answer(answer.and_then(only));
    }
}

fn only(answers: Vec<Result<Vec<Outcome>>>) -> Result<Vec<Outcome>> {
    answers.into_iter().next().unwrap_or_else(|| Ok(Vec::new()))
}

/// Returns an error once more, for another who waits.
fn again(error: &Error) -> Error {
    let copy = Error::new(error.kind(), error.to_string());
    error.details().iter().fold(copy, |copy, (name, value)| copy.with(name, value.clone()))
}

/// What is told of each write, if the transaction is kept.
type Answers = Vec<Result<Vec<Outcome>>>;

/// Tries a transaction until it is certain what became of it.
async fn write_together(connections: &Connections, writes: &[Write]) -> Result<Answers> {
    let mut retries = 0;
    loop {
        match attempt_once(connections, writes).await {
            Ok(Attempt::Done(answers)) => return Ok(answers),
            Ok(Attempt::Unknown { trace, answers }) => {
                if was_committed(connections, &trace).await? {
                    return Ok(answers);
                }
            }
            Err(error) if is_lost(&error) || is_collision(&error) => {
                if retries >= RETRY.retries {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
        if retries >= RETRY.retries {
            return Err(Error::new(ErrorKind::Provider, "PostgreSQL ended every connection"));
        }
        connections.renew();
        sleep(RETRY.pause(retries)).await;
        retries += 1;
    }
}

/// What became of a transaction.
enum Attempt {
    Done(Answers),
    /// The connection was lost while it was being committed.
    Unknown {
        trace: Trace,
        answers: Answers,
    },
}

/// By what a transaction is known again.
struct Trace {
    transaction: String,
    /// The last entry of its audit.
    entry: Option<(i64, String)>,
    /// The last of its changes.
    change: Option<(i64, String)>,
}

async fn attempt_once(connections: &Connections, writes: &[Write]) -> Result<Attempt> {
    let mut session = Session::write(connections).await?;
    let written = write_in(&mut session, connections.schema(), writes).await;
    let (trace, answers, changed) = match written {
        Ok(written) => written,
        Err(error) => return session.end(Err(error)),
    };
    if !changed {
        return session.end(Ok(Attempt::Done(answers)));
    }
    match session.commit().await {
        Ok(()) => Ok(Attempt::Done(answers)),
        Err(error) if is_lost(&error) => Ok(Attempt::Unknown { trace, answers }),
        Err(error) => Err(error),
    }
}

async fn write_in(
    session: &mut Session,
    schema: &str,
    writes: &[Write],
) -> Result<(Trace, Answers, bool)> {
    let (head, transaction) = Head::lock(session).await?;
    let mut asked = Asked::default();
    for write in writes {
        match write {
            Write::Commit(ready, _) | Write::CommitSoon(ready) => {
                asked.commits.push(Arc::clone(ready));
            }
            Write::Know(scopes, _) => asked.scopes.extend(scopes),
            Write::Observe(reading) => asked.readings.push(reading),
        }
    }
    let mut world = load(session, head, &asked).await?;
    let mut answers = Vec::with_capacity(writes.len());
    for write in writes {
        answers.push(match write {
            Write::Commit(ready, _) | Write::CommitSoon(ready) => world.commit(ready),
            Write::Know(scopes, _) => {
                world.know(scopes);
                Ok(Vec::new())
            }
            Write::Observe(reading) => {
                world.observe(reading);
                Ok(Vec::new())
            }
        });
    }
    let changed = world.is_changed();
    if changed {
        flush(session, schema, &world).await?;
    }
    Ok((Trace::of(transaction, &world), answers, changed))
}

impl Trace {
    fn of(transaction: String, world: &World) -> Self {
        let Written { entries, changes, .. } = &world.written;
        let entry = entries.last();
        let change = changes.last();
        Self {
            transaction,
            entry: entry.map(|entry| (bounded(entry.record.sequence), entry.hash.clone())),
            change: change.map(|change| (bounded(change.sequence), change.id.to_string())),
        }
    }
}

/// Asks what became of a transaction, on another connection.
async fn was_committed(connections: &Connections, trace: &Trace) -> Result<bool> {
    let (begun, mut times, mut last) = (Instant::now(), 0, None);
    while begun.elapsed() < connections.patience() {
        match fate(connections, trace).await {
            Ok(Some(committed)) => return Ok(committed),
            Ok(None) => {}
            Err(error) => {
                connections.renew();
                last = Some(error);
            }
        }
        sleep(ASKING.pause(times)).await;
        times += 1;
    }
    Err(undecided(last))
}

/// Returns whether a transaction was committed, unless it is still under way.
async fn fate(connections: &Connections, trace: &Trace) -> Result<Option<bool>> {
    let session = Session::single(connections).await?;
    let sql = "SELECT pg_xact_status($1::text::xid8)";
    let rows = session.query(sql, &[&trace.transaction]).await;
    let status = session.end(rows.and_then(|rows| get::<Option<String>>(&rows[0], 0)));
    match status {
        Ok(status) => match status.as_deref() {
            // A server that has crashed gives the names that it has not written down to others.
            Some("committed") => has_left(connections, trace).await.map(Some),
            Some("aborted") => Ok(Some(false)),
            _ => Ok(None),
        },
        Err(error) if is_unheard_of(&error) => Ok(Some(false)),
        Err(error) => Err(error),
    }
}

/// Returns whether a transaction has left what it would have.
async fn has_left(connections: &Connections, trace: &Trace) -> Result<bool> {
    let (entry, hash) = trace.entry.clone().unzip();
    let (change, id) = trace.change.clone().unzip();
    let mut session = Session::read(connections).await?;
    session.open_all().await?;
    let sql = "SELECT ($1::bigint IS NULL
                       OR EXISTS (SELECT FROM audit WHERE sequence = $1 AND hash = $2))
                  AND ($3::bigint IS NULL
                       OR EXISTS (SELECT FROM changes WHERE sequence = $3 AND id = $4))";
    let rows = session.query(sql, &[&entry, &hash, &change, &id]).await;
    let left = rows.and_then(|rows| get(&rows[0], 0));
    session.end(left)
}
