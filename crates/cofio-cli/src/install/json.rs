//! Edits of JSON, with or without comments, that leave everything else as it stands.

mod addition;
mod literal;
mod removal;
mod tree;

use anyhow::{Context as _, Result};
use jsonc_parser::ast::{Array, Object, StringLit, Value};

use super::edit::runs_cofio;
use super::program;
use addition::Change;
use literal::{Literal, list, object};

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
        addition::made(text, |top| {
            let Some(servers) = tree::property(top, self.list) else {
                let servers = object([(NAME, self.value())]);
                return Ok(Some(Change::property(top, self.list, servers)));
            };
            let servers = tree::object(&servers.value);
            let servers = servers.with_context(|| format!("{} is no object", self.list))?;
            match tree::property(servers, NAME) {
                None => Ok(Some(Change::property(servers, NAME, self.value()))),
                Some(known) => self.update(&known.value),
            }
        })
    }

    /// Takes the server out, and the object if nothing else is in it.
    pub fn remove(&self, text: &str) -> Result<String> {
        removal::server(text, self.list)
    }

    fn update(&self, known: &Value<'_>) -> Result<Option<Change>> {
        let ours = server_program(known);
        let ours = ours.with_context(|| format!("{}.{NAME} is another server", self.list))?;
        Ok((ours.value != self.program).then(|| Change::text(ours, &self.program)))
    }

    fn value(&self) -> Literal {
        let program = || Literal::from(self.program.as_str());
        let args = ("args", list(["mcp".into()]));
        match self.form {
            ServerForm::Command => object([("command", program()), args]),
            ServerForm::Stdio => object([("type", "stdio".into()), ("command", program()), args]),
            ServerForm::Local => object([
                ("type", "local".into()),
                ("command", list([program(), "mcp".into()])),
                ("enabled", true.into()),
            ]),
        }
    }
}

impl Hooks {
    /// Adds the command to every event that has it not, or brings its path up to date.
    pub fn add(&self, text: &str) -> Result<String> {
        addition::made(text, |top| {
            if self.form == HookForm::Versioned && tree::property(top, "version").is_none() {
                return Ok(Some(Change::property(top, "version", 1.into())));
            }
            let Some(hooks) = tree::property(top, "hooks") else {
                let events = self.events.iter().map(|event| (*event, list([self.entry()])));
                return Ok(Some(Change::property(top, "hooks", events.collect())));
            };
            let hooks = tree::object(&hooks.value).context("hooks is no object")?;
            for event in self.events {
                if let Some(change) = self.add_to(hooks, event)? {
                    return Ok(Some(change));
                }
            }
            Ok(None)
        })
    }

    /// Takes the commands out, with everything around them that is empty then.
    pub fn remove(&self, text: &str) -> Result<String> {
        removal::hooks(text, self.events)
    }

    fn add_to(&self, hooks: &Object<'_>, event: &'static str) -> Result<Option<Change>> {
        let Some(entries) = tree::property(hooks, event) else {
            return Ok(Some(Change::property(hooks, event, list([self.entry()]))));
        };
        let entries = tree::array(&entries.value);
        let entries = entries.with_context(|| format!("hooks.{event} is no list"))?;
        let known = commands(entries);
        if known.is_empty() {
            return Ok(Some(Change::element(entries, self.entry())));
        }
        Ok(known.into_iter().find_map(|command| self.update(command)))
    }

    fn update(&self, known: &StringLit<'_>) -> Option<Change> {
        let rest = runs_hook(&known.value).unwrap_or_default();
        let current = format!("{} {rest}", program::quoted(&self.program));
        (known.value != current).then(|| Change::text(known, &current))
    }

    fn command(&self) -> String {
        format!("{} hook", program::quoted(&self.program))
    }

    fn entry(&self) -> Literal {
        let (kind, command) = (("type", "command".into()), ("command", self.command().into()));
        let timeout = ("timeout", TIMEOUT_SECONDS.into());
        let group = |entry| object([("hooks", list([entry]))]);
        match self.form {
            HookForm::Flat => object([kind, command, timeout]),
            HookForm::Versioned => object([command, timeout]),
            HookForm::Grouped => group(object([kind, command, timeout])),
            HookForm::GroupedInMilliseconds => {
                let timeout = ("timeout", (1_000 * TIMEOUT_SECONDS).into());
                group(object([("name", NAME.into()), kind, command, timeout]))
            }
        }
    }
}

/// Returns the word that names the program of a server, if it is ours.
fn server_program<'a, 'b>(server: &'b Value<'a>) -> Option<&'b StringLit<'a>> {
    let server = tree::object(server)?;
    let command = &tree::property(server, "command")?.value;
    let (program, argument) = if let Some(words) = tree::array(command) {
        (tree::text(words.elements.first()?)?, words.elements.get(1))
    } else {
        let arguments = tree::property(server, "args");
        let arguments = arguments.and_then(|arguments| tree::array(&arguments.value));
        (tree::text(command)?, arguments.and_then(|arguments| arguments.elements.first()))
    };
    let argument = argument.and_then(tree::text).map(|argument| &*argument.value);
    runs_cofio(&program.value, argument, "mcp").then_some(program)
}

