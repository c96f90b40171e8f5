//! Counting attempts until there is none left.

use std::time::{Duration, Instant};

use cofio::{Error, Result};

use super::{Retry, random};

/// An attempt that failed, and whether another may succeed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub error: Error,
    pub again: Again,
}

/// Whether another attempt may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    Never,
    /// After a while; a server may have said after how long.
    Later(Option<Duration>),
}

impl Failure {
    /// Makes a failure that stays one.
    pub fn lasting(error: Error) -> Self {
        Self { error, again: Again::Never }
    }
}

impl Retry {
    /// Returns the same, with a deadline by which all attempts have their time and all waits theirs.
    pub(crate) fn with_time_for(self, attempt: Duration) -> Self {
        // Whoever tries so often does not mean to end.
        let waits = (0..self.retries).take(1_000).map(|number| self.delay(number, None, 1.0));
        let waits = waits.fold(Duration::ZERO, Duration::saturating_add);
        let attempts = attempt.saturating_mul(self.retries.saturating_add(1));
        Self { deadline: attempts.saturating_add(waits), ..self }
    }

    /// Begins to count attempts, of which the first starts now.
    pub(crate) fn attempts(&self) -> Attempts<'_> {
        Attempts { retry: self, start: Instant::now(), number: 0 }
    }
}

/// What was attempted so far.
#[derive(Debug)]
pub(crate) struct Attempts<'a> {
    retry: &'a Retry,
    start: Instant,
    /// Which attempt is made now, from 0.
    number: u32,
}

impl Attempts<'_> {
    /// Returns how much time is left.
    pub fn left(&self) -> Duration {
        self.retry.deadline.saturating_sub(self.start.elapsed())
    }

    /// Returns how long to wait before the next attempt, with why it is made; fails if there is none.
    pub fn after(&mut self, failure: Failure) -> Result<(Duration, Error)> {
        let Failure { error, again } = failure;
        let error = error.with("attempts", self.number + 1);
        let Again::Later(asked) = again else { return Err(error) };
        let delay = self.retry.delay(self.number, asked, random());
        if self.number >= self.retry.retries || delay >= self.left() {
            return Err(error);
        }
        self.number += 1;
        Ok((delay, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_attempts_and_waits_have_their_time() {
        let check = |retries, attempt, expected| {
            let retry = Retry { retries, ..Retry::default() };
            let retry = retry.with_time_for(Duration::from_secs(attempt));
            assert_eq!(retry.deadline, Duration::from_secs(expected));
        };
        check(0, 10, 10);
        check(3, 10, 47);
        check(3, 60, 247);
        check(6, 1, 68);
        let forever = Retry { retries: u32::MAX, ..Retry::default() };
        assert!(forever.with_time_for(Duration::MAX).deadline > Duration::from_hours(1));
    }
}
