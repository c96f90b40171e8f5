use super::*;
use crate::files::document::Kind;
use crate::files::{normal, render};

/// Checks what the entries of a text say, without their markers.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let found: Vec<String> = entries(text).into_iter().map(|(_, text)| text).collect();
    assert_eq!(found, expected, "{text:?}");
    assert_eq!(Document::parse(text).to_string(), text);
}

#[test]
fn an_item_is_an_entry_with_everything_indented_beneath_it() {
    check("- a\n- b\n", &["a", "b"]);
    check("* a\n+ b\n1. c\n2) d", &["a", "b", "c", "d"]);
    check(
        "- a\n  more\n\n  - nested\n    deeper\n\n- b\n",
        &["a\nmore\n\n- nested\n  deeper", "b"],
    );
    check("- a\n\n      code\n\n\ntext\n", &["a\n\n    code", "text"]);
    check("- [ ] buy tea\n- [x] drink it\n", &["[ ] buy tea", "[x] drink it"]);
    check("  - a\n    more\n  - b\n", &["a\nmore", "b"]);
    check("10. a\n    more\n\t- tab\n", &["a\nmore\n- tab"]);
    check("- a\ngoes on\n- b\n", &["a\ngoes on", "b"]);
    check("-\n  below\n-\n", &["below", ""]);
}

#[test]
fn other_blocks_are_entries_as_a_whole() {
    check("one\ntwo\n\nthree\n", &["one\ntwo", "three"]);
    check(
        "```rust\n# no heading\n\n- no item\n```\nafter\n",
        &["```rust\n# no heading\n\n- no item\n```", "after"],
    );
    check("~~~\n```\n~~~~\nx", &["~~~\n```\n~~~~", "x"]);
    check("| a | b |\n|---|---|\n| 1 | 2 |\n", &["| a | b |\n|---|---|\n| 1 | 2 |"]);
    check("> quoted\nlazily\n> more\n\n> other\n", &["> quoted\nlazily\n> more", "> other"]);
    check("    code\n\n    more\n\ntext", &["    code\n\n    more", "text"]);
    check("In 1986\n1986. was a year\n", &["In 1986\n1986. was a year"]);
    check("Intro:\n- a\n", &["Intro:", "a"]);
}

#[test]
fn what_is_no_entry_is_left_alone() {
    check("---\ntitle: x\n- y\n---\n# A\n\nB\n===\nC\n---\n***\n- - -\n", &[]);
    check("<!-- one\n- two\n\n# three -->\n<!-- four --> <!-- five -->\n", &[]);
    check("\u{feff}---\na: b\n---\n", &[]);
    check("---\nno end", &["no end"]);
    check("<!-- comment --> and text", &["<!-- comment --> and text"]);
}

#[test]
fn what_nothing_ends_runs_to_the_end() {
    check("```\n- a\n\n# b\n", &["```\n- a\n\n# b"]);
    check("- x\n<!-- a\n\n- b\n", &["x"]);
    check("- ```\n  code\ntext\n", &["```\ncode", "text"]);
}

#[test]
fn an_entry_knows_the_headings_above_it() {
    let text = "- top\n# A #\n- a\n\n### C\n- c\n## B\n- b\n\nD #\n===\n- d\n";
    let document = Document::parse(text);
    let paths: Vec<String> = document.entries().map(|entry| entry.path().join("/")).collect();
    assert_eq!(paths, ["", "A", "A/C", "A/B", "D #"]);
}

#[test]
fn a_marker_names_the_entry_it_stands_at() {
    let mark = marker(7);
    let check = |text: String, expected: &[(Option<&str>, &str)]| {
        let expected: Vec<_> =
            expected.iter().map(|(id, text)| (id.map(str::to_owned), (*text).to_owned())).collect();
        assert_eq!(entries(&text), expected, "{text:?}");
    };
    check(format!("- a {mark}\n  b\n"), &[(Some("7"), "a\nb")]);
    check(format!("- a{mark}  \r\n"), &[(Some("7"), "a")]);
    check(format!("- a\n{mark}\n"), &[(Some("7"), "a")]);
    check(format!("a\nb\n{mark}\n\nc"), &[(Some("7"), "a\nb"), (None, "c")]);
    check(format!("a\n\n{mark}\n"), &[(Some("7"), "a")]);
    check(format!("```\n{mark}\n```\n"), &[(None, &format!("```\n{mark}\n```"))]);
    check(format!("# h\n{mark}\ntext"), &[(None, "text")]);
    check(format!("- a {mark}\n  - b {}\n", marker(8)), &[(Some("7"), "a\n- b")]);
    check("- a <!-- cofio:fact_7 -->".to_owned(), &[(None, "a <!-- cofio:fact_7 -->")]);
}

#[test]
fn a_malformed_marker_is_a_comment() {
    let id = id(1);
    for inside in [
        "cofio:",
        "cofio:fact_x",
        "coffee",
        &format!("cofio:{id} novalue"),
        &format!("cofio:{id} a=1 a=2"),
        &format!("cofio:{id} a=%zz"),
        &format!("cofio:{id} a=%FF"),
        &format!("cofio:{id} =x"),
    ] {
        assert_eq!(Marker::parse(&format!("<!-- {inside} -->")), None, "{inside}");
    }
    let kept = format!("<!-- cofio:{id} kind=fact new=a%20b -->");
    let read = Marker::parse(&kept).unwrap();
    assert_eq!((read.get("new"), read.to_string()), (Some("a b"), kept));
}

#[test]
fn hostile_texts_are_few_blocks_or_one_for_each_line() {
    let blocks = |text: &str| Document::parse(text).blocks().len();
    assert_eq!(blocks(&"-".repeat(100_000)), 1);
    assert_eq!(blocks(&"`".repeat(100_000)), 1);
    assert_eq!(blocks(&"<!--".repeat(100_000)), 1);
    assert_eq!(blocks(&"<!--\n".repeat(100_000)), 1);
    assert_eq!(blocks(&"- \n\n".repeat(10_000)), 20_000);
    assert_eq!(blocks(&"<!-- -->".repeat(100_000)), 1);
    let open = Document::parse("```\n");
    assert_eq!(open.blocks()[0].kind, Kind::OpenFence);
}

proptest! {
    #[test]
    fn every_byte_comes_back(text in any_text()) {
        let document = Document::parse(&text);
        let told: String = document.blocks().iter().map(|block| document.raw(block)).collect();
        prop_assert_eq!(&told, &text);
        for entry in document.entries() {
            prop_assert_eq!(normal(&entry.text()), entry.text());
        }
    }

    #[test]
    fn the_normal_form_is_its_own(text in any_text()) {
        prop_assert_eq!(normal(&normal(&text)), normal(&text));
    }

    #[test]
    fn any_text_survives_being_written(text in any_text(), mark in prop::option::of(any_marker()), windows in any::<bool>()) {
        let line_end = if windows { "\r\n" } else { "\n" };
        let written = render::new_item(mark.as_ref(), &text, line_end);
        let document = Document::parse(&written);
        let read: Vec<_> = document.entries().collect();
        prop_assert_eq!(document.blocks().len(), 1, "{:?}", written);
        prop_assert_eq!(read[0].text(), normal(&text), "{:?}", written);
        prop_assert_eq!(read[0].marker(), mark.as_ref());
    }

    #[test]
    fn any_marker_survives_being_written(mark in any_marker()) {
        prop_assert_eq!(Marker::parse(&mark.to_string()), Some(mark));
    }
}
