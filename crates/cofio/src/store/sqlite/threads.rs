//! The threads that own the connections, and what is handed to them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use async_channel::{Receiver, Sender};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::field::locked;
use super::head::HeadFile;
use super::readers::{Handed, ReadJob, Readers};
use super::{Begin, SqliteOptions, failed, unexpected, write};
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Outcome, Reading};
use crate::store::Backlog;
use crate::store::kit::{Bell, Ready};

/// How many requests are committed together at most.
const GROUP: usize = 256;

/// How long a note of a reading, or what else nobody waits for, waits for others to be written with.
///
/// Every write makes readers read their pages anew, so that a note at once would slow down the next
/// search.
const SOON: Duration = Duration::from_millis(200);

/// How long nothing is written before the head of the audit is kept outside the file.
const PAUSE: Duration = Duration::from_secs(1);

/// How often somebody looks for an answer that is about to arrive before going to sleep: some 20
/// microseconds, and waking up takes more.
const GLANCES: usize = 500;

/// How often a connection asks for its turn, about a millisecond apart, before it gives up.
const PATIENCE: i32 = 60_000;

/// How long a deletion waits for other readers before it leaves the clearing to a later one.
const CLEARING_TIMEOUT: Duration = Duration::from_millis(250);

/// Hands work to the threads; when dropped, waits until what was handed over is done.
#[derive(Debug)]
pub(super) struct Threads {
    /// Taken when everything was handed over.
    writer: Option<mpsc::Sender<WriteJob>>,
    waiting: Waiting,
    notes: Notes,
    bell: Arc<Bell>,
    /// Taken when the writer is the last one left.
    readers: Option<Readers>,
    thread: Option<JoinHandle<()>>,
}

type Task = Box<dyn FnOnce(&mut Connection) + Send>;
type Reply<T> = Sender<Result<T>>;
type Outcomes = Result<Vec<Outcome>>;

enum WriteJob {
    Commit(Box<Ready>, Reply<Vec<Outcome>>),
    CommitSoon(Box<Ready>),
    /// There are notes of readings again.
    Note,
    Settle(Reply<()>),
    Run(Task),
}

/// What was read and is not recorded yet.
type Notes = Arc<Mutex<Vec<Reading>>>;

/// How many jobs the writer has not come to yet.
type Waiting = Arc<AtomicUsize>;

impl Threads {
    /// Starts the threads; readers open their connections when they are first needed.
    pub(super) fn start(
        path: &Path,
        options: SqliteOptions,
        connection: Connection,
    ) -> Result<Self> {
        let (writer, write_jobs) = mpsc::channel();
        let (waiting, notes, bell) = (Waiting::default(), Notes::default(), Arc::default());
        let thread = spawn("cofio-writer", {
            // A log that is there may hold what another process deleted before it was killed.
            let uncleared = has_log(path);
            let (notes, bell) = (Arc::clone(&notes), Arc::clone(&bell));
            let (begin, head) = (options.begin, HeadFile::beside(path, options));
            let writer = Writer { connection, notes, bell, begin, uncleared, head };
            let jobs = Jobs { jobs: write_jobs, waiting: Arc::clone(&waiting) };
            move || writer.run(&jobs)
        })?;
        let readers = Some(Readers::start(path, options)?);
        Ok(Self { writer: Some(writer), waiting, notes, bell, readers, thread: Some(thread) })
    }

    /// Commits together with what others are committing at the moment.
    pub(super) async fn commit(&self, ready: Ready) -> Result<Vec<Outcome>> {
        let (reply, answer) = async_channel::bounded(1);
        let job = WriteJob::Commit(Box::new(ready), reply);
        self.hand_over(job)?;
        answer.recv().await.map_err(|_| stopped())?
    }

    /// Commits soon, without anybody waiting for it.
    pub(super) fn commit_soon(&self, ready: Ready) {
        // A store that has stopped commits nothing.
        let _ = self.hand_over(WriteJob::CommitSoon(Box::new(ready)));
    }

