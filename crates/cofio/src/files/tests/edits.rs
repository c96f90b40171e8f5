use super::*;
use crate::files::{Edit, Place, Position, normal};

/// Checks what becomes of a document.
#[track_caller]
fn check(text: &str, change: impl FnOnce(&mut Edit<'_>, &[Place]), expected: &str) {
    let document = Document::parse(text);
    let places: Vec<Place> = document.entries().map(|entry| entry.place()).collect();
    let mut edit = document.edit();
    change(&mut edit, &places);
    assert_eq!(edit.finish().as_str(), expected);
}

#[test]
fn another_text_keeps_sign_indentation_and_marker() {
    let mark = marker(1);
    check(
        &format!("# A\n\n  * one {mark}\n    more\n\n- two\n"),
        |edit, places| edit.replace(places[0], "first\n\nsecond"),
        &format!("# A\n\n  * first {mark}\n\n    second\n\n- two\n"),
    );
    check(
        "10. a\r\n- b\r\n",
        |edit, places| edit.replace(places[0], "x\ny"),
        "10. x\r\n    y\r\n- b\r\n",
    );
    check("para\n\nend", |edit, places| edit.replace(places[0], "one\ntwo"), "one\ntwo\n\nend");
    check(
        "para\n\nend",
        |edit, places| edit.replace(places[0], "# one\n\ntwo"),
        "- # one\n\n  two\n\nend",
    );
    check("- a", |edit, places| edit.replace(places[0], "- -"), "-\n  - -\n");
    check("- a", |edit, places| edit.replace(places[0], "    code"), "-\n      code\n");
}

#[test]
fn a_marker_changes_nothing_else() {
    let mark = marker(1);
    check(
        "-   a  \n  b\n",
        |edit, places| edit.mark(places[0], marker(1)),
        &format!("-   a   {mark}\n  b\n"),
    );
    check(
        "one\ntwo",
        |edit, places| edit.mark(places[0], marker(1)),
        &format!("one\ntwo\n{mark}\n"),
    );
    check(
        &format!("- a {}\r\n", marker(2)),
        |edit, places| edit.mark(places[0], marker(1)),
        &format!("- a {mark}\r\n"),
    );
    check(
        "```\nx",
        |edit, places| edit.mark(places[0], marker(1)),
        &format!("- ``` {mark}\n  x\n"),
    );
}

#[test]
fn what_is_removed_leaves_no_gap() {
    check("# A\n\n- a\n\n- b\n", |edit, places| edit.remove(places[0]), "# A\n\n- b\n");
    check("- a\n- b\n- c\n", |edit, places| edit.remove(places[1]), "- a\n- c\n");
    check(
        "a\n\nb\n\nc\n\nd\n",
        |edit, places| {
            edit.remove(places[1]);
            edit.remove(places[2]);
        },
        "a\n\nd\n",
    );
    check("a\n- b\n---\n", |edit, places| edit.remove(places[1]), "a\n\n---\n");
    check(
        "- a\n\nb\n\n    code\n",
        |edit, places| edit.remove(places[1]),
        "- a\n\n<!-- -->\n    code\n",
    );
}

#[test]
fn no_entry_takes_over_the_marker_of_another() {
    let (one, other) = (marker(1), marker(7));
    check(
        &format!("a\n\n- b {one}\n{other}\n"),
        |edit, places| edit.remove(places[1]),
        &format!("a\n\n<!-- -->\n{other}\n"),
    );
}

#[test]
fn a_new_entry_goes_where_it_belongs() {
    let path = |titles: &[&str]| -> Vec<String> {
        titles.iter().map(|title| (*title).to_owned()).collect()
    };
    let under = |titles: &[&str], text: &str, expected: &str| {
        let titles = path(titles);
        check(text, |edit, _| edit.add(Position::Under(&titles), None, "new"), expected);
    };
    check("", |edit, _| edit.add(Position::End, None, "new"), "- new\n");
    check("- a\r\n- b", |edit, _| edit.add(Position::End, None, "new"), "- a\r\n- b\r\n- new\r\n");
    check("text\n\n", |edit, _| edit.add(Position::End, None, "new"), "text\n\n- new\n\n");
    check(
        "- a\n\n```\nopen",
        |edit, _| edit.add(Position::End, None, "new"),
        "- a\n- new\n\n```\nopen",
    );
    check(
        "a\nb",
        |edit, places| edit.add(Position::After(places[0]), None, "new"),
        "a\nb\n\n- new\n",
    );
    under(&["A"], "# A\n- a\n\n## B\n- b\n", "# A\n- a\n- new\n\n## B\n- b\n");
    under(&["A", "B"], "# A\n- a\n\n## B\n# C\n", "# A\n- a\n\n## B\n\n- new\n\n# C\n");
    under(
        &["A", "X", "Y"],
        "# A\n- a\n# C\n- c\n",
        "# A\n- a\n\n## X\n\n### Y\n\n- new\n\n# C\n- c\n",
    );
    under(&["X #"], "- a\n", "- a\n\n# X # #\n\n- new\n");
    under(&[], "\u{feff}# A\n", "\u{feff}- new\n\n# A\n");
}

#[derive(Debug, Clone)]
enum Step {
    Replace(usize, String),
    Mark(usize),
    Remove(usize),
    After(usize, String),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..12_usize, any_text()).prop_map(|(at, text)| Step::Replace(at, text)),
        (0..12_usize).prop_map(Step::Mark),
        (0..12_usize).prop_map(Step::Remove),
        (0..12_usize, any_text()).prop_map(|(at, text)| Step::After(at, text)),
    ];
    prop::collection::vec(step, 0..6)
}

