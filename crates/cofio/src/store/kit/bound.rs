//! What a key opens, in the form in which it is persisted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Bound, Grant, Identifier, Layer};

/// Writes what a key opens as JSON.
pub fn encode_bound(bound: &Bound) -> String {
    let kept = |grant: &Grant| match grant {
        Grant::Any => Kept::Any(Any::Any),
        Grant::Only(names) => Kept::Only(names.iter().map(ToString::to_string).collect()),
    };
    let layers: BTreeMap<&str, Kept> =
        bound.iter().map(|(layer, grant)| (layer.as_str(), kept(grant))).collect();
    serde_json::to_string(&layers).expect("names have a JSON form")
}

/// Reads what a key opens.
pub fn decode_bound(document: &str) -> Result<Bound> {
    let layers: BTreeMap<String, Kept> = serde_json::from_str(document).map_err(unreadable)?;
    let mut bound = Bound::default();
    for (layer, kept) in layers {
        let layer: Layer = layer.parse()?;
        bound = match kept {
            Kept::Any(_) => bound.with_any(layer),
            Kept::Only(names) => names.iter().try_fold(bound, |bound, name| {
                Ok::<_, Error>(bound.with(layer, Identifier::new(name)?))
            })?,
        };
    }
    Ok(bound)
}

fn unreadable(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Damaged, "what a key opens cannot be read").caused_by(cause)
}

/// What is open of one layer, as it is kept: a word or a list of names, which no name can be.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Kept {
    Any(Any),
    Only(Vec<String>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Any {
    Any,
}
