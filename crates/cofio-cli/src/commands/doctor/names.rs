use cofio::recognise::Pipeline;
use serde::Serialize;

use super::checks::Check;
use crate::embedder::PULL;
use crate::failure;
use crate::recognisers;

/// Who is asked afterwards what memories name.
#[derive(Debug, Serialize)]
pub struct Names {
    /// The recognisers, in the order in which they are asked.
    recognisers: Vec<&'static str>,
    /// Whether one of them judges by context.
    accurate: bool,
    /// Why one of them cannot be used.
    unavailable: Option<String>,
}

impl Names {
    /// Makes the recognisers ready to see whether they can be used.
    pub fn of(recognisers: &Pipeline) -> Self {
        let unready = recognisers.prepare().err();
        Self {
            recognisers: recognisers.names().collect(),
            accurate: recognisers.is_accurate(),
            unavailable: unready.map(|error| failure::message(&error.into())),
        }
    }

    /// Says who finds names, and what would find more.
    pub fn check(&self) -> Check {
        let model = recognisers::model().map_or("", |model| model.name);
        let mut parts = vec![self.recognisers.join(", ")];
        parts.extend(self.unavailable.iter().map(|why| format!("{why}: {PULL} --force {model}")));
        if !self.accurate {
            parts.push(format!("{PULL} {model} adds a model that judges by context"));
        }
        let warning = self.unavailable.is_some();
        Check { name: "recognisers".to_owned(), ok: true, warning, detail: parts.join("; ") }
    }
}
