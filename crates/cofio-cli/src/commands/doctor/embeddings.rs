use cofio::store::EmbeddingState;
use serde::Serialize;

use super::checks::Check;
use crate::commands::embed::Refused;
use crate::embedder::{self, Chosen, PULL};
use crate::present;

/// How far the embedding of everything is, and who does it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Embeddings {
    /// The fingerprint of the embedder that the settings choose, if it can be used.
    embedder: Option<String>,
    /// Why it cannot be used, if it is wanted.
    unavailable: Option<String>,
    /// The fingerprint of the model that memories are embedded with.
    model: Option<String>,
    embedded: u64,
    pending: u64,
    /// Why some of those could not be embedded.
    refused: Vec<Refused>,
    /// How many of those could be, as far as is known.
    #[serde(skip)]
    waiting: u64,
    /// How much of everything is embedded.
    per_cent: u64,
    /// Other models that vectors are still kept of.
    retiring: Vec<Retiring>,
}

/// Vectors that are kept until all those of another model are there.
#[derive(Debug, Serialize)]
struct Retiring {
    model: String,
    vectors: u64,
}

impl Embeddings {
    /// Tells of the state of a store.
    pub fn new(state: &EmbeddingState, chosen: &Chosen) -> Self {
        let unavailable = match chosen {
            Chosen::Ready(_) | Chosen::Unwanted => None,
            Chosen::Absent => Some(format!("{} is not here: {PULL} gets it", embedder::model())),
            Chosen::Unusable(why) => Some(why.clone()),
        };
        let retiring = state
            .retiring
            .iter()
            .map(|(model, vectors)| Retiring { model: model.to_string(), vectors: *vectors });
        Self {
            embedder: chosen.ready().map(|embedder| embedder.fingerprint().to_string()),
            unavailable,
            model: state.model.as_ref().map(ToString::to_string),
            embedded: state.embedded,
            pending: state.pending,
            refused: Refused::all(state),
            waiting: state.waiting(),
            per_cent: per_cent(state),
            retiring: retiring.collect(),
        }
    }

    /// Says whether everything is as it should be, and what to do if not.
    pub fn check(&self) -> Check {
        let mut parts = Vec::new();
        parts.extend(self.unavailable.clone());
        if self.embedder.is_none() && self.unavailable.is_none() {
            parts.push("none are wanted".to_owned());
        }
        parts.extend(self.progress());
        for Retiring { model, vectors } in &self.retiring {
            let vectors = present::count(*vectors, "vector", "vectors");
            parts.push(format!("{vectors} of {model} until all are changed"));
        }
        parts.extend(self.refused.iter().map(Refused::said));
        parts.extend(self.advice());
        let warning = self.unavailable.is_some()
            || self.advice().is_some()
            || (self.embedder.is_some() && !self.refused.is_empty());
        Check { name: "embeddings".to_owned(), ok: true, warning, detail: parts.join("; ") }
    }

    /// Says how much is embedded.
    fn progress(&self) -> Option<String> {
        let Self { embedded, pending, per_cent, .. } = self;
        let all = present::count(embedded + pending, "memory", "memories");
        match &self.model {
            None if *pending == 0 => self.embedder.as_ref().map(|model| format!("ready: {model}")),
            None => Some(format!("0 of {all} embedded")),
            Some(model) if *pending == 0 => Some(format!("all of {all} embedded with {model}")),
            Some(model) => {
                Some(format!("{embedded} of {all} ({per_cent} %) embedded with {model}"))
            }
        }
    }

    /// Says what would bring the vectors up to date.
    fn advice(&self) -> Option<String> {
        let wanted = self.embedder.as_ref()?;
        match &self.model {
            Some(model) if model != wanted => {
                Some(format!("the settings want {wanted}: cofio embed changes all to it"))
            }
            _ if self.waiting > 0 => Some("cofio embed makes the rest".to_owned()),
            _ => None,
        }
    }
}

