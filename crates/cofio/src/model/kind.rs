use super::names::names;

/// What a memory is; decides how long it lives and whether it fades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The turn of a conversation that is going on; lives until the session ends.
    Working,
    /// Something true for today.
    Context,
    /// Something that was said or happened.
    Episode,
    /// Something known to be so.
    Fact,
    /// A subject, a predicate and an object.
    Procedure,
    /// A conclusion drawn from other memories.
    Reflection,
}

names!(Kind, "kind", Invalid, {
    Working => "working",
    Context => "context" | "session" | "event" | "task",
    Episode => "episode" | "episodic" | "conversation" | "observation",
    Fact => "fact" | "semantic" | "preference" | "user_personal" | "userpersonal",
    Procedure => "procedure" | "procedural",
    Reflection => "reflection",
});

impl Kind {
    /// Returns what the ids of this kind begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Working => "work",
            Self::Context => "ctx",
            Self::Episode => "ep",
            Self::Fact => "fact",
            Self::Procedure => "proc",
            Self::Reflection => "ref",
        }
    }

    /// Returns whether a person has to confirm what is not from a source of high trust.
    pub fn needs_confirmation(self) -> bool {
        matches!(self, Self::Fact | Self::Procedure)
    }

    /// Returns whether confidence fades when a memory of this kind is not used.
    pub fn decays(self) -> bool {
        matches!(self, Self::Fact | Self::Procedure)
    }
}
