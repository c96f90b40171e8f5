//! The threads that read.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use async_channel::Sender;
use rusqlite::Connection;

use super::field::locked;
use super::threads::{shortly, spawn, stopped};
use super::{SqliteOptions, connect};
use crate::error::Result;

/// How many connections read at the same time.
pub(super) const READERS: usize = 4;

/// How often a reader looks for its next job before it goes to sleep: a question is often followed
/// by another within a tenth of a millisecond.
const GLANCES: usize = 3_000;

/// Something to do with a connection, or with the reason why there is none.
pub(super) type ReadJob = Box<dyn FnOnce(Result<&mut Connection>) -> Answer + Send>;

/// Tells whoever asked what was read.
pub(super) type Answer = Box<dyn FnOnce()>;

/// What became of a job that was handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handed {
    /// A thread was free and does it.
    Begun,
    /// It waits until one is.
    Waiting,
}

/// Hands jobs to threads; when dropped, waits until what was handed over is done.
#[derive(Debug)]
pub(super) struct Readers {
    desk: Arc<Mutex<Desk>>,
    handles: Vec<JoinHandle<()>>,
}

/// Who waits for whom.
#[derive(Default)]
struct Desk {
    /// What no thread was free for.
    jobs: VecDeque<ReadJob>,
    /// The threads that are free. The one that read last stands last and is asked first, since it
    /// has the pages at hand that the next job is likely to need.
    free: Vec<Sender<ReadJob>>,
    closed: bool,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (jobs, free) = (self.jobs.len(), self.free.len());
        f.debug_struct("Desk").field("jobs", &jobs).field("free", &free).finish_non_exhaustive()
    }
}

impl Readers {
    /// Starts the threads; they open their connections when they are first needed.
    pub(super) fn start(path: &Path, options: SqliteOptions) -> Result<Self> {
        let mut readers = Self { desk: Arc::default(), handles: Vec::new() };
        for _ in 0..READERS {
            let (path, desk) = (path.to_owned(), Arc::clone(&readers.desk));
            readers.handles.push(spawn("cofio-reader", move || run(&path, options, &desk))?);
        }
        Ok(readers)
    }

    /// Has a job done by the next thread that is free.
    pub(super) fn hand_over(&self, job: ReadJob) -> Result<Handed> {
        let mut desk = locked(&self.desk);
        if let Some(reader) = desk.free.pop() {
            reader.try_send(job).map_err(|_| stopped())?;
            return Ok(Handed::Begun);
        }
        desk.jobs.push_back(job);
        Ok(Handed::Waiting)
    }

    /// Returns how many jobs no thread is free for.
    pub(super) fn waiting(&self) -> usize {
        locked(&self.desk).jobs.len()
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        let mut desk = locked(&self.desk);
        desk.closed = true;
        for reader in desk.free.drain(..) {
            reader.close();
        }
        drop(desk);
        for reader in self.handles.drain(..) {
            // A thread that panicked has already said so.
            let _ = reader.join();
        }
    }
}

fn run(path: &Path, options: SqliteOptions, desk: &Mutex<Desk>) {
    let (own, jobs) = async_channel::bounded(1);
    let mut opened = None;
    let mut answer: Option<Answer> = None;
    loop {
        let next = next(desk, &own);
        // Whoever asks again at once is to find this thread free.
        if let Some(answer) = answer.take() {
            answer();
        }
        let job = match next {
            Next::Job(job) => job,
            Next::Wait => match shortly(&jobs, GLANCES).or_else(|| jobs.recv_blocking().ok()) {
                Some(job) => job,
                None => return,
            },
            Next::Nothing => return,
        };
        match opened.take().map_or_else(|| connect(path, options), Ok) {
            Ok(mut connection) => {
                // After a panic the connection is in doubt, and a new one is opened.
                answer = catch_unwind(AssertUnwindSafe(|| job(Ok(&mut connection)))).ok();
                opened = answer.is_some().then_some(connection);
            }
            Err(error) => answer = Some(job(Err(error))),
        }
    }
}

/// What a thread does next.
enum Next {
    Job(ReadJob),
    /// It waits for what it will be sent.
    Wait,
    /// There will be no more.
    Nothing,
}

fn next(desk: &Mutex<Desk>, own: &Sender<ReadJob>) -> Next {
    let mut desk = locked(desk);
    match desk.jobs.pop_front() {
        Some(job) => Next::Job(job),
        None if desk.closed => Next::Nothing,
        None => {
            desk.free.push(own.clone());
            Next::Wait
        }
    }
}
