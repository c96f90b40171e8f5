use cofio::model::{Memory, SourceType};
use cofio::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::rest::Origin;

/// The protocol's names for sources, each with ours that is trusted in the same way.
const PROTOCOL: [(&str, &str); 9] = [
    ("user_upload", "manual"),
    ("git_repository", "knowledge_sync"),
    ("notebooklm", "inference"),
    ("dust_ai", "inference"),
    ("perplexity", "inference"),
    ("web_scrape", "web"),
    ("api_import", "import"),
    ("agent_generated", "inference"),
    ("custom_provider", "import"),
];

/// Our names.
const OWN: [&str; 7] =
    ["manual", "conversation", "tool_result", "web", "inference", "knowledge_sync", "import"];

/// The custom fields in which a source keeps what the model has no place for.
const TYPE: &str = "source_type";
const VERSION: &str = "source_version";
const PROVIDER: &str = "source_provider_id";

/// Returns every name of a source that is understood.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OWN.into_iter().chain(PROTOCOL.into_iter().map(|(name, _)| name))
}

/// Where an entry comes from: it can only lower how far the entry is trusted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SourceInput {
    /// What produced it: manual (the default), conversation, `tool_result`, web, inference,
    /// `knowledge_sync` or import, or one of the protocol's own names.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// A page, file or call to find the original by.
    identifier: Option<String>,
    /// The version of the original; kept as a custom field.
    version: Option<String>,
    /// Which knowledge provider; kept as a custom field.
    provider_id: Option<String>,
    /// The conversation it came from.
    session_id: Option<String>,
    /// The message it came from.
    message_id: Option<String>,
    /// The tool that printed it.
    tool_name: Option<String>,
    /// Who spoke: user, assistant, tool or an agent's name.
    role: Option<String>,
    /// Whether the speaker was quoting something from outside.
    from_external_content: bool,
}

/// Where an entry comes from.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SourceOutput {
    /// What produced it.
    #[serde(rename = "type")]
    kind: String,
    /// A page, file or call to find the original by; the id of the entry, if nothing else is known.
    identifier: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    from_external_content: bool,
}

impl SourceInput {
    /// Takes out what the model has no place for, and keeps it as custom fields.
    pub(super) fn split(self) -> (Origin, Map<String, Value>) {
        let known = self.kind.as_deref().and_then(ours);
        let original = known.and(self.kind.clone());
        let kept = [(TYPE, original), (VERSION, self.version), (PROVIDER, self.provider_id)];
        let kept = kept.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let custom = kept.map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
        let origin = Origin {
            kind: known.map(ToOwned::to_owned).or(self.kind),
            session_id: self.session_id,
            message_id: self.message_id,
            tool_name: self.tool_name,
            reference: self.identifier,
            role: self.role,
            from_external_content: self.from_external_content,
        };
        (origin, custom)
    }
}

impl SourceOutput {
    /// Writes where a memory comes from, and takes what belongs to it out of the custom fields.
    pub(super) fn new(memory: &Memory, custom: &mut Map<String, Value>) -> Self {
        let source = &memory.source;
        let mut kept = |name: &str| match custom.remove(name) {
            Some(Value::String(text)) => Some(text),
            other => {
                custom.extend(other.map(|other| (name.to_owned(), other)));
                None
            }
        };
        Self {
            kind: kept(TYPE).unwrap_or_else(|| source.source_type.to_string()),
            identifier: source.reference.clone().unwrap_or_else(|| memory.id.to_string()),
            version: kept(VERSION),
            provider_id: kept(PROVIDER),
            session_id: source.session.as_ref().map(ToString::to_string),
            message_id: source.message.clone(),
            tool_name: source.tool.clone(),
            role: source.role.clone(),
            from_external_content: source.from_external_content,
        }
    }
}

/// What a filter by source asks for: a type of ours, or a name that was kept as a custom field.
pub(super) enum Wanted {
    /// A type of ours.
    Type(SourceType),
    /// A custom field and its value.
    Custom(&'static str, Value),
}

/// Reads the name of a source that is filtered by.
pub(super) fn wanted(name: &str) -> Result<Wanted> {
    if ours(name).is_some() {
        return Ok(Wanted::Custom(TYPE, Value::from(name)));
    }
    let known = name.parse().map(Wanted::Type);
    known.map_err(|_| Error::invalid(format!("unknown source type; known: {}", joined())))
}

fn ours(name: &str) -> Option<&'static str> {
    PROTOCOL.iter().find(|(known, _)| *known == name).map(|(_, ours)| *ours)
}

fn joined() -> String {
    names().collect::<Vec<_>>().join(", ")
}
