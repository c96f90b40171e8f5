//! Taking secrets out of text.
//!
//! A text is read as it stands and in every way a reader could take it: without invisible
//! characters, with its codes resolved, its parts joined, its encodings decoded. What is found in a
//! reading is taken out where it was written. Forms of keys are data, in `redact/rules.toml`.

mod across;
mod blocks;
mod cards;
mod checks;
mod codes;
mod detect;
mod encoding;
mod escapes;
mod fold;
mod joins;
mod judge;
mod name;
mod named;
mod phrases;
mod prefilter;
mod readings;
mod rules;
#[cfg(test)]
mod tests;
mod tokens;
mod turned;
mod value;
mod view;
mod words;

use std::ops::Range;

use crate::model::CleanText;

pub use across::{findings_across, may_complete_secret};

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It may be one; whoever wrote it has to say.
    Possible,
    /// It looks like one, and is taken out; whoever wrote it is told.
    Probable,
    /// It can be nothing else.
    Definite,
}

impl Level {
    /// Returns the name that records and answers use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::Probable => "probable",
            Self::Definite => "definite",
        }
    }
}

/// A secret in a text, without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The name of what it is.
    pub class: &'static str,
    /// What sort of service or thing it belongs to.
    pub family: &'static str,
    /// How sure that is.
    pub level: Level,
    /// Where it stands, in bytes and on the boundaries of characters.
    pub range: Range<usize>,
}

/// What was taken out, without its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redaction {
    /// The name of what it was.
    pub class: &'static str,
    /// What sort of service or thing it belongs to.
    pub family: &'static str,
    /// How sure that is.
    pub level: Level,
    /// The field it stood in; of a text alone, `text`.
    pub field: &'static str,
}

impl Redaction {
    /// Returns whether it was called a credential where it stood, whatever its form.
    pub fn is_named_credential(&self) -> bool {
        self.family == "password"
    }
}

/// Text without its secrets.
#[derive(Debug, Clone)]
pub struct Redacted {
    /// What is left.
    pub text: CleanText,
    /// What was taken out.
    pub redactions: Vec<Redaction>,
    /// What may be a secret and was left.
    pub possible: Vec<Redaction>,
}

/// How often a text is gone through, since taking something out may bring other things together.
const PASSES: usize = 8;

/// Returns the secrets of a text in order; they do not overlap.
pub fn findings(text: &str) -> Vec<Finding> {
    readings::findings(text)
}

/// Takes the secrets out of a text that are at least so sure, and puts `replacement` where they
/// stood.
///
/// A second time changes nothing.
pub fn redact(text: &str, replacement: &str, least: Level) -> Redacted {
    let mut text = text.to_owned();
    let mut redactions = Vec::new();
    let mut possible = Vec::new();
    for _ in 0..PASSES {
        let found = new_findings(&text, replacement);
        let (sure, unsure): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|one| one.level >= least);
        possible = unsure.iter().map(Redaction::from).collect();
        if sure.is_empty() {
            break;
        }
        redactions.extend(sure.iter().map(Redaction::from));
        text = replaced(&text, &sure, replacement);
    }
    Redacted { text: CleanText::redacted(text), redactions, possible }
}

/// Returns the findings that are not themselves what an earlier redaction left.
fn new_findings(text: &str, replacement: &str) -> Vec<Finding> {
    let mut found = findings(text);
    if found.is_empty() || replacement.is_empty() {
        return found;
    }
    let left: Vec<Range<usize>> =
        text.match_indices(replacement).map(|(at, one)| at..at + one.len()).collect();
    found.retain(|finding| {
        let place = left.partition_point(|one| one.end < finding.range.end);
        let known = left.get(place).is_some_and(|one| one.start <= finding.range.start);
        let rest = text[finding.range.clone()].replace(replacement, "");
        let sign = |character: char| character.is_whitespace() || character.is_ascii_punctuation();
        !known && !rest.chars().all(sign)
    });
    found
}

fn replaced(text: &str, findings: &[Finding], replacement: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut end = 0;
    for finding in findings {
        clean.push_str(&text[end..finding.range.start]);
        clean.push_str(replacement);
        end = finding.range.end;
    }
    clean.push_str(&text[end..]);
    clean
}

/// Returns a text without the parts that findings name.
pub fn without(text: &CleanText, found: &[Finding], replacement: &str) -> CleanText {
    CleanText::redacted(replaced(text.as_str(), found, replacement))
}

impl From<&Finding> for Redaction {
    fn from(finding: &Finding) -> Self {
        let Finding { class, family, level, .. } = *finding;
        Self { class, family, level, field: "text" }
    }
}
