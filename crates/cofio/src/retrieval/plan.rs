//! What is asked of a store: whose memories, and by which cues.

use std::collections::BTreeSet;

use super::query::Mode;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Caller, Cues, Identifiers, Layer, Scope};
use crate::text;

/// How many words the longest name of an entity has that a query is searched for.
const LONGEST_NAME: usize = 4;

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

/// Returns what a question points to.
pub fn cues(question: &str, mode: Mode) -> Cues {
    let terms = text::query_terms(question);
    let names = if mode == Mode::Keyword { Vec::new() } else { names(question) };
    Cues { terms, names }
}

/// Returns every run of a few words, as a name of an entity might be written.
fn names(question: &str) -> Vec<String> {
    let trim = |word: &str| text::fold(word.trim_matches(|c: char| c.is_ascii_punctuation()));
    let words: Vec<String> =
        question.split_whitespace().take(64).map(trim).filter(|word| !word.is_empty()).collect();
    let mut names = BTreeSet::new();
    for length in 1..=LONGEST_NAME {
        names.extend(words.windows(length).map(|window| window.join(" ")));
    }
    names.into_iter().collect()
}
