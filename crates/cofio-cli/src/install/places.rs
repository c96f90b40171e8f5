//! Where each client keeps its settings, and in which form it wants ours.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::ValueEnum;

use super::edit::Edit;
use super::json::{HookForm, Hooks, Server, ServerForm};
use crate::client::Client;
use crate::failure::Refusal;
use crate::project;
use crate::settings::{Platform, Surroundings};

/// Whose settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// Yours, for every project
    #[default]
    User,
    /// Those of the project around you, which others may share
    Project,
}

/// A file, and what is written into it.
#[derive(Debug)]
pub struct Place {
    pub path: PathBuf,
    pub edits: Vec<Edit>,
}

/// The events of Claude Code and of those who took them over.
const CLAUDE_EVENTS: &[&str] =
    &["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"];
const VS_CODE_EVENTS: &[&str] = &["SessionStart", "UserPromptSubmit", "Stop", "PreCompact"];
const GEMINI_EVENTS: &[&str] =
    &["SessionStart", "BeforeAgent", "AfterAgent", "PreCompress", "SessionEnd"];
const CURSOR_EVENTS: &[&str] =
    &["sessionStart", "beforeSubmitPrompt", "afterAgentResponse", "preCompact", "sessionEnd"];

/// Returns the events of a client that Cofio has an answer to, if it has hooks.
pub fn hook_events(client: Client) -> Option<&'static [&'static str]> {
    match client {
        Client::ClaudeCode | Client::Codex => Some(CLAUDE_EVENTS),
        Client::Cursor => Some(CURSOR_EVENTS),
        Client::VsCode => Some(VS_CODE_EVENTS),
        Client::Gemini => Some(GEMINI_EVENTS),
        Client::Zed | Client::OpenCode | Client::ClaudeDesktop => None,
    }
}

/// Returns the files of a client, each once, with what belongs into them.
pub fn of(
    client: Client,
    scope: Scope,
    program: &str,
    around: &Surroundings,
) -> Result<Vec<Place>> {
    let (server, hooks) = files(client, scope, around)?;
    let mut places = vec![Place { path: server, edits: vec![server_edit(client, program)] }];
    let edit = hook_edit(client, program);
    if let Some((path, edit)) = hooks.zip(edit) {
        match places.iter_mut().find(|place| place.path == path) {
            Some(place) => place.edits.push(edit),
            None => places.push(Place { path, edits: vec![edit] }),
        }
    }
    Ok(places)
}

/// Returns whether there are traces of a client on this machine.
pub fn is_present(client: Client, around: &Surroundings) -> bool {
    let Ok(homes) = Homes::of(around) else { return false };
    let folder = match client {
        Client::ClaudeCode => {
            return homes.claude.is_dir() || homes.claude_file.is_file();
        }
        Client::Codex => homes.codex,
        Client::Cursor => homes.home.join(".cursor"),
        Client::VsCode => homes.applications.join("Code"),
        Client::Gemini => homes.gemini,
        Client::Zed => homes.zed,
        Client::OpenCode => homes.opencode,
        Client::ClaudeDesktop => homes.applications.join("Claude"),
    };
    folder.is_dir()
}

