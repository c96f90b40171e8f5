//! Sharing work among processors that needs nothing else.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::LazyLock;
use std::thread;

/// With fewer items for each, starting a thread takes longer than what it takes off the others.
const WORTH_A_THREAD: usize = 8;

static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));

/// Returns what `work` makes of each item, in their order; all processors share many items.
pub(crate) fn share<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = (items.len() / WORTH_A_THREAD).clamp(1, *PROCESSORS);
    let (own, others) = items.split_at(items.len().div_ceil(threads));
    let do_all = |items: &[T]| items.iter().map(&work).collect::<Vec<R>>();
    thread::scope(|scope| {
        let started: Vec<_> = others
            .chunks(own.len().max(1))
            .map(|items| (items, thread::Builder::new().spawn_scoped(scope, || do_all(items))))
            .collect();
        let mut made = do_all(own);
        for (items, started) in started {
            made.extend(match started {
                Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // Where no thread can be had, there is still this one.
                Err(_) => do_all(items),
            });
        }
        made
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_and_in_order() {
        for count in [0, 1, 2, WORTH_A_THREAD, 100, 1_001] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|item| 2 * item).collect();
            assert_eq!(share(&items, |item| 2 * item), doubled);
        }
    }

    #[test]
    fn a_panic_in_any_thread_is_passed_on() {
        let items: Vec<usize> = (0..100).collect();
        for bad in [0, 99] {
            let shared = std::panic::catch_unwind(|| share(&items, |item| assert_ne!(*item, bad)));
            assert!(shared.is_err());
        }
    }
}
