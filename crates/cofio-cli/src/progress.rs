//! A sign of life for work that takes long.

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long to wait before anything is shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// Shows how far work has come, on a terminal and when it takes long; gone when dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Dropped when the work is done.
    _done: Option<Sender<()>>,
}

impl Progress {
    /// Starts work whose end is not known.
    pub fn endless(what: &'static str) -> Self {
        Self::start(ProgressBar::hidden(), "{spinner} {msg} {human_pos}", what)
    }

    /// Starts work whose end cannot be counted.
    pub fn spinning(what: &'static str) -> Self {
        Self::start(ProgressBar::hidden(), "{spinner} {msg} {elapsed}", what)
    }

    /// Starts work with so many pieces.
    pub fn of(total: usize, what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        Self::start(bar, "{msg} {wide_bar} {human_pos}/{human_len} {eta}", what)
    }

    /// Starts work with so many bytes.
    pub fn of_bytes(total: usize, what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        Self::start(bar, "{msg} {wide_bar} {decimal_bytes}/{decimal_total_bytes} {eta}", what)
    }

    /// Says how many pieces are done.
    pub fn at(&self, done: u64) {
        self.bar.set_position(done);
    }

    /// Says how many pieces are done, and how many there are.
    pub fn reached(&self, done: u64, of: u64) {
        self.bar.set_length(of);
        self.bar.set_position(done);
    }

    fn start(bar: ProgressBar, template: &str, what: &'static str) -> Self {
        let style = ProgressStyle::with_template(template).expect("the templates are written here");
        let bar = bar.with_style(style).with_message(what);
        let done = io::stderr().is_terminal().then(|| appear_later(bar.clone()));
        Self { bar, _done: done }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Shows a bar after a while, unless what is returned has been dropped by then.
fn appear_later(bar: ProgressBar) -> Sender<()> {
    let (done, wait) = mpsc::channel();
    thread::spawn(move || {
        if wait.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(100));
        }
    });
    done
}
