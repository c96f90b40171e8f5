//! Asking the user, through a client that can.
//!
//! With a handshake the client is asked while the call waits. Without one the call ends with the
//! question, and is made once more with the answer: what was agreed to before is carried along by
//! the client, which could answer anything anyway.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequiredResult, ProtocolVersion,
};
use sha2::{Digest as _, Sha256};

use super::call::Call;
use super::failure::{Failure, Outcome};

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// A question to the user, which yes answers.
#[derive(Debug)]
pub(crate) struct Question {
    key: String,
    message: String,
}

/// What came of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// The user agreed.
    Given,
    /// The user did not.
    Refused,
    /// The client cannot ask.
    NobodyToAsk,
}

impl Question {
    /// Makes a question about something; an answer to it is one to nothing else.
    pub(crate) fn new(about: &[&str], message: impl Into<String>) -> Self {
        let digest = Sha256::digest(about.join("\0"));
        let first = digest.first_chunk().copied().map_or(0, u64::from_be_bytes);
        let key = format!("{first:016x}");
        Self { key, message: message.into() }
    }
}

/// Asks, or returns what was answered already.
pub(super) async fn ask(call: &Call, question: &Question) -> Outcome<Agreement> {
    if !can_ask(call) {
        return Ok(Agreement::NobodyToAsk);
    }
    if without_handshake(call) {
        return ask_by_result(call, question);
    }
    let asked = call.context.peer.create_elicitation_with_timeout(form(question), Some(PATIENCE));
    match asked.await {
        Ok(answer) if answer.action == ElicitationAction::Accept => Ok(Agreement::Given),
        Ok(_) => Ok(Agreement::Refused),
        Err(_) => Ok(Agreement::NobodyToAsk),
    }
}

fn ask_by_result(call: &Call, question: &Question) -> Outcome<Agreement> {
    if call.agreed.contains(&question.key) {
        return Ok(Agreement::Given);
    }
    if let Some(answer) = call.answers.get(&question.key) {
        let given = answer["action"] == "accept";
        return Ok(if given { Agreement::Given } else { Agreement::Refused });
    }
    let request = InputRequest::Elicitation(ElicitRequest::new(form(question)));
    let questions = BTreeMap::from([(question.key.clone(), request)]);
    let asks = InputRequiredResult::new(Some(questions), state(call));
    Err(Failure::Asks(Box::new(asks)))
}

/// Returns what the client carries along to the next call: everything agreed to so far.
fn state(call: &Call) -> Option<String> {
    let now = call.answers.iter().filter(|(_, answer)| answer["action"] == "accept");
    let agreed: BTreeSet<&String> = call.agreed.iter().chain(now.map(|(key, _)| key)).collect();
    let keys: Vec<&str> = agreed.into_iter().map(String::as_str).collect();
    (!keys.is_empty()).then(|| keys.join(","))
}

/// Reads what was agreed to.
pub(super) fn agreed(state: Option<&str>) -> BTreeSet<String> {
    let keys = state.unwrap_or_default().split(',').filter(|key| !key.is_empty());
    keys.map(str::to_owned).collect()
}

fn form(question: &Question) -> ElicitRequestParams {
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.message.clone(),
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    }
}

fn can_ask(call: &Call) -> bool {
    let capabilities = call.context.client_capabilities();
    let asks = |capabilities: ClientCapabilities| {
        let elicitation = capabilities.elicitation?;
        // Who names no form of asking has the one that was there first.
        Some(elicitation.form.is_some() || elicitation.url.is_none())
    };
    capabilities.and_then(asks).unwrap_or(false)
}

fn without_handshake(call: &Call) -> bool {
    let version = call.context.protocol_version();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}
