use super::Engine;
use crate::error::Result;
use crate::ingest::{self, Redaction, Revised};
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Memory, MemoryId, Outcome, Patch, Timestamp,
};
use crate::store::version_conflict;

/// How often a change is tried again when somebody else was faster.
const ATTEMPTS: usize = 8;

/// A memory after a change.
#[derive(Debug, Clone)]
pub struct Updated {
    /// The memory as it is now.
    pub memory: Memory,
    /// Whether its text is another, so that its vector has to be made anew.
    pub content_changed: bool,
    /// What was taken out of the text before it was kept.
    pub redactions: Vec<Redaction>,
}

impl Engine {
    /// Changes a memory; what the patch does not name stays.
    ///
    /// With an expected version it fails with `Conflict` if somebody changed the memory since;
    /// without one the change is made on top of whatever is there.
    pub async fn update(&self, caller: &Caller, id: &MemoryId, patch: Patch) -> Result<Updated> {
        self.update_patiently(caller, id, patch).await.map_err(|error| error.during("update"))
    }

    async fn update_patiently(
        &self,
        caller: &Caller,
        id: &MemoryId,
        patch: Patch,
    ) -> Result<Updated> {
        let attempts = if patch.expected_version.is_some() { 1 } else { ATTEMPTS };
        for _ in 1..attempts {
            match self.update_once(caller, id, patch.clone()).await {
                Err(error) if error.details().contains_key("found") => {}
                settled => return settled,
            }
        }
        self.update_once(caller, id, patch).await
    }

    async fn update_once(&self, caller: &Caller, id: &MemoryId, patch: Patch) -> Result<Updated> {
        let now = self.now();
        let memory = self.load(caller, id, now).await?;
        if let Some(expected) = patch.expected_version.filter(|&version| version != memory.version)
        {
            return Err(version_conflict(id, expected, memory.version));
        }
        let revised = self.revise(&memory, patch, now).await;
        let revised = self.recording_refusals(caller, now, revised).await?;
        if revised.changes_nothing(&memory) {
            let (content_changed, redactions) = (false, revised.redactions);
            return Ok(Updated { memory, content_changed, redactions });
        }
        let mut write =
            AuditEvent { scope: Some(memory.scope.clone()), ..AuditEvent::new(AuditAction::Write) }
                .with("reason", "update")
                .with("size", revised.memory.content.as_str().len());
        write.details.extend(super::described(std::iter::once(&revised.memory)));
        let mut audit = vec![write];
        audit.extend(super::redaction_event(revised.redactions.iter()));
        let next = Box::new(revised.memory.clone());
        let changes = vec![Change::Update { memory: next, identity: revised.identity }];
        let outcomes = self.commit(caller, now, changes, audit, None).await?;
        self.announce();
        match outcomes.as_slice() {
            [Outcome::Updated(_)] => Ok(Updated {
                memory: revised.memory,
                content_changed: revised.content_changed,
                redactions: revised.redactions,
            }),
            _ => Err(MemoryId::not_found(id.as_str())),
        }
    }

    async fn revise(&self, memory: &Memory, patch: Patch, now: Timestamp) -> Result<Revised> {
        let revised = ingest::revise(memory, patch, &self.config, now)?;
        if revised.content_changed
            && !self.rejected(std::iter::once(&revised.memory)).await?.is_empty()
        {
            return Err(super::policy::was_rejected());
        }
        Ok(revised)
    }
}
