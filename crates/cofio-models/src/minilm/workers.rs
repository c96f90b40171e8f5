//! Threads that work on pieces of requests, so that no executor is held up.
//!
//! A small request goes ahead of what is left of a large one.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use async_channel::Sender;
use cofio::model::CleanText;
use cofio::{Error, ErrorKind, Result};

/// The vectors of some texts, in order.
type Vectors = Vec<Vec<f32>>;

/// What a thread does with each piece.
pub(super) type Work = Box<dyn FnMut(&[CleanText]) -> Result<Vectors>>;

/// A request with no more texts goes ahead of larger ones.
const SMALL: usize = 2;
/// About how many tokens a piece has, which take a few milliseconds.
const PIECE: usize = 160;

/// Threads that end when this is dropped.
pub(super) struct Workers {
    queue: Arc<Queue>,
}

impl Workers {
    /// Starts threads, each with work of its own.
    pub fn start(
        threads: usize,
        work: impl Fn() -> Work + Send + Sync + Clone + 'static,
    ) -> Result<Self> {
        let workers = Self { queue: Arc::default() };
        for _ in 0..threads.max(1) {
            let queue = Arc::clone(&workers.queue);
            let work = work.clone();
            thread::Builder::new()
                .name("cofio-minilm".to_owned())
                .spawn(move || queue.serve(&work))
                .map_err(|error| {
                    Error::new(ErrorKind::EmbeddingFailed, "cannot start a thread").caused_by(error)
                })?;
        }
        Ok(workers)
    }

    /// Has the vectors of some texts computed.
    pub async fn vectors(&self, texts: &[CleanText]) -> Result<Vectors> {
        let (reply, answers) = async_channel::unbounded();
        self.queue.add(texts, &reply);
        drop(reply);
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut left = texts.len();
        while left > 0 {
            let Ok((start, answer)) = answers.recv().await else {
                return Err(Error::new(ErrorKind::EmbeddingFailed, "the embedding stopped"));
            };
            for (vector, computed) in vectors[start..].iter_mut().zip(answer?) {
                *vector = computed;
                left -= 1;
            }
        }
        Ok(vectors)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let mut pieces = self.queue.lock();
        *pieces = Pieces { closed: true, ..Pieces::default() };
        self.queue.changed.notify_all();
    }
}

#[derive(Default)]
struct Queue {
    pieces: Mutex<Pieces>,
    changed: Condvar,
}

#[derive(Default)]
struct Pieces {
    small: VecDeque<Piece>,
    large: VecDeque<Piece>,
    closed: bool,
}

/// A few texts of a request, and where their vectors go.
struct Piece {
    texts: Vec<CleanText>,
    start: usize,
    reply: Sender<(usize, Result<Vectors>)>,
}

impl Queue {
    fn add(&self, texts: &[CleanText], reply: &Sender<(usize, Result<Vectors>)>) {
        let mut pieces = self.lock();
        let queue = if texts.len() <= SMALL { &mut pieces.small } else { &mut pieces.large };
        let mut start = 0;
        while start < texts.len() {
            let end = start + piece_length(&texts[start..]);
            let texts = texts[start..end].to_vec();
            queue.push_back(Piece { texts, start, reply: reply.clone() });
            start = end;
        }
        self.changed.notify_all();
    }

    /// Works until the queue is closed.
    fn serve(&self, work: &dyn Fn() -> Work) {
        let mut doing = work();
        while let Some(piece) = self.next() {
            // Whoever asked may have gone.
            if piece.reply.is_closed() {
                continue;
            }
            let answer = catch_unwind(AssertUnwindSafe(|| doing(&piece.texts)));
            let answer = answer.unwrap_or_else(|_| {
                doing = work();
                Err(Error::new(ErrorKind::EmbeddingFailed, "the embedding panicked"))
            });
            let _ = piece.reply.try_send((piece.start, answer));
        }
    }

    fn next(&self) -> Option<Piece> {
        let mut pieces = self.lock();
        loop {
            if pieces.closed {
                return None;
            }
            let small = pieces.small.pop_front();
            if let Some(piece) = small.or_else(|| pieces.large.pop_front()) {
                return Some(piece);
            }
            pieces = self.changed.wait(pieces).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pieces> {
        // Nothing panics while it holds the lock.
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how many of the first texts make a piece, judging by their sizes.
fn piece_length(texts: &[CleanText]) -> usize {
    let mut tokens = 0;
    let fitting = texts.iter().take_while(|text| {
        tokens += (text.as_str().len() / 4).min(254) + 2;
        tokens <= PIECE
    });
    fitting.count().max(1)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    use cofio::ingest::{Level, redact};

    use super::*;

    fn texts(texts: &[&str]) -> Vec<CleanText> {
        texts.iter().map(|text| redact(text, "", Level::Probable).text).collect()
    }

    fn lengths() -> Work {
        Box::new(|texts| {
            let length = |text: &CleanText| match text.as_str() {
                "panic" => panic!("as asked"),
                text => vec![text.len() as f32],
            };
            Ok(texts.iter().map(length).collect())
        })
    }

    #[test]
    fn answers_come_in_the_order_of_the_texts() {
        let workers = Workers::start(3, lengths).unwrap();
        let words: Vec<String> = (0..500).map(|length| "x".repeat(length)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let vectors = pollster::block_on(workers.vectors(&texts(&words))).unwrap();
        assert!(vectors.iter().enumerate().all(|(length, vector)| *vector == [length as f32]));
        assert!(pollster::block_on(workers.vectors(&[])).unwrap().is_empty());
    }

    #[test]
    fn a_panic_is_an_error_and_the_thread_lives_on() {
        let workers = Workers::start(1, lengths).unwrap();
        let error = pollster::block_on(workers.vectors(&texts(&["panic"]))).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::EmbeddingFailed);
        assert_eq!(pollster::block_on(workers.vectors(&texts(&["four"]))).unwrap(), [[4.0]]);
    }

    #[test]
    fn a_small_request_goes_ahead() {
        let (report, order) = mpsc::channel();
        let (gate, opened) = mpsc::channel::<()>();
        let opened = Arc::new(Mutex::new(opened));
        let workers = Workers::start(1, move || {
            let (report, opened) = (report.clone(), Arc::clone(&opened));
            Box::new(move |texts: &[CleanText]| {
                report.send(texts[0].as_str().len()).unwrap();
                opened.lock().unwrap().recv().unwrap();
                Ok(vec![vec![0.0]; texts.len()])
            })
        })
        .unwrap();
        let long = "y".repeat(2000);
        let (reply, answers) = async_channel::unbounded();
        workers.queue.add(&texts(&[&long, &long, &long]), &reply);
        assert_eq!(order.recv().unwrap(), 2000);
        workers.queue.add(&texts(&["short"]), &reply);
        (0..4).for_each(|_| gate.send(()).unwrap());
        assert_eq!(order.iter().take(3).collect::<Vec<_>>(), [5, 2000, 2000]);
        (0..4).for_each(|_| assert!(answers.recv_blocking().unwrap().1.is_ok()));
    }

    #[test]
    fn threads_end_with_their_owner() {
        let workers = Workers::start(2, lengths).unwrap();
        let queue = Arc::downgrade(&workers.queue);
        drop(workers);
        let deadline = Instant::now() + Duration::from_secs(10);
        while queue.upgrade().is_some() {
            assert!(Instant::now() < deadline, "a thread is still there");
            thread::sleep(Duration::from_millis(1));
        }
    }
}
