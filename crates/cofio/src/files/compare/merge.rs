//! Two changes of one text, made into one.

/// How many lines a text may have to be merged: comparing two takes time by the square of the lines
/// in which they differ.
const MOST_LINES: usize = 2_000;

/// Returns a text with the changes of both sides, unless they are about the same lines.
pub(super) fn merged(base: &str, one: &str, other: &str) -> Option<String> {
    if [base, one, other].iter().any(|text| text.lines().count() > MOST_LINES) {
        return None;
    }
    // Without its end, the last line would be another one as soon as a line is added after it.
    let [base, one, other] = [base, one, other].map(|text| format!("{text}\n"));
    let mut merged = diffy::merge(&base, &one, &other).ok()?;
    merged.pop();
    (!merged.is_empty()).then_some(merged)
}
