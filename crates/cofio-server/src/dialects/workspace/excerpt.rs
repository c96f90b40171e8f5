//! The part of a long text that answers a question. Pure: a text in, a part of it out.

use cofio::text::fold;

/// How many characters of a text are shown, more or less: whole lines are.
const SHOWN: usize = 600;

/// What stands where something is left out.
const GAP: &str = "…";

/// Returns the lines of a text around the one that has most of some words.
pub(super) fn excerpt(text: &str, words: &[String]) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let lines: Vec<&str> = text.lines().collect();
    let count = |line: &str| {
        let line = fold(line);
        words.iter().filter(|word| line.contains(word.as_str())).count()
    };
    let best = (0..lines.len()).rev().max_by_key(|&line| count(lines[line])).unwrap_or_default();
    let (mut first, mut last) = (best, best);
    let mut length = lines.get(best).map_or(0, |line| line.chars().count());
    loop {
        let below = lines.get(last + 1).map(|line| line.chars().count() + 1);
        let above = first.checked_sub(1).map(|line| lines[line].chars().count() + 1);
        match (below, above) {
            (Some(below), _) if length + below <= SHOWN => {
                (last, length) = (last + 1, length + below);
            }
            (_, Some(above)) if length + above <= SHOWN => {
                (first, length) = (first - 1, length + above);
            }
            _ => break,
        }
    }
    let mut shown: Vec<String> =
        lines[first..=last].iter().map(|line| line.chars().take(SHOWN).collect()).collect();
    if first > 0 {
        shown.insert(0, GAP.to_owned());
    }
    if last + 1 < lines.len() {
        shown.push(GAP.to_owned());
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_shown_whole() {
        assert_eq!(excerpt("one\n\ntwo", &["two".to_owned()]), "one\n\ntwo");
    }

    #[test]
    fn of_a_long_text_the_lines_around_the_words_are_shown() {
        let line = |number: usize| format!("- Person {number} lives in street {number}");
        let text: Vec<String> = (0..1_000).map(line).collect();
        let shown = excerpt(&text.join("\n"), &["500".to_owned()]);
        assert!(shown.contains(&line(500)) && shown.contains(&line(505)), "{shown}");
        assert!(shown.starts_with("…\n- ") && shown.ends_with("\n…"), "{shown}");
        assert!(shown.chars().count() < SHOWN + 10);
        let first = excerpt(&text.join("\n"), &["person".to_owned()]);
        assert!(first.starts_with(&line(0)), "{first}");
    }

    #[test]
    fn a_long_line_is_cut() {
        let shown = excerpt(&"x".repeat(10_000), &[]);
        assert_eq!(shown.chars().count(), SHOWN);
    }
}
