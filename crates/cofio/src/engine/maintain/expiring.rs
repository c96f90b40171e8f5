//! What would be removed because it has ended.

use super::{Assignment, Piece};
use crate::engine::{Engine, Sweep};
use crate::error::Result;
use crate::lifecycle::guard::Verdict;
use crate::lifecycle::plan::{Plan, Step};
use crate::model::{Caller, Change, MemoryId, Scope, Timestamp};

impl Engine {
    /// Returns what removing what has ended would take away, place by place.
    pub(super) async fn would_expire(
        &self,
        caller: &Caller,
        assignment: &Assignment,
        now: Timestamp,
    ) -> Result<Vec<Piece>> {
        let sweep = Sweep { within: assignment.within.clone(), kinds: Vec::new() };
        let ended = self.ended(caller, &sweep, now, usize::MAX).await?;
        let verdict = match self.suspicion(caller, &sweep, ended.len(), now).await? {
            Some((taken, _)) => {
                let among = self.all_there(caller, &sweep).await?;
                Verdict::Held { taken: taken as u64, among }
            }
            None => Verdict::Allowed,
        };
        Ok(by_place(ended, verdict))
    }
}

/// Puts what goes in one place together.
fn by_place(ended: Vec<(MemoryId, Scope)>, verdict: Verdict) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for (id, scope) in ended {
        let change = Change::Forget { id, scope: scope.clone(), version: None };
        // What has ended is shown to nobody any more, so it is named by its id alone.
        let step = Step { change, before: None, why: "it has ended" };
        if let Some(piece) = pieces.iter_mut().find(|piece| piece.scope == scope) {
            piece.plan.steps.push(step);
            piece.plan.looked_at += 1;
        } else {
            let plan = Plan { steps: vec![step], looked_at: 1, refused: 0 };
            let (estimate, through, more) = (None, Vec::new(), false);
            pieces.push(Piece { scope, plan, verdict, estimate, through, more });
        }
    }
    pieces
}
