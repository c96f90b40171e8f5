//! What may stand in the slots of a frame.
//!
//! A slot makes sure that what is kept can be understood without the conversation around it: `it`,
//! `the second option` and `your idea` can not.

use super::language::Language;
use super::tokens::{Kind, Token};

/// The words that follow a verb, and how the one who wrote them writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Following<'a> {
    /// The words up to the end of the clause.
    pub tokens: &'a [Token],
    /// Whether names need no capital, as the speaker writes none.
    pub lowercase: bool,
    /// Whether the clause says when.
    pub dated: bool,
    /// The tables.
    pub language: &'a Language,
}

impl<'a> Following<'a> {
    /// Returns how many tokens fill a slot at `at`, if something fits.
    pub fn fill(&self, slot: &str, at: usize) -> Option<usize> {
        let phrase = self.phrase(at);
        let fits = match slot {
            "thing" => self.is_thing(phrase),
            "liked" => self.is_liked(phrase),
            "bare" => self.is_bare(phrase),
            "goods" => self.is_goods(phrase),
            "chosen" => self.is_chosen(phrase),
            "booked" => self.is_thing(phrase) && self.dated,
            "outing" => {
                self.is_thing(phrase)
                    && !phrase.iter().any(|token| self.is("everyday", &token.word))
            }
            "name" => self.is_name(phrase),
            "proper" => phrase.first().is_some_and(Token::is_capital),
            "employer" => self.is_employer(phrase),
            "place" => self.is_place(phrase),
            "number" => return self.is_number(at).then_some(1),
            "own-name" => self.is_own_name(phrase, at),
            "role" => self.is_role(phrase),
            "enthusiast" => self.is_enthusiast(phrase),
            "age" => return (self.is_number(at) && self.ends_at(at + 1)).then_some(1),
            "any-place" => !phrase.is_empty() && !self.is("empty", &phrase[0].word),
            "year" => return self.is_year(at).then_some(1),
            "regular" => return self.holds("regular", at),
            "when" => return self.dated.then_some(0),
            "dated" => return (self.dated || self.has_number(at)).then_some(1),
            "rest" => return self.tokens.get(at).filter(|token| is_plain(token)).map(|_| 1),
            "to-do" => return self.infinitive(at, |word| self.is("life verb", word)),
            "any-to-do" => return self.infinitive(at, |_| true),
            "deep-to-do" => {
                return self.infinitive(at, |word| !self.is("shallow verb", word));
            }
            "doing" => phrase.first().is_some_and(|token| token.word.ends_with("ing")),
            // "Married to my work" and "blind to it" are something else.
            "status" | "health" => {
                self.has_head(phrase, slot) && self.word(at + phrase.len()) != "to"
            }
            class => self.has_head(phrase, class),
        };
        fits.then_some(phrase.len())
    }

