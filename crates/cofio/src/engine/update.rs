use super::{Engine, check_batch};
use crate::error::Result;
use crate::ingest::{self, Redaction, Revised};
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Memory, MemoryId, Patch, Right, Timestamp,
};
use crate::store::kit::version_conflict;

/// How often a change is tried again when somebody else was faster: of so many who change a memory at
/// once, one gets through each time.
const ATTEMPTS: usize = 64;

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
        let updated = self.update_all(caller, vec![(id.clone(), patch)]).await?;
        updated.into_iter().next().ok_or_else(|| MemoryId::not_found(id.as_str()))
    }

    /// Changes several memories together, or none of them if one is refused.
    pub async fn update_all(
        &self,
        caller: &Caller,
        patches: Vec<(MemoryId, Patch)>,
    ) -> Result<Vec<Updated>> {
        self.update_patiently(caller, &patches).await.map_err(|error| error.during("update"))
    }

    async fn update_patiently(
        &self,
        caller: &Caller,
        patches: &[(MemoryId, Patch)],
    ) -> Result<Vec<Updated>> {
        caller.require(Right::Write)?;
        check_batch(patches.len(), self.config.limits.batch)?;
        let exact = patches.iter().any(|(_, patch)| patch.expected_version.is_some());
        let attempts = if exact { 1 } else { ATTEMPTS };
        for _ in 1..attempts {
            match self.update_once(caller, patches).await {
                Err(error) if error.details().contains_key("found") => {}
                settled => return settled,
            }
        }
        self.update_once(caller, patches).await
    }

    async fn update_once(
        &self,
        caller: &Caller,
        patches: &[(MemoryId, Patch)],
    ) -> Result<Vec<Updated>> {
        let now = self.now();
        let (mut updated, mut changes, mut audit) = (Vec::new(), Vec::new(), Vec::new());
        for (id, patch) in patches {
            let memory = self.load(caller, id, now).await?;
            let revised = self.revise(caller, &memory, patch.clone(), now).await;
            let revised = self.recording_refusals(caller, now, revised).await?;
            if revised.changes_nothing(&memory) {
                let (content_changed, redactions) = (false, revised.redactions);
                updated.push(Updated { memory, content_changed, redactions });
                continue;
            }
            audit.extend(events(&revised));
            let next = Box::new(revised.memory.clone());
            changes.push(Change::Update { memory: next, identity: revised.identity });
            let Revised { memory, content_changed, redactions, .. } = revised;
            updated.push(Updated { memory, content_changed, redactions });
        }
        if changes.is_empty() {
            return Ok(updated);
        }
        let outcomes = self.commit(caller, now, changes, audit, None).await?;
        self.announce();
        match outcomes.iter().find(|outcome| !outcome.changed()) {
            Some(missing) => Err(MemoryId::not_found(missing.id().as_str())),
            None => Ok(updated),
        }
    }

    /// Puts a change under the rules that every write is under.
    pub(super) async fn revise(
        &self,
        caller: &Caller,
        memory: &Memory,
        patch: Patch,
        now: Timestamp,
    ) -> Result<Revised> {
        if let Some(expected) = patch.expected_version.filter(|&version| version != memory.version)
        {
            return Err(version_conflict(&memory.id, expected, memory.version));
        }
        ingest::refuse_lower_trust(memory, caller.trust())?;
        let source = patch.source.map(|source| source.trusted_at_most(caller.trust()));
        let revised = ingest::revise(memory, Patch { source, ..patch }, &self.config, now)?;
        if revised.content_changed
            && !self.rejected(std::iter::once(&revised.memory)).await?.is_empty()
        {
            return Err(super::policy::was_rejected());
        }
        Ok(revised)
    }
}

/// Returns what is recorded of a change: size, kind and source, never content.
fn events(revised: &Revised) -> impl Iterator<Item = AuditEvent> {
    let memory = &revised.memory;
    let write =
        AuditEvent { scope: Some(memory.scope.clone()), ..AuditEvent::new(AuditAction::Write) };
    let mut write = write.with("reason", "update").with("size", memory.content.as_str().len());
    write.details.extend(super::described(std::iter::once(memory)));
    std::iter::once(write).chain(super::redaction_event(revised.redactions.iter()))
}
