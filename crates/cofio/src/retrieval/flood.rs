//! Keeping what is trusted little from crowding out everything else.

use super::weights::WEIGHTS;

/// Puts two lists together, each best first, so that what is trusted little has no more than its
/// share of any beginning of the list, as long as hardly less speaks for something else.
///
/// `before` says whether one item goes before another, and `sum` how much speaks for an item.
pub fn fair<T: Copy>(
    trusted: &[T],
    doubtful: &[T],
    limit: usize,
    before: impl Fn(&T, &T) -> bool,
    sum: impl Fn(&T) -> f64,
) -> Vec<T> {
    let (mut trusted, mut doubtful) = (trusted.iter().peekable(), doubtful.iter().peekable());
    let mut fair = Vec::new();
    let mut doubts = 0_usize;
    while fair.len() < limit {
        let doubt_is_next = match (trusted.peek(), doubtful.peek()) {
            (None, None) => break,
            (Some(_), None) => false,
            (None, Some(_)) => true,
            (Some(one), Some(other)) => {
                let is_share =
                    (doubts + 1) as f64 <= (WEIGHTS.low_share * (fair.len() + 1) as f64).ceil();
                let far_less = sum(other) - sum(one) > WEIGHTS.crowding;
                before(other, one) && (is_share || far_less)
            }
        };
        doubts += usize::from(doubt_is_next);
        fair.extend(if doubt_is_next { doubtful.next() } else { trusted.next() });
    }
    fair
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(trusted: &[f64], doubtful: &[f64], limit: usize, expected: &[f64]) {
        let found = fair(trusted, doubtful, limit, |one, other| one > other, |sum| *sum);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_flood_leaves_room_for_what_is_trusted() {
        let flood = [5.0, 4.9, 4.8, 4.7, 4.6, 4.5];
        check(&[4.0, 3.9], &flood, 5, &[5.0, 4.0, 3.9, 4.9, 4.8]);
        check(&[1.0], &flood, 4, &[5.0, 4.9, 4.8, 4.7]);
    }

    #[test]
    fn what_is_alone_or_better_keeps_its_place() {
        check(&[], &[3.0, 2.0], 5, &[3.0, 2.0]);
        check(&[3.0, 2.0], &[], 1, &[3.0]);
        check(&[5.0, 4.0], &[1.0], 5, &[5.0, 4.0, 1.0]);
        check(&[], &[], 5, &[]);
    }
}
