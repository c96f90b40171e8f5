//! Finding by pattern what a text names: people mentioned, hashtags, e-mail addresses, web
//! addresses and dates.

use std::sync::OnceLock;

use regex::Regex;

use crate::model::{EntityType, Mention};
use crate::text::fold;

/// How many names one memory is found by at most.
const MOST: usize = 100;

/// How long a name may be, in characters.
const LONGEST: usize = 200;

/// Returns what a text names, each spelling once, in the order of the text.
///
/// Where two patterns claim the same characters, the one that begins earlier wins, then the longer.
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<(usize, usize, Mention)> = Vec::new();
    for form in FORMS.iter().filter(|form| text.contains(form.needs)) {
        for captures in form.regex().captures_iter(text) {
            let Some(matched) = captures.get(1) else { continue };
            let alias =
                matched.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '"']);
            let name = alias.trim_start_matches(['@', '#']);
            if name.is_empty() || alias.chars().count() > LONGEST {
                continue;
            }
            let mention = Mention {
                name: name.to_owned(),
                entity_type: form.entity_type,
                alias: alias.to_owned(),
            };
            found.push((matched.start(), matched.start() + alias.len(), mention));
        }
    }
    found.sort_by_key(|&(start, end, _)| (start, usize::MAX - end));
    let mut kept: Vec<Mention> = Vec::new();
    let mut covered = 0;
    for (start, end, mention) in found {
        if start >= covered && kept.len() < MOST {
            covered = end;
            if !kept.iter().any(|known| same(known, &mention)) {
                kept.push(mention);
            }
        }
    }
    kept
}

fn same(one: &Mention, other: &Mention) -> bool {
    one.entity_type == other.entity_type
        && one.alias == other.alias
        && fold(&one.name) == fold(&other.name)
}

/// One way of naming something, whose first group is the name.
///
/// Letters of every script make a pattern large, so it is compiled when a text first has what it
/// needs: commands that start, keep something plain and end are common.
struct Form {
    entity_type: EntityType,
    /// Without one of these no match is possible, and most texts have none.
    needs: &'static [char],
    pattern: &'static str,
    regex: OnceLock<Regex>,
}

impl Form {
    const fn new(entity_type: EntityType, needs: &'static [char], pattern: &'static str) -> Self {
        Self { entity_type, needs, pattern, regex: OnceLock::new() }
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            Regex::new(&self.pattern.replace("MONTH", MONTH)).expect("every pattern is tested")
        })
    }
}

const DIGITS: &[char] = &['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

static FORMS: [Form; 5] = [
    Form::new(EntityType::Url, &[':'], r#"\b(https?://[^\s<>"'\])}]+)"#),
    Form::new(
        EntityType::Email,
        &['@'],
        r"\b([\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)\b",
    ),
    Form::new(
        EntityType::Person,
        &['@'],
        r"(?:^|[^\p{L}\p{N}_@./])(@[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,62})",
    ),
    Form::new(EntityType::Other, &['#'], r"(?:^|[^\p{L}\p{N}_#&/])(#\p{L}[\p{L}\p{N}_-]{0,62})"),
    Form::new(EntityType::Other, DIGITS, DATE),
];

/// A date, in numbers or with the name of a month.
const DATE: &str = r"(?i)\b(\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}(?:st|nd|rd|th)? (?:of )?MONTH\.?(?: \d{4})?|MONTH\.? \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?|MONTH \d{4})\b";

/// What stands where a pattern says `MONTH`.
const MONTH: &str = "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|\
    aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, EntityType)]) {
        let found = mentions(text);
        let found: Vec<_> =
            found.iter().map(|mention| (mention.name.as_str(), mention.entity_type)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn mentions_hashtags_addresses_and_dates_are_found() {
        use EntityType::{Email, Other, Person, Url};
        check("ask @alice-b.", &[("alice-b", Person)]);
        check("#Größe and #v2 but not a#b or #1", &[("Größe", Other), ("v2", Other)]);
        check("mail bob.jones@mail.example.org!", &[("bob.jones@mail.example.org", Email)]);
        check("(see https://example.com/a?b=c#d).", &[("https://example.com/a?b=c#d", Url)]);
        check(
            "on 2026-03-01, 3 May 2026 and March 4th",
            &[("2026-03-01", Other), ("3 May 2026", Other), ("March 4th", Other)],
        );
    }

    #[test]
    fn the_same_spelling_is_kept_once_and_another_is_an_alias() {
        let found = mentions("@Alice @Alice @alice");
        let aliases: Vec<_> = found.iter().map(|mention| mention.alias.as_str()).collect();
        assert_eq!(aliases, ["@Alice", "@alice"]);
    }

    #[test]
    fn what_names_nothing_has_no_mentions() {
        for text in ["", "plain words", "a @ b # c", "1/2", "may I?", "user@", "@"] {
            check(text, &[]);
        }
    }

    #[test]
    fn an_address_inside_an_address_is_not_found_again() {
        check("https://x.org/@bob#top", &[("https://x.org/@bob#top", EntityType::Url)]);
    }
}
