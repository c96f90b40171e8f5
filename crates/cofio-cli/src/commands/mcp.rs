//! Memories for an agent, on standard input and output.

use anyhow::{Context as _, Result};
use clap::Args;
use cofio_server::mcp;

use crate::arguments::Globals;
use crate::door::{self, Door};

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
        let settings = self.door.settings(globals)?;
        let server = self.door.server(settings);
        door::open_for_one(server, async |server| {
            mcp::serve_stdio(server, door::told_to_stop()).await.context("cannot serve")
        })
    }
}
