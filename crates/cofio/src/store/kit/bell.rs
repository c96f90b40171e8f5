//! Telling those who wait that the sequence of changes went on.

use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_channel::{Receiver, Sender};

/// Says how far the sequence of changes is known to be, to anybody who waits, under any executor.
#[derive(Debug)]
pub struct Bell {
    heard: Mutex<Heard>,
}

#[derive(Debug)]
struct Heard {
    last: u64,
    /// Nothing is ever sent: that it is closed is what wakes those who wait.
    closed_by: Sender<Infallible>,
    next: Receiver<Infallible>,
}

impl Default for Bell {
    fn default() -> Self {
        let (closed_by, next) = async_channel::bounded(1);
        Self { heard: Mutex::new(Heard { last: 0, closed_by, next }) }
    }
}

impl Bell {
    /// Says that the sequence of changes has come to a place; an earlier one than before is nothing
    /// new.
    pub fn ring(&self, last: u64) {
        let mut heard = self.heard();
        if last <= heard.last {
            return;
        }
        heard.last = last;
        // One is the bell's own.
        if heard.next.receiver_count() > 1 {
            heard.closed_by.close();
            (heard.closed_by, heard.next) = async_channel::bounded(1);
        }
    }

    /// Waits until the bell has rung for a later place.
    pub async fn beyond(&self, place: u64) {
        loop {
            let next = {
                let heard = self.heard();
                if heard.last > place {
                    return;
                }
                heard.next.clone()
            };
            // Whatever was heard meanwhile is looked at anew.
            let _ = next.recv().await;
        }
    }

    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn is_over(waiting: std::pin::Pin<&mut impl Future<Output = ()>>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        waiting.poll(&mut context) == Poll::Ready(())
    }

    #[test]
    fn whoever_waits_for_what_comes_hears_of_it_and_nobody_else() {
        let bell = Bell::default();
        let mut near = pin!(bell.beyond(4));
        let mut far = pin!(bell.beyond(5));
        assert!(!is_over(near.as_mut()) && !is_over(far.as_mut()));
        bell.ring(5);
        assert!(is_over(near.as_mut()) && !is_over(far.as_mut()));
        bell.ring(3);
        assert!(!is_over(far.as_mut()));
        bell.ring(6);
        assert!(is_over(far.as_mut()));
    }

    #[test]
    fn what_was_heard_before_needs_no_waiting() {
        let bell = Bell::default();
        bell.ring(7);
        assert!(is_over(pin!(bell.beyond(6))));
        assert!(!is_over(pin!(bell.beyond(7))));
    }

    #[test]
    fn somebody_on_another_thread_is_woken() {
        let bell = Bell::default();
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| pollster::block_on(bell.beyond(0)));
            bell.ring(1);
            waiting.join().unwrap();
        });
    }
}
