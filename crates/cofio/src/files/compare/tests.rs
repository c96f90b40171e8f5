use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;
use crate::files::{Marker, Position, Shape};

fn id(number: usize) -> MemoryId {
    format!("fact_{number:032x}").parse().unwrap()
}

fn said(texts: &[(usize, &str)]) -> Vec<Said> {
    texts.iter().map(|(number, text)| (id(*number), (*text).to_owned())).collect()
}

/// Writes a file with some entries, of which some have markers.
fn file(entries: &[(Option<usize>, &str)]) -> Document {
    let empty = Document::parse("# Facts\n");
    let mut edit = empty.edit();
    for (number, text) in entries {
        edit.add(Position::End, number.map(|number| Marker::new(id(number))), text);
    }
    edit.finish()
}

/// Does on both sides what a plan says.
fn applied(
    plan: &Plan,
    document: &Document,
    store: &[Said],
    mut next: usize,
) -> (Document, Vec<Said>) {
    let mut store = store.to_vec();
    store.retain(|(id, _)| !plan.deleted.contains(id));
    for (id, text) in &plan.edited {
        store.iter_mut().filter(|(other, _)| other == id).for_each(|said| said.1.clone_from(text));
    }
    let mut markers = Vec::new();
    for added in &plan.added {
        store.push((id(next), added.text.clone()));
        markers.push(Some(Marker::new(id(next))));
        next += 1;
    }
    let known = |id: &MemoryId, _: Option<&Marker>| Known {
        marker: Marker::new(id.clone()),
        path: None,
        shape: Shape::Item,
    };
    (plan.write(document, &markers, Bare::Marked, known), store)
}

/// Checks what the file and the store say in the end, and how many conflicts there are.
#[track_caller]
fn check(
    base: &[(usize, &str)],
    entries: &[(Option<usize>, &str)],
    store: &[(usize, &str)],
    expected: &[(usize, &str)],
    conflicts: &[Quarrel],
) {
    let (base, document, store) = (said(base), file(entries), said(store));
    let plan = compare(&base, &document, &store);
    let (document, store) = applied(&plan, &document, &store, 100);
    let told: Vec<Quarrel> = plan.conflicts.iter().map(|conflict| conflict.quarrel).collect();
    assert_eq!(told, conflicts);
    assert_eq!(super::base(&document, &[], &[]), said(expected), "{document}");
    let known: BTreeMap<_, _> = store.into_iter().collect();
    assert_eq!(known, said(expected).into_iter().collect());
}

const BASE: &[(usize, &str)] = &[(1, "one"), (2, "two"), (3, "three")];

#[test]
fn what_one_side_does_the_other_follows() {
    check(
        BASE,
        &[(Some(1), "ONE"), (Some(3), "three"), (None, "new")],
        BASE,
        &[(1, "ONE"), (3, "three"), (100, "new")],
        &[],
    );
    check(
        BASE,
        &[(Some(1), "one"), (Some(2), "two"), (Some(3), "three")],
        &[(1, "one"), (3, "THREE"), (4, "four")],
        &[(1, "one"), (3, "THREE"), (4, "four")],
        &[],
    );
    check(
        BASE,
        &[(Some(3), "three"), (Some(1), "one"), (Some(2), "two")],
        BASE,
        &[(3, "three"), (1, "one"), (2, "two")],
        &[],
    );
    check(&[], &[], &[(1, "one")], &[(1, "one")], &[]);
}

#[test]
fn changes_of_different_lines_are_merged() {
    check(
        &[(1, "a\nb\nc")],
        &[(Some(1), "A\nb\nc")],
        &[(1, "a\nb\nc\nd")],
        &[(1, "A\nb\nc\nd")],
        &[],
    );
    check(&[(1, "a")], &[(Some(1), "b")], &[(1, "b")], &[(1, "b")], &[]);
}

#[test]
fn where_both_changed_the_same_both_texts_stand() {
    check(
        &[(1, "a")],
        &[(Some(1), "mine")],
        &[(1, "theirs")],
        &[(100, "mine"), (1, "theirs")],
        &[Quarrel::BothChanged],
    );
}

