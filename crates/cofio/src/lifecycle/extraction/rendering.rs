//! Writes a clause so that it stands alone: the speaker's words, about the speaker.

use super::language::Language;
use super::tokens::{Kind, Token};
use super::verbs::third;

/// A clause to be written.
pub(super) struct Rendering<'a> {
    /// The text of the turn.
    pub text: &'a str,
    /// The tokens of the predicate, up to the end of the clause.
    pub tokens: &'a [Token],
    /// What the subject is called.
    pub subject: &'a str,
    /// Which of the tokens agrees with the subject, if the subject is the speaker.
    pub finite: Option<usize>,
    /// The tables.
    pub language: &'a Language,
}

impl Rendering<'_> {
    /// Returns the sentence.
    pub fn write(&self) -> String {
        let mut sentence = self.subject.to_owned();
        let mut end = None;
        for (index, token) in self.tokens.iter().enumerate() {
            let apart = end.is_none_or(|end| token.bytes.start > end || token.bytes.end == end);
            if apart && token.word != "'s" {
                sentence.push(' ');
            }
            sentence.push_str(&self.word(index, token));
            end = Some(token.bytes.end);
        }
        sentence
    }

    fn word(&self, index: usize, token: &Token) -> String {
        let spelled = match token.kind {
            Kind::Word { .. } => &self.text[token.bytes.clone()],
            _ => token.word.as_str(),
        };
        let infinitive =
            index.checked_sub(1).is_some_and(|before| self.tokens[before].word == "to");
        if self.finite == Some(index) && !infinitive {
            return self.agreeing(&token.word).unwrap_or_else(|| spelled.to_owned());
        }
        let is = |class| self.language.class(class).has(&token.word);
        if is("speaker") {
            "they".to_owned()
        } else if is("speaker objects") {
            "them".to_owned()
        } else if is("speaker possessives") {
            "their".to_owned()
        } else if is("speaker others") {
            if token.word.ends_with('e') || token.word == "ours" { "theirs" } else { "themselves" }
                .to_owned()
        } else if matches!(token.word.as_str(), "am") {
            "are".to_owned()
        } else {
            spelled.to_owned()
        }
    }

    /// Returns the form of a verb that goes with one person who is spoken of.
    fn agreeing(&self, word: &str) -> Option<String> {
        match word {
            "am" | "are" => Some("is".to_owned()),
            "were" => Some("was".to_owned()),
            "do" => Some("does".to_owned()),
            "have" => Some("has".to_owned()),
            "had" | "did" | "will" | "was" | "is" | "has" => None,
            _ => {
                let (base, form) = self.language.verbs.finite(word)?;
                (form == super::verbs::Form::Base).then(|| third(base))
            }
        }
    }
}
