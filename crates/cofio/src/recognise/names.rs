//! Guessing names by their capitals, for when no accurate recogniser is there.
//!
//! English only. A capital at the start of a sentence says nothing, so a word there counts only
//! if something else speaks for it; what a name names is told by the words around it, and where
//! nothing tells, the confidence says so.

mod words;

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::spelling::{is_legal_form, is_title, without_possessive};
use super::{Cost, Recogniser, Span};
use crate::error::Result;
use crate::model::EntityType;
use crate::text::is_english_stop_word;

use words::{BEFORE_PEOPLE, BEFORE_PLACES, BEHIND_PEOPLE, COMMON, INSIDE, ORGANISATIONS, PLACES};

/// Finds names by capitals, titles and what usually stands in or beside names.
#[derive(Debug, Clone, Copy)]
pub struct Names;

/// What a title, a legal form or a word like "University" says.
const TOLD_BY_NAME: f32 = 0.75;

/// What the words beside a name say.
const TOLD_BY_NEIGHBOURS: f32 = 0.6;

/// What two capitals in a row say: mostly a person, often enough a product.
const TOLD_BY_CAPITALS: f32 = 0.45;

/// What one capital says: that it names something.
const UNTOLD: f32 = 0.3;

/// With more words in capitals than this, of a hundred, a text is a heading or shouted.
const MOST_CAPITALS: usize = 60;

/// A word: letters and digits, with what joins them inside.
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    let word = r"[\p{L}\p{N}]+(?:[-'’&][\p{L}\p{N}]+)*";
    Regex::new(word).expect("the pattern is tested")
});

impl Recogniser for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn cost(&self) -> Cost {
        Cost::Fast
    }

    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    fn recognise(&self, text: &str) -> Vec<Span> {
        let words = words(text);
        let capitals = words.iter().filter(|word| word.capitalised).count();
        if words.len() >= 4 && capitals * 100 > words.len() * MOST_CAPITALS {
            return Vec::new();
        }
        let reading = Reading { text, words: &words };
        reading.runs().into_iter().filter_map(|run| reading.judge(run)).collect()
    }
}

/// A word and where it stands.
struct Word<'a> {
    written: &'a str,
    start: usize,
    end: usize,
    capitalised: bool,
    begins_sentence: bool,
    /// Whether only a space, or an abbreviation's point and a space, is before it.
    follows: bool,
}

impl Word<'_> {
    fn is(&self, words: &[&str]) -> bool {
        words.iter().any(|word| word.eq_ignore_ascii_case(self.written))
    }

    fn is_common(&self) -> bool {
        let bare = self.written.replace('’', "'");
        is_english_stop_word(&bare.to_lowercase())
            || COMMON.iter().any(|common| common.eq_ignore_ascii_case(&bare))
    }

    /// Returns whether it stands before names and its point ends no sentence.
    fn is_abbreviation(&self) -> bool {
        is_title(self.written) || self.written.chars().nth(1).is_none() && self.capitalised
    }
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    for found in WORD.find_iter(text) {
        let before = words.last();
        let gap = &text[before.map_or(0, |word| word.end)..found.start()];
        let abbreviated = before.is_some_and(Word::is_abbreviation) && gap == ". ";
        let ends =
            |c: char| matches!(c, '.' | '!' | '?' | ':' | '\n' | '"' | '“' | '*' | '•' | ';');
        words.push(Word {
            written: found.as_str(),
            start: found.start(),
            end: found.end(),
            capitalised: found.as_str().starts_with(char::is_uppercase),
            begins_sentence: before.is_none() || gap.contains(ends) && !abbreviated,
            follows: before.is_some() && (gap == " " || abbreviated),
        });
    }
    words
}

/// A text as words.
struct Reading<'a> {
    text: &'a str,
    words: &'a [Word<'a>],
}