#[test]
fn what_one_side_removed_and_the_other_changed_is_kept() {
    check(
        BASE,
        &[(Some(1), "one"), (Some(2), "two")],
        &[(1, "one"), (2, "two"), (3, "THREE")],
        &[(1, "one"), (2, "two"), (3, "THREE")],
        &[Quarrel::RemovedFromFile],
    );
    check(&[(1, "a")], &[(Some(1), "b")], &[], &[(100, "b")], &[Quarrel::RemovedFromStore]);
    check(&[(1, "a")], &[(Some(1), "")], &[(1, "a")], &[], &[]);
    check(&[(1, "a")], &[(Some(1), "")], &[(1, "b")], &[(1, "b")], &[Quarrel::RemovedFromFile]);
}

#[test]
fn a_marker_that_stands_twice_stays_with_the_text_it_had() {
    check(
        BASE,
        &[(Some(1), "copy"), (Some(1), "one"), (Some(2), "two"), (Some(3), "three")],
        BASE,
        &[(100, "copy"), (1, "one"), (2, "two"), (3, "three")],
        &[],
    );
    check(
        &[(1, "a")],
        &[(Some(1), "b"), (Some(1), "c")],
        &[(1, "a")],
        &[(1, "b"), (100, "c")],
        &[],
    );
}

#[test]
fn a_file_that_was_written_anew_without_markers_is_changes() {
    let base = &[(1, "Ann drinks black tea"), (2, "the build takes two minutes"), (3, "three")];
    let entries = &[
        (None, "Ann drinks green tea"),
        (None, "something else"),
        (None, "three"),
        (None, "the build takes four minutes"),
    ];
    let expected = &[
        (1, "Ann drinks green tea"),
        (100, "something else"),
        (3, "three"),
        (101, "the build takes four minutes"),
    ];
    check(base, entries, base, expected, &[]);
    check(
        &[],
        &[(None, "kept before a crash")],
        &[(1, "kept before a crash")],
        &[(1, "kept before a crash")],
        &[],
    );
}

#[test]
fn what_the_store_did_not_take_is_not_replaced() {
    let (base, document) = (said(&[(1, "a")]), file(&[(Some(1), "secret")]));
    let plan = compare(&base, &document, &base);
    let known = |id: &MemoryId, _: Option<&Marker>| Known {
        marker: Marker::new(id.clone()),
        path: None,
        shape: Shape::Item,
    };
    let document = plan.write(&document, &[], Bare::Marked, known);
    let again = compare(&super::base(&document, &base, &[id(1)]), &document, &base);
    assert_eq!(again.edited, said(&[(1, "secret")]));
    assert!(again.written.is_empty());
    let store = said(&[(1, "theirs")]);
    let plan = compare(&base, &document, &store);
    let document = plan.write(&document, &[None], Bare::Marked, known);
    let again = compare(&super::base(&document, &base, &[]), &document, &store);
    assert_eq!((again.added.len(), again.written.len()), (1, 0));
}

#[test]
fn a_new_entry_says_what_it_stands_under() {
    let document = Document::parse("# A\n\n- x\n\n## B\n\n- y\n");
    let plan = compare(&[], &document, &[]);
    let paths: Vec<String> = plan.added.iter().map(|added| added.path.join("/")).collect();
    assert_eq!(paths, ["A", "A/B"]);
}

/// What somebody does to one side.
#[derive(Debug, Clone)]
enum Step {
    Line(usize, usize, String),
    Text(usize, String),
    Delete(usize),
    Add(String),
    Move(usize, usize),
    Copy(usize),
    DropMarkers,
}

fn any_text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "tea",
        "black",
        "Ann",
        "drinks",
        "# x",
        "- y",
        "```",
        "build",
        "<!-- cofio",
    ]);
    let line = prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "));
    prop::collection::vec(line, 1..5).prop_map(|lines| normal(&lines.join("\n")))
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let at = || 0..8_usize;
    let step = prop_oneof![
        4 => (at(), at(), "[a-z]{1,8}").prop_map(|(at, line, text)| Step::Line(at, line, text)),
        2 => (at(), any_text()).prop_map(|(at, text)| Step::Text(at, text)),
        2 => at().prop_map(Step::Delete),
        2 => any_text().prop_map(Step::Add),
        1 => (at(), at()).prop_map(|(from, to)| Step::Move(from, to)),
        1 => at().prop_map(Step::Copy),
        1 => Just(Step::DropMarkers),
    ];
    prop::collection::vec(step, 0..5)
}

