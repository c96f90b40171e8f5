//! The model against what sentence-transformers and its tokenizer make of the same texts.
//!
//! `scripts/golden.py` wrote the expectations in `tests/golden`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use cofio::embed::Embedder;
use cofio::ingest::{Level, redact};
use cofio::model::CleanText;
use cofio::{ErrorKind, Result};
use cofio_adapters::minilm::{Kernel, Minilm, Options, Tokenizer, compact};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A text, its tokens and its vector.
struct Case {
    text: CleanText,
    ids: Vec<u32>,
    vector: Vec<f32>,
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let cases: Vec<Value> = serde_json::from_str(&golden("vectors.json")).unwrap();
    let case = |case: &Value| Case {
        text: clean(case["text"].as_str().unwrap()),
        ids: numbers(&case["ids"]).map(|id| u32::try_from(id).unwrap()).collect(),
        vector: numbers(&case["vector_times_100000"]).map(|number| number as f32 / 1e5).collect(),
    };
    cases.iter().map(case).collect()
});

/// The model file, made once for all tests.
static MODEL: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("all-MiniLM-L6-v2.cofio");
    compact(&source(), &target).unwrap();
    (folder, target)
});

/// The vectors of all texts by the slowest kernel.
static PORTABLE: LazyLock<Vec<Vec<f32>>> =
    LazyLock::new(|| embed(&minilm(Kernel::Portable), &texts()).unwrap());

#[test]
fn tokens_are_those_of_the_original() {
    let tokenizer = Tokenizer::open(&MODEL.1).unwrap();
    for case in CASES.iter() {
        assert_eq!(tokenizer.ids(case.text.as_str()), case.ids, "{}", case.text.as_str());
    }
}

#[test]
fn every_character_is_cut_as_by_the_original() {
    let tokenizer = Tokenizer::open(&MODEL.1).unwrap();
    let blocks: BTreeMap<String, String> =
        serde_json::from_str(&golden("characters.json")).unwrap();
    for (start, expected) in blocks {
        let start = u32::from_str_radix(&start, 16).unwrap();
        let mut hash = Sha256::new();
        for character in (start..start + 0x1000).filter_map(char::from_u32) {
            for id in tokenizer.ids(&format!("a{character}b {character}")) {
                hash.update(id.to_le_bytes());
            }
            hash.update([0xff; 4]);
        }
        let found: [u8; 32] = hash.finalize().into();
        assert_eq!(found, bytes(&expected), "characters from U+{start:04X}");
    }
}

#[test]
fn a_text_ends_at_256_tokens() {
    let tokenizer = Tokenizer::open(&MODEL.1).unwrap();
    let expected: Value = serde_json::from_str(&golden("long.json")).unwrap();
    let check = |text: &str, expected: &Value| {
        let ids = tokenizer.ids(text);
        assert!(ids.iter().map(|id| i64::from(*id)).eq(numbers(expected)));
    };
    let words = "memory agent deploy database friday rollback user prefers tea coffee meeting \
        london project review because after before never always server key garden violin mother \
        invoice train";
    let words: Vec<&str> = words.split_whitespace().collect();
    let text = (0..5000).map(|place| words[(place * place + 19 * place) % words.len()]);
    check(&text.collect::<Vec<_>>().join(" "), &expected["words"]);
    check(&"z".repeat(5000), &expected["letters"]);

    let head = |count| clean(&"tea ".repeat(count));
    let vectors = embed(&minilm(Kernel::best()), &[head(254), head(255), head(5000)]).unwrap();
    assert!(vectors[0] == vectors[1] && vectors[1] == vectors[2]);
}

#[test]
fn vectors_agree_with_sentence_transformers_on_the_portable_kernel() {
    check_vectors(Kernel::Portable, &PORTABLE);
}

#[test]
fn vectors_agree_with_sentence_transformers_and_the_portable_kernel_on_avx2() {
    check_kernel(Kernel::Avx2);
}

#[test]
fn vectors_agree_with_sentence_transformers_and_the_portable_kernel_on_avx512() {
    check_kernel(Kernel::Avx512);
}

/// Checks a kernel that not every processor has.
fn check_kernel(kernel: Kernel) {
    if !kernel.available() {
        println!("skipped: this processor has no {kernel:?}");
        return;
    }
    let vectors = embed(&minilm(kernel), &texts()).unwrap();
    check_vectors(kernel, &vectors);
    assert!(vectors == *PORTABLE, "{kernel:?} computes other bits than the portable kernel");
}

fn check_vectors(kernel: Kernel, vectors: &[Vec<f32>]) {
    let mut least = 1.0;
    for (case, vector) in CASES.iter().zip(vectors) {
        let cosine = dot(&case.vector, vector) / dot(&case.vector, &case.vector).sqrt();
        assert!(cosine >= 0.999, "{cosine} for {}", case.text.as_str());
        assert!((dot(vector, vector) - 1.0).abs() < 1e-5);
        least = f32::min(least, cosine);
    }
    println!("{kernel:?}: cosine {least} or more");
}