impl Reading<'_> {
    /// Returns the places of words that follow each other as a name's do.
    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut place = 0;
        while place < self.words.len() {
            let end = self.end_of_run(place);
            if end > place {
                runs.push(place..end);
            }
            place = end.max(place + 1);
        }
        runs
    }

    fn end_of_run(&self, start: usize) -> usize {
        if !self.may_belong(start) {
            return start;
        }
        let mut end = start + 1;
        while let Some(word) = self.words.get(end).filter(|word| word.follows) {
            // A possessive ends a name, unless more of it follows behind something small.
            if without_possessive(self.words[end - 1].written) != self.words[end - 1].written {
                break;
            }
            let joined = word.is(INSIDE)
                && self.words.get(end + 1).is_some_and(|next| next.follows)
                && self.may_belong(end + 1);
            match (self.may_belong(end), joined) {
                (true, _) => end += 1,
                (false, true) => end += 2,
                (false, false) => break,
            }
        }
        end
    }

    fn may_belong(&self, place: usize) -> bool {
        let word = &self.words[place];
        let marked = self.text[..word.start].ends_with(['@', '#', '/', '.', '_', '\\']);
        word.capitalised && !word.is_common() && !marked
    }

    /// Says what a run of words names, if it does.
    fn judge(&self, run: Range<usize>) -> Option<Span> {
        let words = &self.words[run.clone()];
        let (first, last) = (words.first()?, words.last()?);
        let titles = words.iter().take_while(|word| is_title(word.written)).count();
        if titles == words.len() {
            return None;
        }
        let (entity_type, confidence) = self.kind(&run, titles);
        let alone = words.len() == 1;
        let confidence = match (first.begins_sentence, alone) {
            // The capital of a single word is the sentence's, unless the word is told or repeated.
            (true, true) if confidence <= UNTOLD && !self.is_repeated(first) => return None,
            (true, false) => confidence - 0.1,
            _ => confidence,
        };
        let end = last.start + without_possessive(last.written).len();
        let point = is_legal_form(last.written) && self.text[end..].starts_with('.');
        let range = first.start..end + usize::from(point && !self.ends_sentence(end));
        Some(Span { range, entity_type, confidence })
    }

    /// Returns what a run names, and how sure that is.
    fn kind(&self, run: &Range<usize>, titles: usize) -> (EntityType, f32) {
        use EntityType::{Location, Organization, Other, Person};
        let words = &self.words[run.clone()];
        let any = |kinds: &[&str]| words.len() > 1 && words.iter().any(|word| word.is(kinds));
        let before = run.start.checked_sub(1).map(|place| &self.words[place]);
        let before = before.filter(|_| self.words[run.start].follows);
        let behind = self.words.get(run.end).filter(|word| word.follows);
        let after = |kinds: &[&str]| before.is_some_and(|word| word.is(kinds));
        let until = |kinds: &[&str]| behind.is_some_and(|word| word.is(kinds));
        let legal = words.len() > 1 && words.last().is_some_and(|word| is_legal_form(word.written));
        if titles > 0 {
            (Person, TOLD_BY_NAME)
        } else if legal || any(ORGANISATIONS) {
            (Organization, TOLD_BY_NAME)
        } else if any(PLACES) {
            (Location, TOLD_BY_NAME)
        } else if after(BEFORE_PEOPLE) || until(BEHIND_PEOPLE) {
            (Person, TOLD_BY_NEIGHBOURS)
        } else if after(BEFORE_PLACES) {
            (Location, TOLD_BY_NEIGHBOURS)
        } else if matches!(words.len(), 2 | 3) && words.iter().all(Word::is_like_a_persons) {
            (Person, TOLD_BY_CAPITALS)
        } else {
            (Other, UNTOLD)
        }
    }

    /// Returns whether a word has its capital elsewhere too, where no sentence begins.
    fn is_repeated(&self, word: &Word<'_>) -> bool {
        let bare = without_possessive(word.written);
        let same = |other: &&Word<'_>| without_possessive(other.written) == bare;
        self.words.iter().filter(same).any(|other| !other.begins_sentence)
    }

    fn ends_sentence(&self, end: usize) -> bool {
        self.text[end..].trim_start_matches('.').trim_start().is_empty()
    }
}