type Side = Vec<(Option<MemoryId>, String)>;

/// Does to one side what somebody does; in a store, there are ids and no order.
fn changed(base: &[Said], steps: &[Step], store: bool) -> Side {
    let mut side: Side = base.iter().cloned().map(|(id, text)| (Some(id), text)).collect();
    let mut next = 50;
    for step in steps {
        match step {
            Step::Line(at, line, new) if *at < side.len() => {
                let mut lines: Vec<&str> = side[*at].1.lines().collect();
                if let Some(line) = lines.get_mut(*line) {
                    *line = new;
                }
                side[*at].1 = normal(&lines.join("\n"));
            }
            Step::Text(at, text) if *at < side.len() => side[*at].1.clone_from(text),
            Step::Delete(at) if *at < side.len() => drop(side.remove(*at)),
            Step::Add(text) => {
                side.push((store.then(|| id(next)), text.clone()));
                next += 1;
            }
            Step::Move(from, to) if !store && *from < side.len() => {
                let moved = side.remove(*from);
                side.insert((*to).min(side.len()), moved);
            }
            Step::Copy(at) if !store && *at < side.len() => side.push(side[*at].clone()),
            Step::DropMarkers if !store => side.iter_mut().for_each(|(id, _)| *id = None),
            _ => {}
        }
    }
    side
}

fn texts<'a>(said: impl IntoIterator<Item = &'a String>) -> BTreeSet<String> {
    said.into_iter().cloned().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn nothing_that_anybody_wrote_is_lost(
        base in prop::collection::vec(any_text(), 0..6),
        in_file in steps(),
        in_store in steps(),
    ) {
        let base: Vec<Said> = base.into_iter().enumerate().map(|(number, text)| (id(number), text)).collect();
        let side = changed(&base, &in_file, false);
        let entries: Document = {
            let empty = Document::parse("# Facts\n");
            let mut edit = empty.edit();
            for (id, text) in &side {
                edit.add(Position::End, id.clone().map(Marker::new), text);
            }
            edit.finish()
        };
        let store: Vec<Said> = changed(&base, &in_store, true).into_iter().map(|(id, text)| (id.unwrap(), text)).collect();
        let plan = compare(&base, &entries, &store);
        let (after, kept) = applied(&plan, &entries, &store, 100);

        let next = super::base(&after, &[], &[]);
        prop_assert_eq!(after.entries().count(), next.len(), "every entry is a memory: {}", after);
        let known: BTreeMap<_, _> = kept.iter().cloned().collect();
        prop_assert_eq!(&next.iter().cloned().collect::<BTreeMap<_, _>>(), &known, "both sides agree");

        let then = texts(base.iter().map(|(_, text)| text));
        let now = texts(known.values());
        let lines: BTreeSet<&str> = now.iter().flat_map(|text| text.lines()).collect();
        let merged = |text: &str| !plan.merged.is_empty() && text.lines().filter(|line| !then.iter().any(|text| text.lines().any(|other| other == *line))).all(|line| lines.contains(line));
        for text in side.iter().map(|(_, text)| text).chain(store.iter().map(|(_, text)| text)) {
            prop_assert!(then.contains(text) || now.contains(text) || merged(text), "lost {:?}", text);
        }
        let stored: BTreeMap<_, _> = store.iter().cloned().collect();
        if stored == base.iter().cloned().collect() {
            prop_assert_eq!(&now, &texts(side.iter().map(|(_, text)| text)), "the store follows");
            prop_assert!(plan.conflicts.is_empty());
        }
        if in_file.is_empty() {
            prop_assert_eq!(&known, &stored, "the file follows");
        }

        let again = compare(&next, &after, &kept);
        prop_assert!(again.is_empty(), "{:?}", again);
        let (same, _) = applied(&again, &after, &kept, 200);
        prop_assert_eq!(same.as_str(), after.as_str());
    }

    #[test]
    fn merging_never_fails(base in "[ab\n]{0,12}", one in "[ab\n]{0,12}", other in "[ab\n]{0,12}") {
        if let Some(merged) = merge::merged(&base, &one, &base) {
            prop_assert_eq!(&merged, &one);
        }
        let _ = merge::merged(&base, &one, &other);
    }
}
