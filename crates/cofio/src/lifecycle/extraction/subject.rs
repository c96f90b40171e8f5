//! Whom a clause is about.

use super::language::Language;
use super::tokens::Token;

/// What begins the name of an attribute such as `favourite colour`, however it was spelt.
pub(super) const FAVOURITE: &str = "favourite";

/// Whom a clause is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// The one who speaks.
    Speaker,
    /// Somebody by what they are to the speaker.
    Relative(String),
    /// Somebody by their name.
    Named {
        /// The name.
        name: String,
        /// What they are to the speaker, if that was said.
        relation: Option<String>,
    },
    /// Something that somebody has one of: a name, a birthday, a favourite colour.
    Noun {
        /// Whose it is.
        owner: Box<Subject>,
        /// What it is.
        noun: String,
    },
}

/// Classes of those who can be spoken of as the speaker's.
const SOMEBODY: [&str; 3] = ["people", "pet", "ours"];

impl Subject {
    /// Returns whom a fact is about: the one who has something, or the subject itself.
    pub fn owner(&self) -> &Self {
        match self {
            Self::Noun { owner, .. } => owner,
            subject => subject,
        }
    }
}

/// Returns the noun whose frames a noun has: a favourite colour is a favourite.
pub(super) fn kind_of(noun: &str) -> &str {
    let favourite = noun.split(' ').next() == Some(FAVOURITE);
    if favourite { FAVOURITE } else { noun }
}

/// A subject, and where the words after it begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Whom the clause is about.
    pub subject: Subject,
    /// Where the predicate may begin.
    pub end: usize,
    /// How sure it is: a pronoun may mean somebody else.
    pub by_pronoun: bool,
}

/// Finds subjects.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finder<'a> {
    /// The tokens of the clause.
    pub tokens: &'a [Token],
    /// The text they were made of.
    pub text: &'a str,
    /// Whom "she" or "he" may mean.
    pub antecedent: Option<&'a Subject>,
    /// The tables.
    pub language: &'a Language,
}

