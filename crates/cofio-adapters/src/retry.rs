//! Trying again what failed for the moment.

#[cfg(any(
    feature = "openai",
    feature = "models",
    feature = "llm",
    feature = "redis",
    feature = "chroma",
    feature = "mem0",
    feature = "qdrant"
))]
mod attempts;
#[cfg(any(feature = "openai", feature = "models", feature = "llm"))]
mod blocking;

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

#[cfg(any(
    feature = "openai",
    feature = "models",
    feature = "llm",
    feature = "redis",
    feature = "chroma",
    feature = "mem0",
    feature = "qdrant"
))]
pub(crate) use attempts::{Again, Failure};

/// How often, how soon and how long to try again; the defaults are those of the memory protocol.
#[derive(Debug, Clone)]
pub struct Retry {
    /// How often to try again after the first attempt.
    pub retries: u32,
    /// How long to wait before the second attempt.
    pub first_delay: Duration,
    /// How much longer each wait is than the one before.
    pub factor: f64,
    /// The longest wait, unless a server asks for more.
    pub longest_delay: Duration,
    /// When no further attempt starts, counted from the start of the first.
    pub deadline: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            retries: 3,
            first_delay: Duration::from_secs(1),
            factor: 2.0,
            longest_delay: Duration::from_secs(30),
            deadline: Duration::from_secs(120),
        }
    }
}

impl Retry {
    /// Returns how long to wait after an attempt, counted from 0.
    ///
    /// At least half of each wait is certain and the rest is up to `random`, from 0 to 1, so that
    /// those who failed together do not come back together.
    fn delay(&self, number: u32, asked: Option<Duration>, random: f64) -> Duration {
        let exponent = i32::try_from(number).unwrap_or(i32::MAX);
        let longest = self.longest_delay.as_secs_f64();
        let seconds = (self.first_delay.as_secs_f64() * self.factor.powi(exponent)).min(longest);
        let own = Duration::try_from_secs_f64(seconds * (0.5 + random / 2.0)).unwrap_or_default();
        asked.map_or(own, |asked| asked.max(own))
    }

    /// Returns how long to wait after an attempt, counted from 0, with some chance in it.
    #[cfg(feature = "postgres")]
    pub(crate) fn pause(&self, number: u32) -> Duration {
        self.delay(number, None, random())
    }
}

/// Returns a number from 0 to 1 that differs from one process and call to the next.
fn random() -> f64 {
    RandomState::new().hash_one(()) as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(retry: &Retry, number: u32, asked: Option<u64>, random: f64, expected_ms: u64) {
        let delay = retry.delay(number, asked.map(Duration::from_secs), random);
        assert_eq!(delay.as_millis(), u128::from(expected_ms));
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let retry = Retry::default();
        for (number, expected) in [(0, 1_000), (1, 2_000), (4, 16_000), (5, 30_000), (99, 30_000)] {
            check(&retry, number, None, 1.0, expected);
            check(&retry, number, None, 0.0, expected / 2);
        }
        check(&retry, u32::MAX, None, 1.0, 30_000);
    }

    #[test]
    fn what_a_server_asks_for_is_the_least() {
        let retry = Retry::default();
        check(&retry, 0, Some(60), 1.0, 60_000);
        check(&retry, 3, Some(1), 1.0, 8_000);
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn those_who_failed_together_do_not_come_back_together() {
        let retry = Retry::default();
        let pauses: Vec<Duration> = (0..20).map(|_| retry.pause(1)).collect();
        assert!(pauses.iter().all(|pause| (1_000..=2_000).contains(&pause.as_millis())));
        assert!(pauses.iter().any(|pause| *pause != pauses[0]), "{pauses:?}");
    }

    #[test]
    fn odd_numbers_do_no_harm() {
        for factor in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
            let retry = Retry { factor, ..Retry::default() };
            assert!(retry.delay(7, None, 1.0) <= retry.longest_delay);
        }
    }
}
