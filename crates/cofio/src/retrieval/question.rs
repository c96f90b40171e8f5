//! Reading a question in the light of where it is asked: whose names it has, and what to look for.

use std::collections::HashSet;
use std::ops::Range;

use super::weights::WEIGHTS;
use crate::model::{Survey, WordUse};
use crate::text;

/// How many words the longest name of an entity has that a question is searched for.
const LONGEST_NAME: usize = 4;

/// How many words of a question are asked about.
const MAX_WORDS: usize = 64;

/// How an assistant is addressed; folded.
const YOU: [&str; 16] = [
    "you", "your", "yours", "du", "dein", "deine", "dir", "tu", "ton", "ta", "tes", "vous", "tus",
    "usted", "voce", "ti",
];

/// A question as it is written, word by word.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    words: Vec<Word>,
    text: &'a str,
}

/// A word of a question.
#[derive(Debug, Clone)]
struct Word {
    /// Where it stands, with the punctuation around it.
    bytes: Range<usize>,
    /// The word, folded for comparison.
    core: String,
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
        let start = |word: &str| word.as_ptr().addr() - text.as_ptr().addr();
        let word = |word: &str| Word {
            bytes: start(word)..start(word) + word.len(),
            core: core(word),
        };
        Self { words: text.split_whitespace().map(word).collect(), text }
    }

    /// Returns the question as it was asked.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the first words, folded for comparison, without punctuation.
    pub fn words(&self) -> Vec<String> {
        let words = self.words.iter().map(|word| word.core.clone());
        words.filter(|core| !core.is_empty()).take(MAX_WORDS).collect()
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
        let said: HashSet<&str> = self.words.iter().map(|word| word.core.as_str()).collect();
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
        let words: Vec<&str> = self.words.iter().map(|word| word.core.as_str()).collect();
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
        let leaves = |word: &&Word| words.contains(&word.core);
        let leaving = self.words.iter().filter(leaves);
        if leaving.clone().count() + 2 > self.words.len() {
            return self.text.to_owned();
        }
        let mut rest = String::with_capacity(self.text.len());
        let mut kept_until = 0;
        for word in leaving {
            rest.push_str(&self.text[kept_until..word.bytes.start]);
            let after = &self.text[word.bytes.end..];
            kept_until = self.text.len() - after.trim_start().len();
        }
        rest.push_str(&self.text[kept_until..]);
        rest
    }
}

/// Returns a word folded for comparison, without the punctuation around it and the English genitive.
fn core(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '@' | '#'));
    let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
    text::fold(bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Author;

    /// Reads a question where some authors wrote a fifth of twenty memories each.
    fn read(question: &str, authors: &[&str], uses: &[(&str, WordUse)]) -> Interpretation {
        let question = Question::new(question);
        let author = |(key, name): (u64, &&str)| Author { key, name: (*name).to_owned(), memories: 4 };
        let of = |word: &String| uses.iter().find(|(used, _)| used == word);
        let used = |word: &String| of(word).map_or_else(WordUse::default, |(_, uses)| *uses);
        question.interpret(&Survey {
            memories: 20,
            authors: (1..).zip(authors).map(author).collect(),
            words: question.words().iter().map(used).collect(),
        })
    }

    /// Checks whether a question names its only author, and what is left of it without the name.
    #[track_caller]
    fn check(author: &str, question: &str, names: bool, left: &str) {
        let reading = read(question, &[author], &[]);
        assert_eq!(!reading.speakers.is_empty(), names, "{question}");
        assert_eq!(reading.by_words, left);
    }

    #[test]
    fn a_name_is_left_out_of_a_long_question_and_nothing_else_is() {
        let filler = "and so on ".repeat(40);
        let question = format!("What did Caroline   say, {filler}about\tthe zebra?");
        check("Caroline", &question, true, &question.replace("Caroline   ", ""));
        let late = format!("{filler}what did Caroline say?");
        check("Caroline", &late, true, &late.replace("Caroline ", ""));
    }
}
