//! What kind of character a character is.

use unicode_normalization::char::is_combining_mark;

/// The script of a word, as far as it decides how the word is analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Tamil,
    Hangul,
    Other,
}

impl Script {
    /// Returns the script of the first letter, or Latin if there is none.
    pub(super) fn of(word: &str) -> Self {
        word.chars().find(|c| c.is_alphabetic()).map_or(Self::Latin, Self::of_letter)
    }

    fn of_letter(letter: char) -> Self {
        match letter {
            '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Self::Latin,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Self::Greek,
            '\u{400}'..='\u{52f}' => Self::Cyrillic,
            '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => Self::Arabic,
            '\u{b80}'..='\u{bff}' => Self::Tamil,
            _ if is_hangul(letter) => Self::Hangul,
            _ => Self::Other,
        }
    }
}

/// The part a character plays when text is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Part of a word, or of the punctuation that holds an identifier together.
    Chunk,
    /// Part of a run of text written without spaces.
    Unspaced,
    /// A picture that is a term by itself.
    Symbol,
    /// Anything that only separates.
    Separator,
}

/// Returns the role of `c`, given the role of the character before it.
pub(super) fn role(c: char, previous: Role) -> Role {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() || is_joiner(c) {
            Role::Chunk
        } else {
            Role::Separator
        };
    }
    if is_unspaced(c) || (previous == Role::Unspaced && is_combining_mark(c)) {
        return Role::Unspaced;
    }
    match c {
        _ if is_symbol(c) => Role::Symbol,
        _ if is_word(c) => Role::Chunk,
        _ => Role::Separator,
    }
}

/// Tells whether `c` can be part of a word.
pub(super) fn is_word(c: char) -> bool {
    // Cheapest first: the general tables are slow for Korean.
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    is_hangul(c) || c.is_alphanumeric() || is_combining_mark(c)
}

/// Tells whether `c` belongs to a Korean syllable.
pub(super) fn is_hangul(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}')
}

/// Tells whether `c` is an ideograph, which can be a word by itself.
pub(super) fn is_han(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3fffd}')
}

/// Tells whether `c` makes the letter after it part of the same cluster.
pub(super) fn is_stacker(c: char) -> bool {
    matches!(c, '\u{1039}' | '\u{17d2}')
}

fn is_unspaced(c: char) -> bool {
    let kana = matches!(c,
        '\u{3041}'..='\u{3096}' | '\u{3099}'..='\u{309a}' | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{1b000}'..='\u{1b16f}');
    let south_east_asian = matches!(c,
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' // Thai
        | '\u{e81}'..='\u{ece}' | '\u{edc}'..='\u{edf}' // Lao
        | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}' | '\u{109a}'..='\u{109d}' // Myanmar
        | '\u{a9e0}'..='\u{a9ef}' | '\u{aa60}'..='\u{aa7f}'
        | '\u{1780}'..='\u{17d3}' | '\u{17d7}' | '\u{17dc}'..='\u{17dd}'); // Khmer
    kana || south_east_asian || is_han(c)
}

/// Tells whether `c` is punctuation found inside identifiers, paths, addresses and contractions.
fn is_joiner(c: char) -> bool {
    matches!(
        c,
        '_' | '-'
            | '.'
            | '/'
            | '\\'
            | '@'
            | ':'
            | '#'
            | '+'
            | '?'
            | '='
            | '&'
            | '%'
            | '~'
            | '$'
            | '\''
    )
}

fn is_symbol(c: char) -> bool {
    const SKIN_TONES: std::ops::RangeInclusive<char> = '\u{1f3fb}'..='\u{1f3ff}';
    let pictograph = matches!(c,
        '\u{2300}'..='\u{23ff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}'
        | '\u{1f000}'..='\u{1faff}');
    pictograph && !SKIN_TONES.contains(&c)
}
