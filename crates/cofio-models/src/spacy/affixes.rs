//! What is cut off words: punctuation before, behind and between.
//!
//! These are the rules of spaCy's English tokenizer, which the model was trained with.

use std::sync::LazyLock;

use regex::Regex;

/// Quotes and brackets of many languages.
const QUOTES: &str = "'\"”“`‘´’‚,„»«「」『』（）〔〕【】《》〈〉";

/// Punctuation of many languages.
const PUNCTUATION: &str = "…,:;!?¿؟¡()[]{}<>_#*&。？！，、；：～·।،۔؛٪";

/// What is cut off before words besides.
const BEFORE: &str = "§%=—–$£€¥฿₽﷼₴";

/// What prices are given in.
const CURRENCIES: &[&str] = &["$", "£", "€", "¥", "฿", "US$", "C$", "A$", "₽", "﷼", "₴"];

/// What things are measured in.
const UNITS: &[&str] = &[
    "km", "km²", "km³", "m", "m²", "m³", "dm", "dm²", "dm³", "cm", "cm²", "cm³", "mm", "mm²",
    "mm³", "ha", "µm", "nm", "yd", "in", "ft", "kg", "g", "mg", "µg", "t", "lb", "oz", "m/s",
    "km/h", "kmh", "mph", "hPa", "Pa", "mbar", "mb", "MB", "kb", "KB", "gb", "GB", "tb", "TB", "T",
    "G", "M", "K", "%", "км", "км²", "км³", "м", "м²", "м³", "дм", "дм²", "дм³", "см", "см²",
    "см³", "мм", "мм²", "мм³", "нм", "кг", "г", "мг", "м/с", "км/ч", "кПа", "Па", "мбар", "Кб",
    "КБ", "кб", "Мб", "МБ", "мб", "Гб", "ГБ", "гб", "Тб", "ТБ",
];

/// What joins two words into one.
const HYPHENS: &[&str] = &["---", "--", "-", "–", "——", "—", "~"];

/// Signs that are neither letters, punctuation nor mathematics, such as emoji.
static ICON: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\p{So}$").expect("the pattern is tested"));

/// Returns how many bytes at the start of a word are cut off.
pub(super) fn prefix(word: &str) -> usize {
    let mut characters = word.chars();
    let Some(first) = characters.next() else { return 0 };
    let next = characters.next();
    let dots = word.len() - word.trim_start_matches('.').len();
    let currency = ["US$", "C$", "A$"].into_iter().find(|currency| word.starts_with(currency));
    match first {
        '+' if next.is_some_and(|next| next.is_ascii_digit()) => 0,
        '+' => 1,
        '.' if dots > 1 => dots,
        _ if is_cut(first) || BEFORE.contains(first) => first.len_utf8(),
        _ => currency.map_or(0, str::len),
    }
}

/// Returns how many bytes at the end of a word are cut off.
pub(super) fn suffix(word: &str) -> usize {
    let Some(last) = word.chars().next_back() else { return 0 };
    let dots = word.len() - word.trim_end_matches('.').len();
    let possessive = ["'s", "'S", "’s", "’S"].into_iter().find(|end| word.ends_with(end));
    let measured = CURRENCIES.iter().chain(UNITS).filter(|unit| {
        word.strip_suffix(**unit)
            .is_some_and(|number| number.ends_with(|c: char| c.is_ascii_digit()))
    });
    let lengths = [
        if word.ends_with("……") { "……".len() } else { 0 },
        if dots > 1 { dots } else { usize::from(dots == 1 && ends_sentence(word)) },
        if is_cut(last) || "—–".contains(last) { last.len_utf8() } else { 0 },
        possessive.map_or(0, str::len),
        measured.map(|unit| unit.len()).max().unwrap_or(0),
        usize::from(last == '+' && before(word, 1).is_some_and(|c| c.is_ascii_digit())),
    ];
    lengths.into_iter().max().unwrap_or(0)
}

/// Returns whether the point at the end of a word is no part of it.
fn ends_sentence(word: &str) -> bool {
    let Some(one) = before(word, 1) else { return false };
    let two = before(word, 2);
    let degrees = "FfCcKk".contains(one) && two == Some('°');
    let behind = one.is_ascii_digit()
        || is_lower(one)
        || "%²-+|".contains(one)
        || PUNCTUATION.contains(one)
        || QUOTES.contains(one);
    degrees || behind || is_upper(one) && two.is_some_and(is_upper)
}

