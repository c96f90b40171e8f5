//! The command line: the flags of every command, and the commands.

use std::path::PathBuf;

use clap::{ArgAction, Args, Parser, Subcommand};
use cofio::model::Layer;

use crate::commands::{
    archive, audit, backup, brief, clear, completions, confirm, context, correct, doctor, edit,
    embed, entity, export, facts, files, forget, history, hook, import, install, jobs, key, list,
    maintain, mcp, migrate, model, purge, remember, restore, review, scan, search, serve, show,
    stats, verify_forgotten, why_not, window,
};
use crate::output::Form;
use crate::settings::Overrides;

const EXAMPLES: &str = "\
Examples:
  cofio remember Alice drinks her tea black
  cofio search how does she take her tea
  cofio list --kind fact
  cofio demo

Exit codes: 0 done, 1 failed, 2 wrong usage or settings, 3 not found,
4 confirmation needed or conflict, 5 unavailable for the moment.";

/// A memory for AI agents: remembers, finds, changes and forgets.
#[derive(Debug, Parser)]
#[command(name = "cofio", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub globals: Globals,
}

/// The flags of every command.
#[derive(Debug, Clone, Args)]
pub struct Globals {
    /// Who is asking; your login name by default
    #[arg(long, global = true, value_name = "NAME", help_heading = "Scope")]
    pub user: Option<String>,
    /// The agent that works for the user
    #[arg(long, global = true, value_name = "NAME", help_heading = "Scope")]
    pub agent: Option<String>,
    /// The conversation that is going on
    #[arg(long, global = true, value_name = "NAME", help_heading = "Scope")]
    pub session: Option<String>,
    /// The project; the git repository around you by default
    #[arg(long, global = true, value_name = "NAME", help_heading = "Scope")]
    pub project: Option<String>,
    /// The team
    #[arg(long, global = true, value_name = "NAME", help_heading = "Scope")]
    pub team: Option<String>,
    /// The organisation
    #[arg(long, global = true, value_name = "NAME", help_heading = "Scope")]
    pub org: Option<String>,
    /// The company
    #[arg(long, global = true, value_name = "NAME", help_heading = "Scope")]
    pub company: Option<String>,
    /// Only this layer: agent, user, session, project, team, org or company
    #[arg(long, global = true, value_name = "LAYER", help_heading = "Scope")]
    pub layer: Option<String>,
    /// The file that holds the memories
    #[arg(long, global = true, value_name = "FILE", help_heading = "Manners")]
    pub store: Option<PathBuf>,
    /// What counts: sqlite, the file that holds the memories, or filesystem, a folder of markdown
    #[arg(long, global = true, value_name = "NAME", help_heading = "Manners")]
    pub backend: Option<String>,
    /// The folder of markdown; .cofio/memory at the top of the project by default
    #[arg(long, global = true, value_name = "DIR", help_heading = "Manners")]
    pub memory_dir: Option<PathBuf>,
    /// Answers in JSON
    #[arg(long, global = true, help_heading = "Manners")]
    pub json: bool,
    /// When to print in colour: auto, always or never
    #[arg(long, global = true, value_name = "WHEN", help_heading = "Manners")]
    pub color: Option<String>,
    /// Keeps what may be a secret, in place of asking
    #[arg(long, global = true, help_heading = "Manners")]
    pub allow_possible: bool,
    /// Agrees beforehand, where a question would be asked
    #[arg(long, global = true, action = ArgAction::Count, help_heading = "Manners")]
    pub yes: u8,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Remember(Box<remember::Remember>),
    Search(search::Search),
    WhyNot(why_not::WhyNot),
    Context(context::Context),
    Show(show::Show),
    List(list::List),
    Review(review::Review),
    Scan(scan::Scan),
    Edit(edit::Edit),
    Confirm(confirm::Confirm),
    Correct(correct::Correct),
    Archive(archive::Archive),
    Forget(forget::Forget),
    History(history::History),
    Stats(stats::Stats),
    Entity(entity::Entity),
    Facts(facts::Facts),
    Window(window::Window),
    Clear(clear::Clear),
    VerifyForgotten(verify_forgotten::VerifyForgotten),
    Purge(purge::Purge),
    Brief(brief::Brief),
    Maintain(maintain::Maintain),
    Jobs(jobs::Jobs),
    Audit(audit::Audit),
    Export(export::Export),
    Import(import::Import),
    Files(files::Files),
    Backup(backup::Backup),
    Restore(restore::Restore),
    Migrate(migrate::Migrate),
    Doctor(doctor::Doctor),
    Model(model::Model),
    Embed(embed::Embed),
    Mcp(mcp::Mcp),
    Serve(serve::Serve),
    Key(key::Key),
    /// Shows what Cofio does, with a small conversation in a store that is thrown away
    #[command(after_help = "Example:\n  cofio demo")]
    Demo,
    Install(install::Install),
    Hook(hook::Answer),
    Completions(completions::Completions),
}

impl Globals {
    /// Returns the form of answers.
    pub fn form(&self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }

    /// Returns the same flags without those that name a user, a project and so on.
    pub fn without_names(self) -> Self {
        let (user, agent, session) = (None, None, None);
        let (project, team, org, company) = (None, None, None, None);
        Self { user, agent, session, project, team, org, company, ..self }
    }

    /// Returns the identifiers that stand on this very command line, apart from the user.
    pub fn named(&self) -> impl Iterator<Item = (Layer, &str)> {
        let flags = [
            (Layer::Agent, &self.agent),
            (Layer::Session, &self.session),
            (Layer::Project, &self.project),
            (Layer::Team, &self.team),
            (Layer::Org, &self.org),
            (Layer::Company, &self.company),
        ];
        flags.into_iter().filter_map(|(layer, flag)| Some((layer, flag.as_deref()?)))
    }
}

impl From<&Globals> for Overrides {
    fn from(globals: &Globals) -> Self {
        let Globals { user, agent, session, project, team, org, company, layer, .. } =
            globals.clone();
        Self {
            store: globals.store.clone(),
            backend: globals.backend.clone(),
            memory_dir: globals.memory_dir.clone(),
            color: globals.color.clone(),
            user,
            agent,
            session,
            project,
            team,
            org,
            company,
            layer,
            ..Self::default()
        }
    }
}
