//! How progress looks to the person at the terminal.

use std::env;
use std::io::{self, IsTerminal};
use std::time::Duration;

const BOLD: &str = "1";
const DIM: &str = "2";
const YELLOW: &str = "1;33";
const RED: &str = "1;31";

/// Opens a part of a run.
pub fn heading(text: &str) {
    eprintln!("\n{}", paint(BOLD, &format!("== {text}")));
}

/// Says what is being done, in passing.
pub fn note(text: &str) {
    eprintln!("{}", paint(DIM, text));
}

/// Says that something was left out.
pub fn warning(text: &str) {
    eprintln!("\n{} {text}", paint(YELLOW, "warning:"));
}

pub fn error(text: &str) {
    eprintln!("\n{} {text}", paint(RED, "error:"));
}

/// Whether colours are wanted: there is a terminal to show them, and `NO_COLOR` is not set.
pub fn is_colourful() -> bool {
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    !refused && io::stderr().is_terminal()
}

/// Writes a duration to a tenth of a second below a minute, and to the second above.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds < 60 {
        let tenths = duration.subsec_millis() / 100;
        format!("{seconds}.{tenths}s")
    } else {
        format!("{}m {:02}s", seconds / 60, seconds % 60)
    }
}

fn paint(style: &str, text: &str) -> String {
    if is_colourful() { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(milliseconds: u64, expected: &str) {
        assert_eq!(duration(Duration::from_millis(milliseconds)), expected);
    }

    #[test]
    fn durations_are_short_to_read() {
        check(0, "0.0s");
        check(1_260, "1.2s");
        check(59_999, "59.9s");
        check(60_000, "1m 00s");
        check(754_000, "12m 34s");
    }
}
