//! Memories for an agent, on standard input and output.

use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use cofio_server::{keep_in_order, mcp};
use tokio::time;

use crate::arguments::Globals;
use crate::door::{self, Door};
use crate::mirrors;
use crate::timetable::timetable;

/// How long an agent that has just begun is answered before memories are put in order.
const GRACE: Duration = Duration::from_secs(5);

const EXAMPLES: &str = "\
Examples:
  cofio mcp
  cofio mcp --profile simple --user alice --project website
  cofio mcp --workspace ~/src/website --source inference
  claude mcp add memory -- cofio mcp

Standard output carries nothing but the protocol. The process ends when standard input does; until
then it also does what is due by the schedule (see cofio maintain).";

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
        let timetable = timetable(&settings)?;
        let files = (mirrors::notes(&settings), settings.user().clone());
        let server = self.door.server(settings);
        door::open_for_one(server, async |server| {
            let desk = server.desk().clone();
            tokio::spawn(mirrors::keep_in_step(desk.clone(), files.0, files.1, mirrors::tell));
            tokio::spawn(async move {
                time::sleep(GRACE).await;
                keep_in_order(desk, timetable).await;
            });
            mcp::serve_stdio(server, door::told_to_stop()).await.context("cannot serve")
        })
    }
}
