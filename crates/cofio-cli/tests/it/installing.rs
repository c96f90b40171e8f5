//! Cofio in the settings of others: what is written, what is left alone, and that nothing stays.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::machine::{Machine, complaint, mode};

const CLIENTS: [&str; 8] =
    ["claude-code", "codex", "cursor", "vscode", "gemini", "zed", "opencode", "claude-desktop"];

/// A home folder with settings of clients.
struct Home(Machine);

impl Home {
    fn new() -> Self {
        let home = Self(Machine::new());
        fs::create_dir_all(home.path("")).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(".home").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        self.0.write(&format!(".home/{name}"), text);
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    fn run(&self, arguments: &str) -> Output {
        let mut command = self.0.command();
        command.env("HOME", self.path("")).arg("install").args(arguments.split(' '));
        command.output().unwrap()
    }

    /// Runs the command, and returns what it said with the paths of this machine made plain.
    fn installed(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        text.replace(self.path("").to_str().unwrap(), "~/")
    }

    fn files(&self) -> Vec<String> {
        let mut folders = vec![self.path("")];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    folders.push(entry);
                } else {
                    files.push(
                        entry.strip_prefix(self.path("")).unwrap().to_str().unwrap().to_owned(),
                    );
                }
            }
        }
        files.sort();
        files
    }
}

/// Returns how settings name the program.
fn program() -> &'static str {
    env!("CARGO_BIN_EXE_cofio")
}

#[test]
fn a_dry_run_says_what_would_be_done_and_does_nothing() {
    let home = Home::new();
    home.write(".claude.json", "{}");
    let said = home.installed(&format!("{} --hooks --dry-run", CLIENTS.join(" ")));
    let expected = "\
Claude Code
  the server cofio: would add to ~/.claude.json
    would keep a copy in ~/.claude.json.cofio-backup
  the hooks: would create ~/.claude/settings.json
  next: start a new session of Claude Code; /mcp shows the server, /hooks the hooks

Codex
  the server cofio: would create ~/.codex/config.toml
  the hooks: would create ~/.codex/hooks.json
  next: start Codex and trust the hooks in /hooks: it does not run them before

Cursor
  the server cofio: would create ~/.cursor/mcp.json
  the hooks: would create ~/.cursor/hooks.json
  next: restart Cursor; its settings list the server under MCP

VS Code
  the server cofio: would create ~/.config/Code/User/mcp.json
  the hooks: would create ~/.copilot/hooks/cofio.json
  next: in VS Code, run the command MCP: List Servers and start cofio

Gemini CLI
  the server cofio and the hooks: would create ~/.gemini/settings.json
  next: start a new session of Gemini CLI; /mcp shows the server

Zed
  the server cofio: would create ~/.config/zed/settings.json
  next: Zed has no hooks that Cofio could use
  next: Zed starts the server by itself; its agent settings list it

OpenCode
  the server cofio: would create ~/.config/opencode/opencode.json
  next: OpenCode has no hooks that Cofio could use
  next: start a new session of OpenCode

Claude Desktop
  the server cofio: would create ~/.config/Claude/claude_desktop_config.json
  next: Claude Desktop has no hooks that Cofio could use
  next: quit Claude Desktop and start it again
";
    assert_eq!(said, expected);
    assert_eq!(
        (home.files(), home.read(".claude.json")),
        (vec![".claude.json".to_owned()], "{}".to_owned())
    );
}

