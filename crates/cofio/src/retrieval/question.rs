//! Reading a question in the light of where it is asked: whose names it has, and what to look for.

use std::collections::HashSet;

use super::weights::WEIGHTS;
use crate::model::{Survey, WordUse};
use crate::text;

/// How many words the longest name of an entity has that a question is searched for.
const LONGEST_NAME: usize = 4;

/// How many words of a question are looked at one by one.
const MAX_WORDS: usize = 64;

/// How an assistant is addressed; folded.
const YOU: [&str; 16] = [
    "you", "your", "yours", "du", "dein", "deine", "dir", "tu", "ton", "ta", "tes", "vous", "tus",
    "usted", "voce", "ti",
];

/// A question as it is written, word by word.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    words: Vec<(&'a str, String)>,
    text: &'a str,
}

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interpretation {
    /// The question without names that everybody says.
    pub by_words: String,
    /// The question without anything that everybody says.
    pub by_meaning: String,
    /// The keys of the one author whom it names.
    pub speakers: Vec<u64>,
    /// Whether it is about what the assistant said.
    pub to_assistant: bool,
}

impl<'a> Question<'a> {
    /// Splits a question into words.
    pub fn new(text: &'a str) -> Self {
        let words = text.split_whitespace().take(MAX_WORDS);
        Self { words: words.map(|word| (word, core(word))).collect(), text }
    }

    /// Returns the question as it was asked.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the words, folded for comparison, without punctuation.
    pub fn words(&self) -> Vec<String> {
        self.words.iter().map(|(_, core)| core.clone()).filter(|core| !core.is_empty()).collect()
    }

    /// Returns every run of a few words, as a name of an entity might be written.
    pub fn names(&self) -> Vec<String> {
        let words = self.words();
        let runs = (1..=LONGEST_NAME).flat_map(|length| words.windows(length));
        let names: HashSet<String> = runs.map(|run| run.join(" ")).collect();
        names.into_iter().collect()
    }

    /// Decides what to look for, knowing what is usual where the question is asked.
    pub fn interpret(&self, survey: &Survey) -> Interpretation {
        let said: HashSet<&str> = self.words.iter().map(|(_, core)| core.as_str()).collect();
        let all = survey.memories.max(1) as f64;
        let mut named: Vec<(String, u64)> = Vec::new();
        let mut usual: HashSet<String> = HashSet::new();
        for author in &survey.authors {
            let name = text::fold(&author.name);
            let parts: Vec<&str> = name.split_whitespace().collect();
            if parts.iter().any(|part| part.chars().count() > 1 && said.contains(part)) {
                if author.memories as f64 >= WEIGHTS.author_share * all {
                    usual.extend(parts.into_iter().map(str::to_owned));
                }
                named.push((name, author.key));
            }
        }
        let by_words = self.without(&usual);
        let common = |word_use: &WordUse| {
            word_use.memories as f64 >= WEIGHTS.common_share * all
                && word_use.capitalised > WEIGHTS.common_capitalised
        };
        let uses = self.words().into_iter().zip(&survey.words);
        usual.extend(uses.filter(|(_, word_use)| common(word_use)).map(|(word, _)| word));
        let distinct: HashSet<&String> = named.iter().map(|(name, _)| name).collect();
        let speakers = if distinct.len() == 1 {
            named.iter().map(|(_, key)| *key).collect()
        } else {
            Vec::new()
        };
        let (by_meaning, to_assistant) = (self.without(&usual), self.addresses_assistant());
        Interpretation { by_words, by_meaning, speakers, to_assistant }
    }

    /// Tells whether it asks what "you" said, and not just politely.
    fn addresses_assistant(&self) -> bool {
        let words: Vec<&str> = self.words.iter().map(|(_, core)| core.as_str()).collect();
        let before = |place: usize, back: usize| {
            place.checked_sub(back).and_then(|place| words.get(place)).copied().unwrap_or_default()
        };
        let polite = |place: usize| {
            let recalls = matches!(words.get(place + 1), Some(&("remember" | "recall" | "know")));
            matches!(before(place, 1), "can" | "could" | "would" | "will" | "thank")
                || (before(place, 1) == "do" && recalls)
        };
        let is_you = |word: &str| YOU.contains(&word);
        words.iter().enumerate().any(|(place, word)| is_you(word) && !polite(place))
    }

    /// Returns the question without some words, or as it is if hardly anything would remain.
    fn without(&self, words: &HashSet<String>) -> String {
        let kept: Vec<&str> = self
            .words
            .iter()
            .filter(|(_, core)| !words.contains(core))
            .map(|(word, _)| *word)
            .collect();
        if kept.len() < 2 || kept.len() == self.words.len() {
            return self.text.to_owned();
        }
        kept.join(" ")
    }
}

/// Returns a word folded for comparison, without the punctuation around it and the English genitive.
fn core(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '@' | '#'));
    let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
    text::fold(bare)
}