#[test]
fn a_vector_does_not_depend_on_its_neighbours() {
    for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.available()) {
        let minilm = minilm(kernel);
        // The portable kernel is slow.
        let mut texts: Vec<_> =
            texts().into_iter().filter(|text| text.as_str().len() < 700).collect();
        let together = embed(&minilm, &texts).unwrap();
        texts.reverse();
        let mut reversed = embed(&minilm, &texts).unwrap();
        reversed.reverse();
        assert!(together == reversed);
        texts.reverse();
        for (text, vector) in texts.iter().zip(&together).step_by(5) {
            let alone = embed(&minilm, std::slice::from_ref(text)).unwrap();
            assert!(alone[0] == *vector, "{kernel:?} differs for {}", text.as_str());
        }
    }
}

#[test]
fn a_shorter_vector_is_the_beginning_brought_to_length_one() {
    let options = Options { dimensions: 256, ..Options::default() };
    let shorter = Minilm::open(&MODEL.1, &options).unwrap();
    let text = [clean("Alice drinks her tea black")];
    let short = embed(&shorter, &text).unwrap().remove(0);
    let long = embed(&minilm(Kernel::best()), &text).unwrap().remove(0);
    assert_eq!(short.len(), 256);
    let length = dot(&long[..256], &long[..256]).sqrt();
    assert!(short.iter().zip(&long).all(|(short, long)| (short - long / length).abs() < 1e-6));

    let error = Minilm::open(&MODEL.1, &Options { dimensions: 100, ..Options::default() });
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Configuration);
}

#[test]
fn the_fingerprint_names_model_source_format_and_size() {
    let fingerprint = minilm(Kernel::best()).fingerprint().as_str().to_owned();
    assert_eq!(fingerprint, "all-MiniLM-L6-v2/53aa5117/int12-1/384");
}

#[test]
fn nothing_has_no_vectors() {
    assert!(embed(&minilm(Kernel::best()), &[]).unwrap().is_empty());
}

#[test]
fn a_missing_model_says_how_to_get_it() {
    let error = Minilm::open("/nowhere/model.cofio", &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    assert!(error.to_string().contains("cofio model pull"), "{error}");
}

#[test]
fn damage_is_told() {
    let bytes = fs::read(&MODEL.1).unwrap();
    let changed = |place: usize| {
        let mut bytes = bytes.clone();
        bytes[place] ^= 1;
        bytes
    };
    let extended = [&bytes[..], b"more"].concat();
    check_damage(&changed(0), ErrorKind::Damaged);
    check_damage(&changed(8), ErrorKind::Configuration);
    check_damage(&bytes[..40], ErrorKind::Damaged);
    check_damage(&changed(78), ErrorKind::Damaged);
    check_damage(&changed(1000), ErrorKind::Damaged);
    check_damage(&changed(bytes.len() / 2), ErrorKind::Damaged);
    check_damage(&changed(bytes.len() - 1), ErrorKind::Damaged);
    check_damage(&bytes[..bytes.len() - 1], ErrorKind::Damaged);
    check_damage(&extended, ErrorKind::Damaged);
}

fn check_damage(bytes: &[u8], expected: ErrorKind) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("model.cofio");
    fs::write(&path, bytes).unwrap();
    let error = Minilm::open(&path, &Options::default())
        .and_then(|minilm| embed(&minilm, &[clean("a")]))
        .unwrap_err();
    assert_eq!(error.kind(), expected, "{error}");
}

#[test]
fn a_folder_without_a_model_is_refused_and_nothing_is_written() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("model.cofio");
    assert_eq!(compact(folder.path(), &target).unwrap_err().kind(), ErrorKind::Configuration);
    fs::copy(source().join("tokenizer.json"), folder.path().join("tokenizer.json")).unwrap();
    assert_eq!(compact(folder.path(), &target).unwrap_err().kind(), ErrorKind::Configuration);
    fs::write(folder.path().join("model.safetensors"), b"not a model").unwrap();
    assert_eq!(compact(folder.path(), &target).unwrap_err().kind(), ErrorKind::Damaged);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

fn minilm(kernel: Kernel) -> Minilm {
    Minilm::open(&MODEL.1, &Options { threads: 2, kernel, ..Options::default() }).unwrap()
}

fn embed(minilm: &Minilm, texts: &[CleanText]) -> Result<Vec<Vec<f32>>> {
    pollster::block_on(minilm.embed(texts))
}

fn texts() -> Vec<CleanText> {
    CASES.iter().map(|case| case.text.clone()).collect()
}

fn clean(text: &str) -> CleanText {
    let clean = redact(text, "", Level::Probable).text;
    assert_eq!(clean.as_str(), text, "nothing here is a secret");
    clean
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn numbers(value: &Value) -> impl Iterator<Item = i64> {
    value.as_array().unwrap().iter().map(|number| number.as_i64().unwrap())
}

/// Reads a hash from its hexadecimal digits.
fn bytes(digits: &str) -> [u8; 32] {
    std::array::from_fn(|place| u8::from_str_radix(&digits[2 * place..][..2], 16).unwrap())
}

fn golden(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name))
        .unwrap()
}

/// Returns the folder with the published files of the model.
fn source() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("COFIO_TEST_MODEL_DIR")
        .map_or_else(|| workspace.join("target/models/all-MiniLM-L6-v2"), PathBuf::from);
    assert!(
        folder.join("model.safetensors").exists(),
        "there is no model in {}; run `cargo xtask test`",
        folder.display()
    );
    folder
}
