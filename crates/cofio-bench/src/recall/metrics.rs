//! How good a ranking is, given what it should have found.

use std::collections::HashSet;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

/// How many of the first hits are looked at.
pub const CUTS: [usize; 4] = [5, 10, 20, 50];

/// Where the discounted gain is cut.
const GAIN_CUT: usize = 10;

/// What one ranking, or the mean of many, is worth; every figure is from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scores {
    /// How many rankings this is the mean of.
    pub count: usize,
    /// The share of the relevant that is among the first.
    pub recall: [f64; CUTS.len()],
    /// Whether any of the relevant is among the first.
    pub hit: [f64; CUTS.len()],
    /// Whether all of the relevant are among the first.
    pub all: [f64; CUTS.len()],
    /// One divided by the place of the first that is relevant.
    pub reciprocal_rank: f64,
    /// The discounted gain of the first ten, as a share of the best possible.
    pub gain: f64,
}

/// Judges a ranking without repetitions; nothing can be said if nothing is relevant.
pub fn judge(ranking: &[usize], relevant: &HashSet<usize>) -> Option<Scores> {
    if relevant.is_empty() {
        return None;
    }
    let places: Vec<usize> = ranking
        .iter()
        .enumerate()
        .filter(|(_, item)| relevant.contains(item))
        .map(|(place, _)| place)
        .collect();
    let found = CUTS.map(|cut| places.iter().filter(|&&place| place < cut).count());
    let yes_or_no = |yes: bool| if yes { 1.0 } else { 0.0 };
    Some(Scores {
        count: 1,
        recall: found.map(|found| found as f64 / relevant.len() as f64),
        hit: found.map(|found| yes_or_no(found > 0)),
        all: found.map(|found| yes_or_no(found == relevant.len())),
        reciprocal_rank: places.first().map_or(0.0, |&first| 1.0 / (first + 1) as f64),
        gain: discounted(places.into_iter()) / discounted(0..relevant.len()),
    })
}

/// Returns the mean of the scores, each ranking counting the same.
pub fn mean<'a>(scores: impl IntoIterator<Item = &'a Scores>) -> Scores {
    let mut sum = Scores::default();
    for one in scores {
        sum.count += one.count;
        let weight = one.count as f64;
        for cut in 0..CUTS.len() {
            sum.recall[cut] += one.recall[cut] * weight;
            sum.hit[cut] += one.hit[cut] * weight;
            sum.all[cut] += one.all[cut] * weight;
        }
        sum.reciprocal_rank += one.reciprocal_rank * weight;
        sum.gain += one.gain * weight;
    }
    let share = 1.0 / sum.count.max(1) as f64;
    Scores {
        count: sum.count,
        recall: sum.recall.map(|figure| figure * share),
        hit: sum.hit.map(|figure| figure * share),
        all: sum.all.map(|figure| figure * share),
        reciprocal_rank: sum.reciprocal_rank * share,
        gain: sum.gain * share,
    }
}

/// Sums the gain of relevant items at these places, within the cut.
fn discounted(places: impl Iterator<Item = usize>) -> f64 {
    places.filter(|&place| place < GAIN_CUT).map(|place| 1.0 / ((place + 2) as f64).log2()).sum()
}

impl Serialize for Scores {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("questions", &self.count)?;
        for (name, figures) in [("recall", &self.recall), ("hit", &self.hit), ("all", &self.all)] {
            for (cut, figure) in CUTS.iter().zip(figures) {
                map.serialize_entry(&format!("{name}@{cut}"), &rounded(*figure))?;
            }
        }
        map.serialize_entry("mrr", &rounded(self.reciprocal_rank))?;
        map.serialize_entry(&format!("ndcg@{GAIN_CUT}"), &rounded(self.gain))?;
        map.end()
    }
}

fn rounded(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks recall, hit and all at five, the reciprocal rank, and the gain.
    fn check(ranking: &[usize], relevant: &[usize], expected: [f64; 5]) {
        let scores = judge(ranking, &relevant.iter().copied().collect()).unwrap();
        let figures =
            [scores.recall[0], scores.hit[0], scores.all[0], scores.reciprocal_rank, scores.gain];
        for (figure, expected) in figures.iter().zip(expected) {
            assert!(
                (figure - expected).abs() < 1e-4,
                "{figures:?} of {ranking:?} for {relevant:?}"
            );
        }
    }

    #[test]
    fn rankings_get_the_figures_of_the_textbook() {
        check(&[1, 2, 3], &[1], [1.0, 1.0, 1.0, 1.0, 1.0]);
        check(&[2, 1, 3], &[1], [1.0, 1.0, 1.0, 0.5, 0.6309]);
        check(&[1, 9, 2, 8], &[1, 2], [1.0, 1.0, 1.0, 1.0, 0.9197]);
        check(&[9, 1, 8, 7, 6, 2], &[1, 2], [0.5, 1.0, 0.0, 0.5, 0.6052]);
        check(&[9, 8], &[1], [0.0, 0.0, 0.0, 0.0, 0.0]);
        check(&[], &[1], [0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn gain_ends_with_the_tenth_and_the_rank_does_not() {
        let ranking: Vec<usize> = (0..50).collect();
        check(&ranking, &[10], [0.0, 0.0, 0.0, 1.0 / 11.0, 0.0]);
        let many: Vec<usize> = (0..20).collect();
        check(&ranking, &many, [0.25, 1.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn deeper_cuts_find_more() {
        let ranking: Vec<usize> = (0..50).collect();
        let scores = judge(&ranking, &HashSet::from([4, 9, 19, 49])).unwrap();
        assert_eq!(scores.recall.map(|figure| figure.to_string()), ["0.25", "0.5", "0.75", "1"]);
        assert_eq!(scores.all.map(|figure| figure.to_string()), ["0", "0", "0", "1"]);
    }

    #[test]
    fn a_mean_counts_every_question_the_same() {
        let one = |place: usize| judge(&[9, 8, 1], &HashSet::from([place])).unwrap();
        let two = mean([&one(1), &one(7)]);
        let three = mean([&two, &one(9)]);
        assert_eq!(three.count, 3);
        assert!((three.reciprocal_rank - (1.0 / 3.0 + 1.0) / 3.0).abs() < 1e-9, "{three:?}");
        assert_eq!(mean([]), Scores::default());
    }

    #[test]
    fn without_anything_relevant_there_is_no_score() {
        assert_eq!(judge(&[1], &HashSet::new()), None);
    }
}
