//! Words and sentences as data: headings, and an entry on each line below them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static FILES: [&str; 3] = [
    include_str!("vocabulary/values.txt"),
    include_str!("vocabulary/sayings.txt"),
    include_str!("vocabulary/talk.txt"),
];

type Headings = BTreeMap<&'static str, Vec<&'static str>>;

static HEADINGS: LazyLock<Headings> = LazyLock::new(|| {
    let mut headings = Headings::new();
    let mut heading = "";
    for line in FILES.iter().flat_map(|file| file.lines()) {
        match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(name) => heading = name,
            None if line.is_empty() || line.starts_with('#') => {}
            None => headings.entry(heading).or_default().push(line),
        }
    }
    headings
});

/// Returns what stands below a heading; nothing, if there is no such heading.
pub fn entries(heading: &str) -> &'static [&'static str] {
    HEADINGS.get(heading).map_or(&[], Vec::as_slice)
}

/// Puts words into the places of a sentence: `{value}`, or `{a value}` with its article.
pub fn fill(sentence: &str, words: &[(&str, &str)]) -> String {
    let word = |name: &str| words.iter().find(|(place, _)| *place == name).map(|(_, word)| *word);
    fill_with(sentence, |name| word(name).unwrap_or_default())
}

/// The same with whatever is found for the name of a place.
pub fn fill_with<'a>(sentence: &str, mut word: impl FnMut(&str) -> &'a str) -> String {
    let mut filled = String::new();
    let mut rest = sentence;
    while let Some((before, place, after)) = next_place(rest) {
        filled.push_str(before);
        match place.strip_prefix("a ") {
            Some(name) => {
                let word = word(name);
                filled.extend([article_of(word), word]);
            }
            None => filled.push_str(word(place)),
        }
        rest = after;
    }
    filled.push_str(rest);
    filled
}

fn next_place(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (place, after) = rest.split_once('}')?;
    Some((before, place, after))
}

fn article_of(word: &str) -> &'static str {
    let vowel = word.starts_with(|first: char| "aeiou".contains(first.to_ascii_lowercase()));
    if vowel { "an " } else { "a " }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn check(sentence: &str, word: &str, expected: &str) {
        assert_eq!(fill(sentence, &[("value", word)]), expected);
    }

    #[test]
    fn words_take_their_places_with_or_without_an_article() {
        check("I work as {a value}, yes, {a value}.", "nurse", "I work as a nurse, yes, a nurse.");
        check("{value}? I'm {a value}.", "actuary", "actuary? I'm an actuary.");
        check("nothing {here", "nurse", "nothing {here");
    }

    #[test]
    fn every_place_in_a_sentence_is_known() {
        let known = BTreeSet::from(["value", "old", "extra", "noun", "subject", "when"]);
        for sentence in HEADINGS.values().flatten() {
            let mut rest = *sentence;
            while let Some((_, place, after)) = next_place(rest) {
                let name = place.strip_prefix("a ").unwrap_or(place);
                assert!(known.contains(name) || !entries(name).is_empty(), "{sentence}");
                rest = after;
            }
        }
    }

    #[test]
    fn nothing_is_listed_twice_and_nothing_false_is_true_of_somebody() {
        for (heading, listed) in HEADINGS.iter() {
            let distinct: BTreeSet<_> = listed.iter().collect();
            assert_eq!(distinct.len(), listed.len(), "under {heading}");
        }
        let said: Vec<String> = FILES[0].split("[false home]").map(str::to_lowercase).collect();
        for heading in ["home", "employer", "occupation", "possession", "allergy"] {
            for value in entries(&format!("false {heading}")) {
                assert!(!said[0].contains(&value.to_lowercase()), "{value}");
            }
        }
    }
}
