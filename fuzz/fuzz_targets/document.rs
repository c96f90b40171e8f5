//! Any text is a document that gives it back, and each entry can be written anew without changing
//! what is read.

#![no_main]

use cofio::files::{Document, normal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let document = Document::parse(text);
    assert_eq!(document.to_string(), text);
    let said: Vec<String> = document.entries().map(|entry| entry.text()).collect();
    assert!(said.iter().all(|text| normal(text) == *text));
    let mut edit = document.edit();
    for entry in document.entries() {
        edit.replace(entry.place(), &entry.text());
    }
    let again: Vec<String> = edit.finish().entries().map(|entry| entry.text()).collect();
    assert_eq!(again, said);
});
