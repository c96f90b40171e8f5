//! Finding by pattern what a text names: people mentioned, hashtags, links between notes, e-mail
//! addresses, web addresses and dates.

use std::sync::OnceLock;

use regex::Regex;

use super::{Cost, Recogniser, Span};
use crate::error::Result;
use crate::model::EntityType;
use crate::text::{Wikilink, wikilinks};

/// How sure a match is: its form leaves little to doubt, so only a person's word is surer.
const CONFIDENCE: f32 = 0.95;

/// Finds mentions, hashtags, links between notes, e-mail addresses, web addresses and dates by
/// their form.
#[derive(Debug, Clone, Copy)]
pub struct Patterns;

impl Recogniser for Patterns {
    fn name(&self) -> &'static str {
        "patterns"
    }

    fn cost(&self) -> Cost {
        Cost::Fast
    }

    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    fn recognise(&self, text: &str) -> Vec<Span> {
        let possible = FORMS.iter().filter(|form| text.contains(form.needs));
        let linked = wikilinks(text).flat_map(|link| linked(text, link));
        possible.flat_map(|form| form.spans(text)).chain(linked).collect()
    }
}

/// Returns what a link names: a note, and what is shown in its place if that may be a name.
fn linked(text: &str, link: Wikilink) -> impl Iterator<Item = Span> {
    let is_file = link.embedded && text[link.note.clone()].contains('.');
    let name = Some(link.note).filter(|note| !is_file && may_name(&text[note.clone()]));
    let shown = link
        .shown
        .filter(|shown| name.is_some() && !text[shown.clone()].starts_with(char::is_lowercase));
    name.into_iter().chain(shown).map(|range| Span {
        range,
        entity_type: EntityType::Other,
        confidence: CONFIDENCE,
    })
}

/// Returns whether a note may be called so, as rows of numbers between brackets are not.
fn may_name(note: &str) -> bool {
    note.contains(char::is_alphabetic) || note.chars().all(|c| c.is_numeric() || c == '-')
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

    fn spans(&self, text: &str) -> impl Iterator<Item = Span> {
        let matches = self.regex().captures_iter(text).filter_map(|captures| captures.get(1));
        matches.filter_map(|matched| {
            let written =
                matched.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '"']);
            let names_something = !written.trim_start_matches(['@', '#']).is_empty();
            names_something.then(|| Span {
                range: matched.start()..matched.start() + written.len(),
                entity_type: self.entity_type,
                confidence: CONFIDENCE,
            })
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
    use crate::recognise::mentions;

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
    fn a_link_between_notes_names_the_note_however_it_is_shown() {
        use EntityType::Other;
        check("met [[People/Ada Lovelace#Work]] today", &[("Ada Lovelace", Other)]);
        check("[[Ada Lovelace|Ada]]", &[("Ada Lovelace", Other), ("Ada Lovelace", Other)]);
        check("[[Ada Lovelace|she]]", &[("Ada Lovelace", Other)]);
        check("![[Ada Lovelace]] ![[portrait.png]]", &[("Ada Lovelace", Other)]);
        check("on [[2026-03-01]]", &[("2026-03-01", Other)]);
    }

    #[test]
    fn what_names_nothing_has_no_mentions() {
        for text in
            ["", "plain words", "a @ b # c", "1/2", "may I?", "user@", "@", "[[1,2]]", "[[ -f x ]]"]
        {
            check(text, &[]);
        }
    }

    #[test]
    fn an_address_inside_an_address_is_not_found_again() {
        check("https://x.org/@bob#top", &[("https://x.org/@bob#top", EntityType::Url)]);
    }
}
