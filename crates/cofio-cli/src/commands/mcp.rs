//! Memories for an agent, on standard input and output.

use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use cofio_server::mcp;

use crate::arguments::Globals;
use crate::door::{self, Door};

/// How long what was read may take to be put on record.
const PATIENCE: Duration = Duration::from_secs(2);

const EXAMPLES: &str = "\
Examples:
  cofio mcp
  cofio mcp --profile simple --user alice --project website
  cofio mcp --workspace ~/src/website --source inference
  claude mcp add memory -- cofio mcp

Standard output carries nothing but the protocol. The process ends when standard input does.";

/// Serves memories to an agent by the Model Context Protocol, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Mcp {
    #[command(flatten)]
    door: Door,
}

impl Mcp {
    pub fn run(self, globals: &Globals) -> Result<()> {
        let server = self.door.server(globals)?;
        door::run(async {
            let desk = server.desk().clone();
            let keeping = desk.clone();
            tokio::spawn(async move { keeping.keep().await });
            mcp::serve_stdio(server, door::told_to_stop()).await.context("cannot serve")?;
            // What takes longer is left to the next process.
            let _ = tokio::time::timeout(PATIENCE, desk.settle()).await;
            Ok(())
        })
    }
}
