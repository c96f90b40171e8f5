//! Waiting that depends on no executor: a thread that wakes others at their time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use cofio::{Error, ErrorKind, Result};

/// Wakes those who wait; its thread ends with it.
#[derive(Debug)]
pub struct Timer {
    alarms: mpsc::Sender<Alarm>,
}

/// When to wake somebody, which happens as this is dropped.
#[derive(Debug)]
struct Alarm {
    at: Instant,
    _bell: async_channel::Sender<()>,
}

impl Timer {
    /// Starts the thread.
    pub fn start() -> Result<Self> {
        let (alarms, set) = mpsc::channel();
        let thread = thread::Builder::new().name("cofio-timer".to_owned());
        thread.spawn(move || watch(&set)).map_err(|error| {
            Error::new(ErrorKind::Provider, "cannot start a thread").caused_by(error)
        })?;
        Ok(Self { alarms })
    }

    /// Waits.
    pub async fn sleep(&self, time: Duration) {
        let (bell, rung) = async_channel::bounded(1);
        // Without a thread nobody waits.
        let _ = self.alarms.send(Alarm { at: Instant::now() + time, _bell: bell });
        let _ = rung.recv().await;
    }

    /// Returns what comes of some work, unless it takes longer than this.
    pub async fn within<T>(
        &self,
        time: Duration,
        work: impl Future<Output = T> + Send,
    ) -> Option<T> {
        let mut work = pin!(work);
        let mut bell = pin!(self.sleep(time));
        poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => bell.as_mut().poll(context).map(|()| None),
        })
        .await
    }
}

fn watch(set: &Receiver<Alarm>) {
    let mut alarms: BinaryHeap<Alarm> = BinaryHeap::new();
    loop {
        let now = Instant::now();
        while alarms.peek().is_some_and(|alarm| alarm.at <= now) {
            alarms.pop();
        }
        let next = match alarms.peek() {
            Some(alarm) => set.recv_timeout(alarm.at - now),
            None => set.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok(alarm) => alarms.push(alarm),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// The earliest is the greatest, as that is what a heap has at its top.
impl Ord for Alarm {
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.cmp(&self.at)
    }
}

impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Alarm {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Alarm {}

#[cfg(test)]
mod tests {
    use std::future;

    use pollster::block_on;

    use super::*;

    #[test]
    fn work_is_waited_for_only_so_long() {
        let timer = Timer::start().unwrap();
        let start = Instant::now();
        let late = block_on(timer.within(Duration::from_millis(60), future::pending::<()>()));
        assert_eq!(late, None);
        assert!(start.elapsed() >= Duration::from_millis(60));
        let quick = async {
            timer.sleep(Duration::from_millis(5)).await;
            7
        };
        assert_eq!(block_on(timer.within(Duration::from_secs(60), quick)), Some(7));
        assert!(start.elapsed() < Duration::from_secs(30), "nobody waits for the end of the time");
    }

    #[test]
    fn the_earliest_is_woken_first() {
        let timer = Timer::start().unwrap();
        let start = Instant::now();
        let slow = timer.sleep(Duration::from_secs(60));
        let mut slow = pin!(slow);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(slow.as_mut().poll(&mut context).is_pending());
        block_on(timer.sleep(Duration::from_millis(10)));
        assert!(start.elapsed() < Duration::from_secs(30));
        assert!(slow.as_mut().poll(&mut context).is_pending());
    }
}
