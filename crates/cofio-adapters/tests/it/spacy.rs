//! Our recogniser against what spaCy finds in the same texts with the same model.
//!
//! `scripts/golden_entities.py` wrote the expectations in `tests/golden`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use cofio::ErrorKind;
use cofio::model::EntityType;
use cofio::recognise::{Cost, Pipeline, Recogniser};
use cofio_adapters::spacy::{Deferred, EnCoreWebSm, compact};
use serde_json::Value;
use tempfile::TempDir;

/// Where the model lies, if it was made ready; `cargo xtask test` does and says so.
fn source() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let named = std::env::var_os("COFIO_TEST_NAMES_DIR").map(PathBuf::from);
    let promised = named.is_some();
    let folder = named.unwrap_or_else(|| workspace.join("target/models/en-core-web-sm"));
    let is_there = folder.join("ner/model").exists() && folder.join("tokenizer").exists();
    assert!(is_there || !promised, "there is no model in {}", folder.display());
    if !is_there {
        eprintln!("skipped: there is no model in {}; run `cargo xtask test`", folder.display());
    }
    is_there.then_some(folder)
}

/// The model file, made once for all tests.
static MODEL: LazyLock<Option<(TempDir, PathBuf)>> = LazyLock::new(|| {
    let source = source()?;
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("en-core-web-sm.cofio");
    compact(&source, &target).unwrap();
    Some((folder, target))
});

fn recogniser() -> Option<EnCoreWebSm> {
    MODEL.as_ref().map(|(_, path)| EnCoreWebSm::open(path).unwrap())
}

fn cases() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/entities.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn entities_are_those_of_the_original() {
    let Some(recogniser) = recogniser() else { return };
    let (mut entities, mut differences) = (0, Vec::new());
    for case in cases() {
        let text = case["text"].as_str().unwrap();
        let found: Vec<Value> = recogniser
            .entities(text)
            .into_iter()
            .map(|found| {
                let start = found.range.start;
                serde_json::json!([text[found.range], start, found.label.as_str()])
            })
            .collect();
        entities += found.len();
        if case["entities"] != Value::from(found.clone()) {
            differences.push(format!("{text:?}\n  {}\n  {}", case["entities"], Value::from(found)));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(entities > 500, "{entities}");
}

#[test]
fn words_are_those_of_the_original() {
    let Some(recogniser) = recogniser() else { return };
    for case in cases() {
        let text = case["text"].as_str().unwrap();
        let words: Vec<Value> = recogniser.words(text).map(Value::from).collect();
        assert_eq!(case["words"], Value::from(words), "{text:?}");
    }
}

#[test]
fn names_join_what_patterns_find() {
    let Some(recogniser) = recogniser() else { return };
    assert_eq!((recogniser.name(), recogniser.cost()), ("en-core-web-sm", Cost::Accurate));
    let pipeline = Pipeline::accurate([Arc::new(recogniser) as _]);
    assert!(pipeline.is_accurate());
    let text = "Caroline Herschel wrote to anna@example.org on 2026-03-01, and she said that \
                Caroline likes London.";
    let found = pipeline.mentions(text, &[]);
    let found: Vec<_> =
        found.iter().map(|it| (it.name.as_str(), it.alias.as_str(), it.entity_type)).collect();
    assert_eq!(
        found,
        [
            ("Caroline Herschel", "Caroline Herschel", EntityType::Person),
            ("anna@example.org", "anna@example.org", EntityType::Email),
            ("2026-03-01", "2026-03-01", EntityType::Other),
            ("Caroline Herschel", "Caroline", EntityType::Person),
            ("London", "London", EntityType::Location),
        ]
    );
}

/// Measures the model on sentences of which a person says what they name: how many names there are,
/// how many were found, and how many of those are right.
fn measured(pipeline: &Pipeline) -> (usize, usize, usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cofio/tests/golden/entities.txt");
    let golden = std::fs::read_to_string(path).unwrap();
    let (mut all, mut found, mut right) = (0, 0, 0);
    let mut spans: Vec<String> = Vec::new();
    for line in golden.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(named) = line.strip_prefix("  ") {
            all += 1;
            right += spans.iter().filter(|span| *span == named).count();
        } else {
            let written = |span: &cofio::recognise::Span| {
                format!("{}: {}", span.entity_type, &line[span.range.clone()])
            };
            spans = pipeline.spans(line).iter().map(written).collect();
            found += spans.len();
        }
    }
    (all, found, right)
}

#[test]
fn the_model_finds_most_of_what_a_person_does() {
    let Some((_, path)) = MODEL.as_ref() else { return };
    let pipeline = Pipeline::accurate([Arc::new(Deferred::new(path)) as _]);
    let (all, found, right) = measured(&pipeline);
    eprintln!("{right} right of {found} found, of {all}");
    assert!(right * 100 >= found * 70, "{right} of {found} are right");
    assert!(right * 100 >= all * 70, "{right} of {all} are found");
}

#[test]
fn a_model_is_read_when_it_is_first_needed() {
    let folder = TempDir::new().unwrap();
    let absent = Deferred::new(folder.path().join("absent.cofio"));
    assert_eq!((absent.name(), absent.cost()), ("en-core-web-sm", Cost::Accurate));
    assert_eq!(absent.prepare().unwrap_err().kind(), ErrorKind::Configuration);
    assert_eq!(absent.recognise("Caroline Herschel lived in Bath"), []);
    let Some((_, path)) = MODEL.as_ref() else { return };
    let late = folder.path().join("late.cofio");
    let deferred = Deferred::new(&late);
    std::fs::copy(path, &late).unwrap();
    deferred.prepare().unwrap();
    std::fs::remove_file(&late).unwrap();
    assert_eq!(deferred.recognise("Caroline Herschel discovered comets").len(), 1);
}

#[test]
fn a_file_that_is_missing_cut_off_or_changed_is_refused() {
    let Some((_, path)) = MODEL.as_ref() else { return };
    let folder = TempDir::new().unwrap();
    let damaged = folder.path().join("damaged.cofio");
    let check = |expected: ErrorKind| {
        assert_eq!(EnCoreWebSm::open(&damaged).unwrap_err().kind(), expected);
    };
    check(ErrorKind::Configuration);
    let whole = std::fs::read(path).unwrap();
    for end in [0, 43, 44, 5000, whole.len() - 1] {
        std::fs::write(&damaged, &whole[..end]).unwrap();
        check(ErrorKind::Damaged);
    }
    let mut changed = whole;
    changed[1_000_000] ^= 1;
    std::fs::write(&damaged, changed).unwrap();
    check(ErrorKind::Damaged);
}

#[cfg(feature = "models")]
#[test]
fn the_model_of_the_catalogue_is_the_one_that_was_published() {
    use cofio_adapters::models::{Place, Pull, find, pull};

    let Some(source) = source() else { return };
    let folder = TempDir::new().unwrap();
    let options = Pull { place: Place::Folder(source), ..Pull::default() };
    let pulled = pull(find("en-core-web-sm").unwrap(), folder.path(), &options, |_| {}).unwrap();
    assert!(EnCoreWebSm::open(&pulled.path).is_ok());
}

#[test]
fn any_text_is_read() {
    let Some(recogniser) = recogniser() else { return };
    for text in
        ["\u{0}", "\u{1f600}", "ǅ", "\u{2028}a", "İstanbul", "a\u{301}", "'", "''''", "…………"]
    {
        for span in recogniser.recognise(text) {
            assert!(text.get(span.range).is_some_and(|name| !name.is_empty()));
        }
    }
}
