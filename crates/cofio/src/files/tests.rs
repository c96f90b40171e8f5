use proptest::prelude::*;

use super::{Document, Marker};
use crate::model::MemoryId;

mod documents;
mod edits;
mod fields;

/// Returns the id of one of many memories.
fn id(number: usize) -> MemoryId {
    format!("fact_{number:032x}").parse().unwrap()
}

/// Returns a marker without attributes.
fn marker(number: usize) -> Marker {
    Marker::new(id(number))
}

/// Returns what each entry says, and the last digits of its id.
fn entries(text: &str) -> Vec<(Option<String>, String)> {
    let document = Document::parse(text);
    let number = |marker: &Marker| {
        marker.id.as_str().trim_start_matches("fact_0").trim_start_matches('0').to_owned()
    };
    document.entries().map(|entry| (entry.marker().map(number), entry.text())).collect()
}

/// Makes texts of pieces that mean something in markdown.
fn markdown() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "    ",
        "\t",
        "- ",
        "* ",
        "1. ",
        "2) ",
        "-",
        "# ",
        "## ",
        "#",
        "---",
        "===",
        "***",
        "```",
        "~~~",
        "> ",
        "| a |",
        "<!--",
        "-->",
        "<!-- x -->",
        "<!-- cofio:fact_00000000000000000000000000000007 -->",
        "<!-- \\cofio",
        "\\",
        "cofio:",
        "[ ] ",
        "word",
        "é",
        "\u{feff}",
        "\0",
        "text\n",
        "\n- item\n",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

/// Makes texts of any characters, and of those that mean something.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        markdown(),
        "\\PC{0,40}",
        prop::collection::vec(any::<char>(), 0..40)
            .prop_map(|chars| chars.into_iter().collect::<String>())
    ]
}

/// Makes markers.
fn any_marker() -> impl Strategy<Value = Marker> {
    let attributes =
        prop::collection::btree_map("[a-z=%<> -]{0,6}", "\\PC{0,12}|[ %<>=\n-]{0,6}", 0..4);
    (0..100_usize, attributes).prop_map(|(number, attributes)| {
        let with = |marker: Marker, (name, value): (String, String)| marker.with(&name, value);
        attributes.into_iter().fold(marker(number), with)
    })
}
