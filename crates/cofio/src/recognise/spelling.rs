//! What belongs to a name and what only stands around it.

/// Words before the name of a person.
const TITLES: &[&str] = &[
    "mr",
    "mrs",
    "ms",
    "miss",
    "mx",
    "dr",
    "prof",
    "professor",
    "sir",
    "dame",
    "lord",
    "lady",
    "madam",
    "rev",
    "reverend",
    "fr",
    "judge",
    "justice",
    "senator",
    "sen",
    "gov",
    "governor",
    "president",
    "chancellor",
    "minister",
    "capt",
    "captain",
    "col",
    "colonel",
    "gen",
    "general",
    "lt",
    "lieutenant",
    "sgt",
    "sergeant",
    "maj",
    "major",
    "officer",
    "king",
    "queen",
    "prince",
    "princess",
    "pope",
    "saint",
    "herr",
    "frau",
    "uncle",
    "aunt",
    "auntie",
    "coach",
];

/// What companies are, behind their names.
const LEGAL_FORMS: &[&str] = &[
    "inc",
    "incorporated",
    "corp",
    "corporation",
    "co",
    "ltd",
    "limited",
    "llc",
    "llp",
    "plc",
    "gmbh",
    "ag",
    "kg",
    "se",
    "sa",
    "sas",
    "srl",
    "spa",
    "bv",
    "nv",
    "oy",
    "ab",
    "aps",
    "pty",
];

/// Returns whether a word stands before names of people.
pub(super) fn is_title(word: &str) -> bool {
    is_among(TITLES, word)
}

/// Returns whether a word behind a name says what form a company has.
pub(super) fn is_legal_form(word: &str) -> bool {
    is_among(LEGAL_FORMS, word)
}

fn is_among(words: &[&str], word: &str) -> bool {
    let word = word.trim_end_matches('.');
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Returns a name without the mark of the possessive.
pub(super) fn without_possessive(name: &str) -> &str {
    let ends = ["'s", "’s", "'S", "’S"];
    let bare = ends.iter().find_map(|end| name.strip_suffix(end)).filter(|bare| !bare.is_empty());
    // "Carlos'" is the possessive of a name that ends in s.
    let plural = || name.strip_suffix(['\'', '’']).filter(|bare| bare.ends_with(['s', 'S']));
    bare.or_else(plural).unwrap_or(name)
}

/// Returns the words of a person's name, titles left out; all of them if there is nothing else.
pub(super) fn untitled(name: &str) -> &str {
    let mut rest = name;
    while let Some((first, behind)) = rest.split_once(char::is_whitespace)
        && is_title(first)
    {
        rest = behind.trim_start();
    }
    rest
}

/// Returns a company's name without its legal form; all of it if there is nothing else.
pub(super) fn without_legal_form(name: &str) -> &str {
    let mut rest = name;
    while let Some((before, last)) = rest.rsplit_once(char::is_whitespace)
        && is_legal_form(last)
    {
        rest = before.trim_end().trim_end_matches(',');
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_a_name_is_left_out() {
        assert_eq!(without_possessive("Caroline’s"), "Caroline");
        assert_eq!(without_possessive("Carlos'"), "Carlos");
        assert_eq!(without_possessive("Roc'"), "Roc'");
        assert_eq!(without_possessive("'s"), "'s");
        assert_eq!(untitled("Prof. Dr. Ada Lovelace"), "Ada Lovelace");
        assert_eq!(untitled("Judge"), "Judge");
        assert_eq!(without_legal_form("Acme, Inc."), "Acme");
        assert_eq!(without_legal_form("Bosch GmbH & Co KG"), "Bosch GmbH &");
        assert_eq!(without_legal_form("AG"), "AG");
    }
}
