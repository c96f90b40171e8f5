//! Turns what somebody wrote into a checked value, or says what would be right.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf, is_separator};
use std::str::FromStr;

use cofio::model::{Identifier, Kind, Layer};
use jiff::tz::TimeZone;

use super::places;

/// A value, or what would be right.
type Result<T> = std::result::Result<T, String>;

/// The most characters that stand in for a secret.
const REPLACEMENT_CHARS: usize = 100;

/// The most characters of a bad value that an error shows.
const SHOWN_CHARS: usize = 60;

/// A value as somebody wrote it, and what a path in it is relative to.
#[derive(Debug)]
pub struct Word<'a> {
    pub raw: Raw,
    pub base: &'a Path,
    pub home: Option<&'a Path>,
}

/// A value as somebody wrote it.
#[derive(Debug, Clone)]
pub enum Raw {
    /// A flag, a variable, or text in quotes.
    Text(OsString),
    /// A number or another word without quotes.
    Bare(String),
    /// An array or a table.
    Group,
}

/// When to print in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// On a terminal.
    Auto,
    Always,
    Never,
}

/// A value that people can read.
pub trait Shown {
    /// Returns the text, or `None` where nothing is set.
    fn shown(&self) -> Option<String>;
}

/// Reads the path of a file and makes it absolute.
pub fn file(word: &Word<'_>) -> Result<PathBuf> {
    let Raw::Text(text) = &word.raw else { return Err(quote()) };
    if text.is_empty() || text.as_encoded_bytes().contains(&0) {
        return Err("give the path of a file".to_owned());
    }
    let path = places::absolute(Path::new(text), word.base, word.home)?;
    if path.is_dir() || text.to_string_lossy().ends_with(is_separator) {
        let example = path.join("cofio.db");
        return Err(format!("that is a folder; give a file, such as {}", example.display()));
    }
    Ok(path)
}

/// Reads a name.
pub fn identifier(word: &Word<'_>) -> Result<Identifier> {
    Identifier::new(word.text()?).map_err(|error| error.to_string())
}

/// Reads a name that need not be set.
pub fn some_identifier(word: &Word<'_>) -> Result<Option<Identifier>> {
    identifier(word).map(Some)
}

/// Reads a layer.
pub fn layer(word: &Word<'_>) -> Result<Layer> {
    word.text()?.parse().map_err(|error: cofio::Error| error.to_string())
}

/// Reads a kind.
pub fn kind(word: &Word<'_>) -> Result<Kind> {
    word.text()?.parse().map_err(|error: cofio::Error| error.to_string())
}

/// Reads a whole number from `MIN` to `MAX`.
pub fn number<const MIN: i64, const MAX: i64, T: TryFrom<i64>>(word: &Word<'_>) -> Result<T> {
    let number = match &word.raw {
        Raw::Text(text) => text.to_str().and_then(|text| i64::from_str(text).ok()),
        Raw::Bare(text) => text.parse().ok(),
        Raw::Group => None,
    };
    let number = number.filter(|number| (MIN..=MAX).contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| format!("give a whole number from {MIN} to {MAX}"))
}

/// Reads the name of a time zone.
pub fn time_zone(word: &Word<'_>) -> Result<TimeZone> {
    let zone = TimeZone::get(word.text()?).ok().filter(|zone| !zone.is_unknown());
    zone.ok_or_else(|| r#"give an IANA name, such as "Europe/Berlin" or "UTC""#.to_owned())
}

/// Reads what stands where a secret stood.
pub fn replacement(word: &Word<'_>) -> Result<String> {
    let text = word.text()?;
    let long = text.chars().nth(REPLACEMENT_CHARS).is_some();
    if text.trim().is_empty() || long || text.chars().any(char::is_control) {
        return Err(format!("give one line of 1 to {REPLACEMENT_CHARS} characters"));
    }
    Ok(text.to_owned())
}

/// Reads when to print in colour.
pub fn color(word: &Word<'_>) -> Result<Color> {
    match word.text()? {
        "auto" => Ok(Color::Auto),
        "always" => Ok(Color::Always),
        "never" => Ok(Color::Never),
        _ => Err("give auto, always or never".to_owned()),
    }
}

impl Word<'_> {
    fn text(&self) -> Result<&str> {
        match &self.raw {
            Raw::Text(text) => text.to_str().ok_or_else(|| "it is not Unicode".to_owned()),
            Raw::Bare(_) | Raw::Group => Err(quote()),
        }
    }
}

fn quote() -> String {
    "give text in quotes".to_owned()
}

impl fmt::Display for Raw {
    /// Writes the value for an error: short, and without characters that a terminal obeys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = |text: &str| text.chars().take(SHOWN_CHARS).collect::<String>();
        match self {
            Self::Text(text) => write!(f, "{:?}", cut(&text.to_string_lossy())),
            Self::Bare(text) => f.write_str(&cut(text)),
            Self::Group => f.write_str("a list or table"),
        }
    }
}

impl Color {
    /// Returns whether to print in colour, given whether the output is a terminal.
    pub fn applies(self, terminal: bool) -> bool {
        match self {
            Self::Auto => terminal,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        })
    }
}

impl Shown for PathBuf {
    fn shown(&self) -> Option<String> {
        Some(self.display().to_string())
    }
}

impl Shown for TimeZone {
    fn shown(&self) -> Option<String> {
        self.iana_name().map(ToOwned::to_owned)
    }
}

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> Option<String> {
        self.as_ref()?.shown()
    }
}

macro_rules! shown_as_displayed {
    ($($type:ty),+) => {
        $(impl Shown for $type {
            fn shown(&self) -> Option<String> {
                Some(self.to_string())
            }
        })+
    };
}

shown_as_displayed!(Color, Identifier, Kind, Layer, String, i64, usize);
