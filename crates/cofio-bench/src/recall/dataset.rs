//! Conversations with the questions about them: one namespace per line, as JSON.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use flate2::read::MultiGzDecoder;
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::time;

/// One memory of its own: what was said in it, and what is asked about it.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Namespace {
    /// What it is called; by its line, if it is not called anything.
    #[serde(rename = "namespace", default, deserialize_with = "label_or_nothing")]
    pub name: String,
    #[serde(default, deserialize_with = "list")]
    pub messages: Vec<Message>,
    #[serde(default, deserialize_with = "list")]
    pub questions: Vec<Question>,
    /// The line it was on.
    #[serde(skip)]
    pub line: usize,
    /// How often a message came again, word for word, and was left out.
    #[serde(skip)]
    pub repeated: usize,
}

/// Something that was said or written.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    #[serde(deserialize_with = "label")]
    pub id: String,
    #[serde(default, deserialize_with = "optional_label")]
    pub session: Option<String>,
    #[serde(default, deserialize_with = "optional_label")]
    pub speaker: Option<String>,
    #[serde(default, deserialize_with = "optional_label")]
    pub role: Option<String>,
    #[serde(default, deserialize_with = "moment", serialize_with = "write_moment")]
    pub time: Option<Timestamp>,
    pub text: String,
}

/// A question, and the messages that hold its answer.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    #[serde(deserialize_with = "label")]
    pub id: String,
    pub text: String,
    #[serde(default, deserialize_with = "moment", serialize_with = "write_moment")]
    pub time: Option<Timestamp>,
    #[serde(default, deserialize_with = "optional_label")]
    pub category: Option<String>,
    #[serde(default, deserialize_with = "labels")]
    pub evidence: Vec<String>,
}

/// A file of namespaces that was read once, and is known to be readable.
#[derive(Debug)]
pub struct Dataset {
    path: PathBuf,
    /// How many namespaces it has.
    pub namespaces: usize,
    /// How many messages, each once.
    pub messages: usize,
    /// How many questions.
    pub questions: usize,
}

impl Dataset {
    /// Reads a file through, and refuses it for the first line that is not as it should be.
    pub fn open(path: &Path) -> Result<Self> {
        let mut dataset = Self { path: path.to_owned(), namespaces: 0, messages: 0, questions: 0 };
        let mut names = HashSet::new();
        for (number, namespace) in numbered(path)? {
            let namespace = namespace?;
            dataset.namespaces += 1;
            dataset.messages += namespace.messages.len();
            dataset.questions += namespace.questions.len();
            let name = namespace.name;
            let place = || format!("{}:{number}", path.display());
            ensure!(names.insert(name.clone()), "{}: namespace {name:?} came before", place());
        }
        ensure!(dataset.namespaces > 0, "{} has no namespace", path.display());
        Ok(dataset)
    }

    /// Returns the namespaces one after another, so that the file need not fit into memory.
    pub fn namespaces(&self) -> Result<impl Iterator<Item = Result<Namespace>> + use<>> {
        Ok(numbered(&self.path)?.map(|(_, namespace)| namespace))
    }
}

/// Opens a file, unpacking it if its name ends in `.gz`.
pub fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    let packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    Ok(if packed {
        Box::new(BufReader::new(MultiGzDecoder::new(file)))
    } else {
        Box::new(BufReader::new(file))
    })
}

/// Returns the namespaces of a file, each with the number of its line.
fn numbered(path: &Path) -> Result<impl Iterator<Item = (usize, Result<Namespace>)> + use<>> {
    let name = path.display().to_string();
    let lines = open(path)?.lines().zip(1..);
    Ok(lines.filter_map(move |(line, number)| {
        let parsed = match &line {
            Ok(line) => {
                let line = line.trim_start_matches('\u{feff}').trim();
                if line.is_empty() {
                    return None;
                }
                namespace(line, number)
            }
            Err(error) => Err(anyhow!("{error}")),
        };
        Some((number, parsed.map_err(|error| anyhow!("{name}:{number}: {error:#}"))))
    }))
}

fn namespace(line: &str, number: usize) -> Result<Namespace> {
    let mut namespace: Namespace =
        serde_json::from_str(line).map_err(|error| column_only(&error))?;
    if namespace.name.is_empty() {
        namespace.name = format!("namespace-{number}");
    }
    namespace.line = number;
    let before = namespace.messages.len();
    namespace.messages = without_repetition(namespace.messages)?;
    namespace.repeated = before - namespace.messages.len();
    Ok(namespace)
}

/// Keeps the first of messages with the same id, and refuses one id for two texts.
fn without_repetition(messages: Vec<Message>) -> Result<Vec<Message>> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages {
        match places.get(&message.id) {
            Some(&place) if kept[place].text == message.text => {}
            Some(_) => bail!("message {:?} has two different texts", message.id),
            None => {
                places.insert(message.id.clone(), kept.len());
                kept.push(message);
            }
        }
    }
    Ok(kept)
}

