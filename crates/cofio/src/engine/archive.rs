use super::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest;
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Memory, MemoryId, Outcome, Right, State, Timestamp,
};

impl Engine {
    /// Puts a memory away: it is found on request only, and its history stays. That says nothing
    /// about whether it is true.
    ///
    /// To be rid of it for good, forget it.
    pub async fn archive(&self, caller: &Caller, id: &MemoryId) -> Result<Memory> {
        let (from, to) = ([State::Active, State::Decayed], State::Archived);
        self.move_on(caller, id, &from, to).await.map_err(|error| error.during("archive"))
    }

    /// Brings back a memory that was put away or has faded, which counts as reading it.
    pub async fn bring_back(&self, caller: &Caller, id: &MemoryId) -> Result<Memory> {
        let (from, to) = ([State::Archived, State::Decayed], State::Active);
        let moved = self.move_on(caller, id, &from, to).await;
        let memory = moved.map_err(|error| error.during("bring back"))?;
        self.observe(caller, self.now(), "bring back", std::slice::from_ref(&memory));
        Ok(memory)
    }

    async fn move_on(
        &self,
        caller: &Caller,
        id: &MemoryId,
        from: &[State],
        to: State,
    ) -> Result<Memory> {
        let now = self.now();
        caller.require(Right::Write)?;
        let memory = self.load(caller, id, now).await?;
        if memory.state == to {
            return Ok(memory);
        }
        let allowed = ingest::refuse_lower_trust(&memory, caller.trust());
        self.recording_refusals(caller, now, allowed).await?;
        if !from.contains(&memory.state) {
            let message = format!("{id} is {} and cannot become {to}", memory.state);
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        let moved = moved(memory, to, now);
        let event =
            AuditEvent { scope: Some(moved.scope.clone()), ..AuditEvent::new(AuditAction::Write) };
        let event = event.with("reason", to.as_str()).with("ids", vec![id.as_str()]);
        let identity = ingest::identity_of(&moved);
        let changes = vec![Change::Update { memory: Box::new(moved.clone()), identity }];
        match self.commit(caller, now, changes, vec![event], None).await?.as_slice() {
            [Outcome::Updated(_)] => Ok(moved),
            _ => Err(MemoryId::not_found(id.as_str())),
        }
    }
}

fn moved(memory: Memory, state: State, now: Timestamp) -> Memory {
    Memory { state, version: memory.version + 1, updated_at: now, ..memory }
}
