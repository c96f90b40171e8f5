//! Doing a few things at a time in one task.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Futures that are under way together; whichever is ready first is handed over first.
pub(super) struct Abreast<F> {
    under_way: Vec<Pin<Box<F>>>,
}

impl<F: Future> Abreast<F> {
    pub(super) fn new() -> Self {
        Self { under_way: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.under_way.len()
    }

    pub(super) fn start(&mut self, future: F) {
        self.under_way.push(Box::pin(future));
    }

    /// Returns what one of them comes to, or nothing if none is left.
    pub(super) async fn next(&mut self) -> Option<F::Output> {
        if self.under_way.is_empty() {
            return None;
        }
        let (place, output) = poll_fn(|context| {
            let polled = self.under_way.iter_mut().enumerate().find_map(|(place, future)| {
                match future.as_mut().poll(context) {
                    Poll::Ready(output) => Some((place, output)),
                    Poll::Pending => None,
                }
            });
            polled.map_or(Poll::Pending, Poll::Ready)
        })
        .await;
        drop(self.under_way.remove(place));
        Some(output)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn what_is_ready_is_not_kept_waiting_by_what_is_not() {
        let done = Cell::new(false);
        let work = |name: &'static str, first: bool| {
            let done = &done;
            let mut polls = 0;
            poll_fn(move |context| {
                polls += 1;
                if first || done.get() {
                    return Poll::Ready(name);
                }
                assert!(polls < 10, "it is polled for nothing");
                context.waker().wake_by_ref();
                Poll::Pending
            })
        };
        let mut abreast = Abreast::new();
        abreast.start(work("slow", false));
        abreast.start(work("quick", true));
        assert_eq!(abreast.len(), 2);
        assert_eq!(pollster::block_on(abreast.next()), Some("quick"));
        done.set(true);
        assert_eq!(pollster::block_on(abreast.next()), Some("slow"));
        assert_eq!(pollster::block_on(abreast.next()), None);
    }
}
