//! Cuts normalised text into chunks, runs without spaces, and symbols.

use super::script::{Role, role};

/// A stretch of text that is analysed in one way.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// A word or identifier, with the punctuation in and around it.
    Chunk(&'a str),
    /// Text written without spaces.
    Run(&'a str),
    /// A pictograph or a flag.
    Symbol(&'a str),
}

/// Returns the pieces of `text` in order, without what separates them.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            let (role, length) = first_stretch(rest);
            let (stretch, after) = rest.split_at(length);
            rest = after;
            match role {
                Role::Chunk => return Some(Piece::Chunk(stretch)),
                Role::Unspaced => return Some(Piece::Run(stretch)),
                Role::Symbol => return Some(Piece::Symbol(stretch)),
                Role::Separator => {}
            }
        }
        None
    })
}

/// Returns the role of the first character and the bytes up to where that role ends.
fn first_stretch(text: &str) -> (Role, usize) {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else {
        return (Role::Separator, 0);
    };
    let expected = role(first, Role::Separator);
    if expected == Role::Symbol {
        return (expected, symbol_length(first, chars.as_str()));
    }
    let end = chars.find(|&(_, c)| role(c, expected) != expected);
    (expected, end.map_or(text.len(), |(index, _)| index))
}

/// Returns the bytes of a symbol; two regional indicators make one flag.
fn symbol_length(first: char, rest: &str) -> usize {
    let is_regional = |c: char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
    match rest.chars().next() {
        Some(second) if is_regional(first) && is_regional(second) => {
            first.len_utf8() + second.len_utf8()
        }
        _ => first.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[Piece<'_>]) {
        assert_eq!(pieces(text).collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn spaces_brackets_and_quotes_separate() {
        check(
            "see \"src/main.rs\" (v1.2)",
            &[Piece::Chunk("see"), Piece::Chunk("src/main.rs"), Piece::Chunk("v1.2")],
        );
        check(" \t\u{0}\n", &[]);
    }

    #[test]
    fn scripts_without_spaces_are_cut_from_words() {
        check("使用Rust语言。", &[Piece::Run("使用"), Piece::Chunk("Rust"), Piece::Run("语言")]);
        check("ไทยand", &[Piece::Run("ไทย"), Piece::Chunk("and")]);
    }

    #[test]
    fn symbols_stand_alone_and_flags_are_pairs() {
        check("hi🎉🎊", &[Piece::Chunk("hi"), Piece::Symbol("🎉"), Piece::Symbol("🎊")]);
        check("🇮🇹🇫🇷", &[Piece::Symbol("🇮🇹"), Piece::Symbol("🇫🇷")]);
        check("👍🏽", &[Piece::Symbol("👍")]);
    }
}