    /// Reads from one snapshot.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        task: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = async_channel::bounded(1);
        let job: ReadJob = Box::new(move |connection| {
            let answer = connection.and_then(|connection| snapshot(connection, task));
            // Nobody may be waiting any more; then the answer is dropped.
            Box::new(move || drop(reply.send_blocking(answer)))
        });
        let handed = self.readers.as_ref().ok_or_else(stopped)?.hand_over(job)?;
        // Behind others it takes longer than it is worth to look for the answer.
        let glances = if handed == Handed::Begun { GLANCES } else { 0 };
        match shortly(&answer, glances) {
            Some(answer) => answer,
            None => answer.recv().await.map_err(|_| stopped())?,
        }
    }

    /// Runs something on the connection that writes, between transactions.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        task: impl FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = async_channel::bounded(1);
        let job = WriteJob::Run(Box::new(move |connection| {
            let _ = reply.send_blocking(task(connection));
        }));
        self.hand_over(job)?;
        answer.recv().await.map_err(|_| stopped())?
    }

    /// Records a reading soon.
    pub(super) fn observe(&self, reading: Reading) {
        let mut notes = locked(&self.notes);
        notes.push(reading);
        if notes.len() == 1 {
            // A store that has stopped has nothing left to record.
            let _ = self.hand_over(WriteJob::Note);
        }
    }

    fn hand_over(&self, job: WriteJob) -> Result<()> {
        let writer = self.writer.as_ref().ok_or_else(stopped)?;
        // Before it can be taken, so that the count never falls below zero.
        self.waiting.fetch_add(1, Ordering::Relaxed);
        writer.send(job).map_err(|_| stopped())
    }

    /// Returns what rings when the writer has changed something.
    pub(super) fn bell(&self) -> &Bell {
        &self.bell
    }

    /// Returns how much waits for a thread.
    pub(super) fn backlog(&self) -> Backlog {
        Backlog {
            writes: self.waiting.load(Ordering::Relaxed),
            reads: self.readers.as_ref().map_or(0, Readers::waiting),
        }
    }

    /// Waits until everything handed over before is done.
    pub(super) async fn settle(&self) -> Result<()> {
        let (reply, answer) = async_channel::bounded(1);
        self.hand_over(WriteJob::Settle(reply))?;
        answer.recv().await.map_err(|_| stopped())?
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // The writer goes last: of connections that close at once, none empties the log.
        self.readers = None;
        self.writer = None;
        // A thread that panicked has already said so.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn has_log(path: &Path) -> bool {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    std::fs::metadata(name).is_ok_and(|log| log.len() > 0)
}

pub(super) fn spawn(name: &str, task: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).spawn(task).map_err(|cause| {
        Error::new(ErrorKind::Provider, "cannot start a thread for the database").caused_by(cause)
    })
}

pub(super) fn stopped() -> Error {
    Error::new(ErrorKind::Provider, "the database thread has stopped")
}

/// Waits about a millisecond for another connection to finish, and says whether to ask again.
///
/// The small differences keep processes from asking in step.
pub(super) fn wait_for_turn(attempt: i32) -> bool {
    let jitter =
        (u64::from(std::process::id()) * 131 + u64::from(attempt.unsigned_abs()) * 37) % 1_000;
    std::thread::sleep(Duration::from_micros(500 + jitter));
    attempt < PATIENCE
}

/// Returns what arrives within a few microseconds, for which going to sleep would take longer.
pub(super) fn shortly<T>(arriving: &Receiver<T>, glances: usize) -> Option<T> {
    for _ in 0..glances {
        if let Ok(arrived) = arriving.try_recv() {
            return Some(arrived);
        }
        std::hint::spin_loop();
    }
    None
}

