use jiff::SignedDuration;

use super::{Engine, receipt};
use crate::error::Result;
use crate::lifecycle::sweeping::{self, Ended};
use crate::model::{AuditAction, AuditEvent, Caller, Kind, MemoryId, Right, Scope, Timestamp};

/// How many memories are removed together.
const PIECE: usize = 1_000;

/// How many memories go at most where nobody asked for it.
const SOME: usize = 200;

/// How long ago it ended what goes where nobody asked for it: the clocks of several machines differ.
const GRACE: SignedDuration = SignedDuration::from_mins(1);

/// Which memories are swept if they have ended; nothing named means all.
#[derive(Debug, Clone, Default)]
pub struct Sweep {
    /// Only those of these scopes.
    pub within: Option<Vec<Scope>>,
    /// Only those of these kinds.
    pub kinds: Vec<Kind>,
}

/// What became of memories that have ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Swept {
    /// So many are gone.
    Removed(usize),
    /// Nothing was removed: so much has ended at once that the clock may be wrong.
    Held {
        /// How many have ended.
        count: usize,
        /// Their share of all memories, from 0 to 1.
        share: f64,
    },
}

impl Engine {
    /// Forgets what has ended by itself, unless that is so much that the clock may be wrong: then
    /// it is held, which is put on record, until [`Engine::sweep_agreed`].
    pub async fn sweep(&self, caller: &Caller, sweep: &Sweep) -> Result<Swept> {
        caller.require(Right::Delete)?;
        let now = self.now();
        let ended = self.ended(caller, sweep, now, usize::MAX).await?;
        if let Some((count, share)) = self.suspicion(caller, sweep, ended.len(), now).await? {
            let event = AuditEvent::new(AuditAction::TtlCleanup)
                .with("held", count)
                .with("share", share)
                .with("kinds", receipt::kinds(&ended));
            self.commit(caller, now, Vec::new(), vec![event], None).await?;
            return Ok(Swept::Held { count, share });
        }
        self.remove_ended(caller, &ended, now).await.map(Swept::Removed)
    }

    /// Forgets what has ended by itself, however much it is, because somebody agreed.
    pub async fn sweep_agreed(&self, caller: &Caller, sweep: &Sweep) -> Result<usize> {
        caller.require(Right::Delete)?;
        let now = self.now();
        let ended = self.ended(caller, sweep, now, usize::MAX).await?;
        self.remove_ended(caller, &ended, now).await
    }

    /// Forgets some of what has ended by itself, for a program that starts or has a moment.
    ///
    /// It takes no right, as nobody can see any of it. What is held is not put on record once more.
    /// If nothing has ended, it takes one look at an index.
    pub async fn sweep_some(&self, caller: &Caller) -> Result<Swept> {
        let (now, all) = (self.now(), Sweep::default());
        let until = now.checked_sub(GRACE).unwrap_or(now);
        let mut ended = self.ended(caller, &all, until, SOME).await?;
        let mut count = ended.len();
        if count == SOME {
            count = self.ended(caller, &all, until, usize::MAX).await?.len();
        }
        if let Some((count, share)) = self.suspicion(caller, &all, count, now).await? {
            return Ok(Swept::Held { count, share });
        }
        ended.truncate(SOME);
        self.remove_ended(&caller.with_every_right(), &ended, now).await.map(Swept::Removed)
    }

    /// Returns what has ended at a moment, at most so much of it.
    pub(super) async fn ended(
        &self,
        caller: &Caller,
        sweep: &Sweep,
        now: Timestamp,
        limit: usize,
    ) -> Result<Vec<(MemoryId, Scope)>> {
        let mut ended = self.store.ended(caller.access(), now, limit).await?;
        ended.retain(|(id, scope)| sweep.means(id, scope));
        Ok(ended)
    }

    /// Returns how many have ended and their share, if that is suspicious.
    pub(super) async fn suspicion(
        &self,
        caller: &Caller,
        sweep: &Sweep,
        count: usize,
        now: Timestamp,
    ) -> Result<Option<(usize, f64)>> {
        let policy = &self.config.expiry.held;
        if count == 0 {
            return Ok(None);
        }
        let long_ago = sweeping::overdue_since(policy, now);
        let overdue = !self.ended(caller, sweep, long_ago, usize::MAX).await?.is_empty();
        // Counting everything takes a while, and few memories are no share worth knowing.
        let mut ended = Ended { count, among: count as u64, overdue };
        if overdue || count >= policy.count {
            ended.among = self.all_there(caller, sweep).await?;
        }
        Ok(ended.is_suspicious(policy).then(|| (count, ended.share())))
    }

    /// Counts the memories that are there, ended or not.
    pub(super) async fn all_there(&self, caller: &Caller, sweep: &Sweep) -> Result<u64> {
        // At the beginning of time nothing has ended.
        let scopes = self.store.scopes(caller.access(), Timestamp::MIN).await?;
        let meant = scopes.iter().filter(|summary| sweep.means_scope(&summary.scope));
        let counts = meant.flat_map(|summary| &summary.counts);
        Ok(counts.filter(|(kind, ..)| sweep.means_kind(*kind)).map(|(_, _, count)| count).sum())
    }

    async fn remove_ended(
        &self,
        caller: &Caller,
        ended: &[(MemoryId, Scope)],
        now: Timestamp,
    ) -> Result<usize> {
        let mut removed = 0;
        for piece in ended.chunks(PIECE) {
            let event = AuditEvent::new(AuditAction::TtlCleanup)
                .with("count", piece.len())
                .with("kinds", receipt::kinds(piece));
            removed += self.forget_as(caller, piece.to_vec(), event, now).await?.0.len();
        }
        Ok(removed)
    }
}

impl Sweep {
    fn means(&self, id: &MemoryId, scope: &Scope) -> bool {
        // An id whose kind nobody knows is of every kind.
        self.means_scope(scope) && id.kind().is_none_or(|kind| self.means_kind(kind))
    }

    fn means_scope(&self, scope: &Scope) -> bool {
        self.within.as_ref().is_none_or(|scopes| scopes.contains(scope))
    }

    fn means_kind(&self, kind: Kind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}
