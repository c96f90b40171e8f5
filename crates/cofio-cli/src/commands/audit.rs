//! What was done, by whom and when.

use anyhow::Result;
use clap::{Args, Subcommand};
use cofio::model::AuditEntry;
use cofio::store::Entries;
use cofio::wire::AuditOutput;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::app::App;
use crate::output::Page;
use crate::present;
use crate::progress::Progress;
use crate::when;

const EXAMPLES: &str = "\
Examples:
  cofio audit list --after 100 --limit 20
  cofio audit verify";

/// Shows what was done, never what was remembered, and checks that the record is whole
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Audit {
    #[command(subcommand)]
    action: Action,
}

/// What to do with the record.
#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the latest entries, or those after one of them, the oldest first
    List {
        /// Only entries after this one
        #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
        after: Option<u64>,
        /// How many at most
        #[arg(long, value_name = "NUMBER", default_value_t = 50, allow_negative_numbers = true)]
        limit: u16,
        /// Lists what every user did
        #[arg(long)]
        all_users: bool,
    },
    /// Checks that no entry was changed, moved or left out, against the file beside the store too
    Verify,
}

/// Entries of the record, and whose they are.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AuditListOutput {
    entries: Vec<AuditOutput>,
    user_id: String,
    all_users: bool,
}

/// Whether the record is whole.
#[derive(Debug, Serialize)]
struct VerifyOutput {
    valid: bool,
    entries: u64,
    /// The last entry that the file beside the store vouches for; null if there is no such file.
    vouched: Option<u64>,
}

impl Audit {
    pub async fn run(self, app: &App) -> Result<()> {
        match self.action {
            Action::List { after, limit, all_users } => list(app, after, limit, all_users).await,
            Action::Verify => verify(app).await,
        }
    }
}

async fn list(app: &App, after: Option<u64>, limit: u16, all_users: bool) -> Result<()> {
    let caller = app.caller_for(all_users);
    let which = after.map_or(Entries::Latest, Entries::After);
    let entries = app.engine.audit(&caller, which, limit.into()).await?;
    app.output.answer(
        || AuditListOutput {
            entries: entries.iter().map(AuditOutput::from).collect(),
            user_id: caller.actor().to_string(),
            all_users,
        },
        |page| entries.iter().for_each(|entry| show(page, entry, app.zone())),
    )?;
    let whose = if all_users { "everyone's".to_owned() } else { format!("{}'s", caller.actor()) };
    app.output.note(&format!("{whose} entries"));
    Ok(())
}

fn show(page: &mut Page, entry: &AuditEntry, zone: &TimeZone) {
    let record = &entry.record;
    let at = when::shown(record.at, zone);
    page.line(format!("{:>6}  {at}  {}  {}", record.sequence, record.actor, record.action));
    let details: Vec<String> =
        record.details.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let scope = record.scope.iter().map(|scope| format!("in {scope}"));
    let rest: Vec<String> = scope.chain(details).collect();
    if !rest.is_empty() {
        page.aside(format!("      {}", rest.join(", ")));
    }
}

async fn verify(app: &App) -> Result<()> {
    let progress = Progress::spinning("checking the record");
    let entries = app.engine.verify_audit(&app.caller).await?;
    drop(progress);
    let file = app.home.sqlite();
    let vouched = file.and_then(|file| file.vouched());
    app.output.answer(
        || VerifyOutput { valid: true, entries, vouched },
        |page| {
            let entries = present::count(entries, "entry", "entries");
            page.line(format!("the record is whole: {entries}"));
        },
    )?;
    if file.is_some() && vouched.is_none() {
        app.output
            .note("no file beside the store says where the record ended: the next write makes one");
    }
    Ok(())
}
