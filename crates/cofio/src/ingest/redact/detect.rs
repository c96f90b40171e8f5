//! The secrets of a text as it stands.

use std::ops::Range;

use super::Level;
use super::named::Names;
use super::prefilter::{self, Target};
use super::rules::{RULES, Rule};
use super::words::Promise;
use super::{blocks, cards, phrases, tokens};

/// A secret in a text, and what gave it away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The name of what it is.
    pub class: &'static str,
    /// What sort of service or thing it belongs to.
    pub family: &'static str,
    /// How sure that is.
    pub level: Level,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
    /// What gave it away.
    pub by: By,
}

/// What gives a secret away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Its own form.
    Form,
    /// What it is called.
    Name,
    /// That it looks like chance.
    Look,
}

/// Returns the secrets of a text as it stands, in no order; they may overlap.
pub fn detect(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut hints = Vec::new();
    let mut forms = Forms::new();
    let mut names = Names::default();
    let mut block_end = 0;
    for sign in prefilter::signs(text) {
        for target in sign.targets() {
            match *target {
                Target::Rule(index) => found.extend(forms.at(text, index, sign.start)),
                Target::Name(Promise::Phrase) => found.extend(phrases::after(text, sign.end)),
                Target::Name(promise) => {
                    hints.push((sign.end, promise));
                    found.extend(names.beside(text, sign.start..sign.end, promise));
                }
                Target::Block if sign.start >= block_end => {
                    if let Some(block) = blocks::at(text, sign.start) {
                        block_end = block.range.end;
                        found.extend(block.found());
                    }
                }
                Target::Block => {}
            }
        }
    }
    hints.sort_unstable_by_key(|(end, _)| *end);
    tokens::bare(text, &hints, &mut found);
    cards::numbers(text, &hints, &mut found);
    found
}

/// Returns the secrets of known form only, which need no words around them.
pub fn detect_forms(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut forms = Forms::new();
    for sign in prefilter::signs(text) {
        for target in sign.targets() {
            if let Target::Rule(index) = *target {
                found.extend(forms.at(text, index, sign.start));
            }
        }
    }
    found
}

/// Returns whether a text begins like a key of known form.
pub fn opens_key(text: &str) -> bool {
    let rule = |target: &Target| matches!(target, Target::Rule(_));
    prefilter::signs(text).any(|sign| sign.start == 0 && sign.targets().iter().any(rule))
}

/// Tries the rules, each of them once at a place.
struct Forms {
    /// Up to where each rule has seen the text.
    seen: Vec<usize>,
}

impl Forms {
    fn new() -> Self {
        Self { seen: vec![0; RULES.len()] }
    }

    fn at(&mut self, text: &str, index: u16, start: usize) -> Option<Found> {
        let rule = &RULES[usize::from(index)];
        let seen = &mut self.seen[usize::from(index)];
        if start < *seen || !rule.fits(text, start) {
            return None;
        }
        let attempt = rule.attempt(text, start);
        let end = attempt.found.as_ref().map_or(0, |range| range.end);
        *seen = attempt.seen.max(end);
        attempt.found.map(|range| found_by(rule, range))
    }
}

/// Returns what a rule finds.
pub fn found_by(rule: &'static Rule, range: Range<usize>) -> Found {
    Found { class: rule.class, family: rule.family, level: rule.level, range, by: By::Form }
}
