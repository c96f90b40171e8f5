//! Memories for programs on this machine, over HTTP.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use clap::Args;
use cofio::model::{Caller, Identifiers, Layer};
use cofio_server::http::{self, Service};
use serde::Serialize;
use tokio::net::TcpListener;

use crate::arguments::Globals;
use crate::door::{self, Door};
use crate::failure::Refusal;
use crate::output::Output;
use crate::settings::Color;

const EXAMPLES: &str = "\
Examples:
  cofio serve
  cofio serve --addr 127.0.0.1:8080 --profile all
  cofio serve --mem0
  claude mcp add --transport http memory http://127.0.0.1:7717/mcp

It ends by Ctrl-C or SIGTERM, after what was asked by then is answered.";

/// Serves memories to programs on this machine over HTTP: MCP at /mcp
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    /// Where to listen; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7717")]
    addr: SocketAddr,
    /// Also answer Mem0's clients, as in MemoryClient(host="http://127.0.0.1:7717")
    #[arg(long)]
    mem0: bool,
    #[command(flatten)]
    door: Door,
}

/// Where programs find what is served.
#[derive(Debug, Serialize)]
struct Listening {
    address: String,
    api: String,
    mcp: String,
}

impl Serve {
    pub fn run(self, globals: &Globals) -> Result<()> {
        if !self.addr.ip().is_loopback() {
            return Err(Refusal::Usage(format!(
                "{} can be reached from other machines, and whoever reaches it would read \
                 everything, as there are no keys yet: listen at 127.0.0.1, and let others in \
                 through a tunnel such as ssh -L",
                self.addr
            ))
            .into());
        }
        let server = self.door.server(globals)?;
        door::run(server, async |server| {
            let listener = TcpListener::bind(self.addr).await;
            let listener = listener.with_context(|| format!("cannot listen at {}", self.addr))?;
            let address = listener.local_addr().context("cannot tell the address")?;
            let at = format!("http://{address}");
            let listening =
                Listening { api: format!("{at}/v1"), mcp: format!("{at}/mcp"), address: at };
            Output::new(globals.form(), Color::Never).answer(
                || &listening,
                |page| page.line(format!("listening at {}", listening.address)),
            )?;
            let user = server.desk().place().caller().actor().clone();
            let identifiers = Identifiers::default().with(Layer::User, user.clone());
            let service = Service::new(server, Some((Caller::local(user), identifiers)));
            let service = Service { mem0: self.mem0, ..service };
            http::open(service, listener, door::told_to_stop()).await.context("cannot serve")
        })
    }
}
