//! The words of the protocol for where a memory is: some say whose it is, some what it is, and one
//! how far it is in its life.

use cofio::model::{Kind, Layer, State};
use cofio::{Error, ErrorKind, Result};

/// What some words say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// Whose memories; none means all that the names open.
    pub(crate) layers: Vec<Layer>,
    /// What they are; none means any kind.
    pub(crate) kinds: Vec<Kind>,
    /// Where they are in their life; none means that they are active.
    pub(crate) states: Vec<State>,
}

/// Reads words of either vocabulary; a word of both, such as `session`, says whose it is.
pub(crate) fn places(words: &[String]) -> Result<Places> {
    let mut places = Places::default();
    for word in words {
        if let Some(layer) = layer(word) {
            places.layers.push(layer);
        } else if let Ok(kind) = word.parse() {
            places.kinds.push(kind);
        } else if word.eq_ignore_ascii_case("archival") {
            places.states.push(State::Archived);
        } else {
            return Err(unknown(word));
        }
    }
    Ok(places)
}

fn layer(word: &str) -> Option<Layer> {
    let is_org = word.eq_ignore_ascii_case("organization");
    if is_org { Some(Layer::Org) } else { word.parse().ok() }
}

fn unknown(word: &str) -> Error {
    let shown: String = word.chars().take(40).collect();
    let layers: Vec<&str> = Layer::ALL.iter().map(|layer| layer.as_str()).collect();
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
    let message = format!(
        "unknown layer {shown:?}; known: {}, and of kinds {}",
        layers.join(", "),
        kinds.join(", ")
    );
    Error::new(ErrorKind::InvalidLayer, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], layers: &[Layer], kinds: &[Kind], states: &[State]) {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let read = places(&words).unwrap();
        assert_eq!((&read.layers[..], &read.kinds[..], &read.states[..]), (layers, kinds, states));
    }

    #[test]
    fn words_of_both_vocabularies_are_told_apart() {
        check(&[], &[], &[], &[]);
        check(&["user", "semantic"], &[Layer::User], &[Kind::Fact], &[]);
        check(&["session"], &[Layer::Session], &[], &[]);
        check(&["organization", "Org"], &[Layer::Org, Layer::Org], &[], &[]);
        check(
            &["working", "episodic", "procedural"],
            &[],
            &[Kind::Working, Kind::Episode, Kind::Procedure],
            &[],
        );
        check(&["archival"], &[], &[], &[State::Archived]);
    }

    #[test]
    fn an_unknown_word_is_no_layer() {
        let error = places(&["galaxy".to_owned()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidLayer);
    }
}