/// Returns what a person would say that the entries are, without any reading.
fn expected(text: &str, steps: &[Step]) -> (Vec<(Option<String>, String)>, String) {
    let document = Document::parse(text);
    let mut edit = document.edit();
    let entries: Vec<_> = document.entries().collect();
    let mut told: Vec<_> =
        super::entries(text).into_iter().map(|entry| (Some(entry), Vec::new())).collect();
    for (number, step) in steps.iter().enumerate() {
        let (Step::Replace(at, _) | Step::Mark(at) | Step::Remove(at) | Step::After(at, _)) = step;
        let Some(entry) = entries.get(*at) else { continue };
        let (place, number) = (entry.place(), 100 + number);
        let open = place_is_open(entry.raw(), &document);
        match step {
            Step::Replace(_, text) => {
                edit.replace(place, text);
                if let Some((_, old)) = &mut told[*at].0 {
                    *old = normal(text);
                }
            }
            Step::Mark(_) => {
                edit.mark(place, marker(number));
                if let Some((mark, _)) = &mut told[*at].0 {
                    *mark = Some(format!("{number:x}"));
                }
            }
            Step::Remove(_) => {
                edit.remove(place);
                told[*at].0 = None;
            }
            Step::After(_, _) if open => {}
            Step::After(_, text) => {
                edit.add(Position::After(place), Some(marker(number)), text);
                told[*at].1.push((Some(format!("{number:x}")), normal(text)));
            }
        }
    }
    let told = told.into_iter().flat_map(|(entry, after)| entry.into_iter().chain(after));
    (told.collect(), edit.finish().to_string())
}

fn place_is_open(raw: &str, document: &Document) -> bool {
    document.as_str().ends_with(raw) && Document::parse(&format!("{raw}\n# x")).blocks().len() == 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn what_is_not_changed_is_read_as_before(text in markdown(), steps in steps()) {
        let (told, made) = expected(&text, &steps);
        prop_assert_eq!(entries(&made), told, "{:?}", made);
    }

    #[test]
    fn nothing_changes_without_a_change(text in any_text()) {
        let document = Document::parse(&text);
        prop_assert_eq!(document.edit().finish().to_string(), text);
    }
}
