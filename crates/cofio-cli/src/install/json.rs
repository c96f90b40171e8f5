//! Edits of JSON, with or without comments, that leave everything else as it stands.

use anyhow::{Context as _, Result};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{
    CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode, CstStringLit,
};

use super::edit::runs_cofio;
use super::program;

/// The name of our server.
const NAME: &str = "cofio";

/// How long a client waits for a hook, which takes less than a second.
const TIMEOUT_SECONDS: u32 = 5;

/// The server in an object of servers.
#[derive(Debug, Clone)]
pub struct Server {
    /// The name of the object.
    pub list: &'static str,
    pub form: ServerForm,
    pub program: String,
}

/// How a client writes down a server that it starts itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerForm {
    /// A command and its arguments.
    Command,
    /// The same, after saying that it talks over standard input and output.
    Stdio,
    /// All words in one list, after saying that it is local.
    Local,
}

/// A command for each of some events.
#[derive(Debug, Clone)]
pub struct Hooks {
    pub form: HookForm,
    pub events: &'static [&'static str],
    pub program: String,
}

/// How a client writes down hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookForm {
    /// Groups of commands, with the time in seconds.
    Grouped,
    /// The same, with the time in milliseconds and a name.
    GroupedInMilliseconds,
    /// Commands.
    Flat,
    /// Commands in a file that says its version.
    Versioned,
}

impl Server {
    /// Adds the server, or brings the path of its program up to date.
    pub fn add(&self, text: &str) -> Result<String> {
        let root = parse(text)?;
        let servers = object_in(&object(&root)?, self.list)?;
        match servers.get(NAME) {
            None => drop(servers.append(NAME, self.value())),
            Some(known) => self.update(&known)?,
        }
        Ok(root.to_string())
    }

    /// Takes the server out, and the object if nothing else is in it.
    pub fn remove(&self, text: &str) -> Result<String> {
        let root = parse(text)?;
        let Some(list) = root.object_value().and_then(|object| object.get(self.list)) else {
            return Ok(text.to_owned());
        };
        let Some(servers) = list.object_value() else { return Ok(text.to_owned()) };
        let ours =
            servers.get(NAME).filter(|known| words(known).is_some_and(|words| is_server(&words)));
        let Some(ours) = ours else { return Ok(text.to_owned()) };
        ours.remove();
        if servers.properties().is_empty() {
            list.remove();
        }
        Ok(root.to_string())
    }

    fn update(&self, known: &CstObjectProp) -> Result<()> {
        let ours = words(known).filter(|words| is_server(words));
        let ours = ours.with_context(|| format!("{}.{NAME} is another server", self.list))?;
        if ours[0] != self.program {
            let value = known.object_value().and_then(|server| server.get("command"));
            let command = value.as_ref().and_then(CstObjectProp::value);
            let words = command.as_ref().and_then(CstNode::as_array);
            let word = words.map_or(command, |words| words.elements().into_iter().next());
            let word = word.as_ref().and_then(CstNode::as_string_lit);
            let word = word.context("the server has no command")?;
            word.replace_with(self.program.as_str().into());
        }
        Ok(())
    }

    fn value(&self) -> CstInputValue {
        let program = || CstInputValue::from(self.program.as_str());
        let args = ("args", vec!["mcp"].into());
        match self.form {
            ServerForm::Command => object_of([("command", program()), args]),
            ServerForm::Stdio => {
                object_of([("type", "stdio".into()), ("command", program()), args])
            }
            ServerForm::Local => object_of([
                ("type", "local".into()),
                ("command", vec![program(), "mcp".into()].into()),
                ("enabled", true.into()),
            ]),
        }
    }
}

impl Hooks {
    /// Adds the command to every event that has it not, or brings its path up to date.
    pub fn add(&self, text: &str) -> Result<String> {
        let root = parse(text)?;
        let top = object(&root)?;
        if self.form == HookForm::Versioned && top.get("version").is_none() {
            top.append("version", 1.into());
        }
        let hooks = object_in(&top, "hooks")?;
        for event in self.events {
            let entries = hooks.array_value_or_create(event);
            let entries = entries.with_context(|| format!("hooks.{event} is no list"))?;
            let known = commands(&entries);
            if known.is_empty() {
                entries.append(self.entry());
            }
            for (command, rest) in known {
                let current = format!("{} {rest}", program::quoted(&self.program));
                if command.decoded_value().ok().as_ref() != Some(&current) {
                    command.replace_with(current.into());
                }
            }
        }
        Ok(root.to_string())
    }

