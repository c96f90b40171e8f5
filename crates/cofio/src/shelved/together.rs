//! Waiting for several answers at once, under whatever executor.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Something that is waited for.
pub(super) type Waiting<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Returns all answers in the order of the questions.
pub(super) async fn together<T>(mut all: Vec<Waiting<'_, T>>) -> Vec<T> {
    let mut answers: Vec<Option<T>> = all.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (waiting, answer) in all.iter_mut().zip(&mut answers) {
            if answer.is_none()
                && let Poll::Ready(ready) = waiting.as_mut().poll(context)
            {
                *answer = Some(ready);
            }
        }
        if answers.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}
