//! The tables of a language.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::class::Class;
use super::frame::{Aspect, Frame, Heading, frames};
use super::predicate::ANY_VERB;
use super::tokens::Token;
use super::verbs::Verbs;

/// What has to be known of a language: its words by what they do, and what people say of themselves.
#[derive(Debug)]
pub(super) struct Language {
    classes: HashMap<&'static str, Class>,
    spellings: HashMap<&'static str, Vec<&'static str>>,
    /// The forms of the verbs that frames begin with.
    pub verbs: Verbs,
    headings: Vec<Heading>,
    by_verb: HashMap<&'static str, Vec<Frame>>,
    nouns: HashMap<&'static str, Vec<Frame>>,
}

/// English.
pub(super) static ENGLISH: LazyLock<Language> = LazyLock::new(|| {
    Language::read(
        [include_str!("english/words.txt"), include_str!("english/nouns.txt")],
        include_str!("english/spellings.txt"),
        include_str!("english/verbs.txt"),
        include_str!("english/frames.txt"),
    )
});

impl Language {
    fn read(
        words: [&'static str; 2],
        spellings: &'static str,
        irregular: &'static str,
        table: &'static str,
    ) -> Self {
        let (headings, frames) = frames(table);
        let mut language = Self {
            classes: classes(words),
            spellings: rows(spellings).filter_map(spelling).collect(),
            verbs: Verbs::new(irregular),
            headings,
            by_verb: HashMap::new(),
            nouns: HashMap::new(),
        };
        for verb in ["be", "have", "do", "stop", "quit", "start", "begin", "go"] {
            language.verbs.learn(verb);
        }
        for frame in frames {
            let noun = frame.aspect == Aspect::Noun;
            let table = if noun { &mut language.nouns } else { &mut language.by_verb };
            for first in frame.firsts.clone() {
                if !noun && first != ANY_VERB {
                    language.verbs.learn(first);
                }
                table.entry(first).or_default().push(frame.clone());
            }
        }
        language
    }

    /// Returns a class of words.
    pub fn class(&self, name: &str) -> &Class {
        self.classes.get(name).expect("every class that is asked for is in the tables")
    }

    /// Returns a class of words, if there is one.
    pub fn find_class(&self, name: &str) -> Option<&Class> {
        self.classes.get(name)
    }

    /// Returns the words that a contraction stands for.
    pub fn written_out(&self, word: &str) -> Option<&[&'static str]> {
        self.spellings.get(word).map(Vec::as_slice)
    }

    /// Returns where the next word stands that may be part of a frame.
    pub fn skip_adverbs(&self, tokens: &[Token], mut at: usize) -> usize {
        let skipped = [self.class("adverb"), self.class("not")];
        while let Some(length) =
            tokens.get(at..).and_then(|rest| skipped.iter().find_map(|class| class.begins(rest)))
        {
            at += length;
        }
        at
    }

    /// Returns the frames of a verb.
    pub fn frames(&self, verb: &str) -> &[Frame] {
        self.by_verb.get(verb).map_or(&[], Vec::as_slice)
    }

    /// Returns the frames of something that people have one of.
    pub fn noun_frames(&self, noun: &str) -> &[Frame] {
        self.nouns.get(noun).map_or(&[], Vec::as_slice)
    }

    /// Returns what a frame stands under.
    pub fn heading(&self, frame: &Frame) -> &Heading {
        &self.headings[frame.heading]
    }
}

fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn spelling(row: &'static str) -> Option<(&'static str, Vec<&'static str>)> {
    let (short, long) = row.split_once(" = ")?;
    Some((short, long.split(' ').collect()))
}

/// Reads classes; a line without a name goes on with the one before it.
fn classes(tables: [&'static str; 2]) -> HashMap<&'static str, Class> {
    let mut classes: HashMap<&str, Class> = HashMap::new();
    for table in tables {
        let mut name = "";
        for row in rows(table) {
            let members = match row.split_once(": ") {
                Some((next, members)) => {
                    name = next;
                    members
                }
                None => row,
            };
            classes.entry(name).or_default().read(members);
        }
    }
    classes
}
