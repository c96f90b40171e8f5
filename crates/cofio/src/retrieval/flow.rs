//! How evidence flows along a conversation: what one turn says also speaks for those around it.

use super::weights::WEIGHTS;
use crate::model::Turn;

/// How much of what one turn says reaches the next one, and the one before.
#[derive(Debug)]
pub struct Flow {
    plain: Vec<f64>,
    /// The same, but less is lost between a question and what follows it.
    answering: Vec<f64>,
    /// Whether anything reaches anything.
    flows: bool,
}

impl Flow {
    /// Lets nothing reach anything.
    pub fn none() -> Self {
        Self { plain: Vec::new(), answering: Vec::new(), flows: false }
    }

    /// Measures the way between turns; between conversations there is none.
    pub fn between(turns: &[Turn]) -> Self {
        let still = vec![0.0; turns.len()];
        let mut flow = Self { plain: still.clone(), answering: still, flows: false };
        for (index, pair) in turns.windows(2).enumerate() {
            let [before, after] = pair else { continue };
            let together = before.scope == after.scope && before.session == after.session;
            if together && after.session.is_some() {
                let words = f64::from(before.length) + f64::from(after.length);
                let hop = (-words / WEIGHTS.reach).exp();
                flow.flows = true;
                flow.plain[index + 1] = hop;
                flow.answering[index + 1] =
                    if before.question { hop.powf(WEIGHTS.answer) } else { hop };
            }
        }
        flow
    }

    /// Raises each number to what reaches it of `said`, answers keeping more of their questions.
    pub fn raise(&self, said: &[f64], reaching: &mut [f64]) {
        if self.flows {
            along(said, &self.answering, &self.plain, reaching);
        }
    }

    /// Raises each number to what reaches it of `said`.
    pub fn raise_plainly(&self, said: &[f64], reaching: &mut [f64]) {
        if self.flows {
            along(said, &self.plain, &self.plain, reaching);
        }
    }
}

fn along(said: &[f64], forwards: &[f64], backwards: &[f64], reaching: &mut [f64]) {
    let mut forward = 0.0;
    for turn in 1..said.len() {
        forward = f64::max(forward, said[turn - 1]) * forwards[turn];
        reaching[turn] = f64::max(reaching[turn], forward);
    }
    let mut backward = 0.0;
    for turn in (0..said.len().saturating_sub(1)).rev() {
        backward = f64::max(backward, said[turn + 1]) * backwards[turn + 1];
        reaching[turn] = f64::max(reaching[turn], WEIGHTS.backwards * backward);
    }
}
