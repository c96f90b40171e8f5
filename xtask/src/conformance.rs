//! Which store passed which case, written into a page of the documentation.
//!
//! What the cases are stands in the lists of the two suites; whether they passed, in what the test
//! runner says of each. A case that did not run on a store that should pass it is an error, so
//! nothing is left out without a word.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{Result, terminal};

/// The page.
const PAGE: &str = "docs/providers.md";

/// Between these lines the page is written here.
const BEGIN: &str = "<!-- written by `cargo xtask test` -->";
const END: &str = "<!-- end -->";

/// One list of cases, and those who have to pass it.
struct Suite {
    title: &'static str,
    /// The file that lists the cases.
    list: &'static str,
    subjects: &'static [Subject],
}

/// Somebody who has to pass a suite.
struct Subject {
    name: &'static str,
    /// What the names of its tests begin with.
    tests: &'static str,
    /// Whose version counts: the server's, if it is one, or that of SQLite.
    server: Option<&'static str>,
    /// Whether it keeps vectors.
    vectors: bool,
}

const SUITES: &[Suite] = &[
    Suite {
        title: "Stores: a home for everything",
        list: "crates/cofio/src/store/conformance.rs",
        subjects: &[
            subject("SQLite", "cofio::it sqlite_store::", Some("sqlite")),
            subject("PostgreSQL", "cofio-adapters::it postgres::", Some("postgres")),
            subject("in the process", "cofio::it memory_store::", None),
            subject("SQLite and files", "cofio::it mirrored_store::", Some("sqlite")),
            subject("SQLite and a shelf", "cofio::it shelved_store::in_sqlite::", Some("sqlite")),
            subject("process and a shelf", "cofio::it shelved_store::in_memory::", None),
            subject(
                "PostgreSQL and Redis",
                "cofio-adapters::it shelved_store::on_redis::",
                Some("redis"),
            ),
            subject(
                "PostgreSQL and Qdrant",
                "cofio-adapters::it shelved_store::on_qdrant::",
                Some("qdrant"),
            ),
            subject("tiered", "cofio-adapters::it shelved_store::on_tiers::", None),
            subject(
                "SQLite and Chroma",
                "cofio-adapters::it shelved_store::on_chroma::",
                Some("chroma"),
            ),
        ],
    },
    Suite {
        title: "Shelves: texts and vectors for a home",
        list: "crates/cofio/src/shelf/conformance.rs",
        subjects: &[
            without_vectors("Redis", "cofio-adapters::it redis::", "redis"),
            without_vectors("node of a cluster", "cofio-adapters::it redis::cluster::", "redis"),
            subject("Qdrant", "cofio-adapters::it qdrant::", Some("qdrant")),
            subject("Chroma", "cofio-adapters::it chroma::", Some("chroma")),
            without_vectors("Mem0", "cofio-adapters::it mem0::", "mem0"),
            subject("in the process", "cofio::it memory_shelf::", None),
            subject("guarded", "cofio-adapters::it guarded::", None),
        ],
    },
];

const fn subject(name: &'static str, tests: &'static str, server: Option<&'static str>) -> Subject {
    Subject { name, tests, server, vectors: true }
}

const fn without_vectors(name: &'static str, tests: &'static str, server: &'static str) -> Subject {
    Subject { name, tests, server: Some(server), vectors: false }
}

/// The tests that passed, by name.
#[derive(Debug, Default)]
pub struct Passed(HashSet<String>);

impl Passed {
    /// Takes a line of nextest, without its colours.
    pub fn read(&mut self, line: &str) {
        let Some(rest) = line.trim_start().strip_prefix("PASS [") else { return };
        // Behind the time there may be a count such as `( 41/55)`.
        let Some((_, rest)) = rest.split_once(']') else { return };
        let name = rest.rsplit_once(')').map_or(rest, |(_, name)| name).trim();
        self.0.insert(name.to_owned());
    }

    /// Writes the page anew.
    pub fn tell(&self, versions: &[(&str, String)]) -> Result<()> {
        let path = root().join(PAGE);
        let page = read(&path)?;
        let outside = || format!("{PAGE} lacks the lines {BEGIN:?} and {END:?}");
        let (before, rest) = page.split_once(BEGIN).ok_or_else(outside)?;
        let (_, after) = rest.split_once(END).ok_or_else(outside)?;
        let anew = format!("{before}{BEGIN}\n\n{}{END}{after}", self.tables(versions)?);
        fs::write(&path, anew).map_err(|error| format!("cannot write {PAGE}: {error}"))
    }