/// Returns how much is embedded, rounded down, so that a hundred means everything.
fn per_cent(state: &EmbeddingState) -> u64 {
    let all = state.embedded + state.pending;
    (state.embedded * 100).checked_div(all).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cofio::model::Fingerprint;
    use cofio_adapters::openai::{OpenAi, Options};

    use super::*;

    fn server(model: &str) -> Chosen {
        Chosen::Ready(Arc::new(OpenAi::new(Options::new("http://127.0.0.1:1/v1", model)).unwrap()))
    }

    /// Checks what is said of a store with vectors of some model, so many embedded and pending, and
    /// vectors of others.
    #[track_caller]
    fn check(
        chosen: &Chosen,
        model: Option<&str>,
        (embedded, pending): (u64, u64),
        retiring: &[(&str, u64)],
        expected: &str,
    ) {
        let fingerprint = |name: &str| match server(name) {
            Chosen::Ready(embedder) => embedder.fingerprint().clone(),
            _ => unreachable!(),
        };
        let retiring: Vec<(Fingerprint, u64)> =
            retiring.iter().map(|(name, count)| (fingerprint(name), *count)).collect();
        let model = model.map(fingerprint);
        let state = EmbeddingState { model, embedded, pending, retiring, ..Default::default() };
        check_state(chosen, &state, expected);
    }

    #[track_caller]
    fn check_state(chosen: &Chosen, state: &EmbeddingState, expected: &str) {
        let check = Embeddings::new(state, chosen).check();
        let detail =
            check.detail.replace("openai:http://127.0.0.1:1/v1#", "").replace("/native", "");
        assert_eq!(format!("{} {detail}", check.mark()), expected);
    }

    #[test]
    fn the_state_is_said_with_what_to_do_about_it() {
        let small = server("small");
        check(&small, None, (0, 0), &[], "ok ready: small");
        check(&small, Some("small"), (3, 0), &[], "ok all of 3 memories embedded with small");
        check(
            &small,
            None,
            (0, 1),
            &[],
            "WARNING 0 of 1 memory embedded; cofio embed makes the rest",
        );
        check(&Chosen::Unwanted, None, (0, 0), &[], "ok none are wanted");
        check(
            &Chosen::Unwanted,
            Some("small"),
            (2, 1),
            &[],
            "ok none are wanted; 2 of 3 memories (66 %) embedded with small",
        );
        check(
            &Chosen::Absent,
            None,
            (0, 5),
            &[],
            "WARNING all-MiniLM-L6-v2 is not here: cofio model pull gets it; 0 of 5 memories embedded",
        );
    }

    #[test]
    fn what_cannot_be_embedded_is_said_with_the_reason() {
        let small = server("small");
        let model = small.ready().map(|embedder| embedder.fingerprint().clone());
        let refused = vec![("it is too strange".to_owned(), 1)];
        let state =
            EmbeddingState { model, embedded: 2, pending: 1, refused, retiring: Vec::new() };
        let said = "2 of 3 memories (66 %) embedded with small; 1 memory cannot be embedded: it is too strange";
        check_state(&small, &state, &format!("WARNING {said}"));
        check_state(&Chosen::Unwanted, &state, &format!("ok none are wanted; {said}"));
        let more = EmbeddingState { pending: 2, ..state };
        let said = "2 of 4 memories (50 %) embedded with small; 1 memory cannot be embedded: it is too strange; cofio embed makes the rest";
        check_state(&small, &more, &format!("WARNING {said}"));
    }

    #[test]
    fn a_change_of_model_is_shown_from_its_beginning_to_its_end() {
        let large = server("large");
        check(
            &large,
            Some("small"),
            (8, 0),
            &[],
            "WARNING all of 8 memories embedded with small; the settings want large: cofio embed changes all to it",
        );
        check(
            &large,
            Some("large"),
            (2, 6),
            &[("small", 9)],
            "WARNING 2 of 8 memories (25 %) embedded with large; 9 vectors of small until all are changed; cofio embed makes the rest",
        );
        check(&large, Some("large"), (8, 0), &[], "ok all of 8 memories embedded with large");
    }
}
