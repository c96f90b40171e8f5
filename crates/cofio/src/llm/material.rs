//! How memories are put before a model.

use crate::model::{CleanText, Timestamp};

/// The most characters of a name that stands before a text.
const NAME_CHARS: usize = 80;

/// Returns the start of a text, so many characters of it at most.
pub(super) fn start(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// Writes a text behind the day it is from and a word for what or whose it is.
pub(super) fn labelled(at: Timestamp, label: &str, text: &str) -> CleanText {
    let day = at.strftime("%Y-%m-%d");
    // A memory that was stored is clean, and so is every part of it.
    CleanText::stored(format!("[{day}, {}] {text}", start(label, NAME_CHARS)))
}

/// Returns how many of some texts are put before a model together, from the first on: at most so
/// many, of at most so many characters in all, but always one.
pub(super) fn fitting<'a>(
    texts: impl Iterator<Item = &'a str>,
    most: usize,
    most_chars: usize,
) -> usize {
    let mut chars = 0;
    let fits = |text: &&str| {
        chars += text.chars().count();
        chars <= most_chars
    };
    texts.take(most).take_while(fits).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stands_behind_its_day_and_label() {
        let at = "2026-03-04T10:00:00Z".parse().unwrap();
        assert_eq!(labelled(at, "Tom", "tea").as_str(), "[2026-03-04, Tom] tea");
        let long = labelled(at, &"ä".repeat(99), "");
        assert_eq!(long.as_str().chars().count(), "[2026-03-04, ] ".len() + NAME_CHARS);
    }

    #[test]
    fn as_many_are_taken_as_there_is_room_for() {
        let check = |texts: &[&str], expected: usize| {
            assert_eq!(fitting(texts.iter().copied(), 3, 5), expected, "{texts:?}");
        };
        check(&["a", "b", "c", "d"], 3);
        check(&["äö", "üß", "cc"], 2);
        check(&["too long", "b"], 1);
    }
}
