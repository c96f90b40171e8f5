//! What is kept of a conversation: turns, as episodes, each once.

use anyhow::Result;
use cofio::model::{Caller, Channel, Doubt, Draft, IdempotencyKey, Kind, Layer, Scope, Source};
use cofio::{Engine, ErrorKind};

use super::payload::{Event, Payload};
use super::said::{Role, Said};
use super::session::Session;
use super::transcript;
use crate::digest::digest;
use crate::settings::Settings;

/// Returns what is to be kept of what a hook was told, without what is known to be kept.
pub fn heard(payload: &Payload, session: &mut Session) -> Vec<Said> {
    let said = match &payload.event {
        Event::Prompt(prompt) => Said::new(Role::User, prompt).into_iter().collect(),
        Event::Answer { prompt, text: Some(text) } => {
            let prompt = prompt.as_deref().and_then(|prompt| Said::new(Role::User, prompt));
            prompt.into_iter().chain(Said::new(Role::Assistant, text)).collect()
        }
        Event::Answer { text: None, .. } | Event::Ending => of_transcript(payload, session),
        Event::SessionStart { .. } | Event::Other => Vec::new(),
    };
    said.into_iter().filter(|said| !session.knows(said)).collect()
}

/// Returns whose the turns are: the project's in a project, and otherwise the user's, unless the
/// settings say something else.
pub fn scope(settings: &Settings) -> Result<Scope> {
    let identifiers = settings.identifiers();
    let layer = match identifiers.get(Layer::Project) {
        Some(_) if settings.layer_is_default() => Layer::Project,
        _ => settings.layer(),
    };
    Ok(Scope::new(layer, &identifiers)?)
}

/// Makes the draft of a turn; what its owner said is trusted, what a model said is not.
pub fn draft(said: &Said, scope: &Scope, payload: &Payload, settings: &Settings) -> Draft {
    let mut source = Source::through(match said.role {
        Role::User => Channel::OwnerMessage,
        Role::Assistant => Channel::Inference,
    });
    source.role = Some(said.role.as_str().to_owned());
    source.session = settings.identifiers().get(Layer::Session).cloned();
    let conversation = source.session.as_ref().map(ToString::to_string).unwrap_or_default();
    let key = digest(&format!("{scope}\n{conversation}\n{}", said.digest()));
    let mut draft = Draft::new(scope.clone(), Kind::Episode, &said.text, source);
    draft.metadata.custom.insert("client".to_owned(), payload.client.as_str().into());
    // In the midst of a conversation nobody can be asked.
    draft.doubt = Doubt::Redact;
    draft.idempotency_key = IdempotencyKey::new(format!("cofio.hook:{key}")).ok();
    draft
}

/// Keeps a turn, unless it was kept before; what was forgotten since stays forgotten.
pub async fn keep(engine: &Engine, caller: &Caller, draft: Draft) -> Result<()> {
    match engine.remember(caller, draft).await {
        Err(error) if error.kind() == ErrorKind::Conflict => Ok(()),
        kept => Ok(kept.map(drop)?),
    }
}

fn of_transcript(payload: &Payload, session: &mut Session) -> Vec<Said> {
    let Some(path) = &payload.transcript else { return Vec::new() };
    let Some((said, end)) = transcript::read(path, session.read()) else { return Vec::new() };
    session.reading(end);
    said
}
