//! Who may know whom inside the library.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Each module and those it may name besides what everyone knows.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("error", &[]),
    ("config", &[]),
    ("model", &[]),
    ("text", &[]),
    ("processors", &[]),
    ("recognise", &[]),
    ("ingest", &["lifecycle", "recognise"]),
    ("retrieval", &[]),
    ("lifecycle", &["recognise", "retrieval"]),
    ("embed", &[]),
    ("llm", &["ingest", "lifecycle", "recognise", "retrieval"]),
    // Its suite is made of the same names and texts as the stores'.
    ("shelf", &["store"]),
    ("store", &[]),
    ("entry", &[]),
    ("bundle", &["entry"]),
    ("files", &[]),
    ("mirrored", &["files", "store"]),
    ("shelved", &["shelf", "store"]),
    ("at_hand", &["store"]),
    (
        "engine",
        &[
            "ingest",
            "recognise",
            "retrieval",
            "lifecycle",
            "embed",
            "llm",
            "store",
            "bundle",
            "files",
        ],
    ),
    ("wire", &["entry", "engine", "ingest", "lifecycle", "retrieval", "store"]),
];

const EVERYONE_KNOWS: &[&str] = &["error", "config", "model", "processors", "text"];

#[test]
fn arrows_point_one_way() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut complaints = Vec::new();
    for (module, allowed) in MAY_KNOW {
        for file in files(&source, module) {
            let text = std::fs::read_to_string(&file).unwrap();
            for named in named_modules(&text) {
                let known = named == *module
                    || EVERYONE_KNOWS.contains(&named.as_str())
                    || allowed.contains(&named.as_str());
                if !known {
                    complaints.push(format!("{} names {named}", file.display()));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn every_module_has_its_place() {
    let library = include_str!("../../src/lib.rs");
    let declared: BTreeSet<&str> = library
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    let placed: BTreeSet<&str> = MAY_KNOW.iter().map(|(module, _)| *module).collect();
    assert_eq!(declared, placed);
}

/// Returns the file of a module and those in its folder.
fn files(source: &Path, module: &str) -> Vec<PathBuf> {
    let mut files = vec![source.join(format!("{module}.rs"))];
    let mut folders = vec![source.join(module)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// Returns what follows `crate::` in code, comments left out.
fn named_modules(text: &str) -> BTreeSet<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let word = |rest: &str| {
        rest.split(|c: char| !c.is_ascii_lowercase() && c != '_').next().map(str::to_owned)
    };
    code.flat_map(|line| line.split("crate::").skip(1).filter_map(word))
        .filter(|word| !word.is_empty() && !word.ends_with("_suite"))
        .collect()
}
