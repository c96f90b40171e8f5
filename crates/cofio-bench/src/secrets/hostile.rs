//! Texts of a megabyte that are made to take long.

use std::collections::BTreeMap;
use std::time::Instant;

use cofio::ingest::findings;
use fastrand::Rng;

/// How long each text is.
const LENGTH: usize = 1_000_000;

/// What the texts repeat.
const REPEATED: &[(&str, &str)] = &[
    ("one letter", "a"),
    ("prefixes", "sk-"),
    ("prefixes and spaces", "sk-proj- "),
    ("names", "password"),
    ("names and spaces", "password "),
    ("names without values", "password="),
    ("names in prose", "password is a "),
    ("names in another script", "пароль: "),
    ("addresses", "http://a:"),
    ("first lines of blocks", "-----BEGIN RSA PRIVATE KEY-----AAAA "),
    ("halves of tokens", "eyJhbGciOi."),
    ("commands", "mysql -u root "),
    ("codes", "%2541"),
    ("backslashes", "\\"),
    ("strings", "\"a\" + "),
    ("invisible characters", "a\u{200b}"),
    ("lines", "a1\n"),
    ("single letters", "a-"),
    ("numbers", "4111 1111 1111 1112 "),
    ("tokens", "token abcD1efG2hiJ3klM4noP "),
    ("seeds", "mnemonic able above "),
];

/// Returns how many milliseconds each of the texts takes.
pub fn milliseconds() -> BTreeMap<&'static str, f64> {
    let repeated = REPEATED.iter().map(|(name, part)| (*name, part.repeat(LENGTH / part.len())));
    let mut random = Rng::with_seed(1);
    let base64: String = (0..LENGTH).map(|_| random.alphanumeric()).collect();
    let hex: String = (0..LENGTH).map(|_| random.digit(16)).collect();
    repeated
        .chain([("random letters and digits", base64), ("random hexadecimal digits", hex)])
        .map(|(name, text)| {
            let start = Instant::now();
            std::hint::black_box(findings(&text));
            (name, start.elapsed().as_secs_f64() * 1e3)
        })
        .collect()
}
