//! How somebody writes.

use fastrand::Rng;

/// How somebody writes, whatever they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// As one learns it.
    Careful,
    /// Without capitals, and without a full stop at the end.
    Lowercase,
    /// Without apostrophes and commas.
    Hasty,
    /// With exclamation marks.
    Loud,
}

impl Voice {
    /// Picks a voice; most people are careful.
    pub fn any(random: &mut Rng) -> Self {
        match random.u8(..10) {
            0..5 => Self::Careful,
            5..7 => Self::Lowercase,
            7..9 => Self::Hasty,
            _ => Self::Loud,
        }
    }

    /// Writes a text that was written carefully.
    pub fn write(self, text: &str) -> String {
        match self {
            Self::Careful => text.to_owned(),
            Self::Lowercase => text.to_lowercase().trim_end_matches('.').to_owned(),
            Self::Hasty => text.replace(['\'', ','], ""),
            Self::Loud => match text.strip_suffix('.') {
                Some(text) => format!("{text}!"),
                None => text.to_owned(),
            },
        }
    }
}

/// Begins a text with a capital.
pub fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Puts something in front of a sentence, which then begins small unless it begins with "I" or, by
/// the pattern it was made of, with a word that may be a name.
pub fn opened(opener: &str, pattern: &str, sentence: &str) -> String {
    let says_i =
        pattern.strip_prefix('I').is_some_and(|rest| !rest.starts_with(char::is_alphabetic));
    let name = ["{value}", "{old}", "{subject}"].iter().any(|place| pattern.starts_with(place));
    let mut rest = sentence.chars();
    match rest.next() {
        Some(first) if !says_i && !name => {
            format!("{opener} {}{}", first.to_lowercase(), rest.as_str())
        }
        _ => format!("{opener} {sentence}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(voice: Voice, expected: &str) {
        assert_eq!(voice.write("I don't know Gwen, sorry."), expected);
    }

    #[test]
    fn people_write_in_different_ways() {
        check(Voice::Careful, "I don't know Gwen, sorry.");
        check(Voice::Lowercase, "i don't know gwen, sorry");
        check(Voice::Hasty, "I dont know Gwen sorry.");
        check(Voice::Loud, "I don't know Gwen, sorry!");
    }

    #[test]
    fn a_sentence_begins_small_after_an_opener_unless_it_has_to_be_large() {
        for (pattern, sentence, expected) in [
            ("My name is {value}.", "My name is Gwen.", "Btw, my name is Gwen."),
            ("I'm {value}.", "I'm Gwen.", "Btw, I'm Gwen."),
            ("It's {value}.", "It's Gwen.", "Btw, it's Gwen."),
            ("{value} here.", "Gwen here.", "Btw, Gwen here."),
            ("{when} I go.", "On 3 May I go.", "Btw, on 3 May I go."),
        ] {
            assert_eq!(opened("Btw,", pattern, sentence), expected);
        }
    }
}
