//! Puts Cofio into the settings of the programs that agents run in, and takes it out again.

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use crate::app;
use crate::arguments::Globals;
use crate::client::Client;
use crate::failure::Refusal;
use crate::install::{self, FilePlan, Plan, Scope, Wanted};
use crate::output::{Output, Page, shown};
use crate::settings::Surroundings;

const EXAMPLES: &str = "\
Examples:
  cofio install claude-code --hooks
  cofio install --all --dry-run
  cofio install codex --uninstall";

/// Adds Cofio to the settings of Claude Code, Codex, Cursor and others
///
/// Names the server `cofio mcp`, and with --hooks the hooks that tell an agent what is remembered
/// and keep what was said. Keeps a copy of every file it changes, beside it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Install {
    /// Which: claude-code, codex, cursor, vscode, gemini, zed, opencode or claude-desktop
    #[arg(
        value_name = "CLIENT",
        value_enum,
        hide_possible_values = true,
        required_unless_present = "all"
    )]
    clients: Vec<Client>,
    /// All that are found on this machine
    #[arg(long, conflicts_with = "clients")]
    all: bool,
    /// Adds hooks too, where a client has them
    #[arg(long)]
    hooks: bool,
    /// Takes out what was added, hooks included
    #[arg(long)]
    uninstall: bool,
    /// Only shows what would be done
    #[arg(long)]
    dry_run: bool,
    /// Whose settings: user, or project for those of the project around you
    #[arg(long, value_enum, hide_possible_values = true, default_value_t)]
    scope: Scope,
}

/// What was done, or would be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct InstallOutput {
    dry_run: bool,
    uninstall: bool,
    clients: Vec<ClientOutput>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ClientOutput {
    client: &'static str,
    files: Vec<FileOutput>,
    next: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FileOutput {
    path: String,
    holds: Vec<&'static str>,
    change: &'static str,
    backup: Option<String>,
}

impl Install {
    pub fn run(self, globals: &Globals) -> Result<()> {
        let around = Surroundings::of_process()?;
        let color = app::settings(globals)?.color();
        let plans = self.plans(&around)?;
        if !self.dry_run {
            for file in plans.iter().flat_map(|plan| &plan.files) {
                file.carry_out(self.scope)?;
            }
        }
        Output::new(globals.form(), color)
            .answer(|| self.output(&plans), |page| self.show(page, &plans))
    }

    fn plans(&self, around: &Surroundings) -> Result<Vec<Plan>> {
        let mut clients = self.clients.clone();
        if self.all {
            clients = Client::ALL
                .into_iter()
                .filter(|client| install::is_present(*client, around))
                .collect();
            // It has no settings of projects, and was not asked for by name.
            clients.retain(|client| self.scope == Scope::User || *client != Client::ClaudeDesktop);
        }
        if clients.is_empty() {
            let message = "none of the clients that Cofio knows is on this machine: name one";
            return Err(Refusal::Usage(message.to_owned()).into());
        }
        let wanted = if self.hooks { Wanted::ServerAndHooks } else { Wanted::Server };
        let plan = |client| {
            if self.uninstall {
                install::plan_removal(client, self.scope, around)
            } else {
                install::plan(client, wanted, self.scope, around)
            }
        };
        clients.into_iter().map(plan).collect()
    }

    fn output(&self, plans: &[Plan]) -> InstallOutput {
        let file = |file: &FilePlan| FileOutput {
            path: shown(&file.path),
            holds: file.holds.clone(),
            change: change(file),
            backup: file.backup().as_deref().map(shown),
        };
        let client = |plan: &Plan| ClientOutput {
            client: plan.client.as_str(),
            files: plan.files.iter().map(file).collect(),
            next: plan.next.clone(),
        };
        InstallOutput {
            dry_run: self.dry_run,
            uninstall: self.uninstall,
            clients: plans.iter().map(client).collect(),
        }
    }

    fn show(&self, page: &mut Page, plans: &[Plan]) {
        for (number, plan) in plans.iter().enumerate() {
            if number > 0 {
                page.gap();
            }
            page.strong(plan.client.title());
            for file in &plan.files {
                page.indented(self.line(file));
                if let Some(backup) = file.backup() {
                    let keeps = if self.dry_run { "would keep" } else { "kept" };
                    page.indented(format!("  {keeps} a copy in {}", backup.display()));
                }
            }
            for next in &plan.next {
                page.indented(format!("next: {next}"));
            }
        }
    }

    fn line(&self, file: &FilePlan) -> String {
        let (path, holds) = (file.path.display(), file.holds.join(" and "));
        let would = |did: &'static str, does: &'static str| {
            if self.dry_run { format!("would {does}") } else { did.to_owned() }
        };
        match (change(file), self.uninstall) {
            ("unchanged", false) => format!("{holds}: already in {path}"),
            ("unchanged", true) => format!("{holds}: not in {path}"),
            ("removed", _) => format!("{holds}: {} {path}", would("removed", "remove")),
            ("created", _) => format!("{holds}: {} {path}", would("created", "create")),
            (_, false) => format!("{holds}: {} {path}", would("added to", "add to")),
            (_, true) => format!("{holds}: {} {path}", would("taken out of", "take out of")),
        }
    }
}

fn change(file: &FilePlan) -> &'static str {
    match (&file.before, &file.after) {
        _ if !file.changes() => "unchanged",
        (None, _) => "created",
        (_, None) => "removed",
        _ => "changed",
    }
}
