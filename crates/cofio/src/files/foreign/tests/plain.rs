use super::*;
use Format::Markdown;

#[test]
fn every_item_and_every_paragraph_is_a_note_under_its_heading() {
    let text = "\
# Memory

The team meets on Mondays.

## Coding style

- Prefers tabs
  over spaces
- Uses #rust
1. First
";
    check(
        Markdown,
        "MEMORY.md",
        text,
        &[
            ("The team meets on Mondays.", "memory"),
            ("Prefers tabs\nover spaces", "coding-style"),
            ("Uses #rust", "rust coding-style"),
            ("First", "coding-style"),
        ],
    );
    let notes = notes(Markdown, "MEMORY.md", text);
    let places: Vec<_> = notes.iter().map(|note| (note.title().unwrap(), note.line)).collect();
    let style = "Memory › Coding style".to_owned();
    assert_eq!(
        places,
        [("Memory".to_owned(), 3), (style.clone(), 7), (style.clone(), 9), (style, 10)]
    );
}

#[test]
fn what_a_paragraph_leads_up_to_is_part_of_it() {
    check(
        Markdown,
        "a.md",
        "To deploy:\n\n1. build\n2. copy\n\nThen rest.\n\nRun:\n```\nmake\n```\n\n- an item:\n- another\n",
        &[
            ("To deploy:\n\n1. build\n2. copy", ""),
            ("Then rest.", ""),
            ("Run:\n```\nmake\n```", ""),
            ("an item:", ""),
            ("another", ""),
        ],
    );
    check(Markdown, "a.md", "Likes:\n\n## Tea\n\n- green\n", &[("Likes:", ""), ("green", "tea")]);
    let long = format!("All of it:\n{}", "- one more of them\n".repeat(200));
    assert_eq!(notes(Markdown, "a.md", &long)[0].text, "All of it:");
}

#[test]
fn a_file_that_is_called_after_a_day_is_what_happened_then() {
    let check = |path: &str, text: &str, expected: Option<&str>| {
        let notes = notes(Markdown, path, text);
        let expected = expected.map(|moment| moment.parse().unwrap());
        assert_eq!(
            (notes[0].kind, notes[0].event_at),
            match expected {
                Some(moment) => (Kind::Episode, Some(moment)),
                None => (Kind::Fact, None),
            }
        );
    };
    check("daily/2026-03-01.md", "- met Nora\n", Some("2026-03-01T00:00:00Z"));
    check("2026-03-01 Meeting.md", "- met Nora\n", Some("2026-03-01T00:00:00Z"));
    check("2026-03-01.md", "## 9:30\n\n- met Nora\n", Some("2026-03-01T09:30:00Z"));
    check("2026-03-01.md", "## 14:30\n### Who\n\n- met Nora\n", Some("2026-03-01T14:30:00Z"));
    check("2026-13-01.md", "- met Nora\n", None);
    check("2026-03-011.md", "- met Nora\n", None);
    check("é026-03-01.md", "- met Nora\n", None);
}

#[test]
fn a_fact_is_as_old_as_its_file_says_or_as_it_is() {
    let moment = |text: &str| {
        let modified = Some("2025-01-01T00:00:00Z".parse().unwrap());
        let file = File { modified, ..file("a.md", text) };
        read(Markdown, &[file], &TimeZone::UTC).notes[0].event_at.unwrap().to_string()
    };
    assert_eq!(moment("- a\n"), "2025-01-01T00:00:00Z");
    for created in ["2026-02-03", "2026-02-03T00:00:00Z", "2026-02-03 00:00", "\"[[2026-02-03]]\""]
    {
        let text = format!("---\nupdated: 2026-05-05\nCreated: {created}\n---\n- a\n");
        assert_eq!(moment(&text), "2026-02-03T00:00:00Z");
    }
    assert_eq!(moment("---\ndate: last spring\n---\n- a\n"), "2025-01-01T00:00:00Z");
}

#[test]
fn fields_are_labels_or_kept_as_they_are() {
    let text = "---\ntags: [a/b, '#c']\nstatus: on: hold\nrating: 5\nempty:\nnested:\n  deep: yes\nodd: {a: b}\n\
                story: >-\n  one\n  two\n---\n- a\n";
    let note = &notes(Markdown, "a.md", text)[0];
    assert_eq!(note.tags, ["a", "a/b", "c"]);
    let fields: Vec<(&str, &str)> = note
        .fields
        .iter()
        .map(|(name, value)| match value {
            crate::files::Value::Text(text) => (name.as_str(), text.as_str()),
            crate::files::Value::List(_) => panic!("no list"),
        })
        .collect();
    let expected =
        [("status", "on: hold"), ("rating", "5"), ("nested.deep", "yes"), ("story", "one two")];
    assert_eq!(fields, expected);
}

#[test]
fn the_same_of_different_things_says_of_which_and_the_same_again_is_one() {
    let text = "# Nora\n- likes tea\n- likes tea\n# Bob\n- likes tea\n- rows\n";
    let read = read(Markdown, &[file("a.md", text)], &TimeZone::UTC);
    let kept: Vec<String> = read.notes.iter().map(Note::content).collect();
    assert_eq!(kept, ["Nora: likes tea", "Bob: likes tea", "rows"]);
    assert_eq!(read.repeated, 1);
    let files = [file("a.md", "- rows #x\n"), file("b.md", "- rows #x\n")];
    let kept: Vec<String> =
        super::read(Markdown, &files, &TimeZone::UTC).notes.iter().map(Note::content).collect();
    assert_eq!(kept, ["a.md: rows #x", "b.md: rows #x"]);
}

#[test]
fn comments_and_what_says_nothing_are_left_out() {
    check(
        Markdown,
        "a.md",
        "# Title\n\n---\n<!-- hidden -->\n-\n\n- seen <!-- cofio:fact_00000000000000000000000000000007 -->\n",
        &[("seen", "title")],
    );
    check(Markdown, "a.md", "", &[]);
    check(Markdown, "a.md", "\u{feff}---\ntags: a\n---\n", &[]);
}
