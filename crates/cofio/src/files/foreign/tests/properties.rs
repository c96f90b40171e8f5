use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

/// Makes texts of pieces that mean something to some program.
fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "    ",
        "\t",
        "- ",
        "1. ",
        "# ",
        "## ",
        "---\n",
        "```",
        "> ",
        "| a |",
        "<!--",
        "-->",
        "%%",
        "[[",
        "]]",
        "![[",
        "|",
        "#",
        "^",
        "/",
        "[",
        "]",
        "(",
        ")",
        ":",
        "\n---\n",
        "tags: ",
        "type: feedback\n",
        "name: x\n",
        "aliases: [y]\n",
        "title: ",
        "[fact] ",
        "rel [[B]]",
        "(x)",
        "`",
        "\"",
        "word",
        "other",
        "é",
        "\u{feff}",
        "\0",
        "2026-03-01",
        "09:30",
        "![[p.png]]",
        "[a](b.md) — c",
        ":\n- ",
    ]);
    prop_oneof![
        prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat()),
        "\\PC{0,60}",
    ]
}

fn any_path() -> impl Strategy<Value = String> {
    let paths = ["MEMORY.md", "a.md", "2026-03-01.md", "b/c d.md", "x", "é.md", ".md"];
    prop::sample::select(paths.map(str::to_owned).to_vec())
}

fn words(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Returns all words that are kept of a file.
fn kept(notes: &[Note]) -> HashSet<String> {
    let said = notes.iter().flat_map(|note| {
        let texts = [Some(note.content()), note.title(), note.description.clone()];
        texts.into_iter().flatten().chain(note.tags.iter().cloned())
    });
    words(&said.collect::<Vec<_>>().join("\n"))
}

proptest! {
    #[test]
    fn any_file_can_be_read(text in any_text(), path in any_path(), other in any_text()) {
        let files = [file(&path, &text), file("other.md", &other)];
        detect(&files, &[]);
        for &format in Format::ALL {
            let read = read(format, &files, &TimeZone::UTC);
            for note in &read.notes {
                prop_assert!(!note.text.trim().is_empty());
                let file = files.iter().find(|file| file.path == note.path).unwrap();
                prop_assert!(note.line >= 1 && note.line <= file.text.matches('\n').count() + 1);
            }
            let said: HashSet<_> =
                read.notes.iter().map(|note| (note.kind, note.content(), note.event_at)).collect();
            prop_assert_eq!(said.len(), read.notes.len());
        }
    }

    #[test]
    fn every_word_of_every_entry_is_kept(text in any_text(), path in any_path()) {
        let document = Document::parse(&text);
        let said: Vec<String> = document.entries().map(|entry| entry.text()).collect();
        for &format in Format::ALL {
            // What Obsidian does not show is left out there.
            let hidden = text.contains("%%") || text.contains('^') || text.contains("![[");
            if format == Format::Obsidian && hidden {
                continue;
            }
            let kept = kept(&notes(format, &path, &text));
            let lost: Vec<String> = words(&said.join("\n")).difference(&kept).cloned().collect();
            prop_assert!(lost.is_empty(), "{} loses {:?}", format, lost);
        }
    }
}
