//! What the network is told of a word: how it is normalised, begins, ends and looks.

use super::hash;

/// A word as the network sees it: the keys of its norm, prefix, suffix and shape.
pub(super) type Features = [u64; 4];

/// What stands beside a text, so that its first and last words have neighbours too.
pub(super) const PADDING: Features = [0; 4];

/// Returns the features of a word, which is not empty; `norm` is given if the word is special.
pub(super) fn features(word: &str, norm: Option<&str>) -> Features {
    let start = word.chars().next().map_or(0, char::len_utf8);
    let end = word.char_indices().rev().nth(2).map_or(0, |(place, _)| place);
    let norm = norm.map_or_else(|| usual_norm(word), str::to_owned);
    [key(&norm), key(&word[..start]), key(&word[end..]), key(&shape(word))]
}

/// Returns the number that a string is known by.
fn key(string: &str) -> u64 {
    let symbol = SYMBOLS.iter().find(|(name, _)| *name == string);
    symbol.map_or_else(|| hash::of_string(string.as_bytes(), 1), |&(_, number)| number)
}

fn usual_norm(word: &str) -> String {
    let known = NORMS.iter().find(|(words, _)| words.contains(&word));
    known.map_or_else(|| word.to_lowercase(), |(_, norm)| (*norm).to_owned())
}

/// Returns "Xxxxx" for "Caroline", "dd" for "42": letters and digits by kind, at most four of one
/// kind in a row.
fn shape(word: &str) -> String {
    /// As many characters as a shape is made of at most.
    const LONG: usize = 100;
    if word.chars().nth(LONG - 1).is_some() {
        return "LONG".to_owned();
    }
    let mut shape = String::with_capacity(word.len());
    let (mut last, mut repeated) = (None, 0);
    for character in word.chars() {
        let kind = match character {
            _ if character.is_alphabetic() && character.is_uppercase() => 'X',
            _ if character.is_alphabetic() => 'x',
            '0'..='9' | '¹' | '²' | '³' => 'd',
            _ => character,
        };
        repeated = if last == Some(kind) { repeated + 1 } else { 0 };
        last = Some(kind);
        if repeated < 4 {
            shape.push(kind);
        }
    }
    shape
}

/// Signs that count as others.
const NORMS: &[(&[&str], &str)] = &[
    (&["'s", "'S", "’s", "’S"], "'s"),
    (&["’", "‘", "´", "`"], "'"),
    (&["”", "“", "''", "``", "´´", "„", "»", "«", "‘‘", "’’"], "\""),
    (&["？"], "?"),
    (&["！"], "!"),
    (&["，"], ","),
    (&["；"], ";"),
    (&["："], ":"),
    (&["。", "।"], "."),
    (&["…"], "..."),
    (&["—", "–", "--", "---", "——"], "-"),
    (&["€", "£", "¥", "฿", "US$", "C$", "A$", "₺", "₹", "৳", "₩", "Mex$", "₣", "E£"], "$"),
];

/// Strings that have a number of their own in the library that the model was made with, as far
/// as a feature can be one of them.
const SYMBOLS: &[(&str, u64)] = &[
    ("ID", 64),
    ("POS", 74),
    ("TAG", 75),
    ("DEP", 76),
    ("ADJ", 84),
    ("ADP", 85),
    ("ADV", 86),
    ("AUX", 87),
    ("DET", 90),
    ("NUM", 93),
    ("SYM", 99),
    ("X", 101),
    ("EOL", 102),
    ("ORG", 383),
    ("GPE", 384),
    ("LOC", 385),
    ("LAW", 390),
    ("acomp", 398),
    ("advcl", 399),
    ("advmod", 400),
    ("agent", 401),
    ("amod", 402),
    ("appos", 403),
    ("attr", 404),
    ("aux", 405),
    ("auxpass", 406),
    ("cc", 407),
    ("ccomp", 408),
    ("complm", 409),
    ("conj", 410),
    ("cop", 411),
    ("csubj", 412),
    ("csubjpass", 413),
    ("dep", 414),
    ("det", 415),
    ("dobj", 416),
    ("expl", 417),
    ("hmod", 418),
    ("hyph", 419),
    ("infmod", 420),
    ("intj", 421),
    ("iobj", 422),
    ("mark", 423),
    ("meta", 424),
    ("neg", 425),
    ("nmod", 426),
    ("nn", 427),
    ("npadvmod", 428),
    ("nsubj", 429),
    ("nsubjpass", 430),
    ("num", 431),
    ("number", 432),
    ("oprd", 433),
    ("obj", 434),
    ("obl", 435),
    ("parataxis", 436),
    ("partmod", 437),
    ("pcomp", 438),
    ("pobj", 439),
    ("poss", 440),
    ("possessive", 441),
    ("preconj", 442),
    ("prep", 443),
    ("prt", 444),
    ("punct", 445),
    ("quantmod", 446),
    ("relcl", 447),
    ("rcmod", 448),
    ("root", 449),
    ("xcomp", 450),
    ("acl", 451),
    ("IDX", 454),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_tell_letters_and_digits_by_kind() {
        let check = |word: &str, expected: &str| assert_eq!(shape(word), expected);
        check("Caroline", "Xxxxx");
        check("U.S.", "X.X.");
        check("2026-11", "dddd-dd");
        check("11111111", "dddd");
        check("é", "x");
        check(&"a".repeat(100), "LONG");
    }

    #[test]
    fn the_last_three_characters_are_the_suffix() {
        assert_eq!(features("naïf", None)[2], features("aïf", None)[2]);
        assert_eq!(features("ab", None)[2], key("ab"));
    }
}
