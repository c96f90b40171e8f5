use cofio::model::{Criteria, Identifiers, Kind, Layer, Scope};
use cofio::{Error, ErrorKind, Result, Selection};
use schemars::JsonSchema;
use serde::Deserialize;

use super::vocabulary::{Places, places};
use crate::http::rest::{Filter, Names};
use crate::http::visit::Visit;

/// Among which memories.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Layers {
    /// Layers (agent, user, session, project, team, org or organization, company) and kinds (working,
    /// context, episodic, semantic, procedural, reflection); archival means what was put away.
    /// Without any layer, all that the names open; without any kind, all of them.
    types: Vec<String>,
    /// The agent.
    agent_id: Option<String>,
    /// The user.
    user_id: Option<String>,
    /// The names that the layers need, as far as the key is not bound to them.
    identifiers: Names,
}

/// Where to keep an entry.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Target {
    /// A layer, or a kind: then it is kept on the most specific layer that the names open.
    #[serde(rename = "type")]
    word: Option<String>,
    /// The agent.
    agent_id: Option<String>,
    /// The user.
    user_id: Option<String>,
    /// The names that the layer needs, as far as the key is not bound to them.
    identifiers: Names,
}

impl Layers {
    /// Returns which memories are meant, if they meet the criteria too.
    pub(super) fn selection(self, visit: &Visit, criteria: Criteria) -> Result<Selection> {
        let Places { layers, kinds, states } = places(&self.types)?;
        let names = merged(self.agent_id, self.user_id, self.identifiers)?;
        let states = if states.is_empty() { criteria.states } else { states };
        let layers: Vec<String> = layers.iter().map(ToString::to_string).collect();
        let layers = (!layers.is_empty()).then_some(&layers[..]);
        let criteria = Criteria { kinds, states, ..criteria };
        Ok(Selection { criteria, ..visit.selection(&names, layers, Filter::default())? })
    }
}

impl Target {
    /// Returns whose an entry will be, and what it is if that was said.
    pub(super) fn place(self, visit: &Visit) -> Result<(Scope, Option<Kind>)> {
        let Places { layers, kinds, states } = places(self.word.as_slice())?;
        if !states.is_empty() {
            let message = "nothing is put away before it was kept";
            return Err(Error::new(ErrorKind::InvalidLayer, message));
        }
        let names = merged(self.agent_id, self.user_id, self.identifiers)?;
        let identifiers = visit.identifiers(&names)?;
        let layer = layers.first().copied().unwrap_or_else(|| most_specific(&identifiers));
        Ok((visit.scope(layer.as_str(), &names)?, kinds.first().copied()))
    }

    /// Returns the same place with what an entry says of itself, if nothing else was said.
    pub(super) fn or(mut self, layer: Option<&str>, identifiers: &Names) -> Self {
        self.word = self.word.or_else(|| layer.map(ToOwned::to_owned));
        if self.identifiers.iter().next().is_none() {
            self.identifiers = identifiers.clone();
        }
        self
    }
}

/// Returns the layer that is meant if none is named.
fn most_specific(identifiers: &Identifiers) -> Layer {
    identifiers.layers().next().unwrap_or(Layer::User)
}

/// Puts names together that can be said in two places, and refuses those that contradict each other.
fn merged(agent: Option<String>, user: Option<String>, mut names: Names) -> Result<Names> {
    for (name, own) in [(agent, &mut names.agent_id), (user, &mut names.user_id)] {
        match (&name, &own) {
            (Some(name), Some(own)) if name != own => {
                return Err(Error::invalid("an agent or a user is named twice, and differently"));
            }
            (Some(_), _) => *own = name,
            (None, _) => {}
        }
    }
    Ok(names)
}
