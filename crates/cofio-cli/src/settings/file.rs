//! Reads a settings file: TOML, known names only.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::read::Raw;
use super::table::{self, ALL};
use super::{Result, SettingsError};

/// The most bytes of a settings file.
const MAX_BYTES: u64 = 64 * 1024;

/// What a settings file says.
#[derive(Debug)]
pub struct File {
    pub path: PathBuf,
    pub entries: Vec<Entry>,
}

/// One line of a settings file; the name is known, the value not yet checked.
#[derive(Debug)]
pub struct Entry {
    pub name: &'static str,
    pub raw: Raw,
    pub line: usize,
}

/// Reads the file at `path`, if there is one.
pub fn read_if_present(path: &Path) -> Result<Option<File>> {
    let cannot = |why: &str| SettingsError::new(format!("cannot read {}: {why}", path.display()));
    match bytes(path) {
        Ok(bytes) => {
            let text = String::from_utf8(bytes).map_err(|_| cannot("save it as UTF-8"))?;
            parse(path, &text).map(Some)
        }
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(cannot(&error.to_string())),
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a pipe would wait for somebody to write into it.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!("it has more than {MAX_BYTES} bytes")));
    }
    Ok(bytes)
}

fn parse(path: &Path, text: &str) -> Result<File> {
    let line_of = |offset: usize| 1 + text.bytes().take(offset).filter(|&b| b == b'\n').count();
    let table = DeTable::parse(text).map_err(|error| {
        let line = line_of(error.span().map_or(0, |span| span.start));
        let message = error.message();
        SettingsError::new(format!("{}:{line} is not TOML: {message}", path.display()))
    })?;

    let mut entries = Vec::new();
    for (name, start, value) in values(table.get_ref()) {
        let line = line_of(start);
        let name = known(&name).map_err(|advice| {
            SettingsError::new(format!("{}:{line} has {advice}", path.display()))
        })?;
        entries.push(Entry { name, raw: raw(value), line });
    }
    Ok(File { path: path.to_owned(), entries })
}

/// Returns every value with its name and where it stands, in that order; what stands in a table
/// that we know has its name before a dot.
fn values<'a>(table: &'a DeTable<'_>) -> Vec<(String, usize, &'a DeValue<'a>)> {
    let mut found = Vec::new();
    for (key, value) in table {
        let (name, start) = (key.get_ref().to_string(), key.span().start);
        match value.get_ref() {
            DeValue::Table(inner) if table::is_table(&name) => {
                let inner = inner.iter().map(|(key, value)| {
                    (format!("{name}.{}", key.get_ref()), key.span().start, value.get_ref())
                });
                found.extend(inner);
            }
            value => found.push((name, start, value)),
        }
    }
    found.sort_by_key(|(_, start, _)| *start);
    found
}

/// Returns the name as the table has it, or what is wrong with it.
fn known(name: &str) -> std::result::Result<&'static str, String> {
    if let Some(setting) = table::find(name) {
        return Ok(setting.name);
    }
    let name: String = name.chars().take(40).collect();
    if let Some(nearest) = table::nearest(&name) {
        return Err(format!("the unknown setting {name:?}: did you mean {}?", nearest.name));
    }
    let known: Vec<_> = ALL.iter().map(|setting| setting.name).collect();
    Err(format!("the unknown setting {name:?}: known are {}", known.join(", ")))
}

fn raw(value: &DeValue<'_>) -> Raw {
    match value {
        DeValue::String(text) => Raw::Text(text.as_ref().into()),
        DeValue::Integer(integer) => {
            let number = i64::from_str_radix(integer.as_str(), integer.radix());
            Raw::Bare(number.map_or_else(|_| integer.to_string(), |number| number.to_string()))
        }
        DeValue::Float(float) => Raw::Bare(float.to_string()),
        DeValue::Boolean(boolean) => Raw::Bare(boolean.to_string()),
        DeValue::Datetime(datetime) => Raw::Bare(datetime.to_string()),
        DeValue::Array(_) | DeValue::Table(_) => Raw::Group,
    }
}
