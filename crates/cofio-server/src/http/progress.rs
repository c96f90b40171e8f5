//! How far one request has come: whether it may have been done, and how much room its body takes.
//!
//! The bodies of all requests share one budget of bytes, whatever they are sent to. Room is taken
//! as they arrive, before anybody keeps them, and given back when the request is answered; work
//! that goes on after that takes its room along.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use cofio::{Error, ErrorKind};
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How far one request has come; copies share everything.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    held: Mutex<Option<Held>>,
    turned_away: AtomicBool,
    whole: AtomicBool,
    repeatable: AtomicBool,
}

/// The room that a body takes, until it is dropped.
pub(super) type Held = OwnedSemaphorePermit;

impl Progress {
    /// Returns a body that takes its room from a budget while it is read, and ends with an error
    /// where there is none left.
    pub(super) fn weigh(&self, body: Body, budget: &Arc<Semaphore>) -> Body {
        self.0.whole.store(body.is_end_stream(), Ordering::Relaxed);
        Body::new(Weighed { body, budget: Arc::clone(budget), progress: self.clone() })
    }

    /// Returns whether there was no room for the body.
    pub(super) fn was_turned_away(&self) -> bool {
        self.0.turned_away.load(Ordering::Relaxed)
    }

    /// Returns whether all of it has come, so that it may have been done.
    pub(super) fn is_whole(&self) -> bool {
        self.0.whole.load(Ordering::Relaxed)
    }

    /// Notes that it can be repeated without doing anything twice.
    pub(super) fn can_be_repeated(&self) {
        self.0.repeatable.store(true, Ordering::Relaxed);
    }

    /// Returns whether it can be repeated without doing anything twice.
    pub(super) fn is_repeatable(&self) -> bool {
        self.0.repeatable.load(Ordering::Relaxed)
    }

    /// Hands over the room that the body takes, to whoever goes on with it or to nobody.
    pub(super) fn hand_over(&self) -> Option<Held> {
        self.held().take()
    }

    /// Takes room for some more bytes, and returns whether there was enough.
    fn hold(&self, budget: &Arc<Semaphore>, bytes: usize) -> bool {
        let taken = u32::try_from(bytes).ok();
        let taken = taken.and_then(|bytes| Arc::clone(budget).try_acquire_many_owned(bytes).ok());
        let Some(taken) = taken else {
            self.0.turned_away.store(true, Ordering::Relaxed);
            return false;
        };
        match &mut *self.held() {
            Some(held) => held.merge(taken),
            held => *held = Some(taken),
        }
        true
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A body that takes room while it is read.
struct Weighed {
    body: Body,
    budget: Arc<Semaphore>,
    progress: Progress,
}

impl HttpBody for Weighed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.progress.0.whole.store(true, Ordering::Relaxed);
        }
        let arrived = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
        if arrived.is_some_and(|data| !self.progress.hold(&self.budget, data.len())) {
            let error = Error::new(ErrorKind::Provider, "there is no room for the body");
            return Poll::Ready(Some(Err(axum::Error::new(error))));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
