//! Turns what somebody wrote into a checked value, or says what would be right.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf, is_separator};
use std::str::FromStr;

use cofio::config::Formula;
use cofio::lifecycle::spend::Money;
use cofio::model::{Identifier, Kind, Layer};
use cofio_server::mcp::SourceName;
use jiff::tz::TimeZone;

use super::maintenance::{Layers, Line, Pace, Share};
use super::places;
use super::routes::Routes;
use super::stores::{Address, Preset, Promise};

/// A value, or what would be right.
type Result<T> = std::result::Result<T, String>;

/// The most characters that stand in for a secret.
const REPLACEMENT_CHARS: usize = 100;

/// The most bytes of a name that a server or an environment knows.
const NAME_BYTES: usize = 100;

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

/// What becomes of a text with a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnSecret {
    /// It is kept without the secret.
    Redact,
    /// It is refused.
    Refuse,
}

/// What hooks of agents do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hooks {
    /// They tell the agent what is remembered, and keep what was said.
    All,
    /// They tell, and keep nothing.
    Context,
    /// They keep, and tell nothing.
    Capture,
    None,
}

impl Hooks {
    /// Returns whether the agent is told what is remembered.
    pub fn tell(self) -> bool {
        matches!(self, Self::All | Self::Context)
    }

    /// Returns whether what was said is kept.
    pub fn capture(self) -> bool {
        matches!(self, Self::All | Self::Capture)
    }
}

/// When to print in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// On a terminal.
    Auto,
    Always,
    Never,
}

/// What counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The SQLite file.
    Sqlite,
    /// Files of markdown, of which it is the index.
    Filesystem,
}

/// Who turns text into vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedderName {
    /// all-MiniLM-L6-v2, on this machine.
    MiniLm,
    /// Nobody.
    None,
    /// A server that speaks OpenAI's dialect.
    OpenAi,
}

/// Who is asked where a language model helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Nobody.
    None,
    /// A server that speaks OpenAI's dialect.
    OpenAi,
    /// A server that speaks Anthropic's dialect.
    Anthropic,
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

/// Reads the path of a file that need not be set.
pub fn some_file(word: &Word<'_>) -> Result<Option<PathBuf>> {
    file(word).map(Some)
}

/// Reads the name of a schema in a database.
pub fn schema(word: &Word<'_>) -> Result<String> {
    let name = word.text()?;
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 40 || !name.chars().all(fits) {
        return Err("give 1 to 40 lower-case letters, digits and underscores".to_owned());
    }
    Ok(name.to_owned())
}

