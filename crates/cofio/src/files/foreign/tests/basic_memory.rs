use super::*;
use Format::BasicMemory;

const NOTE: &str = "\
---
title: Coffee Brewing Methods
type: guide
permalink: drinks/coffee-brewing-methods
tags:
  - coffee
created: 2026-01-05
---

# Coffee Brewing Methods

How to make a good cup.

## Observations
- [method] Pour over is clearer than a French press #brewing (tried twice)
- [ ] buy filters
- [x] buy beans
- [00:12] he pours
- [a link](https://example.org) to read

## Relations
- requires [[Proper Grinding]]
- \"goes well with\" [[tea/tea-leaves|Tea]] (on Sundays)
- [[Water]]
- some prose about [[Water]] and more
";

#[test]
fn observations_and_relations_are_about_their_note() {
    let tea = "---\ntitle: Tea Leaves\ntype: note\npermalink: tea/tea-leaves\n---\n";
    let files = [file("coffee.md", NOTE), file("tea.md", tea)];
    let notes = read(BasicMemory, &files, &TimeZone::UTC).notes;
    let kept: Vec<(String, String)> =
        notes.iter().map(|note| (note.content(), note.tags.join(" "))).collect();
    let about = "[[Coffee Brewing Methods]]";
    let expected = [
        (format!("{about}: How to make a good cup."), "coffee guide"),
        (
            format!("{about}: Pour over is clearer than a French press #brewing (tried twice)"),
            "coffee brewing method guide",
        ),
        (format!("{about}: [ ] buy filters"), "coffee guide"),
        (format!("{about}: [x] buy beans"), "coffee guide"),
        (format!("{about}: [00:12] he pours"), "coffee guide"),
        (format!("{about}: [a link](https://example.org) to read"), "coffee guide"),
        (format!("{about} requires [[Proper Grinding]]"), "coffee guide"),
        (format!("{about} goes well with [[Tea Leaves]] (on Sundays)"), "coffee guide"),
        (format!("{about} links_to [[Water]]"), "coffee guide"),
        (format!("{about}: some prose about [[Water]] and more"), "coffee guide"),
    ];
    assert_eq!(kept, expected.map(|(text, tags)| (text, tags.to_owned())));
    assert!(
        notes.iter().all(|note| note.event_at == Some("2026-01-05T00:00:00Z".parse().unwrap()))
    );
}

#[test]
fn a_relation_is_a_statement() {
    let note = &notes(BasicMemory, "a.md", "- depends_on [[B]] (now)\n")[0];
    let statement = note.statement.clone().unwrap();
    assert_eq!(note.kind, Kind::Procedure);
    assert_eq!(statement.sentence(), "a depends_on B");
    assert_eq!(note.content(), "[[a]] depends_on [[B]] (now)");
    for text in [
        "- [note] see [[B]]\n",
        "depends_on [[B]]\n",
        "- on [[B]] (a) and (b)\n",
        "- on [[B]] too\n",
    ] {
        assert_eq!(notes(BasicMemory, "a.md", text)[0].statement, None, "{text}");
    }
}

#[test]
fn a_name_that_no_link_can_have_stands_as_it_is() {
    let text = "---\ntitle: C# and A/B\n---\n- [fact] both are names\n";
    check(BasicMemory, "a.md", text, &[("C# and A/B: both are names", "fact")]);
}
