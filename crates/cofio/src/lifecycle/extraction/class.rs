//! Sets of words and phrases.

use std::collections::HashMap;

use super::tokens::Token;

/// Words and phrases that do the same, found by how they begin or end.
#[derive(Debug, Default)]
pub(super) struct Class {
    /// The phrases by their first word, the longest first.
    by_first: HashMap<&'static str, Vec<Vec<&'static str>>>,
    /// The phrases by their last word, the longest first.
    by_last: HashMap<&'static str, Vec<Vec<&'static str>>>,
    /// How words may end that belong to it as well.
    endings: Vec<&'static str>,
}

impl Class {
    /// Reads members that are separated by commas; `*ist` stands for all words that end so.
    pub fn read(&mut self, members: &'static str) {
        for member in members.split(',').map(str::trim).filter(|member| !member.is_empty()) {
            if let Some(ending) = member.strip_prefix('*') {
                self.endings.push(ending);
                continue;
            }
            let phrase: Vec<&str> = member.split(' ').collect();
            insert(self.by_last.entry(phrase[phrase.len() - 1]).or_default(), phrase.clone());
            insert(self.by_first.entry(phrase[0]).or_default(), phrase);
        }
    }

    /// Tells whether a word is a member by itself.
    pub fn has(&self, word: &str) -> bool {
        self.by_first.get(word).is_some_and(|phrases| phrases.iter().any(|one| one.len() == 1))
    }

    /// Tells whether a word ends like members of the class, and is no name that happens to.
    fn is_like(&self, token: &Token) -> bool {
        let word = token.word.as_str();
        let ends = |ending: &&str| word.len() > ending.len() + 2 && word.ends_with(*ending);
        !token.is_capital() && self.endings.iter().any(ends)
    }

    /// Returns how many tokens the longest member has that begins here.
    pub fn begins(&self, tokens: &[Token]) -> Option<usize> {
        let phrases = self.by_first.get(tokens.first()?.word.as_str())?;
        let fits = |phrase: &&Vec<&str>| {
            phrase.len() <= tokens.len()
                && phrase.iter().zip(tokens).all(|(word, token)| token.word == *word)
        };
        phrases.iter().find(fits).map(Vec::len)
    }

    /// Returns how many tokens the longest member has that ends here; `half-sister` ends in
    /// `sister`.
    pub fn ends(&self, tokens: &[Token]) -> Option<usize> {
        let token = tokens.last()?;
        let last = token.word.as_str();
        let fits = |phrase: &&Vec<&str>| {
            phrase.len() <= tokens.len()
                && phrase
                    .iter()
                    .rev()
                    .zip(tokens.iter().rev())
                    .all(|(word, token)| token.word == *word)
        };
        let listed = self.by_last.get(last).and_then(|phrases| phrases.iter().find(fits));
        let part = || last.rsplit_once('-').is_some_and(|(_, part)| self.has(part));
        listed.map(Vec::len).or_else(|| (part() || self.is_like(token)).then_some(1))
    }

    /// Tells whether a member stands anywhere in the tokens.
    pub fn occurs(&self, tokens: &[Token]) -> bool {
        (0..tokens.len()).any(|index| self.begins(&tokens[index..]).is_some())
    }
}

fn insert(phrases: &mut Vec<Vec<&'static str>>, phrase: Vec<&'static str>) {
    let place = phrases.partition_point(|other| other.len() >= phrase.len());
    phrases.insert(place, phrase);
}
