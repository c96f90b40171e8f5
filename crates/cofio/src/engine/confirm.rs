use super::Engine;
use crate::error::Result;
use crate::ingest;
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Confirmation, Memory, MemoryId, Outcome, Right,
};

impl Engine {
    /// Holds a memory to be true: it is certain, and fades no more.
    ///
    /// One that has faded or was put away is in use again. One that waits for review is approved,
    /// which takes its owner and the exact text; otherwise `ConfirmationRequired` says that a
    /// person has to agree first.
    pub async fn confirm(
        &self,
        caller: &Caller,
        id: &MemoryId,
        confirmation: &Confirmation,
    ) -> Result<Memory> {
        self.confirm_memory(caller, id, confirmation).await.map_err(|error| error.during("confirm"))
    }

    async fn confirm_memory(
        &self,
        caller: &Caller,
        id: &MemoryId,
        confirmation: &Confirmation,
    ) -> Result<Memory> {
        caller.require(Right::Write)?;
        let now = self.now();
        let memory = self.load(caller, id, now).await?;
        let source = confirmation.source.clone().trusted_at_most(caller.trust());
        let confirmation = &Confirmation { source, ..confirmation.clone() };
        let confirmed = ingest::confirmed(&memory, confirmation, now);
        let confirmed = self.recording_refusals(caller, now, confirmed).await?;
        let Some(confirmed) = confirmed else { return Ok(memory) };
        let event = AuditEvent {
            scope: Some(confirmed.scope.clone()),
            ..AuditEvent::new(AuditAction::Write)
        };
        let event = event
            .with("reason", "confirm")
            .with("ids", vec![id.as_str()])
            .with("source", confirmation.source.source_type.as_str());
        let identity = ingest::identity_of(&confirmed);
        let changes = vec![Change::Update { memory: Box::new(confirmed.clone()), identity }];
        match self.commit(caller, now, changes, vec![event], None).await?.as_slice() {
            [Outcome::Updated(_)] => Ok(confirmed),
            _ => Err(MemoryId::not_found(id.as_str())),
        }
    }
}
