//! The verbs of a clause: which of them tells something, when it is, and whether it is at all.

use super::language::Language;
use super::tokens::Token;
use super::verbs::Form;

/// The verbs of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Predicate {
    /// The verb that tells something.
    pub verb: &'static str,
    /// Where it stands.
    pub at: usize,
    /// Where the verb stands that agrees with the subject.
    pub finite: usize,
    /// When it is.
    pub tense: Tense,
    /// Whether it is denied.
    pub negated: bool,
    /// Whether it is said to be over.
    pub over: bool,
}

/// Stands for a verb that no frame begins with.
pub(super) const ANY_VERB: &str = "*";

/// When something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    /// I live
    Present,
    /// I am living
    Progressive,
    /// I have lived
    Perfect,
    /// I lived
    Past,
    /// I will live, I am going to live
    Future,
}

/// Reads verbs, as far as one of the frames may begin with them.
pub(super) struct Verbal<'a> {
    tokens: &'a [Token],
    language: &'a Language,
    negated: bool,
    over: bool,
}

impl<'a> Verbal<'a> {
    /// Returns the predicates that may begin at a place, the likeliest first.
    pub fn read(tokens: &'a [Token], at: usize, language: &'a Language) -> Vec<Predicate> {
        let mut verbal = Self { tokens, language, negated: false, over: false };
        let start = verbal.skip(at);
        verbal.finite(start)
    }

    /// Skips adverbs, and notes those that deny.
    fn skip(&mut self, mut at: usize) -> usize {
        while at < self.tokens.len() {
            let rest = &self.tokens[at..];
            if let Some(length) = self.language.class("over").begins(rest) {
                self.over = true;
                at += length;
            } else if self
                .language
                .class("never")
                .begins(rest)
                .or(self.language.class("not").begins(rest))
                .is_some()
            {
                self.negated = true;
                at += 1;
            } else if let Some(length) = self.language.class("adverb").begins(rest) {
                at += length;
            } else {
                break;
            }
        }
        at
    }

    fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.word.as_str())
    }

    fn base(&self, at: usize, form: Form) -> Option<&'static str> {
        self.language.verbs.base(self.word(at), form)
    }

    fn predicate(&self, verb: &'static str, at: usize, finite: usize, tense: Tense) -> Predicate {
        Predicate { verb, at, finite, tense, negated: self.negated, over: self.over }
    }

    fn finite(&mut self, at: usize) -> Vec<Predicate> {
        match self.word(at) {
            "am" | "is" | "are" => self.be(at, at, Tense::Present),
            "was" | "were" => vec![self.predicate("be", at, at, Tense::Past)],
            "have" | "has" => self.have(at),
            "do" | "does" | "did" => self.do_support(at),
            "will" | "shall" => self.infinitive(at + 1, at, Tense::Future),
            word if self.language.class("modal").has(word) => Vec::new(),
            _ => self.plain(at),
        }
    }

    /// Reads what follows a form of "be".
    fn be(&mut self, at: usize, finite: usize, tense: Tense) -> Vec<Predicate> {
        let next = self.skip(at + 1);
        let mut found = Vec::new();
        if self.word(next) == "going" && self.word(next + 1) == "to" {
            found.extend(self.infinitive(next + 2, finite, Tense::Future));
        }
        if let Some(verb) = self.base(next, Form::Ing) {
            let tense = if tense == Tense::Present { Tense::Progressive } else { tense };
            found.push(self.predicate(verb, next, finite, tense));
        }
        found.push(self.predicate("be", at, finite, tense));
        found
    }

    /// Reads what follows a form of "have".
    fn have(&mut self, at: usize) -> Vec<Predicate> {
        let next = self.skip(at + 1);
        if self.word(next) == "been" {
            return self.be(next, at, Tense::Perfect);
        }
        let mut found = Vec::new();
        if self.word(next) == "got" {
            found.push(self.predicate("have", next, at, Tense::Present));
        }
        if let Some(verb) = self.base(next, Form::Participle) {
            found.extend(self.phases(verb, next, at, Tense::Perfect));
        }
        found.push(self.predicate("have", at, at, Tense::Present));
        found
    }

    fn do_support(&mut self, at: usize) -> Vec<Predicate> {
        let tense = if self.word(at) == "did" { Tense::Past } else { Tense::Present };
        let mut found = self.infinitive(at + 1, at, tense);
        found.push(self.predicate("do", at, at, tense));
        found
    }

    fn infinitive(&mut self, at: usize, finite: usize, tense: Tense) -> Vec<Predicate> {
        let next = self.skip(at);
        let ing = (self.word(next) == "be").then(|| self.base(next + 1, Form::Ing)).flatten();
        let progressive = ing.map(|verb| self.predicate(verb, next + 1, finite, tense));
        let plain =
            self.base(next, Form::Base).map(|verb| self.predicate(verb, next, finite, tense));
        progressive.into_iter().chain(plain).collect()
    }

    /// Reads a verb without auxiliaries.
    fn plain(&mut self, at: usize) -> Vec<Predicate> {
        let word = self.word(at);
        let Some((verb, form)) = self.language.verbs.finite(word) else {
            return vec![self.predicate(ANY_VERB, at, at, Tense::Present)];
        };
        let tense = if form == Form::Past { Tense::Past } else { Tense::Present };
        // "used to" has been skipped, so what follows is the infinitive of something that is over.
        let tense = if self.over && tense == Tense::Present { Tense::Past } else { tense };
        self.phases(verb, at, at, tense)
    }

    /// Reads "stopped eating" as eating that is over and "started learning" as learning that goes on.
    fn phases(
        &mut self,
        verb: &'static str,
        at: usize,
        finite: usize,
        tense: Tense,
    ) -> Vec<Predicate> {
        let mut found = Vec::new();
        // "I hate not being there" denies nothing that is said of the speaker.
        let next = Self { ..*self }.skip(at + 1);
        if let Some(doing) = self.base(next, Form::Ing)
            && matches!(tense, Tense::Past | Tense::Perfect)
        {
            let ends = self.language.class("ending").has(verb);
            if ends || self.language.class("starting").has(verb) {
                let over = self.over || ends;
                let phase = self.predicate(doing, next, finite, Tense::Perfect);
                found.push(Predicate { over, ..phase });
            }
        }
        found.push(self.predicate(verb, at, finite, tense));
        found
    }
}
