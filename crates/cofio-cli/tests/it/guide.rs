//! The guides show what happened in tests, and nothing else.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// How a transcript begins and ends in a guide.
const OPENING: &str = "```console\n";
const CLOSING: &str = "```\n";

/// Set to rewrite a guide instead of failing.
const REWRITE: &str = "COFIO_TEST_REWRITE";

/// What was typed and printed.
#[derive(Default)]
pub struct Transcript(String);

impl Transcript {
    /// Adds what was typed, and what of it is shown to others.
    pub fn add(&mut self, typed: &str, shown: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        let _ = write!(self.0, "$ {typed}\n{shown}");
        if !self.0.ends_with('\n') {
            self.0.push('\n');
        }
    }

    /// Fails if the first transcript behind a heading of a guide is another.
    pub fn assert_in(&self, guide: &str, heading: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(guide);
        let text = fs::read_to_string(&path).unwrap();
        let (before, shown, after) = parts(&text, heading);
        if env::var_os(REWRITE).is_some() {
            fs::write(&path, format!("{before}{}{after}", self.0)).unwrap();
            return;
        }
        assert!(
            shown == self.0,
            "{guide} shows something else ({REWRITE}=1 rewrites it):\n{}",
            self.0
        );
    }
}

/// Splits a guide into what is before the transcript, the transcript, and what is after it.
fn parts<'a>(guide: &'a str, heading: &str) -> (&'a str, &'a str, &'a str) {
    let section = guide.find(&format!("\n{heading}\n")).expect("the guide has the section");
    let opening = guide[section..].find(OPENING).expect("the section has a block");
    let (before, rest) = guide.split_at(section + opening + OPENING.len());
    let (shown, after) = rest.split_at(rest.find(CLOSING).expect("the block has an end"));
    (before, shown, after)
}