impl Word<'_> {
    /// Returns whether it is written as people's names are: one capital, or an initial.
    fn is_like_a_persons(&self) -> bool {
        let initial = self.written.chars().nth(1).is_none();
        let letters = self.written.chars().all(|c| c.is_alphabetic() || "-'’".contains(c));
        letters && (initial || self.written.chars().any(char::is_lowercase))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EntityType::{Location, Organization, Other, Person};

    fn check(text: &str, expected: &[(&str, EntityType)]) {
        let found = Names.recognise(text);
        let found: Vec<_> =
            found.iter().map(|span| (&text[span.range.clone()], span.entity_type)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn capitals_inside_a_sentence_are_names() {
        check("yesterday I met Caroline Herschel", &[("Caroline Herschel", Person)]);
        check("we moved it to Rust and love it", &[("Rust", Other)]);
        check("she is from Berlin and I live in Paris", &[("Berlin", Other), ("Paris", Location)]);
    }

    #[test]
    fn capitals_that_sentences_need_are_none() {
        check("The dog barked. Everything is fine. Yesterday was Monday.", &[]);
        check("Dogs bark. I think I'm right, and I’ve said so.", &[]);
        check("Please call me on Friday in June", &[]);
        check("Shopping list:\n- Milk\n- Bread\n* Eggs and so on", &[]);
    }

    #[test]
    fn a_name_at_the_start_of_a_sentence_needs_more_than_its_capital() {
        check("Caroline said it will rain", &[("Caroline", Person)]);
        check("Caroline is here", &[]);
        check(
            "Caroline is here, and so is Caroline's cat",
            &[("Caroline", Other), ("Caroline", Other)],
        );
        check("Caroline Herschel is here with me", &[("Caroline Herschel", Person)]);
    }

    #[test]
    fn titles_and_suffixes_tell_what_a_name_names() {
        check("I saw Dr. Smith today", &[("Dr. Smith", Person)]);
        check("we asked Mr. J. Brown again", &[("Mr. J. Brown", Person)]);
        check("she works for Acme Inc. since then", &[("Acme Inc.", Organization)]);
        check("he left Siemens Energy GmbH", &[("Siemens Energy GmbH", Organization)]);
        check("at the University of Vienna she", &[("University of Vienna", Organization)]);
        check("we walked along Baker Street", &[("Baker Street", Location)]);
        check("my sister Anna's car", &[("Anna", Person)]);
    }

    #[test]
    fn a_title_alone_names_nobody() {
        check("she is a Captain and asked the Doctor", &[("Doctor", Other)]);
    }

    #[test]
    fn what_is_shouted_or_a_heading_is_left_alone() {
        check("CALL ME BACK NOW PLEASE", &[]);
        check("How To Cook Good Rice Today", &[]);
    }

    #[test]
    fn what_patterns_find_is_left_to_them() {
        check("ask @Alice about #Rust at example.Com", &[]);
    }

    #[test]
    fn what_is_told_less_is_less_certain() {
        let sure = |text: &str| Names.recognise(text)[0].confidence;
        let told = [
            sure("we use Kafka"),
            sure("we met Ann Lee"),
            sure("my boss Ann knows"),
            sure("we met Mrs. Lee"),
        ];
        assert!(told.is_sorted_by(|one, other| one < other), "{told:?}");
        assert!(sure("Ann Lee is here now") < sure("and Ann Lee is here now"));
    }

    #[test]
    fn odd_texts_do_no_harm() {
        for text in ["", ".", "É", "’s", "A", "Dr.", "Inc.", "X ’s", "Ǆ of", "\u{301}A\u{301}"]
        {
            for span in Names.recognise(text) {
                assert!(!text[span.range].is_empty());
            }
        }
    }
}