/// Returns what follows the program in a command that is a hook of ours.
fn runs_hook(command: &str) -> Option<&str> {
    let (program, rest) = program::split(command)?;
    runs_cofio(&program, rest.split_whitespace().next(), "hook").then_some(rest)
}

/// Returns our commands among the entries of an event, in groups or not.
fn commands<'a, 'b>(entries: &'b Array<'a>) -> Vec<&'b StringLit<'a>> {
    let mut found = Vec::new();
    for entry in &entries.elements {
        found.extend(command(entry));
        found.extend(group(entry).iter().filter_map(command));
    }
    found
}

/// Returns the command of an entry, if it is ours.
fn command<'a, 'b>(entry: &'b Value<'a>) -> Option<&'b StringLit<'a>> {
    let command = tree::text(&tree::property(tree::object(entry)?, "command")?.value)?;
    runs_hook(&command.value).map(|_| command)
}

/// Returns the entries in an entry that is a group of them.
fn group<'a, 'b>(entry: &'b Value<'a>) -> &'b [Value<'a>] {
    let group = tree::object(entry).and_then(|entry| tree::property(entry, "hooks"));
    group.and_then(|group| tree::array(&group.value)).map_or(&[], |group| &group.elements)
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
        jsonc_parser::parse_to_serde_value(text, &tree::options()).unwrap()
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

    /// Adds the server and the hooks to a text, and takes them out again.
    fn check(text: &str, expected: &str) {
        let server = Server { program: "c/cofio".to_owned(), ..server() };
        let hooks = Hooks { events: &["stop"], program: "c/cofio".to_owned(), ..hooks() };
        let added = hooks.add(&server.add(text).unwrap()).unwrap();
        assert_eq!(added, expected);
        assert_eq!(hooks.add(&server.add(&added).unwrap()).unwrap(), added);
        let removed = server.remove(&hooks.remove(&added).unwrap()).unwrap();
        assert_eq!(value(&removed), value(text), "{removed}");
    }

    #[test]
    fn what_is_added_is_written_like_the_rest() {
        check(
            r#"{"a":[1,{"b":2}]}"#,
            r#"{"a":[1,{"b":2}],"servers":{"cofio":{"command":"c/cofio","args":["mcp"]}},"hooks":{"stop":[{"hooks":[{"type":"command","command":"c/cofio hook","timeout":5}]}]}}"#,
        );
        check(
            "{\n\t\"a\": 1, // one\n\t\"servers\": { \"x\": {} } // mine\n}\n",
            "{\n\t\"a\": 1, // one\n\t\"servers\": { \"x\": {}, \"cofio\": {\"command\": \"c/cofio\", \"args\": [\"mcp\"]} }, // mine\n\t\"hooks\": {\n\t\t\"stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"c/cofio hook\",\n\t\t\t\t\t\t\"timeout\": 5\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t}\n}\n",
        );
        check(
            "{\r\n    \"hooks\": {\"stop\": [ 1, ]},\r\n}",
            "{\r\n    \"hooks\": {\"stop\": [ 1, {\"hooks\": [{\"type\": \"command\", \"command\": \"c/cofio hook\", \"timeout\": 5}]}, ]},\r\n    \"servers\": {\r\n        \"cofio\": {\r\n            \"command\": \"c/cofio\",\r\n            \"args\": [\"mcp\"]\r\n        }\r\n    },\r\n}",
        );
    }

    #[test]
    fn of_properties_with_one_name_the_last_one_counts() {
        // As it does for those who read the file.
        let text = r#"{"servers":{"a":1},"servers":{"b":2,"cofio":{"command":"x"},"cofio":{"command":"old/cofio","args":["mcp"]}}}"#;
        let added = server().add(text).unwrap();
        assert_eq!(added, text.replace("old/cofio", "/bin/cofio"));
        let removed = server().remove(&added).unwrap();
        assert_eq!(removed, r#"{"servers":{"a":1},"servers":{"b":2,"cofio":{"command":"x"}}}"#);
        let text = r#"{"hooks":1,"hooks":{"start":[],"stop":7,"stop":[]}}"#;
        let added = hooks().add(text).unwrap();
        assert!(added.starts_with(r#"{"hooks":1,"hooks":{"start":[{"#), "{added}");
        assert!(added.contains(r#""stop":7,"stop":[{"hooks":"#), "{added}");
        assert!(hooks().add(r#"{"hooks":{},"hooks":1}"#).is_err());
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
