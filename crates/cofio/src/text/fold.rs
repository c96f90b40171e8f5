//! The canonical comparison form of words and names.

use std::borrow::Cow;

use unicode_normalization::{
    IsNormalized, UnicodeNormalization, char::decompose_canonical, is_nfkc_quick,
};

/// Returns the form in which two spellings of a word or name are the same.
///
/// Compatibility forms are unified, upper case is lowered, accents are folded in Latin, Greek and
/// Arabic and where Russian leaves them out (ё), points are stripped in Hebrew, and invisible
/// characters vanish. Signs that are letters in their own right, such as Thai and Indic vowels,
/// stay.
pub fn fold(text: &str) -> String {
    fold_normalised(&normalise(text))
}

/// Returns `text` in NFKC, without invisible characters and with one kind of apostrophe.
///
/// Case and accents are kept, so that words can still be told apart by their humps.
pub(super) fn normalise(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_normal(text) {
        return Cow::Borrowed(text);
    }
    let visible = text.chars().filter(|&c| !is_invisible(c));
    Cow::Owned(visible.nfkc().map(plain_apostrophe).collect())
}

/// Folds text that is already normalised.
pub(super) fn fold_normalised(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        if is_accented_script(c) {
            decompose_canonical(c, |part| push_folded(&mut folded, part));
        } else {
            push_folded(&mut folded, c);
        }
    }
    folded
}

fn is_normal(text: &str) -> bool {
    let untouched = |c| !is_invisible(c) && plain_apostrophe(c) == c;
    text.chars().all(untouched) && is_nfkc_quick(text.chars()) == IsNormalized::Yes
}

fn plain_apostrophe(c: char) -> char {
    if matches!(c, '’' | 'ʼ') { '\'' } else { c }
}

/// Tells whether accents on `c` are ornaments rather than other letters.
fn is_accented_script(c: char) -> bool {
    matches!(c,
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' // Latin
        | '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}') // Greek
}

fn push_folded(folded: &mut String, c: char) {
    match c {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'þ' => folded.push_str("th"),
        'ø' => folded.push('o'),
        'ł' => folded.push('l'),
        'đ' | 'ð' => folded.push('d'),
        'ħ' => folded.push('h'),
        'ı' => folded.push('i'),
        'ς' => folded.push('σ'),
        'ё' | 'ѐ' => folded.push('е'),
        'ѝ' => folded.push('и'),
        'أ' | 'إ' | 'آ' | 'ٱ' => folded.push('ا'),
        'ى' | 'ی' => folded.push('ي'),
        'ک' => folded.push('ك'),
        '\u{660}'..='\u{669}' => folded.push(ascii_digit(c, '\u{660}')),
        '\u{6f0}'..='\u{6f9}' => folded.push(ascii_digit(c, '\u{6f0}')),
        _ if is_ornament(c) => {}
        _ => folded.push(c),
    }
}

fn ascii_digit(digit: char, zero: char) -> char {
    char::from_digit(u32::from(digit) - u32::from(zero), 10).unwrap_or(digit)
}

/// Tells whether `c` only decorates the letter before it: accents, Hebrew points, Arabic vowels.
fn is_ornament(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}'
        | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}'..='\u{6e8}'
        | '\u{6ea}'..='\u{6ed}')
}

/// Tells whether `c` has no shape of its own: joiners, direction marks, variation selectors, tags.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::fold;

    fn check(text: &str, expected: &str) {
        assert_eq!(fold(text), expected, "{text:?}");
        assert_eq!(fold(expected), expected, "{expected:?} is not stable");
    }

    #[test]
    fn case_is_lowered() {
        check("Alice SMITH", "alice smith");
        check("ЖЁЛТЫЙ", "желтый");
        check("ΟΔΥΣΣΕΥΣ", "οδυσσευσ");
        check("Οδυσσεύς", "οδυσσευσ");
    }

    #[test]
    fn accents_fold_in_latin_greek_and_cyrillic() {
        check("Crème Brûlée", "creme brulee");
        check("Müller Ångström Škoda", "muller angstrom skoda");
        check("Hà Nội đường", "ha noi duong");
        check("Καλημέρα ΐ", "καλημερα ι");
        check("ёлка йод", "елка йод");
        check("за\u{301}мок", "замок");
        check("и\u{306}од", "йод");
    }

    #[test]
    fn letters_without_an_accent_to_drop_are_spelled_out() {
        check("Straße STRASSE ẞ", "strasse strasse ss");
        check("Ærø Łódź Đuro œuvre þing ǽ", "aero lodz duro oeuvre thing ae");
        check("ISPARTA ısparta İSPARTA", "isparta isparta isparta");
    }

    #[test]
    fn arabic_and_hebrew_lose_their_points() {
        check("مُحَمَّد", "محمد");
        check("محـــمد", "محمد");
        check("أحمد إيمان آمال", "احمد ايمان امال");
        check("שָׁלוֹם", "שלום");
        check("٢٠٢٤ ۲۰۲۴", "2024 2024");
    }

    #[test]
    fn vowel_signs_that_are_letters_stay() {
        check("हिन्दी", "हिन्दी");
        check("ที่นี่", "ที่นี่");
        check("தமிழ்", "தமிழ்");
        check("が", "が");
    }

    #[test]
    fn compatibility_forms_are_unified() {
        check("Ｈｅｌｌｏ　１２３", "hello 123");
        check("ﬁle ①", "file 1");
        check("ｶﾞｲﾄﾞ", "ガイド");
        check("O’Brien", "o'brien");
    }

    #[test]
    fn invisible_characters_vanish() {
        check("zero\u{200b}width\u{feff}", "zerowidth");
        check("\u{202e}bidi\u{202c} so\u{ad}ft ❤\u{fe0f}", "bidi soft ❤");
    }
}
