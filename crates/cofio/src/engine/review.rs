use super::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::ingest;
use crate::model::{
    AuditAction, AuditEvent, Caller, Change, Memory, MemoryId, Outcome, Right, Scope, State, Trust,
};
use crate::store::Rejection;

impl Engine {
    /// Confirms a memory that waits, so that it counts as said by its owner.
    ///
    /// `text` is what the one who confirms has read; if the memory says anything else by now,
    /// nothing is confirmed.
    pub async fn approve(&self, caller: &Caller, id: &MemoryId, text: &str) -> Result<Memory> {
        self.approve_text(caller, id, text).await.map_err(|error| error.during("approve"))
    }

    /// Refuses a memory that waits: it is forgotten, and what it says is not learnt again in its
    /// scope, however it is spelt.
    pub async fn reject(&self, caller: &Caller, id: &MemoryId) -> Result<()> {
        self.reject_value(caller, id).await.map_err(|error| error.during("reject"))
    }

    /// Returns what was rejected, the latest first; of the values only hashes are known.
    pub async fn rejections(&self, caller: &Caller) -> Result<Vec<Rejection>> {
        let rejections = async {
            caller.require(Right::Read)?;
            self.store.rejections(caller.access()).await
        };
        rejections.await.map_err(|error| error.during("review"))
    }

    /// Lets a value be learnt again that was rejected in a scope, and returns whether it was.
    pub async fn permit(&self, caller: &Caller, scope: &Scope, text: &str) -> Result<bool> {
        self.permit_value(caller, scope, text).await.map_err(|error| error.during("permit"))
    }

    async fn approve_text(&self, caller: &Caller, id: &MemoryId, text: &str) -> Result<Memory> {
        caller.require(Right::Write)?;
        let now = self.now();
        let memory = self.waiting(caller, id).await?;
        if caller.trust() < Trust::High {
            return Err(ingest::awaits_owner(&memory));
        }
        if memory.content.as_str() != text {
            let message = format!("{id} says something else: read it again");
            return Err(Error::new(ErrorKind::Conflict, message).with("version", memory.version));
        }
        let source = memory.source.clone().confirmed();
        let (state, version) = (State::Active, memory.version + 1);
        let approved =
            Memory { source, state, version, updated_at: now, instructs: false, ..memory };
        let identity = ingest::identity_of(&approved);
        let event = event(AuditAction::Write, &approved).with("reason", "approve");
        let changes = vec![Change::Update { memory: Box::new(approved.clone()), identity }];
        match self.commit(caller, now, changes, vec![event], None).await?.as_slice() {
            [Outcome::Updated(_)] => Ok(approved),
            _ => Err(MemoryId::not_found(id.as_str())),
        }
    }

    async fn reject_value(&self, caller: &Caller, id: &MemoryId) -> Result<()> {
        caller.require(Right::Delete)?;
        let memory = self.waiting(caller, id).await?;
        let event = event(AuditAction::Delete, &memory).with("reason", "reject");
        let (id, scope) = (memory.id, memory.scope);
        let change = match ingest::value_hash(&scope, memory.content.as_str()) {
            Some(value) => Change::Reject { id: id.clone(), scope, value },
            None => Change::Forget { id: id.clone(), scope, version: None },
        };
        match self.commit(caller, self.now(), vec![change], vec![event], None).await?.as_slice() {
            [Outcome::Forgotten(_)] => Ok(()),
            _ => Err(MemoryId::not_found(id.as_str())),
        }
    }

    async fn permit_value(&self, caller: &Caller, scope: &Scope, text: &str) -> Result<bool> {
        caller.require(Right::Write)?;
        super::check_open(caller, scope)?;
        if caller.trust() < Trust::High {
            let message = "only the owner lets something be learnt again that was rejected";
            return Err(Error::new(ErrorKind::Refused, message).with("reason", "trust"));
        }
        let Some(value) = ingest::value_hash(scope, text) else { return Ok(false) };
        let permitted = self.store.permit(scope, &value).await?;
        if permitted {
            let event =
                AuditEvent { scope: Some(scope.clone()), ..AuditEvent::new(AuditAction::Write) };
            let event = event.with("reason", "permit");
            self.commit(caller, self.now(), Vec::new(), vec![event], None).await?;
        }
        Ok(permitted)
    }

    /// Loads a memory that waits for somebody to confirm it.
    async fn waiting(&self, caller: &Caller, id: &MemoryId) -> Result<Memory> {
        let memory = self.load(caller, id, self.now()).await?;
        if memory.state != State::Pending {
            let message = format!("{id} does not wait for review: it is {}", memory.state);
            return Err(Error::new(ErrorKind::Conflict, message));
        }
        Ok(memory)
    }
}

fn event(action: AuditAction, memory: &Memory) -> AuditEvent {
    AuditEvent { scope: Some(memory.scope.clone()), ..AuditEvent::new(action) }
        .with("id", memory.id.as_str())
        .with("source", memory.source.source_type.as_str())
}
