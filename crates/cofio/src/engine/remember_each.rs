use super::policy::refusal;
use super::remember::create;
use super::{Engine, Remembered, check_batch};
use crate::error::{Error, Result};
use crate::ingest::Prepared;
use crate::model::{AuditEvent, Caller, Commit, Draft, Outcome, Timestamp};

/// What became of each of several things to remember, in their order.
pub type Each = Vec<Result<Remembered>>;

impl Engine {
    /// Keeps those of several things that may be kept, and says of each what became of it.
    ///
    /// All that is kept is kept in one commit. Fails as a whole only for what concerns everything,
    /// such as a right that is missing.
    pub async fn remember_each(&self, caller: &Caller, drafts: Vec<Draft>) -> Result<Each> {
        let remember = async {
            let (now, prepared) = self.may_be_kept(caller, &drafts).await?;
            let refused = prepared.iter().filter_map(|one| one.as_ref().err());
            let events: Vec<AuditEvent> = refused.filter_map(refusal).collect();
            // A commit that keeps only what is known already records nothing.
            if !events.is_empty() {
                self.commit(caller, now, Vec::new(), events, None).await?;
            }
            let (kept, each) = divided(prepared);
            if kept.is_empty() {
                return Ok(paired(each, Vec::new()));
            }
            Ok(paired(each, self.keep(caller, kept, None, now).await?))
        };
        remember.await.map_err(|error: Error| error.during("add"))
    }

    /// Says what `remember_each` would make of several things, and keeps nothing.
    pub async fn rehearse_each(&self, caller: &Caller, drafts: Vec<Draft>) -> Result<Each> {
        let rehearse = async {
            let (now, prepared) = self.may_be_kept(caller, &drafts).await?;
            let (kept, each) = divided(prepared);
            let commit = Commit {
                actor: caller.actor().clone(),
                at: now,
                changes: kept.iter().map(create).collect(),
                audit: Vec::new(),
                idempotency: None,
                work: None,
            };
            let outcomes = self.store.rehearse(commit).await?;
            let told = kept.into_iter().zip(outcomes).map(
                |(Prepared { memory, redactions, .. }, outcome)| {
                    let existing = matches!(outcome, Outcome::Existing(_));
                    Remembered { memory, existing, redactions }
                },
            );
            Ok(paired(each, told.collect()))
        };
        rehearse.await.map_err(|error: Error| error.during("add"))
    }

    async fn may_be_kept(
        &self,
        caller: &Caller,
        drafts: &[Draft],
    ) -> Result<(Timestamp, Vec<Result<Prepared>>)> {
        check_batch(drafts.len(), self.config.limits.batch)?;
        if drafts.iter().any(|draft| draft.idempotency_key.is_some()) {
            return Err(Error::invalid("what is kept each for itself has no idempotency key"));
        }
        let now = self.now();
        Ok((now, self.prepare_each(caller, drafts, now).await?))
    }
}

/// Separates what may be kept from what may not.
fn divided(prepared: Vec<Result<Prepared>>) -> (Vec<Prepared>, Vec<Result<()>>) {
    let mut kept = Vec::new();
    let each = prepared.into_iter().map(|one| one.map(|one| kept.push(one))).collect();
    (kept, each)
}

/// Puts what was kept where it may be kept.
fn paired(each: Vec<Result<()>>, kept: Vec<Remembered>) -> Each {
    let mut kept = kept.into_iter();
    let mut next = |()| kept.next().expect("as many were kept as may be");
    each.into_iter().map(|one| one.map(&mut next)).collect()
}
