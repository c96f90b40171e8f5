//! How much nearer in meaning than most each turn is, by itself and through its conversation.

use super::flow::Flow;
use super::weights::WEIGHTS;
use crate::model::{Evidence, Turn};

/// Returns, for each turn whose cosine is known, by how many standard deviations it stands out.
pub fn meaning(evidence: &Evidence, flow: &Flow) -> Vec<Option<f64>> {
    let spread = |turn: &Turn| *evidence.cosines.of(turn);
    let excess = |turn: &Turn| {
        let cosine = turn.cosine.map_or(0.0, |cosine| f64::from(cosine) - spread(turn).mean);
        cosine.max(0.0)
    };
    let said: Vec<f64> = evidence.turns.iter().map(excess).collect();
    let mut around = vec![0.0; said.len()];
    flow.raise_plainly(&said, &mut around);
    let stands_out = |(turn, around): (&Turn, f64)| {
        let cosine = f64::from(turn.cosine?) + WEIGHTS.around * around;
        Some(spread(turn).standard(cosine))
    };
    evidence.turns.iter().zip(around).map(stands_out).collect()
}