fn snapshot<T>(connection: &Connection, task: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    let execute =
        |sql: &str| connection.prepare_cached(sql).and_then(|mut statement| statement.execute([]));
    execute("BEGIN").map_err(unexpected)?;
    let answer = task(connection);
    // SQLite ends a snapshot by itself when the disk fails.
    if !connection.is_autocommit() {
        execute("ROLLBACK").map_err(unexpected)?;
    }
    answer
}

/// Commits what has gathered, as often as something has.
struct Writer {
    connection: Connection,
    notes: Notes,
    bell: Arc<Bell>,
    begin: Begin,
    /// Whether deleted content may still stand in the write-ahead log.
    uncleared: bool,
    head: HeadFile,
}

impl Writer {
    fn run(mut self, jobs: &Jobs) {
        while let Some(group) = self.next_group(jobs) {
            // Whoever waits for a job that panicked is told that nobody answers.
            let _ = catch_unwind(AssertUnwindSafe(|| self.commit_group(group)));
            self.head.note(&self.connection);
        }
        self.head.keep(&self.connection);
        self.clear_log();
    }

    /// Waits for something to do; in a pause, keeps the head of the audit.
    fn next_group(&mut self, jobs: &Jobs) -> Option<Vec<WriteJob>> {
        if self.head.is_behind() {
            match jobs.recv_timeout(PAUSE) {
                Ok(first) => return Some(gather(first, jobs)),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => self.head.keep(&self.connection),
            }
        }
        Some(gather(jobs.recv()?, jobs))
    }

    fn commit_group(&mut self, group: Vec<WriteJob>) {
        let mut answers = Answers::default();
        let mut tasks = Vec::new();
        let mut jobs = Vec::new();
        for job in group {
            match job {
                WriteJob::Commit(ready, reply) => jobs.push(Written::Commit(ready, reply)),
                WriteJob::CommitSoon(ready) => {
                    let (nobody, _) = async_channel::bounded(1);
                    jobs.push(Written::Commit(ready, nobody));
                }
                WriteJob::Note => {
                    let notes = std::mem::take(&mut *locked(&self.notes));
                    jobs.extend(notes.into_iter().map(Box::new).map(Written::Observe));
                }
                WriteJob::Settle(reply) => answers.settled.push(reply),
                WriteJob::Run(task) => tasks.push(task),
            }
        }
        let committed = self.write(jobs, &mut answers);
        self.uncleared |= answers.deleted;
        self.clear_log();
        let last = answers.last.filter(|_| committed.is_ok());
        answers.send(&committed);
        last.inspect(|last| self.bell.ring(*last));
        for task in tasks {
            task(&mut self.connection);
        }
    }

    /// Writes everything in one transaction, and collects what to answer if it commits.
    fn write(&mut self, jobs: Vec<Written>, answers: &mut Answers) -> Result<()> {
        let cannot_write = |cause| failed(cause, "cannot write to the database");
        let behaviour = match self.begin {
            Begin::Immediate => TransactionBehavior::Immediate,
            Begin::Deferred => TransactionBehavior::Deferred,
        };
        if jobs.is_empty() {
            return Ok(());
        }
        let transaction = match Transaction::new(&mut self.connection, behaviour) {
            Ok(transaction) => transaction,
            Err(cause) => {
                let waiting = jobs.into_iter().filter_map(Written::reply);
                answers.commits.extend(waiting.map(|reply| (reply, Ok(Vec::new()))));
                return Err(cannot_write(cause));
            }
        };
        for job in jobs {
            match job {
                Written::Commit(ready, reply) => {
                    let applied = separately(&transaction, || write::apply(&transaction, &ready));
                    answers.deleted |= applied.as_ref().is_ok_and(|applied| applied.deleted);
                    answers.last =
                        applied.as_ref().map_or(None, |applied| applied.last).max(answers.last);
                    answers.commits.push((reply, applied.map(|applied| applied.outcomes)));
                }
                Written::Observe(reading) => {
                    // Losing a note of a reading harms nobody.
                    let _ = separately(&transaction, || write::observe(&transaction, &reading));
                }
            }
        }
        transaction.commit().map_err(cannot_write)
    }

