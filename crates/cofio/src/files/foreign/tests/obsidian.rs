use super::*;
use Format::Obsidian;

#[test]
fn a_note_is_about_what_it_is_called() {
    let text = "\
---
tags: [people]
aliases:
  - Nora
  - nj
created: 2026-01-05
---
# Nora Jones

Works with [[Bob Hill|Bob]] on [[Projects/Apollo#Plan]]. #project/apollo

## Likes

- tea ^likes-1
- [[Nora Jones]] rows
";
    check(
        Obsidian,
        "People/Nora Jones.md",
        text,
        &[
            ("[[Nora Jones]] is also called [[Nora Jones|Nora]]", "people"),
            ("[[Nora Jones]] is also called [[nj]]", "people"),
            (
                "[[Nora Jones]]: Works with [[Bob Hill|Bob]] on [[Projects/Apollo#Plan]]. \
                 #project/apollo",
                "people project project/apollo",
            ),
            ("[[Nora Jones]]: tea", "people"),
            ("[[Nora Jones]] rows", "people"),
        ],
    );
    let notes = notes(Obsidian, "People/Nora Jones.md", text);
    assert_eq!(notes[3].title().unwrap(), "Nora Jones › Likes");
    assert_eq!(notes[0].statement.as_ref().unwrap().sentence(), "Nora Jones is also called Nora");
}

#[test]
fn what_obsidian_does_not_show_is_left_out() {
    check(
        Obsidian,
        "2026-03-01.md",
        "- seen %%hidden%% too\n\n%%\nall of\n\n- this\n%%\n\n```\n%%time%%\n```\n\n- 5%% is open\n",
        &[("seen  too", ""), ("```\n%%time%%\n```", ""), ("5%% is open", "")],
    );
    check(
        Obsidian,
        "2026-03-01.md",
        "One\nx ^2\n\ntwo ^b-2\n\n- a ^b\n  - c ^d\n",
        &[("One\nx", ""), ("two", ""), ("a\n- c", "")],
    );
    check(Obsidian, "2026-03-01.md", "x = y^2\n\n^alone\n", &[("x = y^2", "")]);
    let lines: Vec<usize> =
        notes(Obsidian, "a.md", "%%\na\n%%\n\n- b\n").iter().map(|note| note.line).collect();
    assert_eq!(lines, [5]);
}

#[test]
fn a_line_that_only_shows_something_from_elsewhere_says_nothing() {
    check(
        Obsidian,
        "2026-03-01.md",
        "![[photo.png]]\n\n- ![[Other note]]\n\nHere: ![[photo.png]]\n\n> ![[a]]\n\n---\n\n***\n",
        &[("Here: ![[photo.png]]", "")],
    );
}

#[test]
fn a_daily_note_is_what_happened_and_about_nothing_else() {
    let note = &notes(Obsidian, "Daily/2026-03-01.md", "- met [[Nora Jones]]\n")[0];
    assert_eq!((note.kind, note.content().as_str()), (Kind::Episode, "met [[Nora Jones]]"));
}
