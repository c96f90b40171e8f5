use cofio::model::{Bound, Identifier, KeyDraft, KeyId, Right, Rights, Token, Trust};
use cofio::wire::{self, KeyOutput};
use cofio::{Error, ErrorKind, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A key that somebody wants.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewKey {
    /// What people will call it.
    name: String,
    /// What it may do: read, write, delete, admin; read and write if nothing is said.
    #[serde(default)]
    rights: Vec<String>,
    /// What it opens. An admin key opens everything and is bound to nothing.
    #[serde(default)]
    bound: BoundTo,
    /// How far what is written with it is trusted at most: low, medium or high.
    trust: Option<String>,
    /// When it ends by itself.
    expires_at: Option<String>,
}

/// What a key opens: names of each kind, and the kinds of which every name is open.
///
/// With a user, all of that user's agents and sessions are open, unless some are named.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
struct BoundTo {
    agent: Vec<String>,
    user: Vec<String>,
    session: Vec<String>,
    project: Vec<String>,
    team: Vec<String>,
    org: Vec<String>,
    company: Vec<String>,
    /// Layers of which every name is open.
    any: Vec<String>,
}

impl NewKey {
    /// Reads it in the words of the model.
    pub(super) fn draft(self) -> Result<KeyDraft> {
        let mut draft = KeyDraft::new(self.name, self.bound.bound()?);
        let rights: Vec<Right> =
            self.rights.iter().map(|right| right.parse()).collect::<Result<_>>()?;
        if !rights.is_empty() {
            draft.rights = Rights::of(&rights);
        }
        draft.trust = self.trust.map_or(Ok(Trust::High), |trust| trust.parse())?;
        draft.expires_at = self.expires_at.as_deref().map(wire::moment).transpose()?;
        Ok(draft)
    }
}

impl BoundTo {
    fn bound(self) -> Result<Bound> {
        use cofio::model::Layer::{Agent, Company, Org, Project, Session, Team, User};
        let mut bound = Bound::default();
        for (layer, names) in [
            (Agent, self.agent),
            (User, self.user),
            (Session, self.session),
            (Project, self.project),
            (Team, self.team),
            (Org, self.org),
            (Company, self.company),
        ] {
            for name in names {
                bound = bound.with(layer, Identifier::new(&name)?);
            }
        }
        self.any.iter().try_fold(bound, |bound, layer| Ok(bound.with_any(layer.parse()?)))
    }
}

/// A key with its token, which is shown this once.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct KeyMade {
    key: KeyOutput,
    /// What a program sends as `Authorization: Bearer`; nobody can show it again.
    token: String,
}

impl KeyMade {
    /// Shows a key that was just made.
    pub(super) fn new(key: &cofio::model::Key, token: &Token) -> Self {
        Self { key: KeyOutput::from(key), token: token.expose().to_owned() }
    }
}

/// The id of a key in a path.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ByKeyId {
    /// The id of a key.
    id: String,
}

impl ByKeyId {
    /// Returns the id; one that no key can have is not there.
    pub(super) fn key(&self) -> Result<KeyId> {
        self.id.parse()
    }
}

/// Returns 32 bytes that nobody can foresee.
pub(super) fn entropy() -> Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message = "the operating system has no random bytes";
        Error::new(ErrorKind::Provider, message).caused_by(error)
    })?;
    Ok(bytes)
}
