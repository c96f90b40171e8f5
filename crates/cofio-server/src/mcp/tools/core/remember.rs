use cofio::model::{Draft, Kind, Metadata, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::mcp::call::Call;
use crate::mcp::failure::Outcome;
use crate::mcp::names::LayerName;
use crate::mcp::source::SourceName;
use crate::mcp::tool::{Effect, Reply, Tool};
use crate::mcp::write::{self, WAITS};

/// Keeps something.
pub(crate) struct Remember;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// One self-contained statement, understandable without this conversation
    content: String,
    /// fact: lasting (default); episode: something that happened, 90 days; context: today only
    kind: Option<KindToKeep>,
    /// Whose it is: user (default), project, session, …
    layer: Option<LayerName>,
    /// The conversation's id
    session: Option<String>,
    /// Labels to find it by
    tags: Option<Vec<String>>,
    /// Where it comes from, if not from the user
    source: Option<SourceName>,
    /// The file, page or command it stood in
    reference: Option<String>,
}

/// What can be kept without more being said of it.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum KindToKeep {
    Fact,
    Episode,
    Context,
    Reflection,
}

impl From<KindToKeep> for Kind {
    fn from(kind: KindToKeep) -> Self {
        match kind {
            KindToKeep::Fact => Self::Fact,
            KindToKeep::Episode => Self::Episode,
            KindToKeep::Context => Self::Context,
            KindToKeep::Reflection => Self::Reflection,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    id: String,
    /// remembered, known or waiting
    status: &'static str,
    scope: String,
    /// Kinds of secrets that were taken out
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    redacted: Vec<&'static str>,
    /// What the user should know
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

impl Reply for Output {
    fn text(&self) -> String {
        let Self { id, status, scope, redacted, note: _ } = self;
        let mut text = match *status {
            "waiting" => format!("{id} in {scope} {WAITS}."),
            "known" => format!("Known already: {id} in {scope}."),
            _ => format!("Remembered {id} in {scope}."),
        };
        if !redacted.is_empty() {
            text = format!("{text} Taken out as secret: {}.", redacted.join(", "));
        }
        text
    }
}

impl Tool for Remember {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "remember";
    const TITLE: &'static str = "Remember";
    const DESCRIPTION: &'static str = "Save to long-term memory: preferences, decisions, facts, lessons, events worth knowing in later conversations. Never passwords or keys. Say honestly where it comes from.";
    const EFFECT: Effect = Effect::Adds;

    async fn run(call: &Call, input: Input) -> Outcome<Output> {
        let session = input.session.as_deref();
        let scope = call.scope(input.layer, session)?;
        let mut source = call.source(input.source, &input.content, session)?;
        source.reference = input.reference;
        let kind = input.kind.map_or(Kind::Fact, Kind::from);
        let metadata = Metadata { tags: input.tags.unwrap_or_default(), ..Metadata::default() };
        let draft = Draft { metadata, ..Draft::new(scope, kind, input.content, source) };
        let remembered = write::remember(call, draft).await?;
        let memory = &remembered.memory;
        let waits = memory.state == State::Pending;
        Ok(Output {
            id: memory.id.to_string(),
            status: match memory.state {
                State::Pending => "waiting",
                _ if remembered.existing => "known",
                _ => "remembered",
            },
            scope: memory.scope.to_string(),
            redacted: remembered.redactions.iter().map(|redaction| redaction.class).collect(),
            // Some clients show a model these values and not the text.
            note: waits.then_some(WAITS),
        })
    }
}
