//! Who is right where recognisers disagree.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::Span;

/// Keeps, of spans that overlap, the one of the highest confidence, then the longest, then the
/// first; returns what is kept in the order of the text.
///
/// Of two that are equal in everything but their type, the one that was given first is kept.
pub fn settle(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_by(|one, other| {
        let by_length = |span: &Span| (Reverse(span.range.len()), span.range.start);
        let by_confidence = other.confidence.total_cmp(&one.confidence);
        by_confidence.then_with(|| by_length(one).cmp(&by_length(other)))
    });
    let mut kept: BTreeMap<usize, Span> = BTreeMap::new();
    for span in spans {
        // What is kept does not overlap, so only the last that begins before the end can be met.
        let before = kept.range(..span.range.end).next_back();
        if before.is_none_or(|(_, better)| better.range.end <= span.range.start) {
            kept.insert(span.range.start, span);
        }
    }
    kept.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    /// Checks which of some spans, each with its confidence in hundredths, are kept.
    fn check(spans: &[(usize, usize, u8)], expected: &[(usize, usize)]) {
        let span = |&(start, end, hundredths): &(usize, usize, u8)| Span {
            range: start..end,
            entity_type: EntityType::Other,
            confidence: f32::from(hundredths) / 100.0,
        };
        let kept = settle(spans.iter().map(span).collect());
        let kept: Vec<_> = kept.iter().map(|span| (span.range.start, span.range.end)).collect();
        assert_eq!(kept, expected, "{spans:?}");
    }

    #[test]
    fn the_surest_wins_even_over_a_longer_one() {
        check(&[(0, 20, 60), (5, 10, 90)], &[(5, 10)]);
        check(&[(5, 10, 90), (0, 20, 60)], &[(5, 10)]);
    }

    #[test]
    fn of_equally_sure_ones_the_longest_wins_then_the_first() {
        check(&[(0, 8, 70), (0, 17, 70)], &[(0, 17)]);
        check(&[(3, 7, 70), (0, 4, 70)], &[(0, 4)]);
    }

    #[test]
    fn what_only_touches_does_not_overlap() {
        check(&[(4, 8, 50), (0, 4, 90)], &[(0, 4), (4, 8)]);
    }

    #[test]
    fn a_loser_does_not_shut_out_what_only_it_overlapped() {
        check(&[(0, 5, 90), (4, 9, 80), (8, 12, 70)], &[(0, 5), (8, 12)]);
    }
}