/// Returns the file for the server and the file for hooks.
fn files(
    client: Client,
    scope: Scope,
    around: &Surroundings,
) -> Result<(PathBuf, Option<PathBuf>)> {
    match scope {
        Scope::User => user_files(client, &Homes::of(around)?),
        Scope::Project => project_files(client, around),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as that of a project")]
fn user_files(client: Client, homes: &Homes) -> Result<(PathBuf, Option<PathBuf>)> {
    let home = |path: &str| homes.home.join(path);
    Ok(match client {
        Client::ClaudeCode => (homes.claude_file.clone(), Some(homes.claude.join("settings.json"))),
        Client::Codex => (homes.codex.join("config.toml"), Some(homes.codex.join("hooks.json"))),
        Client::Cursor => (home(".cursor/mcp.json"), Some(home(".cursor/hooks.json"))),
        Client::VsCode => {
            let user = homes.applications.join("Code/User/mcp.json");
            (user, Some(home(".copilot/hooks/cofio.json")))
        }
        Client::Gemini => both(homes.gemini.join("settings.json")),
        Client::Zed => (homes.zed.join("settings.json"), None),
        Client::OpenCode => (either(homes.opencode.join("opencode.json")), None),
        Client::ClaudeDesktop => {
            (homes.applications.join("Claude/claude_desktop_config.json"), None)
        }
    })
}

fn project_files(client: Client, around: &Surroundings) -> Result<(PathBuf, Option<PathBuf>)> {
    let top = project::top_level(&around.folder).unwrap_or(&around.folder);
    let file = |path: &str| top.join(path);
    Ok(match client {
        Client::ClaudeCode => (file(".mcp.json"), Some(file(".claude/settings.json"))),
        Client::Codex => (file(".codex/config.toml"), Some(file(".codex/hooks.json"))),
        Client::Cursor => (file(".cursor/mcp.json"), Some(file(".cursor/hooks.json"))),
        Client::VsCode => (file(".vscode/mcp.json"), Some(file(".github/hooks/cofio.json"))),
        Client::Gemini => both(file(".gemini/settings.json")),
        Client::Zed => (file(".zed/settings.json"), None),
        Client::OpenCode => (either(file("opencode.json")), None),
        Client::ClaudeDesktop => {
            let message = "Claude Desktop has no settings of projects: leave out --scope project";
            return Err(Refusal::Usage(message.to_owned()).into());
        }
    })
}

/// Returns a file for both the server and hooks.
fn both(path: PathBuf) -> (PathBuf, Option<PathBuf>) {
    (path.clone(), Some(path))
}

/// Returns the file of the same name that may have comments, if that is the one in use.
fn either(path: PathBuf) -> PathBuf {
    let commented = path.with_extension("jsonc");
    if commented.is_file() && !path.is_file() { commented } else { path }
}

fn server_edit(client: Client, program: &str) -> Edit {
    let (list, form) = match client {
        Client::Codex => return Edit::TomlServer { program: program.to_owned() },
        Client::ClaudeCode => ("mcpServers", ServerForm::Stdio),
        Client::Cursor | Client::Gemini | Client::ClaudeDesktop => {
            ("mcpServers", ServerForm::Command)
        }
        Client::VsCode => ("servers", ServerForm::Stdio),
        Client::Zed => ("context_servers", ServerForm::Command),
        Client::OpenCode => ("mcp", ServerForm::Local),
    };
    Edit::Server(Server { list, form, program: program.to_owned() })
}

fn hook_edit(client: Client, program: &str) -> Option<Edit> {
    let form = match client {
        Client::Gemini => HookForm::GroupedInMilliseconds,
        Client::Cursor => HookForm::Versioned,
        Client::VsCode => HookForm::Flat,
        _ => HookForm::Grouped,
    };
    let events = hook_events(client)?;
    Some(Edit::Hooks(Hooks { form, events, program: program.to_owned() }))
}

/// Where clients keep what belongs to a user.
struct Homes {
    home: PathBuf,
    /// Where programs with windows keep their settings.
    applications: PathBuf,
    claude: PathBuf,
    claude_file: PathBuf,
    codex: PathBuf,
    gemini: PathBuf,
    zed: PathBuf,
    opencode: PathBuf,
}

impl Homes {
    fn of(around: &Surroundings) -> Result<Self> {
        let home = around.home.clone().context("there is no home folder: set HOME")?;
        let named =
            |name| around.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let config = named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let roaming = named("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"));
        let applications = match around.platform {
            Platform::Unix => config.clone(),
            Platform::MacOs => home.join("Library/Application Support"),
            Platform::Windows => roaming.clone(),
        };
        let zed = match around.platform {
            Platform::Windows => roaming.join("Zed"),
            Platform::MacOs => home.join(".config/zed"),
            Platform::Unix => config.join("zed"),
        };
        let claude = named("CLAUDE_CONFIG_DIR");
        Ok(Self {
            claude_file: claude.as_ref().unwrap_or(&home).join(".claude.json"),
            claude: claude.unwrap_or_else(|| home.join(".claude")),
            codex: named("CODEX_HOME").unwrap_or_else(|| home.join(".codex")),
            gemini: named("GEMINI_CLI_HOME").unwrap_or_else(|| home.clone()).join(".gemini"),
            opencode: named("OPENCODE_CONFIG_DIR").unwrap_or_else(|| config.join("opencode")),
            zed,
            applications,
            home,
        })
    }
}
