//! One pass over a text that says which rules and names are worth a look.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::rules::{ANY_TOKEN, RULES};
use super::words::{NAMES, Promise};

/// What a keyword calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A rule, by its place in the table.
    Rule(u16),
    /// A name, and how long a promise it makes.
    Name(Promise),
    /// The first line of a key in a block of text.
    Block,
}

/// A keyword that stands in a text.
#[derive(Debug, Clone, Copy)]
pub struct Sign {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    keyword: usize,
}

impl Sign {
    /// Returns what the keyword calls for.
    pub fn targets(&self) -> &'static [Target] {
        &PREFILTER.targets[self.keyword]
    }
}

/// Returns the keywords of a text, in the order of their ends.
pub fn signs(text: &str) -> impl Iterator<Item = Sign> {
    PREFILTER.automaton.find_overlapping_iter(text).map(|found| Sign {
        start: found.start(),
        end: found.end(),
        keyword: found.pattern().as_usize(),
    })
}

/// The rules that are tried at every long token.
pub fn for_any_token() -> &'static [u16] {
    &PREFILTER.any_token
}

struct Prefilter {
    automaton: AhoCorasick,
    targets: Vec<Vec<Target>>,
    any_token: Vec<u16>,
}

static PREFILTER: LazyLock<Prefilter> = LazyLock::new(|| {
    let mut targets: BTreeMap<String, Vec<Target>> = BTreeMap::new();
    let mut any_token = Vec::new();
    let mut add = |keyword: String, target: Target| {
        let targets = targets.entry(keyword).or_default();
        if !targets.contains(&target) {
            targets.push(target);
        }
    };
    for (index, rule) in (0_u16..).zip(RULES.iter()) {
        for keyword in &rule.keywords {
            if keyword == ANY_TOKEN {
                any_token.push(index);
            } else {
                add(keyword.clone(), Target::Rule(index));
            }
        }
    }
    for (promise, names) in NAMES {
        for name in *names {
            // The automaton folds the case of ASCII letters only.
            add((*name).to_owned(), Target::Name(*promise));
            let mut letters = name.chars();
            if let Some(first) = letters.next().filter(|first| !first.is_ascii()) {
                let capital = first.to_uppercase().chain(letters).collect();
                add(capital, Target::Name(*promise));
            }
        }
    }
    add("-----begin".to_owned(), Target::Block);
    add("begin ssh2 encrypted private key".to_owned(), Target::Block);
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        // The quickest to build: commands that start, find nothing and end are common.
        .kind(Some(AhoCorasickKind::NoncontiguousNFA))
        .build(targets.keys())
        .expect("the keywords are few and short");
    Prefilter { automaton, targets: targets.into_values().collect(), any_token }
});
