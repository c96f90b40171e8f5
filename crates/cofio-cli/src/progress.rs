//! A sign of life for work that takes long.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long to wait before anything is shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often a line is written where nobody sees a bar.
const EVERY: Duration = Duration::from_secs(10);

/// Shows how far work has come, on a terminal and when it takes long; gone when dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    /// Who shows it, if anybody; dropped when the work is done.
    shown: Option<Sender<()>>,
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

    /// Has a line written now and then if standard error is no terminal, for work that may take
    /// hours.
    #[must_use]
    pub fn told_in_lines(mut self) -> Self {
        if self.shown.is_some() {
            return self;
        }
        let (done, wait) = mpsc::channel();
        let bar = self.bar.clone();
        thread::spawn(move || {
            tell(&bar, &wait, EVERY, |line| {
                // Nobody may be listening.
                let _ = writeln!(io::stderr(), "{line}");
            });
        });
        self.shown = Some(done);
        self
    }

    /// Says what is being done from now on.
    pub fn doing(&self, what: &'static str) {
        self.bar.set_message(what);
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
        Self { bar, shown: done }
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

/// Writes how far work has come again and again, until somebody drops the other end.
fn tell(bar: &ProgressBar, wait: &Receiver<()>, every: Duration, mut write: impl FnMut(&str)) {
    while wait.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        let (what, done, seconds) = (bar.message(), bar.position(), bar.elapsed().as_secs());
        match bar.length().filter(|length| *length > 0) {
            Some(length) => write(&format!("{what}: {done} of {length} after {seconds} s")),
            None => write(&format!("{what}: {done} after {seconds} s")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_far_it_is_until_it_is_done() {
        let bar = ProgressBar::hidden().with_message("moving");
        let (done, wait) = mpsc::channel();
        let (mut done, mut lines) = (Some(done), Vec::new());
        tell(&bar, &wait, Duration::from_millis(1), |line| {
            lines.push(line.split(" after ").next().unwrap_or_default().to_owned());
            match lines.len() {
                1 => {
                    bar.set_length(7);
                    bar.set_position(3);
                }
                _ => done = None,
            }
        });
        assert_eq!(lines, ["moving: 0", "moving: 3 of 7"]);
        assert!(done.is_none());
    }
}
