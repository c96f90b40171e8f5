//! Reciprocal rank fusion.

use std::collections::HashMap;

use crate::model::MemoryId;

/// Rank constant from the original paper (Cormack et al., 2009).
pub const RANK_CONSTANT: f64 = 60.0;

/// A memory with its place in each list and the score they add up to.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Which memory.
    pub id: MemoryId,
    /// From 0 to 1; 1 is the first place in every list.
    pub score: f64,
    /// The place in each list, from 1.
    pub ranks: Vec<Option<usize>>,
}

/// Adds up `1 / (60 + rank)` over the lists and returns the best first.
///
/// The sum is divided by its largest possible value. Those with the same sum stay in the order of
/// the first list that has them.
pub fn fuse(lists: &[&[MemoryId]]) -> Vec<Ranked> {
    let mut places: HashMap<&MemoryId, usize> = HashMap::new();
    let mut ranked: Vec<Ranked> = Vec::new();
    for (list_number, list) in lists.iter().enumerate() {
        for (index, id) in list.iter().enumerate() {
            let place = *places.entry(id).or_insert_with(|| {
                ranked.push(Ranked { id: id.clone(), score: 0.0, ranks: vec![None; lists.len()] });
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
    (RANK_CONSTANT + 1.0) / (RANK_CONSTANT + rank as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u128) -> MemoryId {
        format!("fact_{number:032x}").parse().unwrap()
    }

    fn check(lists: &[&[u128]], expected: &[u128]) {
        let lists: Vec<Vec<MemoryId>> =
            lists.iter().map(|list| list.iter().copied().map(id).collect()).collect();
        let lists: Vec<&[MemoryId]> = lists.iter().map(Vec::as_slice).collect();
        let order: Vec<MemoryId> = fuse(&lists).into_iter().map(|ranked| ranked.id).collect();
        assert_eq!(order, expected.iter().copied().map(id).collect::<Vec<_>>());
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
        let best = id(1);
        let list = [best];
        assert!((fuse(&[&list, &list])[0].score - 1.0).abs() < 1e-12);
    }
}
