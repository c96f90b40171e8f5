//! Taking in the graph of the reference server.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::Result;
use cofio::model::{Channel, Source, Trust};
use cofio_server::dialects::Writer;
use cofio_server::dialects::knowledge_graph::{ImportedGraph, KnowledgeGraph};
use serde::Serialize;

use crate::app::App;
use crate::output::{self, Page};

/// What became of a graph.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GraphOutput {
    created: u64,
    existing: u64,
    refused: u64,
    redacted: u64,
    scope: String,
}

/// Takes in a file that `server-memory` keeps; whoever does so vouches for it, up to `trust`.
pub async fn run(app: &App, path: &Path, file: File, trust: Trust) -> Result<()> {
    let scope = app.scope_to_write()?;
    let mut source = Source::through(Channel::ExplicitSave).trusted_at_most(trust);
    source.reference = Some(output::shown(path));
    let (engine, caller) = (app.engine.clone(), app.caller.clone());
    let graph = KnowledgeGraph::new(Writer { engine, caller, scope: scope.clone(), source });
    let ImportedGraph { created, existing, refused, redacted } =
        graph.import(BufReader::new(file)).await?;
    let output = GraphOutput { created, existing, refused, redacted, scope: scope.to_string() };
    app.output.answer(|| &output, |page| output.show(page))?;
    Ok(())
}

impl GraphOutput {
    fn show(&self, page: &mut Page) {
        page.line(format!("imported {} new into {}", self.created, self.scope));
        let others = [
            (self.existing, "here already", ""),
            (self.refused, "refused", " (credentials, or rejected before)"),
            (self.redacted, "secrets taken out", ""),
        ];
        for (count, what, why) in others.into_iter().filter(|(count, ..)| *count > 0) {
            page.aside(format!("{what}: {count}{why}"));
        }
    }
}
