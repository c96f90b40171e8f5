#![expect(missing_docs, reason = "the names are those of the model")]

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::{Grant, Key, Right};

/// A key, without anything of its token.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct KeyOutput {
    pub id: String,
    pub name: String,
    pub rights: Vec<&'static str>,
    /// What is open of each layer.
    pub bound: BTreeMap<&'static str, GrantOutput>,
    pub trust: &'static str,
    pub created_at: String,
    pub expires_at: Option<String>,
    pub revoked_at: Option<String>,
    pub replaced_by: Option<String>,
}

/// Names, or the word `any`, which is none of them.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum GrantOutput {
    Any(&'static str),
    Only(Vec<String>),
}

impl From<&Key> for KeyOutput {
    fn from(key: &Key) -> Self {
        let bound = key.bound.iter().map(|(layer, grant)| (layer.as_str(), grant.into()));
        Self {
            id: key.id.to_string(),
            name: key.name.clone(),
            rights: key.rights.iter().map(Right::as_str).collect(),
            bound: bound.collect(),
            trust: key.trust.as_str(),
            created_at: key.created_at.to_string(),
            expires_at: key.expires_at.map(|end| end.to_string()),
            revoked_at: key.revoked_at.map(|end| end.to_string()),
            replaced_by: key.replaced_by.as_ref().map(ToString::to_string),
        }
    }
}

impl From<&Grant> for GrantOutput {
    fn from(grant: &Grant) -> Self {
        match grant {
            Grant::Any => Self::Any("any"),
            Grant::Only(names) => Self::Only(names.iter().map(ToString::to_string).collect()),
        }
    }
}
