use cofio::model::{Caller, Grant, Identifier, Layer, Memory, Scope};
use cofio::{Error, ErrorKind, Result};
use serde_json::Value;

/// Whom a memory can belong to, in Mem0's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entity {
    User,
    Agent,
    App,
    Run,
}

impl Entity {
    pub(super) const ALL: [Self; 4] = [Self::User, Self::Agent, Self::App, Self::Run];

    /// Returns what a request calls its name.
    pub(super) fn field(self) -> &'static str {
        match self {
            Self::User => "user_id",
            Self::Agent => "agent_id",
            Self::App => "app_id",
            Self::Run => "run_id",
        }
    }

    /// Returns what a list of entities calls it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::App => "app",
            Self::Run => "run",
        }
    }

    /// Returns the layer whose identifier is its name.
    pub(super) fn layer(self) -> Layer {
        match self {
            Self::User => Layer::User,
            Self::Agent => Layer::Agent,
            Self::App => Layer::Project,
            Self::Run => Layer::Session,
        }
    }

    /// Returns the custom field that has the name where the scope of a memory has none.
    pub(super) fn label(self) -> Option<&'static str> {
        match self {
            Self::User | Self::Run => None,
            Self::Agent => Some("mem0_agent_id"),
            Self::App => Some("mem0_app_id"),
        }
    }

    /// Returns whether every memory of a layer has the same name, or none has any.
    pub(super) fn is_settled_by(self, layer: Layer) -> bool {
        match self {
            Self::User | Self::Run => true,
            Self::Agent => layer != Layer::Session,
            Self::App => layer == Layer::Project,
        }
    }

    /// Returns the name that a memory has.
    pub(super) fn of(self, memory: &Memory) -> Option<&str> {
        let labelled = || memory.metadata.custom.get(self.label()?).and_then(Value::as_str);
        self.of_scope(&memory.scope).or_else(labelled)
    }

    /// Returns the name that every memory of a scope has.
    pub(super) fn of_scope(self, scope: &Scope) -> Option<&str> {
        scope.identifiers().get(self.layer()).map(Identifier::as_str)
    }

    /// Refuses a name that is not the caller's to open.
    pub(super) fn check_open(self, caller: &Caller, name: &Identifier) -> Result<()> {
        match caller.access().grant(self.layer()) {
            Grant::Any => Ok(()),
            Grant::Only(open) if open.contains(name) => Ok(()),
            Grant::Only(_) => {
                let (kind, name) = (self.as_str(), name.as_str());
                let message = format!("this caller may not open the {kind} {name:?}");
                Err(Error::new(ErrorKind::Unauthorized, message).with("entity", self.as_str()))
            }
        }
    }
}

/// Returns whether a custom field is a label of ours.
pub(super) fn is_label(name: &str) -> bool {
    Entity::ALL.iter().any(|entity| entity.label() == Some(name))
}