    /// Takes the commands out, with everything around them that is empty then.
    pub fn remove(&self, text: &str) -> Result<String> {
        let root = parse(text)?;
        let Some(list) = root.object_value().and_then(|object| object.get("hooks")) else {
            return Ok(text.to_owned());
        };
        let Some(hooks) = list.object_value() else { return Ok(text.to_owned()) };
        let mut changed = false;
        for event in self.events.iter().filter_map(|event| hooks.get(event)) {
            let Some(entries) = event.array_value() else { continue };
            let removed = remove_commands(&entries);
            if removed && entries.elements().is_empty() {
                event.remove();
            }
            changed |= removed;
        }
        if !changed {
            return Ok(text.to_owned());
        }
        if hooks.properties().is_empty() {
            list.remove();
        }
        Ok(root.to_string())
    }

    fn command(&self) -> String {
        format!("{} hook", program::quoted(&self.program))
    }

    fn entry(&self) -> CstInputValue {
        let (kind, command) = (("type", "command".into()), ("command", self.command().into()));
        let timeout = ("timeout", TIMEOUT_SECONDS.into());
        let group = |entry| object_of([("hooks", CstInputValue::Array(vec![entry]))]);
        match self.form {
            HookForm::Flat => object_of([kind, command, timeout]),
            HookForm::Versioned => object_of([command, timeout]),
            HookForm::Grouped => group(object_of([kind, command, timeout])),
            HookForm::GroupedInMilliseconds => {
                let timeout = ("timeout", (1_000 * TIMEOUT_SECONDS).into());
                group(object_of([("name", NAME.into()), kind, command, timeout]))
            }
        }
    }
}

fn parse(text: &str) -> Result<CstRootNode> {
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
        ..ParseOptions::default()
    };
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    CstRootNode::parse(text, &options).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        anyhow::anyhow!("line {line}, column {column} is no JSON: {}", error.kind())
    })
}

fn object(root: &CstRootNode) -> Result<CstObject> {
    root.object_value().context("it is no JSON object")
}

/// Returns an object within another, made if it is missing.
fn object_in(object: &CstObject, name: &str) -> Result<CstObject> {
    object.object_value_or_create(name).with_context(|| format!("{name} is no object"))
}

fn object_of<const N: usize>(fields: [(&str, CstInputValue); N]) -> CstInputValue {
    CstInputValue::Object(
        fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    )
}

/// Returns the words by which a server is started.
fn words(server: &CstObjectProp) -> Option<Vec<String>> {
    let server = server.object_value()?;
    let command = server.get("command")?.value()?;
    if let Some(words) = command.as_array() {
        return Some(words.elements().iter().filter_map(text).collect());
    }
    let arguments = server.array_value("args").map(|list| list.elements()).unwrap_or_default();
    Some([command].iter().chain(&arguments).filter_map(text).collect())
}

fn is_server(words: &[String]) -> bool {
    words
        .first()
        .is_some_and(|program| runs_cofio(program, words.get(1).map(String::as_str), "mcp"))
}

fn text(node: &CstNode) -> Option<String> {
    node.as_string_lit()?.decoded_value().ok()
}

/// Returns our command in an entry, if it is one of ours, and what follows the program in it.
fn command(entry: &CstObject) -> Option<(CstStringLit, String)> {
    let command = entry.get("command")?.value()?.as_string_lit()?;
    let words = command.decoded_value().ok()?;
    let (program, rest) = program::split(&words)?;
    let ours = runs_cofio(&program, rest.split_whitespace().next(), "hook");
    ours.then(|| (command, rest.to_owned()))
}

/// Returns our commands among the entries of an event.
fn commands(entries: &CstArray) -> Vec<(CstStringLit, String)> {
    let mut found = Vec::new();
    for entry in entries.elements().iter().filter_map(CstNode::as_object) {
        let group = entry.array_value("hooks").map(|group| group.elements()).unwrap_or_default();
        found.extend(command(&entry));
        found.extend(
            group.iter().filter_map(CstNode::as_object).filter_map(|entry| command(&entry)),
        );
    }
    found
}

/// Takes our commands out of the entries of an event, with groups that have no others.
fn remove_commands(entries: &CstArray) -> bool {
    let mut removed = false;
    for entry in entries.elements().iter().filter_map(CstNode::as_object) {
        if command(&entry).is_some() {
            entry.remove();
            removed = true;
            continue;
        }
        let Some(group) = entry.array_value("hooks") else { continue };
        let ours: Vec<_> = group
            .elements()
            .iter()
            .filter_map(CstNode::as_object)
            .filter(|entry| command(entry).is_some())
            .collect();
        if ours.is_empty() {
            continue;
        }
        removed = true;
        ours.into_iter().for_each(CstObject::remove);
        if group.elements().is_empty() {
            entry.remove();
        }
    }
    removed
}
