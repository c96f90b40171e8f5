//! The guide shows what happened here, and nothing else.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use super::workplace::Workplace;

/// Where a transcript stands in the guide: the first block after this heading.
const HEADING: &str = "\n## A fresh install\n";
const OPENING: &str = "```console\n";
const CLOSING: &str = "```\n";

/// Set to rewrite the guide instead of failing.
const REWRITE: &str = "COFIO_TEST_REWRITE";

/// What was typed and printed.
#[derive(Default)]
pub struct Transcript(String);

impl Transcript {
    /// Runs what must succeed, and returns what it printed.
    pub fn play(&mut self, workplace: &Workplace, typed: &str) -> String {
        let printed = workplace.done(typed);
        let shown = workplace.machine.without_accidents(&printed);
        let shown = shown.replace("HOME/", "~/").replace("WORK/", "~/work/");
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        let _ = write!(self.0, "$ {typed}\n{shown}");
        printed
    }

    /// Fails if the guide shows something else.
    pub fn assert_in_guide(&self) {
        let path = guide();
        let text = fs::read_to_string(&path).unwrap();
        let (before, shown, after) = parts(&text);
        if env::var_os(REWRITE).is_some() {
            fs::write(&path, format!("{before}{}{after}", self.0)).unwrap();
            return;
        }
        assert!(
            shown == self.0,
            "{} shows something else ({REWRITE}=1 rewrites it):\n{}",
            path.display(),
            self.0
        );
    }
}

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/agents.md")
}

/// Splits the guide into what is before the transcript, the transcript, and what is after it.
fn parts(guide: &str) -> (&str, &str, &str) {
    let section = guide.find(HEADING).expect("the guide has the section");
    let opening = guide[section..].find(OPENING).expect("the section has a block");
    let (before, rest) = guide.split_at(section + opening + OPENING.len());
    let (shown, after) = rest.split_at(rest.find(CLOSING).expect("the block has an end"));
    (before, shown, after)
}
