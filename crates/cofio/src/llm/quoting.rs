//! Finding words in a text that somebody wrote down again.

use std::ops::Range;

use crate::text::may_hide;

/// Returns where words stand in a text, in bytes and in order; none overlap.
///
/// Case, the kind and amount of white space, the kind of quotation marks and what nobody sees make
/// no difference. Words stand there as a whole: "art" does not stand in "start".
pub(super) fn places(text: &str, words: &str) -> Vec<Range<usize>> {
    let (text, words) = (text, Compared::of(words.trim()).letters);
    if words.trim().is_empty() {
        return Vec::new();
    }
    let compared = Compared::of(text);
    let found = compared.letters.match_indices(&words);
    let place = |(at, words): (usize, &str)| {
        compared.places[at].start..compared.places[at + words.len() - 1].end
    };
    found.map(place).filter(|place| stands_apart(text, place)).collect()
}

/// A text in the form that is compared.
struct Compared {
    letters: String,
    /// Which bytes of the text each byte of the letters was made of.
    places: Vec<Range<usize>>,
}

impl Compared {
    fn of(text: &str) -> Self {
        let mut compared = Self { letters: String::new(), places: Vec::new() };
        for (at, c) in text.char_indices().filter(|(_, c)| !may_hide(*c)) {
            let place = at..at + c.len_utf8();
            match c {
                _ if c.is_whitespace() && compared.letters.ends_with(' ') => {}
                _ if c.is_whitespace() => compared.push(' ', &place),
                '‘' | '’' => compared.push('\'', &place),
                '“' | '”' | '„' => compared.push('"', &place),
                _ => c.to_lowercase().for_each(|c| compared.push(c, &place)),
            }
        }
        compared
    }

    fn push(&mut self, c: char, place: &Range<usize>) {
        self.letters.push(c);
        self.places.resize(self.letters.len(), place.clone());
    }
}

/// Tells whether no word of the text goes on beyond a place.
fn stands_apart(text: &str, place: &Range<usize>) -> bool {
    let (before, after) = (text[..place.start].chars(), text[place.end..].chars());
    let found = &text[place.clone()];
    !goes_on(before.last(), found.chars().next())
        && !goes_on(found.chars().last(), after.clone().next())
}

/// Tells whether two characters belong to one word, where words are written apart.
fn goes_on(one: Option<char>, next: Option<char>) -> bool {
    // From Thai on, most scripts have no spaces.
    let is_letter = |c: char| c.is_alphanumeric() && c < '\u{e00}';
    one.is_some_and(is_letter) && next.is_some_and(is_letter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, words: &str, expected: &[&str]) {
        let found: Vec<&str> = places(text, words).into_iter().map(|place| &text[place]).collect();
        assert_eq!(found, expected, "{words:?} in {text:?}");
    }

    #[test]
    fn words_are_found_however_they_are_spaced_and_cased() {
        check("I  love\n Tea.", " i love tea ", &["I  love\n Tea"]);
        check("I don’t “know”", "don't \"know\"", &["don’t “know”"]);
        check("te\u{feff}a", "tea", &["te\u{feff}a"]);
        check("İ love", "i\u{307} love", &["İ love"]);
        check("Tea and tea", "TEA", &["Tea", "tea"]);
        check("我住在北京", "北京", &["北京"]);
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        check("I love tea", "coffee", &[]);
        check("start", "art", &[]);
        check("teas", "tea", &[]);
        check("I love tea", "", &[]);
        check("I love tea", " \u{feff} ", &[]);
        check("", "tea", &[]);
    }

    proptest! {
        #[test]
        fn a_place_is_always_part_of_the_text(text in "\\PC{0,40}", words in "\\PC{0,4}") {
            for place in places(&text, &words) {
                prop_assert!(!text[place].is_empty());
            }
        }

        #[test]
        fn what_stands_alone_is_found(before in "[a-z ]{0,9}", words in "[a-zß]{1,5}", after in "\\PC{0,9}") {
            let text = format!("{before} {words} {after}");
            prop_assert!(!places(&text, &words.to_uppercase().to_lowercase()).is_empty() || words.contains('ß'));
        }
    }
}