    /// Empties the write-ahead log after a deletion, so that nothing deleted stands in it.
    fn clear_log(&mut self) {
        if !self.uncleared {
            return;
        }
        let cleared = self.connection.busy_timeout(CLEARING_TIMEOUT).and_then(|()| {
            self.connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0))
        });
        self.uncleared = !matches!(cleared, Ok(0));
        // It cannot fail on a connection that is open.
        let _ = self.connection.busy_handler(Some(wait_for_turn));
    }
}

/// What was handed over to the writer.
struct Jobs {
    jobs: mpsc::Receiver<WriteJob>,
    waiting: Waiting,
}

impl Jobs {
    /// Waits for a job until there can be no more.
    fn recv(&self) -> Option<WriteJob> {
        self.jobs.recv().ok().inspect(|_| self.taken())
    }

    /// Waits for a job for a while.
    fn recv_timeout(&self, patience: Duration) -> std::result::Result<WriteJob, RecvTimeoutError> {
        self.jobs.recv_timeout(patience).inspect(|_| self.taken())
    }

    fn taken(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns something to do with what has gathered; what nobody waits for has time.
fn gather(first: WriteJob, jobs: &Jobs) -> Vec<WriteJob> {
    let mut group = vec![first];
    while group.len() < GROUP {
        let has_time =
            group.iter().all(|job| matches!(job, WriteJob::Note | WriteJob::CommitSoon(_)));
        let patience = if has_time { SOON } else { Duration::ZERO };
        match jobs.recv_timeout(patience) {
            Ok(next) => group.push(next),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    group
}

/// What is written in one transaction with others.
enum Written {
    Commit(Box<Ready>, Reply<Vec<Outcome>>),
    Observe(Box<Reading>),
}

impl Written {
    /// Returns the way to whoever waits for it.
    fn reply(self) -> Option<Reply<Vec<Outcome>>> {
        match self {
            Self::Commit(_, reply) => Some(reply),
            Self::Observe(_) => None,
        }
    }
}

/// Who waits for a transaction, and what they are told if it commits.
#[derive(Default)]
struct Answers {
    commits: Vec<(Reply<Vec<Outcome>>, Outcomes)>,
    settled: Vec<Reply<()>>,
    /// Whether something was deleted.
    deleted: bool,
    /// How far the sequence of changes went.
    last: Option<u64>,
}

impl Answers {
    /// Answers everybody; a transaction that did not commit is everybody's error.
    fn send(self, committed: &Result<()>) {
        for (reply, result) in self.commits {
            let _ = reply.send_blocking(match committed {
                Ok(()) => result,
                Err(error) => Err(again(error)),
            });
        }
        for reply in self.settled {
            let _ = reply.send_blocking(committed.as_ref().map(drop).map_err(again));
        }
    }
}

/// Runs one request so that its failure undoes nothing of the others.
fn separately<T>(connection: &Connection, work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SQLite rolls everything back by itself when the disk is full or fails.
    if connection.is_autocommit() {
        return Err(Error::new(ErrorKind::Provider, "the transaction was rolled back"));
    }
    connection.execute_batch("SAVEPOINT request").map_err(unexpected)?;
    let result = work();
    let end =
        if result.is_ok() { "RELEASE request" } else { "ROLLBACK TO request; RELEASE request" };
    connection.execute_batch(end).map_err(unexpected)?;
    result
}

/// Repeats an error for each request that shared a transaction.
fn again(error: &Error) -> Error {
    Error::new(error.kind(), error.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;
    use crate::model::{AuditAction, AuditEvent, Commit, Identifier, Timestamp};
    use crate::store::SqliteStore;
    use crate::store::sqlite::connect;
    use crate::store::sqlite::readers::READERS;
    use rusqlite::OpenFlags;
    use tempfile::TempDir;

    /// Starts threads on a new store, with a connection of the test's own to write with.
    fn threads(open: fn(&Path) -> Connection) -> (Threads, TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cofio.db");
        drop(SqliteStore::open(&path).unwrap());
        let threads = Threads::start(&path, SqliteOptions::default(), open(&path)).unwrap();
        (threads, folder)
    }

    fn writable(path: &Path) -> Connection {
        connect(path, SqliteOptions::default()).unwrap()
    }

    fn readable(path: &Path) -> Connection {
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
    }

    fn commit() -> Ready {
        Ready::new(Commit {
            actor: Identifier::new("alice").unwrap(),
            at: Timestamp::UNIX_EPOCH,
            changes: Vec::new(),
            audit: vec![AuditEvent::new(AuditAction::Write)],
            idempotency: None,
            work: None,
        })
    }

    #[test]
    fn a_panic_in_one_job_leaves_the_threads_to_the_others() {
        let (threads, _folder) = threads(writable);
        for _ in 0..=READERS {
            let panicked =
                pollster::block_on(threads.read(|_| -> Result<()> { panic!("on purpose") }));
            assert!(panicked.is_err());
        }
        assert_eq!(pollster::block_on(threads.read(|_| Ok(7))).unwrap(), 7);
        let panicked = pollster::block_on(threads.run(|_| -> Result<()> { panic!("on purpose") }));
        assert!(panicked.is_err());
        pollster::block_on(threads.commit(commit())).unwrap();
    }

    #[test]
    fn whoever_asks_again_is_answered_by_the_thread_that_read_last() {
        let (threads, _folder) = threads(writable);
        // A thread that has not started yet is not free.
        let everybody = Arc::new(Barrier::new(READERS));
        thread::scope(|scope| {
            for _ in 0..READERS {
                let everybody = Arc::clone(&everybody);
                let meet = move |_: &Connection| Ok(everybody.wait().is_leader());
                scope.spawn(|| pollster::block_on(threads.read(meet)).unwrap());
            }
        });
        let reader = || pollster::block_on(threads.read(|_| Ok(thread::current().id()))).unwrap();
        let last = reader();
        assert!((0..100).all(|_| reader() == last));
    }

    #[test]
    fn what_waits_is_counted_until_a_thread_comes_to_it() {
        let (threads, _folder) = threads(writable);
        // Every thread, and the test: they meet when all are at work, and when they may go on.
        let everybody = Arc::new(Barrier::new(READERS + 2));
        let busy = || {
            let everybody = Arc::clone(&everybody);
            move || {
                everybody.wait();
                everybody.wait();
                Ok(())
            }
        };
        thread::scope(|scope| {
            let threads = &threads;
            let write = busy();
            scope.spawn(move || pollster::block_on(threads.run(move |_| write())).unwrap());
            for _ in 0..READERS {
                let read = busy();
                scope.spawn(move || pollster::block_on(threads.read(move |_| read())).unwrap());
            }
            everybody.wait();
            assert_eq!(threads.backlog(), Backlog::default());
            for _ in 0..3 {
                scope.spawn(|| pollster::block_on(threads.commit(commit())).unwrap());
            }
            for _ in 0..2 {
                scope.spawn(|| pollster::block_on(threads.read(|_| Ok(7))).unwrap());
            }
            while threads.backlog() != (Backlog { writes: 3, reads: 2 }) {
                thread::yield_now();
            }
            everybody.wait();
        });
        assert_eq!(threads.backlog(), Backlog::default());
    }

    #[test]
    fn who_cannot_write_is_told_why() {
        let (threads, _folder) = threads(readable);
        for _ in 0..2 {
            let error = pollster::block_on(threads.commit(commit())).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains("cannot be written to"), "{error}");
        }
        assert_eq!(pollster::block_on(threads.read(|_| Ok(7))).unwrap(), 7);
    }
}
