//! Whether what has ended may go by itself.

use crate::config::Held;
use crate::model::Timestamp;

/// Memories that have ended, among all there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// How many have ended.
    pub count: usize,
    /// How many there are in all, ended or not.
    pub among: u64,
    /// Whether one of them ended before [`overdue_since`].
    pub overdue: bool,
}

impl Ended {
    /// Returns which share of all memories has ended, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share of very many needs no last digit")]
    pub fn share(self) -> f64 {
        if self.among == 0 { 0.0 } else { self.count as f64 / self.among as f64 }
    }

    /// Returns whether the clock may be wrong, so that somebody has to agree first.
    pub fn is_suspicious(self, policy: &Held) -> bool {
        let many = self.count >= policy.count && self.share() > policy.share;
        self.count > 0 && (self.overdue || many)
    }
}

/// Returns the moment before which nothing can have ended that is swept regularly.
pub fn overdue_since(policy: &Held, now: Timestamp) -> Timestamp {
    now.checked_sub(policy.overdue).unwrap_or(Timestamp::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Expiry;

    fn check(count: usize, among: u64, overdue: bool, expected: bool) {
        let ended = Ended { count, among, overdue };
        assert_eq!(ended.is_suspicious(&Expiry::default().held), expected, "{ended:?}");
    }

    #[test]
    fn a_large_share_of_many_is_suspicious() {
        check(100, 200, false, true);
        check(99, 99, false, false);
        check(100, 1_000, false, false);
        check(0, 0, false, false);
    }

    #[test]
    fn what_should_have_gone_long_ago_is_suspicious_however_little_it_is() {
        check(1, 1_000, true, true);
        check(0, 1_000, true, false);
    }
}