/// Returns the next place, from `start` on, where a word is cut in between: where and how long.
pub(super) fn infix(word: &str, start: usize) -> Option<(usize, usize)> {
    let mut places =
        word[start..].char_indices().map(|(place, character)| (start + place, character));
    places.find_map(|(place, c)| Some((place, infix_at(word, place, c)?)))
}

fn infix_at(word: &str, place: usize, character: char) -> Option<usize> {
    let rest = &word[place..];
    let dots = rest.len() - rest.trim_start_matches('.').len();
    if dots > 1 {
        return Some(dots);
    }
    if character == '…' || is_icon(character) {
        return Some(character.len_utf8());
    }
    let one = word[..place].chars().next_back()?;
    let next = |length: usize| rest[length..].chars().next();
    let quoted = |c: char| QUOTES.contains(c);
    let behind = next(character.len_utf8());
    let joins = match character {
        '+' | '-' | '*' | '^'
            if one.is_ascii_digit() && behind.is_some_and(|c| c.is_ascii_digit() || c == '-') =>
        {
            true
        }
        '.' => (is_lower(one) || quoted(one)) && behind.is_some_and(|c| is_upper(c) || quoted(c)),
        ',' => is_letter(one) && behind.is_some_and(is_letter),
        ':' | '<' | '>' | '=' | '/' => {
            (is_letter(one) || one.is_ascii_digit()) && behind.is_some_and(is_letter)
        }
        _ => false,
    };
    if joins {
        return Some(character.len_utf8());
    }
    let hyphen =
        |hyphen: &&&str| rest.starts_with(**hyphen) && next(hyphen.len()).is_some_and(is_letter);
    HYPHENS.iter().find(hyphen).filter(|_| is_letter(one)).map(|hyphen| hyphen.len())
}

/// Returns the character that has `count` others behind it.
fn before(word: &str, count: usize) -> Option<char> {
    word.chars().rev().nth(count)
}

fn is_cut(character: char) -> bool {
    PUNCTUATION.contains(character) || QUOTES.contains(character) || is_icon(character)
}

fn is_icon(character: char) -> bool {
    !character.is_ascii() && ICON.is_match(character.encode_utf8(&mut [0; 4]))
}

fn is_lower(character: char) -> bool {
    character.is_lowercase() || is_caseless(character)
}

fn is_upper(character: char) -> bool {
    character.is_uppercase() || is_caseless(character)
}

fn is_letter(character: char) -> bool {
    is_lower(character) || is_upper(character)
}

/// Returns whether a character is of a script without capitals that the rules know.
fn is_caseless(character: char) -> bool {
    matches!(character,
        '\u{591}'..='\u{5f4}' | '\u{620}'..='\u{64a}' | '\u{66e}'..='\u{6d5}'
        | '\u{6e5}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8bd}'
        | '\u{900}'..='\u{9ff}' | '\u{b80}'..='\u{bff}' | '\u{c00}'..='\u{cff}'
        | '\u{d80}'..='\u{dff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_cut_off_words() {
        let check = |word: &str, before: &str, behind: &str| {
            assert_eq!(&word[..prefix(word)], before, "{word}");
            assert_eq!(&word[word.len() - suffix(word)..], behind, "{word}");
        };
        check("word", "", "");
        check("(word)", "(", ")");
        check("\"word.\"", "\"", "\"");
        check("word.", "", ".");
        check("US.", "", ".");
        check("U.S.", "", "");
        check("...wait...", "...", "...");
        check("Anna's", "", "'s");
        check("$5", "$", "");
        check("US$5", "US$", "");
        check("5km", "", "km");
        check("km", "", "");
        check("50%", "", "%");
        check("+1", "", "");
        check("++", "+", "");
        check("20°C.", "", ".");
        check("🎉yes🎉", "🎉", "🎉");
    }

    #[test]
    fn words_are_cut_where_two_are_joined() {
        let check = |word: &str, expected: &[&str]| {
            let mut found = Vec::new();
            let mut start = 0;
            while let Some((place, length)) = infix(word, start) {
                found.push(&word[place..place + length]);
                start = place + length;
            }
            assert_eq!(found, expected, "{word}");
        };
        check("well-known", &["-"]);
        check("a--b", &["--"]);
        check("1-2", &["-"]);
        check("end.Start", &["."]);
        check("end.start", &[]);
        check("and/or", &["/"]);
        check("1/2", &[]);
        check("one,two", &[","]);
        check("1,2", &[]);
        check("so...what", &["..."]);
    }
}
