use std::borrow::Cow;

/// Writes out the characters that a terminal would obey, so that text cannot take it over.
///
/// Tabs stay. Characters that turn the direction of writing count too, as they make a line read
/// as another.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) { plain.extend(c.escape_unicode()) } else { plain.push(c) }
    }
    Cow::Owned(plain)
}

fn is_obeyed(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(plain(text), expected);
    }

    #[test]
    fn ordinary_text_of_any_language_stays() {
        check("tea\tブラック — чай ☕ e\u{301}", "tea\tブラック — чай ☕ e\u{301}");
    }

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        check("\u{1b}[31mred", r"\u{1b}[31mred");
        check("\u{9b}2J\r\u{7}", r"\u{9b}2J\u{d}\u{7}");
        check("\u{202e}abc", r"\u{202e}abc");
    }
}
