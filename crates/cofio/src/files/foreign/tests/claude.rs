use super::*;
use Format::Claude;

const TOPIC: &str = "\
---
name: testing-against-a-real-database
description: \"Tests use a real database: mocks hid a bug\"
type: feedback
---

Integration tests run against a real database.

**Why:** mocks hid a broken migration.
- See [[staging-setup]].
";

const INDEX: &str = "\
# Memory index

- [Testing](feedback_testing.md) — real database, no mocks
- [Setup](./notes/staging%20setup.md): how staging is set up
- [Gone](gone.md) — a file that is not there
- The build needs pnpm
";

#[test]
fn a_file_with_fields_is_one_memory_and_the_index_is_none() {
    let staging = "---\nname: staging-setup\nmetadata:\n  node_type: memory\n  type: project\n---\nStaging runs on two machines.\n";
    let files = [
        file("MEMORY.md", INDEX),
        file("feedback_testing.md", TOPIC),
        file("notes/staging setup.md", staging),
    ];
    let notes = read(Claude, &files, &TimeZone::UTC).notes;
    let kept: Vec<(Option<String>, String, String)> =
        notes.iter().map(|note| (note.title(), note.content(), note.tags.join(" "))).collect();
    let body = "Integration tests run against a real database.\n\n**Why:** mocks hid a broken \
                migration.\n- See [[staging-setup]].";
    let index = Some("Memory index".to_owned());
    let expected = [
        (index.clone(), "[Gone](gone.md) — a file that is not there", "memory-index"),
        (index, "The build needs pnpm", "memory-index"),
        (Some("testing-against-a-real-database".to_owned()), body, "feedback"),
        (Some("staging-setup".to_owned()), "Staging runs on two machines.", "project"),
    ];
    let expected = expected.map(|(title, text, tag)| (title, text.to_owned(), tag.to_owned()));
    assert_eq!(kept, expected);
    let described: Vec<Option<&str>> =
        notes.iter().map(|note| note.description.as_deref()).collect();
    assert_eq!(
        described,
        [
            None,
            None,
            Some("Tests use a real database: mocks hid a bug"),
            Some("how staging is set up")
        ]
    );
    assert_eq!(notes[2].line, 7);
}

#[test]
fn a_memory_without_a_text_is_what_it_is_described_as() {
    let text = "---\nname: editor\ndescription: Uses Helix\ntype: user\n---\n";
    check(Claude, "user_editor.md", text, &[("Uses Helix", "user")]);
    check(Claude, "user_editor.md", "---\nname: editor\ntype: user\n---\n", &[]);
}

#[test]
fn notes_of_earlier_versions_are_plain_ones() {
    check(
        Claude,
        "MEMORY.md",
        "# Project\n\n## Build\n- Use pnpm\n- See [the log](build.md) for more\n",
        &[("Use pnpm", "build"), ("See [the log](build.md) for more", "build")],
    );
    check(Claude, "debugging.md", "- Restart the worker\n", &[("Restart the worker", "")]);
    assert_eq!(notes(Claude, "logs/2026-03-01.md", "- shipped\n")[0].kind, Kind::Episode);
}
