//! Edits of JSON, with or without comments, that leave everything else as it stands.

mod removal;

use anyhow::{Context as _, Result};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{
    CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode, CstStringLit,
};
use jsonc_parser::errors::ParseError;

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
        removal::server(text, self.list)
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
            for command in known {
                self.update(command);
            }
        }
        Ok(root.to_string())
    }

    /// Takes the commands out, with everything around them that is empty then.
    pub fn remove(&self, text: &str) -> Result<String> {
        removal::hooks(text, self.events)
    }

    fn update(&self, known: CstStringLit) {
        let command = known.decoded_value().unwrap_or_default();
        let rest = runs_hook(&command).unwrap_or_default();
        let current = format!("{} {rest}", program::quoted(&self.program));
        if command != current {
            known.replace_with(current.into());
        }
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

/// Takes JSON with comments and trailing commas, as editors do, and nothing looser.
fn options() -> ParseOptions {
    ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
        ..ParseOptions::default()
    }
}

fn parse(text: &str) -> Result<CstRootNode> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    CstRootNode::parse(text, &options()).map_err(|error| not_json(&error))
}

fn not_json(error: &ParseError) -> anyhow::Error {
    let (line, column) = (error.line_display(), error.column_display());
    anyhow::anyhow!("line {line}, column {column} is no JSON: {}", error.kind())
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

/// Returns what follows the program in a command that is a hook of ours.
fn runs_hook(command: &str) -> Option<&str> {
    let (program, rest) = program::split(command)?;
    runs_cofio(&program, rest.split_whitespace().next(), "hook").then_some(rest)
}

/// Returns our commands among the entries of an event, in groups or not.
fn commands(entries: &CstArray) -> Vec<CstStringLit> {
    let mut found = Vec::new();
    for entry in entries.elements().iter().filter_map(CstNode::as_object) {
        let group = entry.array_value("hooks").map(|group| group.elements()).unwrap_or_default();
        found.extend(command(&entry));
        let within = group.iter().filter_map(CstNode::as_object);
        found.extend(within.filter_map(|entry| command(&entry)));
    }
    found
}

fn command(entry: &CstObject) -> Option<CstStringLit> {
    let command = entry.get("command")?.value()?.as_string_lit()?;
    let ours = command.decoded_value().is_ok_and(|command| runs_hook(&command).is_some());
    ours.then_some(command)
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn server() -> Server {
        Server { list: "servers", form: ServerForm::Command, program: "/bin/cofio".to_owned() }
    }

    fn hooks() -> Hooks {
        let events = &["start", "stop"];
        Hooks { form: HookForm::Grouped, events, program: "/bin/cofio".to_owned() }
    }

    /// Returns what a text says, without its comments and trailing commas.
    fn value(text: &str) -> Value {
        parse(text).unwrap().value().unwrap().to_serde_value().unwrap()
    }

    /// Returns what stands between two things in somebody's settings.
    fn space() -> impl Strategy<Value = String> {
        prop::sample::select(vec![
            "",
            " ",
            "\n",
            "\n  ",
            "\t",
            "\r\n",
            " /* why */ ",
            " // why\n",
            "\n\n    ",
        ])
        .prop_map(str::to_owned)
    }

    /// Returns somebody's settings in any formatting, objects of servers and hooks among them.
    pub fn settings() -> impl Strategy<Value = String> {
        let value = prop::sample::select(vec![
            "1",
            "\"text\"",
            "true",
            "[1, 2]",
            "{}",
            "{\"a\": {\"b\": []}}",
            "\"{ // no comment\"",
        ]);
        let theirs = prop::sample::select(vec![
            "\"servers\": {}",
            "\"servers\": {\"other\": {\"command\": \"x\"}}",
            "\"servers\": { /* mine */ \"other\": {}, }",
            "\"hooks\": {}",
            "\"hooks\": {\"stop\": [], \"other\": [{}]}",
            "\"hooks\": {\"stop\": [{\"hooks\": [{\"command\": \"say hi\"}]}]}",
            "\"more\": 1",
        ]);
        let pair =
            (space(), "[a-z]{1,4}", space(), value).prop_map(|(before, name, between, value)| {
                format!("{before}\"x{name}\":{between}{value}")
            });
        let pairs = prop::collection::vec(pair, 0..4);
        (pairs, prop::option::of(theirs), space(), space(), any::<bool>()).prop_map(
            |(mut pairs, theirs, around, end, trailing)| {
                pairs.sort();
                pairs.dedup_by_key(|pair| pair.trim_start().split(':').next().map(str::to_owned));
                pairs.extend(theirs.map(str::to_owned));
                let comma = if trailing && !pairs.is_empty() { "," } else { "" };
                format!("{around}{{{}{comma}{end}}}{around}", pairs.join(","))
            },
        )
    }

    proptest! {
        #[test]
        fn what_is_added_is_there_and_the_rest_is_unchanged(text in settings()) {
            let theirs = value(&text);
            let added = hooks().add(&server().add(&text).unwrap()).unwrap();
            let mut now = value(&added);
            prop_assert_eq!(&now["servers"]["cofio"]["command"], "/bin/cofio");
            prop_assert_eq!(&hooks().add(&server().add(&added).unwrap()).unwrap(), &added);
            for comment in ["/* why */", "// why", "/* mine */"] {
                prop_assert_eq!(added.matches(comment).count(), text.matches(comment).count());
            }
            for ours in ["servers", "hooks"] {
                now[ours] = theirs[ours].clone();
                if theirs[ours].is_null() {
                    now.as_object_mut().unwrap().remove(ours);
                }
            }
            prop_assert_eq!(now, theirs);
        }

        #[test]
        fn what_was_added_is_taken_out(text in settings()) {
            let added = hooks().add(&server().add(&text).unwrap()).unwrap();
            let removed = server().remove(&hooks().remove(&added).unwrap()).unwrap();
            let (mut now, mut theirs) = (value(&removed), value(&text));
            // What was empty before is taken for ours.
            for settings in [&mut now, &mut theirs] {
                let settings = settings.as_object_mut().unwrap();
                if let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) {
                    hooks.retain(|_, entries| entries.as_array().is_none_or(|entries| !entries.is_empty()));
                }
                settings.retain(|name, value| {
                    !["servers", "hooks"].contains(&name.as_str())
                        || value.as_object().is_none_or(|object| !object.is_empty())
                });
            }
            prop_assert_eq!(now, theirs);
            for comment in ["/* why */", "// why", "/* mine */"] {
                prop_assert_eq!(removed.matches(comment).count(), text.matches(comment).count());
            }
        }

        #[test]
        fn what_is_no_settings_is_refused_and_never_panics(text in ".{0,40}|[{}\\[\\],:\"a1/* \n]{0,40}") {
            let _ = server().add(&text).and_then(|text| hooks().add(&text));
            let _ = server().remove(&text).and_then(|text| hooks().remove(&text));
        }
    }
}
