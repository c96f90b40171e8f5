use super::Identifier;
use super::names::names;

/// Where a memory came from, and how far it is to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What kind of event produced it.
    pub source_type: SourceType,
    trust: Trust,
    /// The conversation it came from.
    pub session: Option<Identifier>,
    /// The message it came from.
    pub message: Option<String>,
    /// The tool that printed it.
    pub tool: Option<String>,
    /// A page, file or call to find the original by.
    pub reference: Option<String>,
    /// Who spoke: `user`, `assistant`, `tool` or an agent's name.
    pub role: Option<String>,
    /// Whether the speaker was quoting something from outside.
    pub from_external_content: bool,
}

impl Source {
    /// Describes what arrived through a channel; the channel alone sets the trust.
    pub fn through(channel: Channel) -> Self {
        Self::restored(channel.source_type(), channel.trust())
    }

    /// Describes what a store or a bundle recorded earlier.
    pub(crate) fn restored(source_type: SourceType, trust: Trust) -> Self {
        Self {
            source_type,
            trust,
            session: None,
            message: None,
            tool: None,
            reference: None,
            role: None,
            from_external_content: false,
        }
    }

    /// Returns how far the memory is to be trusted.
    pub fn trust(&self) -> Trust {
        self.trust
    }

    /// Returns the same source, after its owner confirmed what came from it.
    #[must_use]
    pub(crate) fn confirmed(mut self) -> Self {
        self.trust = Trust::High;
        self
    }

    /// Returns whether it is a page, file, call, conversation or tool of this name.
    pub fn is_from(&self, origin: &str) -> bool {
        let names = [self.reference.as_deref(), self.tool.as_deref()];
        names.contains(&Some(origin))
            || self.session.as_ref().is_some_and(|session| session.as_str() == origin)
    }

    /// Returns the same source, trusted no further than `most`.
    #[must_use]
    pub fn trusted_at_most(mut self, most: Trust) -> Self {
        self.trust = self.trust.min(most);
        self
    }
}

/// How far a memory is to be trusted; set by the channel, never by what the text claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// From outside, or inferred.
    Low,
    /// From somebody else, or from a file.
    Medium,
    /// Said or confirmed by its owner.
    High,
}

names!(Trust, "trust level", Invalid, { Low => "low", Medium => "medium", High => "high" });

/// What kind of event produced a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceType {
    /// A message in a conversation.
    Conversation,
    /// What a tool printed.
    ToolOutput,
    /// What a model concluded.
    Inference,
    /// A person asked for it to be kept.
    Manual,
    /// A document that is kept in step.
    KnowledgeSync,
    /// Another memory system or a bundle.
    Import,
}

names!(SourceType, "source type", Invalid, {
    Conversation => "conversation" | "user_message",
    ToolOutput => "tool_output" | "tool_result",
    Inference => "ai_inference" | "inference",
    Manual => "manual" | "explicit_save",
    KnowledgeSync => "knowledge_sync",
    Import => "import",
});

/// The way a memory arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The owner of the scope said it.
    OwnerMessage,
    /// Somebody else said it.
    OtherMessage,
    /// A tool read it from a file or a system at hand.
    ToolRead,
    /// A tool fetched it from outside.
    WebFetch,
    /// A model concluded it.
    Inference,
    /// The owner asked for it to be kept.
    ExplicitSave,
    /// A document that is kept in step.
    KnowledgeSync,
    /// Another memory system or a bundle.
    Import,
}

names!(Channel, "channel", Invalid, {
    OwnerMessage => "owner-message",
    OtherMessage => "other-message",
    ToolRead => "tool-read",
    WebFetch => "web-fetch",
    Inference => "inference",
    ExplicitSave => "explicit-save",
    KnowledgeSync => "knowledge-sync",
    Import => "import",
});

impl Channel {
    /// Returns the trust that everything through this channel gets.
    pub fn trust(self) -> Trust {
        match self {
            Self::OwnerMessage | Self::ExplicitSave => Trust::High,
            Self::OtherMessage | Self::ToolRead | Self::KnowledgeSync | Self::Import => {
                Trust::Medium
            }
            Self::WebFetch | Self::Inference => Trust::Low,
        }
    }

    /// Returns the type of source recorded for it.
    pub fn source_type(self) -> SourceType {
        match self {
            Self::OwnerMessage | Self::OtherMessage => SourceType::Conversation,
            Self::ToolRead | Self::WebFetch => SourceType::ToolOutput,
            Self::Inference => SourceType::Inference,
            Self::ExplicitSave => SourceType::Manual,
            Self::KnowledgeSync => SourceType::KnowledgeSync,
            Self::Import => SourceType::Import,
        }
    }
}