    fn tables(&self, versions: &[(&str, String)]) -> Result<String> {
        let mut all = String::new();
        for suite in SUITES {
            self.table(suite, versions, &mut all)?;
        }
        Ok(all)
    }

    fn table(&self, suite: &Suite, versions: &[(&str, String)], page: &mut String) -> Result<()> {
        let cases = cases(&read(&root().join(suite.list))?);
        let names: Vec<&str> = suite.subjects.iter().map(|subject| subject.name).collect();
        let _ = writeln!(page, "## {}\n\n| case | {} |", suite.title, names.join(" | "));
        let _ = writeln!(page, "|---|{}", ":-:|".repeat(names.len()));
        let version = |subject: &Subject| {
            let known = versions.iter().find(|(server, _)| Some(*server) == subject.server);
            known.map_or("", |(_, version)| version)
        };
        let shown: Vec<&str> = suite.subjects.iter().map(version).collect();
        let _ = writeln!(page, "| version | {} |", shown.join(" | "));
        for (topic, case) in &cases {
            let marks: Result<Vec<&str>> =
                suite.subjects.iter().map(|subject| self.mark(subject, topic, case)).collect();
            let said = case.replace('_', " ");
            let _ = writeln!(page, "| {topic}: {said} | {} |", marks?.join(" | "));
        }
        let _ = writeln!(page, "\n{} cases.\n", cases.len());
        Ok(())
    }

    fn mark(&self, subject: &Subject, topic: &str, case: &str) -> Result<&'static str> {
        let test = format!("{}{case}", subject.tests);
        if !self.0.contains(&test) {
            return Err(format!(
                "{} did not pass {case}: the test {test} is missing",
                subject.name
            ));
        }
        let refused = topic == "vectors" && !subject.vectors;
        Ok(if refused { "refuses" } else { "passes" })
    }
}

/// Says that nobody looked whether every case ran.
pub fn warn_of_unread() {
    terminal::warning(&format!(
        "{PAGE} was neither checked nor written: `cargo test` does not say which test of which store \
         ran; install cargo-nextest for that"
    ));
}

/// Returns the cases that a file lists, each with its topic.
fn cases(source: &str) -> Vec<(String, String)> {
    let mut topic = None;
    let mut cases = Vec::new();
    let list = source.lines().skip_while(|line| !line.contains("(@list $make")).skip(2);
    for line in list.map(str::trim) {
        if let Some(name) = line.strip_suffix(" {") {
            topic = Some(name);
        } else if let (Some(name), Some(topic)) = (line.strip_suffix(','), topic) {
            cases.push((topic.to_owned(), name.to_owned()));
        } else if topic.take().is_none() {
            break;
        }
    }
    cases
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is below the root").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_of_cases_is_read() {
        for suite in SUITES {
            let cases = cases(&read(&root().join(suite.list)).unwrap());
            let known: HashSet<_> = cases.iter().map(|(_, case)| case).collect();
            assert!(cases.len() > 30 && known.len() == cases.len(), "{}", suite.title);
            assert!(cases.iter().all(|(topic, _)| !topic.contains(' ')), "{cases:?}");
        }
    }

    #[test]
    fn a_test_that_passed_is_known_by_its_name() {
        let mut passed = Passed::default();
        passed.read("        PASS [   0.011s] (41/55) cofio::it sqlite_store::a_case");
        passed.read("        PASS [   0.011s] cofio::it redis::another");
        passed.read("        FAIL [   0.011s] (42/55) cofio::it redis::a_third");
        let mut names: Vec<_> = passed.0.into_iter().collect();
        names.sort();
        assert_eq!(names, ["cofio::it redis::another", "cofio::it sqlite_store::a_case"]);
    }

    #[test]
    fn a_case_that_did_not_run_is_missed() {
        let error = Passed::default().tables(&[]).unwrap_err();
        assert!(error.starts_with("SQLite did not pass "), "{error}");
    }

    #[test]
    fn a_case_without_vectors_is_refused_and_not_passed() {
        let mut passed = Passed::default();
        passed.read("PASS [ 1s] cofio-adapters::it redis::near");
        let redis = &SUITES[1].subjects[0];
        assert_eq!(passed.mark(redis, "vectors", "near"), Ok("refuses"));
        assert_eq!(passed.mark(redis, "contents", "near"), Ok("passes"));
    }
}