/// Reads the path of a folder and makes it absolute.
pub fn folder(word: &Word<'_>) -> Result<Option<PathBuf>> {
    let Raw::Text(text) = &word.raw else { return Err(quote()) };
    if text.is_empty() || text.as_encoded_bytes().contains(&0) {
        return Err("give the path of a folder".to_owned());
    }
    let path = places::absolute(Path::new(text), word.base, word.home)?;
    if path.is_file() {
        return Err("that is a file; give a folder".to_owned());
    }
    Ok(Some(path))
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

/// Reads what becomes of a text with a secret.
pub fn on_secret(word: &Word<'_>) -> Result<OnSecret> {
    match word.text()? {
        "redact" => Ok(OnSecret::Redact),
        "refuse" => Ok(OnSecret::Refuse),
        _ => Err("give redact or refuse".to_owned()),
    }
}

/// Reads what hooks of agents do.
pub fn hooks(word: &Word<'_>) -> Result<Hooks> {
    match word.text()? {
        "all" => Ok(Hooks::All),
        "context" => Ok(Hooks::Context),
        "capture" => Ok(Hooks::Capture),
        "none" => Ok(Hooks::None),
        _ => Err("give all, context, capture or none".to_owned()),
    }
}

/// Reads what counts.
pub fn backend(word: &Word<'_>) -> Result<Backend> {
    match word.text()? {
        "sqlite" => Ok(Backend::Sqlite),
        "filesystem" => Ok(Backend::Filesystem),
        _ => Err("give sqlite or filesystem".to_owned()),
    }
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

/// Reads what a call from an agent counts as at best.
pub fn source(word: &Word<'_>) -> Result<SourceName> {
    word.text()?.parse().map_err(|error: cofio::Error| error.to_string())
}

/// Reads who turns text into vectors.
pub fn embedder(word: &Word<'_>) -> Result<EmbedderName> {
    match word.text()? {
        "minilm" => Ok(EmbedderName::MiniLm),
        "none" => Ok(EmbedderName::None),
        "openai" => Ok(EmbedderName::OpenAi),
        _ => Err("give minilm, none or openai".to_owned()),
    }
}

/// Reads the address of a server.
pub fn url(word: &Word<'_>) -> Result<String> {
    let url = word.text()?;
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let fits = |rest: &&str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_graphic());
    match rest.filter(fits) {
        // A password in it would be shown wherever settings are.
        Some(rest) if !rest.contains(['@', '?', '#']) => Ok(url.to_owned()),
        _ => {
            Err("give an address such as \"https://api.openai.com/v1\", which ends there"
                .to_owned())
        }
    }
}

/// Reads the name of a model.
pub fn model(word: &Word<'_>) -> Result<String> {
    let name = word.text()?;
    let visible = name.bytes().all(|byte| byte.is_ascii_graphic());
    if name.is_empty() || name.len() > NAME_BYTES || !visible {
        return Err(format!("give the server's name for it, 1 to {NAME_BYTES} visible characters"));
    }
    Ok(name.to_owned())
}

/// Reads how many dimensions to ask for.
pub fn dimensions(word: &Word<'_>) -> Result<Option<usize>> {
    number::<1, 16_384, _>(word).map(Some)
}

/// Reads the name of an environment variable.
pub fn variable(word: &Word<'_>) -> Result<String> {
    let name = word.text()?;
    let fits = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let starts_well = name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    if !starts_well || name.len() > NAME_BYTES || !name.bytes().all(fits) {
        return Err(
            "give the name of the variable that holds the key, in capital letters, never the key"
                .to_owned(),
        );
    }
    Ok(name.to_owned())
}

/// Reads the address of a server that need not be set.
pub fn some_url(word: &Word<'_>) -> Result<Option<String>> {
    url(word).map(Some)
}

/// Reads the name of a model that need not be set.
pub fn some_model(word: &Word<'_>) -> Result<Option<String>> {
    model(word).map(Some)
}

/// Reads the name of an environment variable that need not be set.
pub fn some_variable(word: &Word<'_>) -> Result<Option<String>> {
    variable(word).map(Some)
}

/// Reads who is asked where a language model helps.
pub fn provider(word: &Word<'_>) -> Result<Provider> {
    match word.text()? {
        "none" => Ok(Provider::None),
        "openai" => Ok(Provider::OpenAi),
        "anthropic" => Ok(Provider::Anthropic),
        _ => Err("give none, openai or anthropic".to_owned()),
    }
}

/// Reads how many tokens may be used.
pub fn tokens(word: &Word<'_>) -> Result<Option<u64>> {
    number::<1, 1_000_000_000_000, _>(word).map(Some)
}

/// Reads a value from its text, which a number in a file has too.
pub fn parsed<T: FromStr<Err = String>>(word: &Word<'_>) -> Result<T> {
    match &word.raw {
        Raw::Bare(text) => text.parse(),
        Raw::Text(_) | Raw::Group => word.text()?.parse(),
    }
}

/// Reads such a value where there need not be one.
pub fn some_parsed<T: FromStr<Err = String>>(word: &Word<'_>) -> Result<Option<T>> {
    parsed(word).map(Some)
}

/// Reads how memories fade.
pub fn formula(word: &Word<'_>) -> Result<Formula> {
    word.text()?.parse().map_err(|error: cofio::Error| error.to_string())
}

/// Reads how many days something stays.
pub fn some_days(word: &Word<'_>) -> Result<Option<i64>> {
    number::<0, 36_500, _>(word).map(Some)
}

/// Reads an amount of money.
pub fn money(word: &Word<'_>) -> Result<Option<Money>> {
    let amount = match &word.raw {
        Raw::Text(text) => text.to_str().and_then(millionths),
        Raw::Bare(text) => millionths(text),
        Raw::Group => None,
    };
    let advice = || "give an amount from 0 to 1000000, such as 2.50".to_owned();
    amount.map(Money).map(Some).ok_or_else(advice)
}

/// Returns the millionths of an amount that has at most six digits behind the point.
fn millionths(amount: &str) -> Option<u64> {
    let (whole, part) = amount.split_once('.').unwrap_or((amount, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || part.len() > 6 {
        return None;
    }
    let whole = whole.parse::<u64>().ok().filter(|whole| *whole <= 1_000_000)?;
    Some(whole * 1_000_000 + format!("{part:0<6}").parse::<u64>().ok()?)
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

impl fmt::Display for OnSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Redact => "redact",
            Self::Refuse => "refuse",
        })
    }
}

impl fmt::Display for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "all",
            Self::Context => "context",
            Self::Capture => "capture",
            Self::None => "none",
        })
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

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sqlite => "sqlite",
            Self::Filesystem => "filesystem",
        })
    }
}

impl fmt::Display for EmbedderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::MiniLm => "minilm",
            Self::None => "none",
            Self::OpenAi => "openai",
        })
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
        })
    }
}

/// Shows no more digits than it needs.
impl Shown for Money {
    fn shown(&self) -> Option<String> {
        Some(self.to_string().trim_end_matches('0').trim_end_matches('.').to_owned())
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

shown_as_displayed!(
    Address,
    Backend,
    Color,
    EmbedderName,
    Formula,
    Hooks,
    Identifier,
    Kind,
    Layer,
    Layers,
    Line,
    OnSecret,
    Pace,
    Preset,
    Promise,
    Provider,
    Routes,
    Share,
    SourceName,
    String,
    i64,
    u32,
    u64,
    usize
);
