//! Writing with the user's word where the policy wants it.

use cofio::engine::{Corrected, Remembered};
use cofio::model::{Confirmation, Correction, Doubt, Draft, Memory, MemoryId, State};
use cofio::{Error, ErrorKind};

use super::ask::{Agreement, Question};
use super::call::Call;
use super::failure::Outcome;
use super::source::SourceName;
use crate::notes::Act;

/// What a model is to tell its user of a memory that waits.
pub(crate) const WAITS: &str =
    "waits for review and is not recalled before the user approves it (cofio review)";

/// Keeps a draft; the user is asked about what may be a secret, and about what is not trusted.
pub(crate) async fn remember(call: &Call, draft: Draft) -> Outcome<Remembered> {
    call.notes.begins(Act::Create).of(1);
    let engine = call.engine().await?;
    let mut remembered = match engine.remember(call.caller(), draft.clone()).await {
        Err(error) if error.kind() == ErrorKind::ConfirmationRequired => {
            let doubt = settled(call, &draft.content, error).await?;
            engine.remember(call.caller(), Draft { doubt, ..draft }).await?
        }
        done => done?,
    };
    call.notes.on(&remembered.memory.id);
    if remembered.memory.state == State::Pending {
        remembered.memory = reviewed(call, remembered.memory).await?;
        // Whoever agrees to something has it remembered by that.
        remembered.existing &= remembered.memory.state == State::Pending;
    }
    Ok(remembered)
}

/// Confirms a memory; one that waits takes the user, who has to read it.
pub(crate) async fn confirm(
    call: &Call,
    id: &MemoryId,
    said: Option<SourceName>,
) -> Outcome<Memory> {
    call.notes.begins(Act::Update).on(id);
    let engine = call.engine().await?;
    let memory = engine.get(call.caller(), id).await?;
    if memory.state == State::Pending {
        return reviewed(call, memory).await;
    }
    let source = call.source(said, "", None)?;
    Ok(engine.confirm(call.caller(), id, &Confirmation::new(source)).await?)
}

/// Puts another text in the place of a memory; what is not trusted waits there.
pub(crate) async fn correct(
    call: &Call,
    id: &MemoryId,
    correction: Correction,
) -> Outcome<Corrected> {
    call.notes.begins(Act::Update).on(id);
    let engine = call.engine().await?;
    match engine.correct(call.caller(), id, correction.clone()).await {
        Err(error) if error.kind() == ErrorKind::ConfirmationRequired => {
            let doubt = settled(call, &correction.content, error).await?;
            Ok(engine.correct(call.caller(), id, Correction { doubt, ..correction }).await?)
        }
        done => Ok(done?),
    }
}

/// Asks the user about what may be a secret, after a write was refused for it.
pub(crate) async fn settled(call: &Call, text: &str, refusal: Error) -> Outcome<Doubt> {
    let question = Question::new(&["keep", text], format!("{refusal}. Keep it all the same?"));
    let advice = match call.ask(&question).await? {
        Agreement::Given => return Ok(Doubt::Keep),
        Agreement::Refused => "The user does not want it kept: leave it out.",
        Agreement::NobodyToAsk => {
            "Nothing was kept: say it without that, or let the user keep it by cofio remember."
        }
    };
    Err(refusal.with("advice", advice).into())
}

/// Asks the user about a memory that waits; it goes on waiting unless they agree.
pub(crate) async fn reviewed(call: &Call, memory: Memory) -> Outcome<Memory> {
    let text = memory.content.as_str();
    let version = memory.version.to_string();
    let question = Question::new(
        &["approve", memory.id.as_str(), &version, text],
        format!("Remember this as true? Its source has {} trust.\n\n{text}", memory.source.trust()),
    );
    match call.ask(&question).await? {
        Agreement::Given => {
            Ok(call.engine().await?.approve(call.caller(), &memory.id, text).await?)
        }
        Agreement::Refused | Agreement::NobodyToAsk => Ok(memory),
    }
}
