//! Characters that nobody sees.

use std::borrow::Cow;

/// Returns a text without characters that nobody sees and that change how the others are read.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| !may_hide(c)) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut flag = false;
    for c in text.chars() {
        // The flags of England, Scotland and Wales are spelt in tags.
        flag = c == '\u{1f3f4}' || flag && is_tag(c);
        if !may_hide(c) || flag && is_tag(c) {
            kept.push(c);
        }
    }
    Cow::Owned(kept)
}

/// Tells whether a character is one that nobody sees, apart from the tags in a flag.
pub(crate) fn may_hide(c: char) -> bool {
    let control = c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    let directs = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let joins = matches!(c, '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}');
    control || directs || joins || is_tag(c)
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}
