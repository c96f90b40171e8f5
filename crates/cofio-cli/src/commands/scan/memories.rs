use anyhow::Result;
use cofio::ingest::{Level, findings};
use cofio::model::Memory;

use super::{Found, ScanOutput, found};
use crate::app::App;
use crate::arguments::Globals;
use crate::commands::clear;
use crate::progress::Progress;

/// Looks through everything that is remembered where the caller may look.
pub(super) async fn scan(globals: &Globals, least: Level) -> Result<ScanOutput> {
    let app = App::open(globals)?;
    let mut output = ScanOutput { scanned: 0, findings: Vec::new() };
    let progress = Progress::endless("scanning");
    for summary in app.engine.stats(&app.caller, None).await?.scopes {
        let selection = clear::selection(&summary.scope, &[]);
        for memory in app.engine.matching(&app.caller, &selection).await? {
            output.look(&memory, least);
            progress.at(output.scanned as u64);
        }
    }
    Ok(output)
}

impl ScanOutput {
    fn look(&mut self, memory: &Memory, least: Level) {
        self.scanned += 1;
        let metadata = &memory.metadata;
        let custom = serde_json::Value::from(metadata.custom.clone()).to_string();
        let tags = metadata.tags.join("\n");
        let fields = [
            ("content", Some(memory.content.as_str())),
            ("title", metadata.title.as_deref()),
            ("description", metadata.description.as_deref()),
            ("tags", Some(tags.as_str())),
            ("custom", Some(custom.as_str())),
            ("source", memory.source.reference.as_deref()),
        ];
        for (field, text) in fields {
            let Some(text) = text else { continue };
            for one in found(text, field, &findings(text), least) {
                self.findings.push(Found { place: Some(memory.id.to_string()), ..one });
            }
        }
    }
}
