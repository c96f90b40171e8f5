//! Whose memories a question is about.

use std::collections::BTreeSet;

use crate::error::{Error, ErrorKind, Result};
use crate::model::{Caller, Identifiers, Layer, Scope};

/// Returns the scopes that the identifiers make and that the caller opens, most specific first.
///
/// Without `layers`, all those that the identifiers are complete for.
pub fn reach(
    caller: &Caller,
    identifiers: &Identifiers,
    layers: Option<&[Layer]>,
) -> Result<Vec<Scope>> {
    let layers: BTreeSet<Layer> = match layers {
        Some(layers) => layers.iter().copied().collect(),
        None => identifiers.layers().collect(),
    };
    let scopes: Vec<Scope> =
        layers.into_iter().map(|layer| Scope::new(layer, identifiers)).collect::<Result<_>>()?;
    match scopes.iter().find(|scope| !caller.access().opens(scope)) {
        Some(closed) => Err(not_open(closed)),
        None => Ok(scopes),
    }
}

/// Returns the error for a scope that is not the caller's to open.
pub(crate) fn not_open(scope: &Scope) -> Error {
    let message = format!("this caller may not open {scope}");
    Error::new(ErrorKind::Unauthorized, message).with("layer", scope.layer().as_str())
}
