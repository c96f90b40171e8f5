//! Memories for other programs, over HTTP.

mod check;
mod promises;

use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::num::NonZeroU32;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use cofio::model::{Caller, Identifiers, Layer};
use cofio_server::http::{self, Limits, Log, LogForm, Logged, Service};
use cofio_server::mcp::Server;
use serde::Serialize;
use serde_json::json;
use tokio::net::TcpListener;

use crate::arguments::Globals;
use crate::door::{self, Door};
use crate::failure::Refusal;
use crate::mirrors;
use crate::output::{Form, Output, Page};
use crate::settings::Color;
use crate::timetable::timetable;

const EXAMPLES: &str = "\
Examples:
  cofio serve
  curl http://127.0.0.1:7717/v1/search -H 'content-type: application/json' -d '{\"query\": \"tea\"}'
  cofio serve --addr 127.0.0.1:8080 --profile all
  cofio serve --log requests --json 2>> requests.log
  cofio serve --mem0
  claude mcp add --transport http memory http://127.0.0.1:7717/mcp
  cofio key create website --user alice && cofio serve --addr 0.0.0.0:7717

Without keys it answers programs on this machine, as you. From the first key on, every request needs
one. Counts and times are at /metrics, whether it lives at /healthz, and whether it can answer at
/readyz. It ends by Ctrl-C or SIGTERM, after what was asked by then is answered.";

/// Serves memories to other programs over HTTP: the API at /v1, its documentation, MCP at /mcp
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Serve {
    /// Where to listen; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7717")]
    addr: SocketAddr,
    /// How many requests a second one key may make, and twice as many at once; 0 for any number
    #[arg(long, value_name = "NUMBER", default_value_t = 500)]
    rate: u32,
    /// How many requests are answered at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 256, value_parser = at_once)]
    at_once: usize,
    /// How many megabytes the body of a request may have that brings many things at once
    #[arg(long, value_name = "MEGABYTES", default_value_t = 16, value_parser = max_body)]
    max_body: usize,
    /// Which requests are written to standard error, without anything of their content: as JSON
    /// with --json or where nobody looks on
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = LogChoice::Errors)]
    log: LogChoice,
    /// Also answer Mem0's clients, as in MemoryClient(host="http://127.0.0.1:7717")
    #[arg(long)]
    mem0: bool,
    /// Asks the server that listens there whether it can answer, in place of starting one
    #[arg(long)]
    check: bool,
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

/// Where programs find what is served, and as whom they ask.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Listening {
    address: String,
    api: String,
    openapi: String,
    mcp: String,
    /// Who asks without a key, if anybody may.
    local_user: Option<String>,
}

impl Serve {
    pub fn run(self, globals: &Globals) -> Result<()> {
        if self.check {
            return Ok(check::check(self.addr)?);
        }
        let (limits, log) = (self.limits(), log(self.log, globals));
        let (addr, mem0, form) = (self.addr, self.mem0, globals.form());
        #[cfg(feature = "otel")]
        let telemetry = cofio_server::Telemetry::from_environment()?;
        let settings = self.door.settings(globals)?;
        let timetable = timetable(&settings)?;
        let files = (mirrors::notes(&settings), settings.user().clone());
        let server = self.door.server(settings);
        door::open_for_many(server, async |server| {
            let has_keys = server.desk().engine().await?.has_keys().await?;
            if !has_keys && !addr.ip().is_loopback() {
                return Err(refuse(addr).into());
            }
            for warning in promises::require(server.desk().engine().await?).await? {
                warn(&warning, form);
            }
            let listener = TcpListener::bind(addr).await;
            let listener = listener.with_context(|| format!("cannot listen at {addr}"))?;
            let address = listener.local_addr().context("cannot tell the address")?;
            let local = addr.ip().is_loopback().then(|| local(&server));
            let listening =
                Listening::new(address, local.as_ref().filter(|_| !has_keys).map(|(me, _)| me));
            let desk = server.desk().clone();
            tokio::spawn(mirrors::keep_in_step(desk, files.0, files.1, mirrors::tell));
            // Whoever reads that it listens may stop it at once.
            let stopped = door::told_to_stop();
            Output::new(form, Color::Never).answer(|| &listening, |page| listening.show(page))?;
            let service = Service {
                limits,
                log,
                mem0,
                timetable,
                #[cfg(feature = "otel")]
                telemetry,
                ..Service::new(server, local)
            };
            http::open(service, listener, stopped).await.context("cannot serve")
        })
    }

    fn limits(&self) -> Limits {
        Limits {
            rate: NonZeroU32::new(self.rate),
            at_once: self.at_once,
            body_bytes: self.max_body * 1024 * 1024,
            ..Limits::default()
        }
    }
}

fn at_once(raw: &str) -> Result<usize, String> {
    between(raw, 1, 100_000)
}

fn max_body(raw: &str) -> Result<usize, String> {
    between(raw, 1, 1_024)
}

fn between(raw: &str, least: usize, most: usize) -> Result<usize, String> {
    let number = raw.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("a number from {least} to {most} is needed"))
}

/// Returns who asks without a key: whoever runs this.
fn local(server: &Server) -> (Caller, Identifiers) {
    let user = server.desk().place().caller().actor().clone();
    (Caller::local(user.clone()), Identifiers::default().with(Layer::User, user))
}

/// Says on standard error what is not as it should be; with `--json` every line there is JSON.
fn warn(warning: &str, form: Form) {
    match form {
        Form::Text => eprintln!("warning: {warning}"),
        Form::Json => eprintln!("{}", json!({"level": "warn", "message": warning})),
    }
}

fn refuse(addr: SocketAddr) -> Refusal {
    Refusal::Usage(format!(
        "{addr} can be reached from other machines, and there are no keys yet, so whoever reaches \
         it would read everything: make one with `cofio key create`, or listen at 127.0.0.1"
    ))
}

impl Listening {
    fn new(address: SocketAddr, local: Option<&Caller>) -> Self {
        let at = format!("http://{address}");
        Self {
            api: format!("{at}/v1"),
            openapi: format!("{at}/openapi.json"),
            mcp: format!("{at}/mcp"),
            address: at,
            local_user: local.map(|caller| caller.actor().to_string()),
        }
    }

    fn show(&self, page: &mut Page) {
        page.line(format!("listening at {}", self.address));
        if let Some(user) = &self.local_user {
            page.line(format!("no keys yet: programs on this machine ask as {user}"));
        }
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
