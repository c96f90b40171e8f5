//! Reciprocal rank fusion.

use std::collections::HashMap;
use std::hash::Hash;

use super::weights::WEIGHTS;

/// Something with its place in each list and the score they add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked<T> {
    /// Which one.
    pub item: T,
    /// From 0 to 1; 1 is the first place in every list.
    pub score: f64,
    /// The place in each list, from 1.
    pub ranks: Vec<Option<usize>>,
}

/// Adds up `1 / (rank constant + rank)` over the lists and returns the best first.
///
/// The sum is divided by its largest possible value. Those with the same sum stay in the order of
/// the first list that has them.
pub fn fuse<T: Copy + Eq + Hash>(lists: &[&[T]]) -> Vec<Ranked<T>> {
    let mut places: HashMap<T, usize> = HashMap::new();
    let mut ranked: Vec<Ranked<T>> = Vec::new();
    for (list_number, list) in lists.iter().enumerate() {
        for (index, &item) in list.iter().enumerate() {
            let place = *places.entry(item).or_insert_with(|| {
                ranked.push(Ranked { item, score: 0.0, ranks: vec![None; lists.len()] });
                ranked.len() - 1
            });
            ranked[place].ranks[list_number] = Some(index + 1);
        }
    }
    for one in &mut ranked {
        one.score =
            one.ranks.iter().flatten().map(|&rank| share(rank)).sum::<f64>() / lists.len() as f64;
    }
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    ranked
}

/// Returns what a place is worth, the first being worth 1.
fn share(rank: usize) -> f64 {
    (WEIGHTS.rank_constant + 1.0) / (WEIGHTS.rank_constant + rank as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lists: &[&[u32]], expected: &[u32]) {
        let order: Vec<u32> = fuse(lists).into_iter().map(|ranked| ranked.item).collect();
        assert_eq!(order, expected);
    }

    #[test]
    fn agreement_beats_a_single_first_place() {
        check(&[&[1, 2], &[3, 2]], &[2, 1, 3]);
    }

    #[test]
    fn one_list_keeps_its_order() {
        check(&[&[3, 1, 2], &[]], &[3, 1, 2]);
        check(&[&[], &[]], &[]);
    }

    #[test]
    fn the_first_place_everywhere_scores_one() {
        assert!((fuse(&[&[1], &[1]])[0].score - 1.0).abs() < 1e-12);
    }
}
