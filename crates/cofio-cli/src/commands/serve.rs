//! Memories for programs on this machine, over HTTP.

use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use cofio::model::{Caller, Identifiers, Layer};
use cofio_server::http::{self, Log, LogForm, Logged, Service};
use serde::Serialize;
use tokio::net::TcpListener;

use crate::arguments::Globals;
use crate::door::{self, Door};
use crate::failure::Refusal;
use crate::output::{Form, Output};
use crate::settings::Color;

const EXAMPLES: &str = "\
Examples:
  cofio serve
  cofio serve --addr 127.0.0.1:8080 --profile all
  cofio serve --log requests --json 2>> requests.log
  claude mcp add --transport http memory http://127.0.0.1:7717/mcp

Counts and times are at /metrics, whether it lives at /healthz, and whether it can answer at /readyz.
It ends by Ctrl-C or SIGTERM, after what was asked by then is answered.";

/// Serves memories to programs on this machine over HTTP: MCP at /mcp
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    /// Where to listen; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7717")]
    addr: SocketAddr,
    /// Which requests are written to standard error, without anything of their content: as JSON
    /// with --json or where nobody looks on
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = LogChoice::Errors)]
    log: LogChoice,
    #[command(flatten)]
    door: Door,
}

/// Which requests are written down.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum LogChoice {
    /// None
    Off,
    /// Those that failed here, and those of callers who were refused
    Errors,
    /// All
    Requests,
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
        let log = log(self.log, globals);
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
            let local = Some((Caller::local(user), identifiers));
            let service = Service { log, ..Service::new(server, local) };
            http::open(service, listener, door::told_to_stop()).await.context("cannot serve")
        })
    }
}

/// Returns the log that was asked for; programs read JSON better than words.
fn log(choice: LogChoice, globals: &Globals) -> Log {
    let logged = match choice {
        LogChoice::Off => Logged::Nothing,
        LogChoice::Errors => Logged::Errors,
        LogChoice::Requests => Logged::Requests,
    };
    let for_people = globals.form() == Form::Text && io::stderr().is_terminal();
    Log::new(logged, if for_people { LogForm::Text } else { LogForm::Json }, io::stderr())
}