    fn is(&self, class: &str, word: &str) -> bool {
        self.language.class(class).has(word)
    }

    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.word.as_str())
    }

    /// Returns the words that name something, from `at` to the next word that cannot belong to it.
    fn phrase(&self, at: usize) -> &'a [Token] {
        let tokens = self.tokens.get(at..).unwrap_or_default();
        let may_begin = |token: &Token| {
            self.is("speaker possessives", &token.word) || token.word.ends_with("ing")
        };
        let ends = |(index, token): &(usize, &Token)| {
            (token.is_mark() && !self.abbreviates(at + index))
                || (*index > 0 && self.counts(at + index))
                || (*index > 0 && matches!(token.word.as_str(), "a" | "an" | "the"))
                || token.kind == Kind::Foreign
                || self.is("preposition", &token.word)
                || (self.is("phrase end", &token.word) && !(*index == 0 && may_begin(token)))
        };
        let length = tokens.iter().enumerate().find(ends).map_or(tokens.len(), |(index, _)| index);
        &tokens[..length]
    }

    /// Tells whether a span of time begins at a place: "two weeks".
    fn counts(&self, at: usize) -> bool {
        let number =
            self.is("number", self.word(at)) || self.tokens.get(at).is_some_and(Token::is_number);
        number && self.is("unit", self.word(at + 1))
    }

    /// Tells whether the mark at a place only shortens a word, as in "Dr.".
    fn abbreviates(&self, at: usize) -> bool {
        self.word(at) == "." && at > 0 && self.is("abbreviation", self.word(at - 1))
    }

    /// Tells whether a phrase can be understood by itself.
    fn is_thing(&self, phrase: &[Token]) -> bool {
        let Some(first) = phrase.first() else { return false };
        match first.word.as_str() {
            "the" => self.is_known_to_all(&phrase[1..]),
            "my" | "our" => false,
            word if self.is("empty", word) => false,
            word if word.ends_with("ing") => self.is_telling_activity(phrase),
            _ => self.has_telling_head(phrase),
        }
    }

    /// Tells whether an activity is more than "doing it".
    fn is_telling_activity(&self, phrase: &[Token]) -> bool {
        let more = match phrase.get(1) {
            Some(second) => !self.is("empty", &second.word),
            None => phrase.last().is_some_and(|last| {
                self.tokens
                    .iter()
                    .any(|token| token.bytes.start > last.bytes.end && !token.is_mark())
            }),
        };
        let weak = self.is("weak doing", &phrase[0].word);
        if phrase.len() == 1 { more || !weak } else { more }
    }

    fn has_telling_head(&self, phrase: &[Token]) -> bool {
        phrase
            .last()
            .is_some_and(|head| !self.is("empty", &head.word) && !self.is("determiner", &head.word))
    }

    fn is_known_to_all(&self, phrase: &[Token]) -> bool {
        let capital = phrase.first().is_some_and(Token::is_capital);
        capital || self.language.class("known to all").ends(phrase).is_some()
    }

    fn is_liked(&self, phrase: &[Token]) -> bool {
        match phrase {
            [first, rest @ ..] if self.is("speaker possessives", &first.word) => {
                !rest.is_empty() && self.has_telling_head(rest)
            }
            _ => self.is_thing(phrase),
        }
    }

    /// Tells whether a phrase is a thing without an article.
    fn is_bare(&self, phrase: &[Token]) -> bool {
        let first = phrase.first().map_or("", |first| first.word.as_str());
        !self.is("determiner", first) && !first.ends_with("ing") && self.is_thing(phrase)
    }

    /// Tells whether a phrase is something that can be owned, rather than any thing at all.
    fn is_goods(&self, phrase: &[Token]) -> bool {
        let Some(first) = phrase.first() else { return false };
        let counted = matches!(first.word.as_str(), "a" | "an" | "another" | "two" | "three");
        let named = phrase.iter().take(3).any(Token::is_capital);
        (counted || named)
            && phrase.len() > usize::from(counted)
            && self.has_telling_head(phrase)
            && !matches!(first.word.as_str(), "this" | "that" | "your" | "these" | "those")
    }

    /// Tells whether a phrase names a choice: also one of those that were talked about, if it is
    /// described.
    fn is_chosen(&self, phrase: &[Token]) -> bool {
        match phrase {
            [the, rest @ ..] if the.word == "the" => {
                rest.len() > 1 && rest.iter().all(|token| !self.is("empty", &token.word))
            }
            [first, ..] if self.is("empty", &first.word) => false,
            _ => self.is_thing(phrase),
        }
    }

    fn is_name(&self, phrase: &[Token]) -> bool {
        let Some(first) = phrase.first() else { return false };
        let unnamed = self.is("no name", &first.word) || self.is("empty", &first.word);
        let written = first.is_capital()
            || (self.lowercase && phrase.len() == 1 && first.kind == Kind::Word { capital: false });
        !unnamed && written && !first.is_number()
    }

    /// Tells whether a phrase is a name and nothing else, as in "I'm Marcus".
    fn is_own_name(&self, phrase: &[Token], at: usize) -> bool {
        let capital =
            phrase.iter().all(|token| token.is_capital() && !self.is("no name", &token.word));
        let known = ["nation", "faith", "diet", "trait", "role", "tongue"];
        let other = known.iter().any(|class| self.language.class(class).ends(phrase).is_some());
        let abbreviated = phrase.iter().any(|token| token.bytes.len() < 3);
        !phrase.is_empty()
            && phrase.len() <= 3
            && capital
            && !other
            && !abbreviated
            && self.ends_at(at + phrase.len())
    }

    /// Tells whether a phrase is what somebody is, rather than one that was talked about.
    fn is_role(&self, phrase: &[Token]) -> bool {
        let shown = match phrase {
            [the, _] if the.word == "the" => true,
            [first, ..] => self.is("speaker possessives", &first.word),
            [] => true,
        };
        !shown && self.has_head(phrase, "role")
    }

    /// Tells whether a phrase says what somebody is fond of, and not just that they are.
    fn is_enthusiast(&self, phrase: &[Token]) -> bool {
        let [.., before, _] = phrase else { return false };
        !self.is("size", &before.word) && self.has_head(phrase, "enthusiast")
    }

    fn is_employer(&self, phrase: &[Token]) -> bool {
        let Some(first) = phrase.first() else { return false };
        let article = matches!(first.word.as_str(), "a" | "an" | "the");
        let named = phrase.iter().any(Token::is_capital);
        let lower = self.lowercase && self.is_name(phrase);
        named
            || lower
            || (article
                && phrase.len() > 1
                && !self.is("no employer", &phrase[phrase.len() - 1].word))
    }

    /// Tells whether a phrase is a place: a name, or somewhere to live.
    fn is_place(&self, phrase: &[Token]) -> bool {
        let Some(first) = phrase.first() else { return false };
        if self.language.class("dwelling").ends(phrase).is_some() {
            return !matches!(first.word.as_str(), "this" | "that" | "your" | "the");
        }
        let rest = if first.word == "the" { &phrase[1..] } else { phrase };
        let described =
            rest.iter().take(3).any(|token| token.is_capital() && !self.is("no name", &token.word));
        described || (rest.len() == phrase.len() && self.is_name(phrase))
    }

    fn has_head(&self, phrase: &[Token], class: &str) -> bool {
        let shown = phrase.first().is_some_and(|first| {
            matches!(
                first.word.as_str(),
                "this" | "that" | "these" | "those" | "your" | "no" | "any"
            )
        });
        let numbers = phrase.iter().rev().take_while(|token| token.is_number()).count();
        let phrase = &phrase[..phrase.len() - numbers];
        let name = class.replace('-', " ");
        let class = self.language.find_class(&name).expect("every slot is known or a class");
        let excluded = self.language.find_class(&format!("no {name}"));
        !shown
            && class.ends(phrase).is_some()
            && excluded.is_none_or(|excluded| excluded.ends(phrase).is_none())
    }

    fn is_number(&self, at: usize) -> bool {
        let word = self.word(at);
        let digits =
            word.len() <= 3 && word.parse::<u8>().is_ok_and(|number| (1..=120).contains(&number));
        let spelt = !word.is_empty() && word.split('-').all(|part| self.is("number", part));
        let clock = word.starts_with(|c: char| c.is_ascii_digit())
            && word
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == ':')
                .starts_with(['a', 'p']);
        digits || spelt || clock
    }

    fn is_year(&self, at: usize) -> bool {
        let word = self.word(at);
        word.len() == 4 && word.parse::<u16>().is_ok_and(|year| (1880..2100).contains(&year))
    }

    fn has_number(&self, at: usize) -> bool {
        self.tokens.get(at..).unwrap_or_default().iter().any(Token::is_number)
    }

    fn ends_at(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| {
            token.is_mark()
                || matches!(
                    token.word.as_str(),
                    "and" | "but" | "now" | "so" | "today" | "this" | "next" | "years" | "yrs"
                )
        })
    }

    fn holds(&self, class: &str, at: usize) -> Option<usize> {
        let rest = self.tokens.get(at..).unwrap_or_default();
        let foreign = rest.iter().any(|token| token.kind == Kind::Foreign);
        let close = &rest[..rest.len().min(6)];
        (!foreign && self.language.class(class).occurs(close)).then_some(1)
    }

    /// Returns how long an infinitive is, if it has an object that can be understood or none.
    fn infinitive(&self, at: usize, fits: impl Fn(&str) -> bool) -> Option<usize> {
        let to = usize::from(self.word(at) == "to");
        let verb = self.tokens.get(at + to).filter(|token| is_plain(token))?;
        let object = self.word(at + to + 1);
        let vague = self.is("empty", object)
            && !matches!(object, "to" | "from" | "for" | "with" | "by" | "at" | "as" | "a");
        (fits(&verb.word) && !vague && !self.is("no verb", &verb.word)).then_some(to + 1)
    }
}

fn is_plain(token: &Token) -> bool {
    !token.is_mark() && token.kind != Kind::Foreign
}
