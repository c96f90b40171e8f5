//! Links between notes, as wikis write them: `[[Note]]`, `[[folder/Note#Heading|shown]]`.

use std::ops::Range;

/// A link to a note; every range is one of the text that it was found in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wikilink {
    /// All of it, from its first sign to its last.
    pub range: Range<usize>,
    /// The note with its folder, as it is written.
    pub target: Range<usize>,
    /// What the note is called: no folder, and nothing that its file name ends with.
    pub note: Range<usize>,
    /// What is shown in its place, if that is something else.
    pub shown: Option<Range<usize>>,
    /// Whether the note, or a picture, is to be shown where the link stands.
    pub embedded: bool,
}

/// Returns the links of a text in their order; one to a place in the same note is none.
///
/// Looks at every character a fixed number of times. Brackets with a space behind them are left
/// alone, as shells have those.
pub fn wikilinks(text: &str) -> impl Iterator<Item = Wikilink> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + text[at..].find("[[")?;
            let inside = start + 2;
            let length = text[inside..].find(['[', ']', '\n'])?;
            let end = inside + length;
            at = end;
            if text[end..].starts_with("]]") {
                at = end + 2;
                if let Some(link) = link(text, start, inside..end) {
                    return Some(link);
                }
            } else if length == 0 && text[end..].starts_with('[') {
                // Of three brackets the last two begin a link.
                at = start + 1;
            }
        }
    })
}

fn link(text: &str, start: usize, inside: Range<usize>) -> Option<Wikilink> {
    let embedded = text[..start].ends_with('!');
    let raw = &text[inside.clone()];
    if raw.starts_with(char::is_whitespace) {
        return None;
    }
    let (target, shown) = match raw.find('|') {
        Some(bar) => (inside.start..inside.start + bar, Some(inside.start + bar + 1..inside.end)),
        None => (inside.clone(), None),
    };
    let target = before(text, target, ['#', '^', '\\']);
    let note = match text[target.clone()].rfind('/') {
        Some(slash) => target.start + slash + 1..target.end,
        None => target.clone(),
    };
    let note = without_ending(text, trimmed(text, note));
    let shown = shown.map(|shown| trimmed(text, shown)).filter(|shown| !shown.is_empty());
    let range = start - usize::from(embedded)..inside.end + 2;
    (!note.is_empty()).then(|| Wikilink {
        range,
        target: without_ending(text, trimmed(text, target)),
        note,
        shown,
        embedded,
    })
}

/// Returns the part of a range before the first of some signs.
fn before(text: &str, range: Range<usize>, signs: [char; 3]) -> Range<usize> {
    let end = text[range.clone()].find(signs).map_or(range.end, |at| range.start + at);
    range.start..end
}

fn without_ending(text: &str, range: Range<usize>) -> Range<usize> {
    let end = text[range.clone()].strip_suffix(".md").map_or(range.len(), str::len);
    range.start..range.start + end
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let start = range.end - text[range.clone()].trim_start().len();
    start..start + text[start..range.end].trim_end().len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Option<&str>)]) {
        let links: Vec<Wikilink> = wikilinks(text).collect();
        let found: Vec<(&str, Option<&str>)> = links
            .iter()
            .map(|link| (&text[link.note.clone()], link.shown.clone().map(|shown| &text[shown])))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn a_link_names_a_note_and_may_show_something_else() {
        check("see [[Alice Smith]].", &[("Alice Smith", None)]);
        check("[[A]][[B]]", &[("A", None), ("B", None)]);
        check("[[People/Alice Smith#Work|Ali]]", &[("Alice Smith", Some("Ali"))]);
        check("[[Alice^block]] and [[Bob.md]]", &[("Alice", None), ("Bob", None)]);
        check(r"| [[Alice\|her]] |", &[("Alice", Some("her"))]);
        check("[[Node.js]] [[C#]]", &[("Node.js", None), ("C", None)]);
        check("[[[Alice]]]", &[("Alice", None)]);
        check("[[a [[Bob]]", &[("Bob", None)]);
        check("[[Alice| ]]", &[("Alice", None)]);
    }

    #[test]
    fn an_embedding_is_told_from_a_link() {
        let links: Vec<Wikilink> = wikilinks("![[photo.png]] [[Alice]]").collect();
        assert_eq!((links[0].embedded, links[0].range.clone()), (true, 0..14));
        assert_eq!((links[1].embedded, links[1].range.clone()), (false, 15..24));
    }

    #[test]
    fn other_brackets_are_no_links() {
        for text in
            ["", "[[", "[[]]", "[[#Heading]]", "[[ -f x ]]", "[[a\nb]]", "[a]", "[[a]", "]]"]
        {
            check(text, &[]);
        }
    }

    proptest! {
        #[test]
        fn any_text_has_links_within_its_bounds(text in r"[\[\]|#^/\\! a.mdé\n]{0,40}") {
            for link in wikilinks(&text) {
                prop_assert!(text[link.range.clone()].ends_with("]]"));
                prop_assert!(!text[link.note.clone()].trim().is_empty());
                prop_assert!(link.range.contains(&link.note.start));
                prop_assert!(text[link.target.clone()].ends_with(&text[link.note.clone()]));
                prop_assert!(link.shown.is_none_or(|shown| !text[shown].is_empty()));
            }
        }
    }
}