impl Finder<'_> {
    /// Returns whom a clause is about whose subject begins at `at`.
    pub fn find(&self, at: usize) -> Option<Found> {
        let token = self.tokens.get(at)?;
        if self.is("speaker", at) {
            return Some(Found { subject: Subject::Speaker, end: at + 1, by_pronoun: false });
        }
        if self.is("speaker possessives", at) {
            return self.possessed(at + 1);
        }
        if self.is("third person", at) {
            let subject = self.antecedent.filter(|subject| self.may_be(subject, &token.word))?;
            return Some(Found { subject: subject.clone(), end: at + 1, by_pronoun: true });
        }
        self.named(at)
    }

    fn is(&self, class: &str, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| self.language.class(class).has(&token.word))
    }

    /// Tells whether a pronoun may mean somebody.
    fn may_be(&self, subject: &Subject, pronoun: &str) -> bool {
        let other = if pronoun == "he" { "she" } else { "he" };
        match subject {
            Subject::Relative(relation) | Subject::Named { relation: Some(relation), .. } => {
                !self.language.class(other).has(relation)
            }
            _ => true,
        }
    }

    /// Finds what follows "my": somebody, or something the speaker has one of.
    fn possessed(&self, start: usize) -> Option<Found> {
        let (noun, end) = self.noun(start)?;
        if let Some(found) = self.favourite(start, &Subject::Speaker) {
            return Some(found);
        }
        if !self.is_somebody(&noun) {
            return self.own(start, Subject::Speaker);
        }
        if self.word(end) == "and" && self.is("speaker", end + 1) {
            return Some(Found { subject: Subject::Speaker, end: end + 2, by_pronoun: false });
        }
        let (subject, end) = match self.name_after(end) {
            Some((name, end)) => (Subject::Named { name, relation: Some(noun) }, end),
            None => (Subject::Relative(noun), end),
        };
        if self.word(end) == "'s" {
            return self.own(end + 1, subject);
        }
        Some(Found { subject, end, by_pronoun: false })
    }

    /// Finds what somebody has one of, which begins at `start`.
    fn own(&self, start: usize, owner: Subject) -> Option<Found> {
        if let Some(found) = self.favourite(start, &owner) {
            return Some(found);
        }
        let (noun, end) = self.noun(start)?;
        let known = !self.language.noun_frames(&noun).is_empty();
        let subject = Subject::Noun { owner: Box::new(owner), noun };
        known.then_some(Found { subject, end, by_pronoun: false })
    }

    fn favourite(&self, start: usize, owner: &Subject) -> Option<Found> {
        if !self.is("favourite", start) {
            return None;
        }
        let length = self.tokens[start + 1..]
            .iter()
            .take(4)
            .position(|token| self.language.class("be").has(&token.word))?;
        let words: Vec<&str> = self.tokens[start + 1..start + 1 + length]
            .iter()
            .map(|token| token.word.as_str())
            .collect();
        let plain = length > 0
            && self.tokens[start + 1..start + 1 + length].iter().all(|token| !token.is_mark());
        let noun = format!("{FAVOURITE} {}", words.join(" "));
        let subject = Subject::Noun { owner: Box::new(owner.clone()), noun };
        plain.then_some(Found { subject, end: start + 1 + length, by_pronoun: false })
    }

    /// Finds "… is my favourite …" in a clause, and returns of what and where "is" stands.
    pub fn named_favourite(&self, start: usize) -> Option<(String, usize)> {
        let be = (start + 1..self.tokens.len()).find(|at| self.is("be", *at))?;
        let fits = self.is("speaker possessives", be + 1) && self.is("favourite", be + 2);
        let rest = self.tokens.get(be + 3..).filter(|rest| fits && !rest.is_empty())?;
        let end = rest.iter().position(Token::is_mark).unwrap_or(rest.len());
        let plain = (1..=3).contains(&end)
            && rest[..end].iter().all(|token| !self.language.class("phrase end").has(&token.word));
        plain.then(|| (format!("{FAVOURITE} {}", joined(&rest[..end], " ")), be))
    }

    /// Returns the noun of a phrase that begins at `start`, and where the phrase ends.
    ///
    /// At most two words may describe it: my older sister, my first language.
    fn noun(&self, start: usize) -> Option<(String, usize)> {
        for end in start + 1..=start + 3 {
            let phrase = self.tokens.get(start..end)?;
            if phrase.iter().any(|token| token.is_mark() || token.word == "'s") {
                return None;
            }
            for class in SOMEBODY {
                let longer = self
                    .tokens
                    .get(start..=end)
                    .and_then(|longer| self.language.class(class).ends(longer))
                    .is_some();
                if let (Some(length), false) = (self.language.class(class).ends(phrase), longer) {
                    return Some((joined(&phrase[phrase.len() - length..], " "), end));
                }
            }
            for length in [2, 1] {
                let noun =
                    phrase.len().checked_sub(length).map(|from| joined(&phrase[from..], "-"));
                if let Some(noun) = noun.filter(|noun| !self.language.noun_frames(noun).is_empty())
                {
                    return Some((noun, end));
                }
            }
            if self.is("favourite", start) {
                return Some((String::new(), end));
            }
        }
        None
    }

    fn is_somebody(&self, noun: &str) -> bool {
        let words = noun.split(' ').next_back().unwrap_or_default();
        SOMEBODY.iter().any(|class| self.language.class(class).has(words)) || noun.contains(' ')
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.word.as_str())
    }

    /// Returns the name that follows, also between commas.
    pub fn name_after(&self, at: usize) -> Option<(String, usize)> {
        let comma = usize::from(self.word(at) == ",");
        let (name, end) = self.name(at + comma)?;
        let closed = || self.tokens.get(end).is_none_or(Token::is_mark);
        match comma {
            0 => Some((name, end)),
            _ => closed().then_some((name, end + usize::from(self.word(end) == ","))),
        }
    }

    /// Returns a name of at most three words.
    pub fn name(&self, at: usize) -> Option<(String, usize)> {
        let is_name = |token: &&Token| {
            token.is_capital()
                && !self.language.class("no name").has(&token.word)
                && !token.is_number()
        };
        let titles = usize::from(self.tokens.get(at).is_some_and(|token| {
            token.is_capital() && self.language.class("abbreviation").has(&token.word)
        }));
        let start = at + titles + usize::from(titles == 1 && self.word(at + 1) == ".");
        let length = self.tokens.get(start..)?.iter().take(3).take_while(is_name).count();
        let (first, last) =
            (self.tokens.get(at)?, self.tokens.get((start + length).checked_sub(1)?)?);
        (length > 0)
            .then(|| (self.text[first.bytes.start..last.bytes.end].to_owned(), start + length))
    }

    /// Finds somebody by name whom a verb follows.
    fn named(&self, at: usize) -> Option<Found> {
        let (name, end) = self.name(at)?;
        let next = self.tokens.get(end)?;
        let auxiliary = matches!(next.word.as_str(), "is" | "was" | "has" | "does" | "will");
        let third = self.language.verbs.base(&next.word, super::verbs::Form::Third).is_some();
        let past = self.language.verbs.base(&next.word, super::verbs::Form::Past).is_some();
        let adverb = self.language.class("adverb").has(&next.word);
        let subject = Subject::Named { name, relation: None };
        (auxiliary || third || past || adverb).then_some(Found { subject, end, by_pronoun: false })
    }
}

fn joined(tokens: &[Token], separator: &str) -> String {
    let words: Vec<&str> = tokens.iter().map(|token| token.word.as_str()).collect();
    words.join(separator)
}
