use cofio::model::{Channel, Identifier, Source};
use cofio::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::source;

/// Where a text comes from, as the caller says: it can only lower how far the text is trusted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Origin {
    /// What produced it: manual (the default), conversation, `tool_result`, web, inference,
    /// `knowledge_sync` or import.
    #[serde(rename = "type")]
    pub(crate) kind: Option<String>,
    /// The conversation it came from.
    pub(crate) session_id: Option<String>,
    /// The message it came from.
    pub(crate) message_id: Option<String>,
    /// The tool that printed it.
    pub(crate) tool_name: Option<String>,
    /// A page, file or call to find the original by.
    pub(crate) reference: Option<String>,
    /// Who spoke: user, assistant, tool or an agent's name.
    pub(crate) role: Option<String>,
    /// Whether the speaker was quoting something from outside.
    pub(crate) from_external_content: bool,
}

impl Origin {
    /// Returns the source of a text.
    pub(crate) fn source(self, text: &str) -> Result<Source> {
        let channel = channel(self.kind.as_deref(), self.role.as_deref())?;
        let mut source = source::through(channel, text);
        source.session = self.session_id.as_deref().map(Identifier::new).transpose()?;
        source.message = self.message_id;
        source.tool = self.tool_name;
        source.reference = self.reference;
        source.role = self.role;
        source.from_external_content = self.from_external_content;
        Ok(source)
    }
}

/// Returns the channel that a name stands for; in a conversation it matters who speaks.
fn channel(kind: Option<&str>, role: Option<&str>) -> Result<Channel> {
    match kind.unwrap_or("manual") {
        "manual" | "explicit_save" => Ok(Channel::ExplicitSave),
        "conversation" | "user_message" if role.is_none_or(|role| role == "user") => {
            Ok(Channel::OwnerMessage)
        }
        "conversation" | "user_message" => Ok(Channel::OtherMessage),
        "tool_result" | "tool_output" | "tool" => Ok(Channel::ToolRead),
        "web" => Ok(Channel::WebFetch),
        "inference" | "ai_inference" => Ok(Channel::Inference),
        "knowledge_sync" => Ok(Channel::KnowledgeSync),
        "import" => Ok(Channel::Import),
        unknown => {
            let shown: String = unknown.chars().take(40).collect();
            Err(Error::invalid(format!(
                "unknown source type {shown:?}; known: manual, conversation, tool_result, web, \
                 inference, knowledge_sync, import"
            )))
        }
    }
}
