//! Counts tests by reading what the test runners print.

use std::fmt;
use std::ops::Add;

/// How many tests passed, failed and were skipped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    passed: u64,
    failed: u64,
    skipped: u64,
}

/// Whose output is being read.
#[derive(Debug, Clone, Copy)]
pub enum Report {
    Nextest,
    /// `cargo test`, which closes each test binary with a line of its own.
    Libtest,
}

impl Tally {
    /// Adds what `line` reports, if it is a line that closes a run.
    ///
    /// A failing test shows its own libtest output under nextest, so each report knows one form.
    pub fn read(&mut self, line: &str, report: Report) {
        let opening = match report {
            Report::Nextest => "Summary [",
            Report::Libtest => "test result: ",
        };
        let line = without_colour(line);
        if line.trim_start().starts_with(opening) {
            self.passed += count(&line, &["passed"]);
            self.failed += count(&line, &["failed", "timed", "exec"]);
            self.skipped += count(&line, &["skipped", "ignored", "filtered"]);
        }
    }

    pub fn ran(self) -> u64 {
        self.passed + self.failed
    }
}

impl Add for Tally {
    type Output = Tally;

    fn add(self, other: Tally) -> Tally {
        Tally {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            skipped: self.skipped + other.skipped,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { passed, failed, skipped } = self;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// Sums the numbers that stand directly before one of `words`.
fn count(line: &str, words: &[&str]) -> u64 {
    let tokens: Vec<&str> = line.split_whitespace().collect();
    tokens
        .windows(2)
        .filter(|pair| words.contains(&pair[1].trim_end_matches([',', ';'])))
        .filter_map(|pair| pair[0].parse::<u64>().ok())
        .sum()
}

/// Removes the escape sequences that colour text: from ESC up to and including `m`.
pub fn without_colour(line: &str) -> String {
    let mut pieces = line.split('\u{1b}');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push_str(piece.split_once('m').map_or("", |(_, text)| text));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(report: Report, lines: &[&str], [passed, failed, skipped]: [u64; 3]) {
        let mut tally = Tally::default();
        for line in lines {
            tally.read(line, report);
        }
        assert_eq!(tally, Tally { passed, failed, skipped });
    }

    #[test]
    fn nextest_closes_with_one_summary() {
        let green = "     Summary [   0.004s] 1 test run: 1 passed, 0 skipped";
        check(Report::Nextest, &["   Compiling cofio v0.1.0", green], [1, 0, 0]);

        let red = "     Summary [  61.250s] 14/15 tests run: 10 passed (1 slow, 2 leaky), \
                   2 failed, 1 timed out, 1 exec failed, 3 skipped";
        check(Report::Nextest, &[red], [10, 4, 3]);
    }

    #[test]
    fn libtest_closes_each_binary() {
        let unit = "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; \
                    2 filtered out; finished in 0.00s";
        let integration = "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; \
                           0 filtered out; finished in 1.20s";
        check(Report::Libtest, &[unit, "running 4 tests", integration], [10, 1, 3]);
    }

    #[test]
    fn a_failing_test_shown_by_nextest_is_not_counted_twice() {
        let shown = "    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured";
        let summary = "     Summary [   0.1s] 2 tests run: 1 passed, 1 failed, 0 skipped";
        check(Report::Nextest, &[shown, summary], [1, 1, 0]);
    }

    #[test]
    fn colours_do_not_hide_the_numbers() {
        let summary = "\u{1b}[32;1m     Summary\u{1b}[0m [   0.004s] \u{1b}[1m2\u{1b}[0m tests run: \
                       \u{1b}[1m2\u{1b}[0m \u{1b}[32;1mpassed\u{1b}[0m, \u{1b}[1m0\u{1b}[0m skipped";
        check(Report::Nextest, &[summary], [2, 0, 0]);
    }

    #[test]
    fn other_lines_count_nothing() {
        check(Report::Libtest, &["", "test agreement ... ok", "3 passed"], [0, 0, 0]);
    }
}