#[test]
fn a_mark_before_settings_stays_where_it_is() {
    let home = Home::new();
    let files = [
        (".claude.json", "\u{feff}{\r\n  \"a\": 1\r\n}\r\n"),
        (".codex/config.toml", "\u{feff}model = \"x\"\r\n"),
    ];
    for (name, text) in files {
        home.write(name, text);
    }
    home.installed("claude-code codex");
    for (name, text) in files {
        let now = home.read(name);
        assert_eq!(now.matches('\u{feff}').count(), 1, "{now}");
        assert!(
            now.starts_with(text.split('\r').next().unwrap()) && now.contains("cofio"),
            "{now}"
        );
    }
    home.installed("claude-code codex --uninstall");
    for (name, text) in files {
        assert_eq!(home.read(name), text);
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_nowhere_is_left_alone() {
    let home = Home::new();
    fs::create_dir_all(home.path(".gemini")).unwrap();
    let link = home.path(".gemini/settings.json");
    std::os::unix::fs::symlink("not/mounted.json", &link).unwrap();
    let (said, code) = complaint(&home.run("gemini"));
    assert!(code == 1 && said.contains("nothing was changed"), "{said}");
    assert_eq!(fs::read_link(&link).unwrap(), PathBuf::from("not/mounted.json"));
}

#[test]
fn a_server_is_written_as_each_client_wants_it() {
    let home = Home::new();
    home.installed(&CLIENTS.join(" "));
    let command = serde_json::json!({ "command": program(), "args": ["mcp"] });
    let stdio = serde_json::json!({ "type": "stdio", "command": program(), "args": ["mcp"] });
    let local =
        serde_json::json!({ "type": "local", "command": [program(), "mcp"], "enabled": true });
    for (file, list, server) in [
        (".claude.json", "mcpServers", &stdio),
        (".cursor/mcp.json", "mcpServers", &command),
        (".config/Code/User/mcp.json", "servers", &stdio),
        (".gemini/settings.json", "mcpServers", &command),
        (".config/zed/settings.json", "context_servers", &command),
        (".config/opencode/opencode.json", "mcp", &local),
        (".config/Claude/claude_desktop_config.json", "mcpServers", &command),
    ] {
        assert_eq!(home.json(file)[list]["cofio"], *server, "{file}");
    }
    let toml = format!("[mcp_servers.cofio]\ncommand = \"{}\"\nargs = [\"mcp\"]\n", program());
    assert_eq!(home.read(".codex/config.toml"), toml);
    assert_eq!(home.files().len(), 8, "{:?}", home.files());
    assert_eq!(mode(&home.path(".claude.json")), 0o600);
}

#[test]
fn hooks_are_written_as_each_client_wants_them() {
    let home = Home::new();
    home.installed(&format!("{} --hooks", CLIENTS.join(" ")));
    let events = |file: &str| -> Vec<String> {
        home.json(file)["hooks"].as_object().unwrap().keys().cloned().collect()
    };
    let first = |file: &str, event: &str| home.json(file)["hooks"][event][0].clone();
    let hook = format!("{} hook", program());
    let claude = ["PreCompact", "SessionEnd", "SessionStart", "Stop", "UserPromptSubmit"];
    for file in [".claude/settings.json", ".codex/hooks.json"] {
        assert_eq!(events(file), claude, "{file}");
        let expected =
            serde_json::json!({ "hooks": [{ "type": "command", "command": hook, "timeout": 5 }] });
        assert_eq!(first(file, "Stop"), expected);
    }
    let gemini = ["AfterAgent", "BeforeAgent", "PreCompress", "SessionEnd", "SessionStart"];
    assert_eq!(events(".gemini/settings.json"), gemini);
    let expected = serde_json::json!({ "hooks": [{ "name": "cofio", "type": "command", "command": hook, "timeout": 5_000 }] });
    assert_eq!(first(".gemini/settings.json", "BeforeAgent"), expected);
    let cursor =
        ["afterAgentResponse", "beforeSubmitPrompt", "preCompact", "sessionEnd", "sessionStart"];
    assert_eq!(events(".cursor/hooks.json"), cursor);
    assert_eq!(home.json(".cursor/hooks.json")["version"], 1);
    assert_eq!(
        first(".cursor/hooks.json", "sessionStart"),
        serde_json::json!({ "command": hook, "timeout": 5 })
    );
    let code = ".copilot/hooks/cofio.json";
    assert_eq!(events(code), ["PreCompact", "SessionStart", "Stop", "UserPromptSubmit"]);
    assert_eq!(
        first(code, "Stop"),
        serde_json::json!({ "type": "command", "command": hook, "timeout": 5 })
    );
}

#[test]
fn a_second_run_changes_nothing() {
    let home = Home::new();
    home.write(".claude.json", "{\n\t\"numStartups\": 3\n}");
    let all = format!("{} --hooks", CLIENTS.join(" "));
    home.installed(&all);
    let contents =
        |home: &Home| -> Vec<String> { home.files().iter().map(|file| home.read(file)).collect() };
    let before = contents(&home);
    let said = home.installed(&all);
    assert_eq!(contents(&home), before);
    assert!(said.contains("the server cofio: already in ~/.claude.json\n"), "{said}");
    assert_eq!(home.read(".claude.json.cofio-backup"), "{\n\t\"numStartups\": 3\n}");
}

/// Settings of each client as people keep them.
const SETTINGS: [(&str, &str); 9] = [
    (".claude.json", "{\"numStartups\":3,\"mcpServers\":{\"github\":{\"command\":\"gh\"}}}"),
    (
        ".claude/settings.json",
        "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}\n\t\t]\n\t}\n}\n",
    ),
    (
        ".codex/config.toml",
        "# mine\nmodel = 'gpt-5.4' # the large one\n\n[mcp_servers.github]\ncommand = 'gh'\n\n[projects.'/x']\ntrust_level = \"trusted\"\n",
    ),
    (".cursor/mcp.json", "{\r\n  \"mcpServers\": {}\r\n}\r\n"),
    (
        ".config/Code/User/mcp.json",
        "// Servers\n{\n    \"servers\": {\n        // Mine\n        \"github\": { \"command\": \"gh\", },\n    },\n    \"inputs\": [],\n}\n",
    ),
    (".gemini/settings.json", "{ \"theme\": \"dark\" /* for my eyes */ }"),
    (
        ".config/zed/settings.json",
        "// Zed\n//\n{\n  \"vim_mode\": true,\n  // \"context_servers\": {},\n  \"theme\": \"One\", // dark\n}\n",
    ),
    (
        ".config/opencode/opencode.jsonc",
        "{\n  \"$schema\": \"https://opencode.ai/config.json\", // the schema\n}",
    ),
    (".config/Claude/claude_desktop_config.json", "{}"),
];

#[test]
fn everything_else_stays_as_it_is_and_nothing_stays_behind() {
    let home = Home::new();
    for (file, text) in SETTINGS {
        home.write(file, text);
    }
    let files = home.files();
    home.installed(&CLIENTS.join(" "));
    home.installed(&format!("{} --hooks", CLIENTS.join(" ")));
    for (file, text) in SETTINGS {
        let now = home.read(file);
        assert_ne!(now, text, "{file}");
        let plain = |text: &str| text.replace([' ', '\t', '\r', '\n', ','], "");
        for line in text.lines() {
            let kept = plain(line.trim_matches(['{', '}', ' ', '\t']));
            assert!(plain(&now).contains(&kept), "{file} lost {line}: {now}");
        }
    }
    home.installed(&format!("{} --uninstall", CLIENTS.join(" ")));
    for (file, text) in SETTINGS {
        assert_eq!(home.read(file), text, "{file}");
    }
    assert_eq!(home.files(), files);
    let said = home.installed("claude-code --uninstall");
    assert_eq!(
        said,
        "Claude Code\n  the server cofio: not in ~/.claude.json\n  the hooks: not in ~/.claude/settings.json\n"
    );
}

#[test]
fn what_others_changed_since_survives_the_removal() {
    let home = Home::new();
    for (file, text) in SETTINGS {
        home.write(file, text);
    }
    home.installed(&format!("{} --hooks", CLIENTS.join(" ")));
    home.write(
        ".claude.json",
        &home.read(".claude.json").replace("\"numStartups\":3", "\"numStartups\":4"),
    );
    let zed = home.read(".config/zed/settings.json").replace("\"One\"", "\"Two\"");
    home.write(".config/zed/settings.json", &zed);
    home.write(
        ".codex/config.toml",
        &format!("{}\n[tui]\nnotifications = true\n", home.read(".codex/config.toml")),
    );
    let hooks = home.read(".claude/settings.json").replace("say done", "say well done");
    home.write(".claude/settings.json", &hooks);
    home.installed(&format!("{} --uninstall", CLIENTS.join(" ")));
    // What stood on one line may stand on several.
    let expected = SETTINGS[0].1.replace('3', "4");
    assert_eq!(home.json(".claude.json"), serde_json::from_str::<Value>(&expected).unwrap());
    assert_eq!(
        home.read(".claude/settings.json"),
        SETTINGS[1].1.replace("say done", "say well done")
    );
    assert_eq!(
        home.read(".codex/config.toml"),
        format!("{}\n[tui]\nnotifications = true\n", SETTINGS[2].1)
    );
    assert_eq!(home.read(".config/zed/settings.json"), SETTINGS[6].1.replace("\"One\"", "\"Two\""));
}

#[test]
fn a_file_that_cannot_be_understood_leaves_all_of_them_as_they_are() {
    let check = |file: &str, text: &str, expected: &str| {
        let home = Home::new();
        home.write(file, text);
        let output = home.run(&format!("{} --hooks", CLIENTS.join(" ")));
        let (said, code) = complaint(&output);
        let said = said.replace(home.path("").to_str().unwrap(), "~/");
        assert_eq!(said, format!("error: nothing was changed: cannot edit ~/{file}: {expected}"));
        assert_eq!(code, 1);
        assert_eq!((home.files(), home.read(file)), (vec![file.to_owned()], text.to_owned()));
    };
    check(
        ".config/zed/settings.json",
        "{\n  \"a\": \n",
        "line 3, column 1 is no JSON: Expected value after colon in object property",
    );
    check(".gemini/settings.json", "[]", "it is no JSON object");
    check(".cursor/mcp.json", "{\"mcpServers\": 3}", "mcpServers is no object");
    check(
        ".cursor/hooks.json",
        "{\"hooks\": {\"sessionStart\": {}}}",
        "hooks.sessionStart is no list",
    );
    check(
        ".codex/config.toml",
        "a = 1\nb = \n",
        "line 2 is no TOML: string values must be quoted, expected literal string",
    );
    check(
        ".claude.json",
        "{\"mcpServers\": {\"cofio\": {\"command\": \"another\"}}}",
        "mcpServers.cofio is another server",
    );
}

#[test]
fn a_program_that_has_moved_is_found_again() {
    let home = Home::new();
    let old = "{\"mcpServers\": {\"cofio\": {\"command\": \"/old/cofio\", \"args\": [\"mcp\", \"--profile\", \"all\"], \"env\": {\"A\": \"1\"}}}}";
    home.write(".cursor/mcp.json", old);
    let hooks = "{\"version\": 1, \"hooks\": {\"stop\": [], \"sessionStart\": [{\"command\": \"'/my old/cofio' hook --user bob\"}]}}";
    home.write(".cursor/hooks.json", hooks);
    home.installed("cursor --hooks");
    assert_eq!(home.read(".cursor/mcp.json"), old.replace("/old/cofio", program()));
    let started = home.json(".cursor/hooks.json")["hooks"]["sessionStart"].clone();
    assert_eq!(
        started,
        serde_json::json!([{ "command": format!("{} hook --user bob", program()) }])
    );
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = Home::new();
    home.write("dotfiles/claude.json", "{}");
    fs::set_permissions(home.path("dotfiles/claude.json"), fs::Permissions::from_mode(0o640))
        .unwrap();
    symlink("dotfiles/claude.json", home.path(".claude.json")).unwrap();
    home.installed("claude-code");
    assert!(home.path(".claude.json").is_symlink());
    assert!(home.read("dotfiles/claude.json").contains("mcpServers"));
    assert_eq!(mode(&home.path("dotfiles/claude.json")), 0o640);
    assert_eq!(mode(&home.path(".claude.json.cofio-backup")), 0o640);
    home.installed("claude-code --uninstall");
    assert!(home.path(".claude.json").is_symlink());
    assert_eq!(home.read("dotfiles/claude.json"), "{}");
}

#[test]
fn all_means_those_that_are_there() {
    let home = Home::new();
    let (said, code) = complaint(&home.run("--all"));
    assert_eq!(
        (said.as_str(), code),
        ("error: none of the clients that Cofio knows is on this machine: name one", 2)
    );
    home.write(".codex/auth.json", "{}");
    home.write(".config/zed/keymap.json", "[]");
    let said = home.installed("--all --dry-run --json");
    let said: Value = serde_json::from_str(&said).unwrap();
    let clients: Vec<_> = said["clients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|client| client["client"].as_str().unwrap())
        .collect();
    assert_eq!(clients, ["codex", "zed"]);
    assert_eq!(
        said["clients"][0]["files"][0],
        serde_json::json!({
            "path": "~/.codex/config.toml", "holds": ["the server cofio"], "change": "created", "backup": null,
        })
    );
    assert_eq!(said["dryRun"], true);
}

#[test]
fn variables_say_where_settings_are() {
    let home = Home::new();
    let folder = |name: &str| home.path(name).to_str().unwrap().to_owned();
    let mut command = home.0.command();
    command.env("HOME", home.path("")).env("CLAUDE_CONFIG_DIR", folder("c"));
    command.env("CODEX_HOME", folder("x")).env("GEMINI_CLI_HOME", folder("g"));
    command.env("XDG_CONFIG_HOME", folder("config"));
    let output = command
        .args(["install", "claude-code", "codex", "gemini", "zed", "--hooks"])
        .output()
        .unwrap();
    assert!(output.status.success());
    let expected = [
        "c/.claude.json",
        "c/settings.json",
        "config/zed/settings.json",
        "g/.gemini/settings.json",
        "x/config.toml",
        "x/hooks.json",
    ];
    assert_eq!(home.files(), expected);
}

#[test]
fn a_project_names_the_program_and_not_where_it_is() {
    let home = Home::new();
    let said = home
        .installed("claude-code codex cursor vscode gemini zed opencode --hooks --scope project");
    assert!(said.contains(".mcp.json"), "{said}");
    let file = |name: &str| fs::read_to_string(home.0.path(name)).unwrap();
    let server: Value = serde_json::from_str(&file(".mcp.json")).unwrap();
    assert_eq!(server["mcpServers"]["cofio"]["command"], "cofio");
    for name in [
        ".claude/settings.json",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".cursor/mcp.json",
        ".cursor/hooks.json",
        ".vscode/mcp.json",
        ".github/hooks/cofio.json",
        ".gemini/settings.json",
        ".zed/settings.json",
        "opencode.json",
    ] {
        let text = file(name);
        assert!(text.contains("cofio") && !text.contains(program()), "{name}: {text}");
    }
    assert_eq!(home.files(), [""; 0]);
    assert_eq!(complaint(&home.run("claude-desktop --scope project")).1, 2);
}
