//! Threads that ask a server, each with a client of its own, so that nobody else has to wait.
//!
//! They end when nobody can ask any more.

use std::fmt;
use std::thread;

use async_channel::{Receiver, Sender};
use cofio::{Error, ErrorKind, Result};

/// What is to be done with a client.
type Job<C> = Box<dyn FnOnce(&mut C) + Send>;

/// The door to some threads.
pub struct Threads<C> {
    jobs: Sender<Job<C>>,
}

/// Whether somebody still waits for what is done.
#[derive(Debug)]
pub struct Wanted<'a>(&'a dyn IsClosed);

trait IsClosed: fmt::Debug {
    fn is_closed(&self) -> bool;
}

impl<T> IsClosed for Sender<T> {
    fn is_closed(&self) -> bool {
        Sender::is_closed(self)
    }
}

impl Wanted<'_> {
    /// Fails if nobody waits any more.
    pub fn check(&self) -> Result<()> {
        if self.0.is_closed() {
            return Err(Error::new(ErrorKind::Provider, "nobody waits for the answer"));
        }
        Ok(())
    }
}

impl<C> fmt::Debug for Threads<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").finish_non_exhaustive()
    }
}

impl<C: Send + 'static> Threads<C> {
    /// Starts one thread for each client.
    pub fn start(name: &str, clients: impl IntoIterator<Item = C>) -> Result<Self> {
        let (jobs, waiting) = async_channel::unbounded();
        for client in clients {
            let waiting = waiting.clone();
            let started =
                thread::Builder::new().name(name.to_owned()).spawn(move || work(client, &waiting));
            started.map_err(|error| {
                Error::new(ErrorKind::Provider, "cannot start a thread").caused_by(error)
            })?;
        }
        Ok(Self { jobs })
    }

    /// Has one of the threads do something, unless whoever asked has gone by then.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut C, &Wanted<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (answer, answered) = async_channel::bounded(1);
        let gone = || Error::new(ErrorKind::Provider, "the thread that asks has ended");
        let job = Box::new(move |client: &mut C| {
            let wanted = Wanted(&answer);
            if wanted.check().is_ok() {
                let _ = answer.try_send(job(client, &wanted));
            }
        });
        self.jobs.try_send(job).map_err(|_| gone())?;
        answered.recv().await.map_err(|_| gone())?
    }
}

fn work<C>(mut client: C, jobs: &Receiver<Job<C>>) {
    while let Ok(job) = jobs.recv_blocking() {
        job(&mut client);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn threads_end_when_nobody_can_ask_any_more() {
        let client = Arc::new(());
        let threads = Threads::start("test", [client.clone(), client.clone()]).unwrap();
        let answer = pollster::block_on(threads.run(|_, wanted| wanted.check().map(|()| 7)));
        assert_eq!(answer.unwrap(), 7);
        drop(threads);
        let start = Instant::now();
        while Arc::strong_count(&client) > 1 {
            assert!(start.elapsed() < Duration::from_secs(10), "threads go on");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn what_nobody_waits_for_is_not_done() {
        let threads = Threads::start("test", [0_u32]).unwrap();
        let mut first = Box::pin(threads.run(|count, _| {
            thread::sleep(Duration::from_millis(50));
            *count += 1;
            Ok(())
        }));
        let mut second = Box::pin(threads.run(|count, _| {
            *count += 10;
            Ok(())
        }));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(first.as_mut().poll(&mut context).is_pending());
        assert!(second.as_mut().poll(&mut context).is_pending());
        drop(second);
        pollster::block_on(first).unwrap();
        let count = pollster::block_on(threads.run(|count, _| Ok(*count))).unwrap();
        assert_eq!(count, 1);
    }
}
