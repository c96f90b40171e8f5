//! The table of rules, read from `rules.toml`.
//!
//! The file keeps to a small part of TOML: tables of one name, strings in single quotes and lists
//! of them on one line. A pattern is compiled when its keyword is seen for the first time.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::bytes::{Regex, RegexBuilder};

use super::Level;
use super::checks::{self, Check};

/// One kind of secret of known form.
pub struct Rule {
    /// The name of what it finds.
    pub class: &'static str,
    /// What sort of service or thing it belongs to.
    pub family: &'static str,
    /// How sure it is.
    pub level: Level,
    /// Where the pattern is tried, in lower case.
    pub keywords: Vec<String>,
    /// Texts that have such a secret.
    #[cfg(test)]
    pub hits: Vec<&'static str>,
    /// Texts that have none.
    #[cfg(test)]
    pub misses: Vec<&'static str>,
    pattern: &'static str,
    check: Option<Check>,
    /// Whether the keyword stands in the middle of the secret.
    inside: bool,
    regex: OnceLock<Regex>,
}

/// What came of trying a rule.
pub struct Attempt {
    /// Where the secret stands, if there is one.
    pub found: Option<Range<usize>>,
    /// Up to where nothing else of this kind can begin.
    pub seen: usize,
}

/// The keyword of rules that are tried at the beginning of every long token.
pub const ANY_TOKEN: &str = "*";

/// How far from its keyword a match is looked for; a longer token is followed to its end.
const REACH: usize = 640;

/// All rules, in the order of the file.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| parse(include_str!("rules.toml")));

impl Rule {
    /// Returns whether the rule may be tried where a keyword begins.
    pub fn fits(&self, text: &str, start: usize) -> bool {
        self.inside || begins(text, start)
    }

    /// Looks for a secret of this kind whose keyword begins at `start`.
    pub fn attempt(&self, text: &str, start: usize) -> Attempt {
        let bytes = text.as_bytes();
        let window = &bytes[start..bytes.len().min(start + REACH)];
        let captures = self.regex().captures(window);
        let group =
            captures.as_ref().and_then(|captures| captures.get(1).or_else(|| captures.get(0)));
        let Some(secret) = group else { return Attempt { found: None, seen: start } };
        let (from, mut to) = (start + secret.start(), start + secret.end());
        let mut seen = start;
        if secret.end() == window.len() {
            to += bytes[to..].iter().take_while(|byte| checks::is_key_byte(**byte)).count();
            seen = to;
        }
        Attempt { found: self.checked(text, from, to), seen }
    }

    fn checked(&self, text: &str, from: usize, mut to: usize) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        while to > from && bytes[to - 1] == b'.' {
            to -= 1;
        }
        let cut = to < bytes.len() && bytes[to - 1].is_ascii_alphanumeric();
        if to == from || (cut && bytes[to].is_ascii_alphanumeric()) {
            return None;
        }
        let range = on_boundaries(text, from..to);
        match self.check {
            Some(check) => check(text, range),
            None if checks::is_placeholder_key(&text[range.clone()]) => None,
            None => Some(range),
        }
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            RegexBuilder::new(&format!(r"\A(?:{})", self.pattern))
                .unicode(false)
                .build()
                .expect("every pattern is tested")
        })
    }
}

/// Returns whether a token may begin at a place: after no letter or digit, or after an escape.
fn begins(text: &str, start: usize) -> bool {
    let before = &text.as_bytes()[..start];
    let starts_with_sign =
        text.as_bytes().get(start).is_some_and(|byte| !byte.is_ascii_alphanumeric());
    let escaped = match before {
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    };
    starts_with_sign || escaped || !before.last().is_some_and(u8::is_ascii_alphanumeric)
}

/// Widens a range of bytes to whole characters.
pub fn on_boundaries(text: &str, range: Range<usize>) -> Range<usize> {
    let mut range = range;
    while !text.is_char_boundary(range.start) {
        range.start -= 1;
    }
    while !text.is_char_boundary(range.end) {
        range.end += 1;
    }
    range
}

fn parse(file: &'static str) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    for line in file.lines() {
        if line == "[[rule]]" {
            rules.push(Rule {
                class: "",
                family: "",
                level: Level::Possible,
                keywords: Vec::new(),
                #[cfg(test)]
                hits: Vec::new(),
                #[cfg(test)]
                misses: Vec::new(),
                pattern: "",
                check: None,
                inside: false,
                regex: OnceLock::new(),
            });
        }
        let (Some((name, value)), Some(rule)) = (line.split_once(" = "), rules.last_mut()) else {
            continue;
        };
        let mut strings = value.split('\'').skip(1).step_by(2);
        match name {
            "class" => rule.class = strings.next().unwrap_or_default(),
            "family" => rule.family = strings.next().unwrap_or_default(),
            "level" => rule.level = level(strings.next().unwrap_or_default()),
            "keywords" => rule.keywords = strings.map(str::to_ascii_lowercase).collect(),
            "pattern" => rule.pattern = strings.next().unwrap_or_default(),
            "check" => {
                let check = strings.next().unwrap_or_default();
                rule.check = checks::named(check);
                rule.inside = checks::reaches_back(check);
            }
            #[cfg(test)]
            "hit" => rule.hits = strings.collect(),
            #[cfg(test)]
            "miss" => rule.misses = strings.collect(),
            _ => {}
        }
    }
    rules
}

fn level(name: &str) -> Level {
    match name {
        "definite" => Level::Definite,
        "probable" => Level::Probable,
        _ => Level::Possible,
    }
}
