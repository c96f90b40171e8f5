//! Trying again on a thread that may wait.

use std::thread;
use std::time::{Duration, Instant};

use cofio::{Error, Result};

use super::{Again, Failure, Retry};

/// How often a thread that waits looks whether anybody still wants the answer.
const GLANCE: Duration = Duration::from_millis(20);

impl Failure {
    /// Makes a failure that may pass.
    pub fn passing(error: Error) -> Self {
        Self { error, again: Again::Later(None) }
    }
}

impl Retry {
    /// Makes attempts until one succeeds, fails for good, or nobody wants the answer any more.
    ///
    /// An attempt is told how much time is left.
    pub(crate) fn run<T>(
        &self,
        abandoned: impl Fn() -> bool,
        mut attempt: impl FnMut(Duration) -> std::result::Result<T, Failure>,
    ) -> Result<T> {
        let mut attempts = self.attempts();
        loop {
            let failure = match attempt(attempts.left()) {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            let (delay, error) = attempts.after(failure)?;
            if !wait(delay, &abandoned) {
                return Err(error);
            }
        }
    }
}

/// Waits, and returns whether the answer is still wanted.
fn wait(delay: Duration, abandoned: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if abandoned() {
            return false;
        }
        let left = delay.saturating_sub(start.elapsed());
        if left.is_zero() {
            return true;
        }
        thread::sleep(left.min(GLANCE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_an_answer_that_nobody_wants() {
        let retry = Retry { first_delay: Duration::from_secs(60), ..Retry::default() };
        let mut attempts = 0;
        let failed: Result<()> = retry.run(
            || true,
            |_| {
                attempts += 1;
                Err(Failure::passing(Error::invalid("no")))
            },
        );
        assert_eq!((failed.unwrap_err().to_string(), attempts), ("no".to_owned(), 1));
    }
}