/// Says where in the line, because the parser knows of no line but this one.
fn column_only(error: &serde_json::Error) -> anyhow::Error {
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or(&said);
    anyhow!("column {}: {what}", error.column())
}

/// Takes a name that may be written as a number.
fn label<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    let written = Value::deserialize(input)?;
    spelled(&written).ok_or_else(|| unexpected("a name", &written))
}

fn label_or_nothing<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    Ok(optional_label(input)?.unwrap_or_default())
}

fn optional_label<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(input)? {
        Value::Null => Ok(None),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        written => Ok(Some(spelled(&written).ok_or_else(|| unexpected("a name", &written))?)),
    }
}

/// Takes a list of names, or one alone.
fn labels<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    let written = match Value::deserialize(input)? {
        Value::Null => Vec::new(),
        Value::Array(items) => items,
        one => vec![one],
    };
    let spell = |item| spelled(item).ok_or_else(|| unexpected("a name", item));
    written.iter().map(spell).collect()
}

fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(input: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(input)?.unwrap_or_default())
}

fn moment<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Timestamp>, D::Error> {
    let written = Value::deserialize(input)?;
    let read = match &written {
        Value::Null => return Ok(None),
        Value::String(text) if text.trim().is_empty() => return Ok(None),
        Value::String(text) => time::moment(text),
        #[expect(clippy::cast_possible_truncation, reason = "fractions of a second do not matter")]
        Value::Number(number) => {
            number.as_i64().or(number.as_f64().map(|float| float as i64)).and_then(time::counted)
        }
        _ => None,
    };
    Ok(Some(read.ok_or_else(|| unexpected("a time", &written))?))
}

#[expect(clippy::ref_option, reason = "the form that serde asks for")]
fn write_moment<S: Serializer>(time: &Option<Timestamp>, output: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.to_string()).serialize(output)
}

fn spelled(written: &Value) -> Option<String> {
    match written {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn unexpected<E: serde::de::Error>(wanted: &str, written: &Value) -> E {
    let shown: String = written.to_string().chars().take(60).collect();
    E::custom(format_args!("{shown} is not {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<Namespace>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.jsonl");
        std::fs::write(&path, text).unwrap();
        Dataset::open(&path)?.namespaces()?.collect()
    }

    fn check_refused(text: &str, expected: &str) {
        let said = format!("{:#}", parse(text).unwrap_err());
        let file = said.split_once("data.jsonl").unwrap().1;
        assert_eq!(file, expected, "{text}");
    }

    #[test]
    fn only_ids_and_texts_are_needed() {
        let line = r#"{"messages": [{"id": 1, "text": "a"}, {"id": "2", "text": "b", "time": null,
            "session": 7, "speaker": null, "role": ""}], "questions": [{"id": "q", "text": "c",
            "evidence": null}]}"#;
        let read = parse(&line.replace('\n', " ")).unwrap();
        let message = |id: &str, text: &str, session: Option<&str>| Message {
            id: id.to_owned(),
            text: text.to_owned(),
            session: session.map(ToOwned::to_owned),
            ..Message::default()
        };
        assert_eq!(read[0].name, "namespace-1");
        assert_eq!(read[0].messages, [message("1", "a", None), message("2", "b", Some("7"))]);
        assert_eq!(read[0].questions[0].evidence, [""; 0]);
    }

    #[test]
    fn a_malformed_line_is_named() {
        check_refused("", " has no namespace");
        check_refused("{}\n\nnonsense", ":3: column 2: expected ident");
        check_refused(r#"{"messages": [{"id": "1"}]}"#, ":1: column 25: missing field `text`");
        check_refused(
            r#"{"messages": [{"id": "1", "text": "a", "time": "soon"}]}"#,
            r#":1: column 54: "soon" is not a time"#,
        );
        check_refused(
            r#"{"messages": [{"id": "1", "text": "a"}, {"id": "1", "text": "b"}]}"#,
            r#":1: message "1" has two different texts"#,
        );
        check_refused(
            "{\"namespace\": \"n\"}\n{\"namespace\": \"n\"}",
            r#":2: namespace "n" came before"#,
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let line = r#"{"namespace":"n","messages":[{"id":"1","session":"s","speaker":"Ann","role":null,"time":"2023-05-08T13:56:00Z","text":"a"}],"questions":[{"id":"q","text":"b","time":null,"category":"2","evidence":["1"]}]}"#;
        let read = parse(line).unwrap();
        assert_eq!(serde_json::to_string(&read[0]).unwrap(), line);
    }
}
