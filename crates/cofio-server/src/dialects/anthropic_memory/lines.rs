//! What is done with the lines of a file. Pure: texts in, texts out.

use crate::dialects::ToolError;

/// The most lines that a file may have to be shown.
const MOST_LINES: usize = 999_999;

/// Lines shown before and after the one that changed.
const AROUND: usize = 2;

/// Shows a file with the numbers of its lines, or those of a range.
pub(super) fn numbered(path: &str, text: &str, range: &[i64]) -> Result<String, ToolError> {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() > MOST_LINES {
        let words = format!("File {path} exceeds maximum line limit of 999,999 lines.");
        return Err(ToolError::said(words));
    }
    let (start, end) = match *range {
        [first, last] => bounds(first, last, lines.len()),
        _ => (0, lines.len()),
    };
    let shown = with_numbers(&lines, start, end);
    Ok(format!("Here's the content of {path} with line numbers:\n{shown}"))
}

/// Puts one text in the place of another, and returns the line it stood in with the new text.
pub(super) fn replaced(
    path: &str,
    text: &str,
    old: &str,
    new: &str,
) -> Result<(usize, String), ToolError> {
    match text.matches(old).count() {
        0 => Err(ToolError::said(format!(
            "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        ))),
        1 => {
            let place = text.find(old).unwrap_or_default();
            Ok((newlines(&text[..place]), text.replacen(old, new, 1)))
        }
        _ => Err(ToolError::said(format!(
            "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. \
             Please ensure it is unique",
            lines_with(text, old)
        ))),
    }
}

/// Shows the lines around one that changed.
pub(super) fn snippet(text: &str, changed: usize) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let end = lines.len().min(changed + AROUND + 1);
    let shown = with_numbers(&lines, changed.saturating_sub(AROUND), end);
    format!(
        "The memory file has been edited. Here is the snippet showing the change (with line \
         numbers):\n{shown}"
    )
}

/// Inserts a text after a line, of which 0 is the beginning; the last line ends with a newline then.
pub(super) fn inserted(text: &str, line: i64, inserted: &str) -> Result<String, ToolError> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let place = usize::try_from(line).ok().filter(|&place| place <= lines.len());
    let Some(place) = place else {
        return Err(ToolError::said(format!(
            "Invalid `insert_line` parameter: {line}. It should be within the range [0, {}].",
            lines.len()
        )));
    };
    lines.insert(place, inserted.trim_end_matches('\n'));
    let text = lines.join("\n");
    Ok(if text.ends_with('\n') { text } else { text + "\n" })
}

/// Returns which lines a range means: from the first, counted from 1, to the last.
///
/// A last line below 0 is counted from the end, of which -1 is the last of all.
fn bounds(first: i64, last: i64, count: usize) -> (usize, usize) {
    let from_end = |back: i64| count.saturating_sub(usize::try_from(-back).unwrap_or(usize::MAX));
    let end = match last {
        -1 => count,
        back if back < 0 => from_end(back),
        end => usize::try_from(end).unwrap_or(usize::MAX).min(count),
    };
    (usize::try_from(first.max(1) - 1).unwrap_or(usize::MAX), end)
}

fn with_numbers(lines: &[&str], start: usize, end: usize) -> String {
    let shown = lines.get(start..end).unwrap_or_default().iter().zip(start + 1..);
    shown.map(|(line, number)| format!("{number:>6}\t{line}")).collect::<Vec<_>>().join("\n")
}

/// Returns the number of the line of every place where a text stands, also where two overlap.
fn lines_with(text: &str, wanted: &str) -> String {
    let places = text.char_indices().map(|(place, _)| place).chain([text.len()]);
    let mut line = 1;
    let (mut lines, mut counted) = (Vec::new(), 0);
    for place in places.filter(|&place| text[place..].starts_with(wanted)) {
        line += newlines(&text[counted..place]);
        counted = place;
        lines.push(line.to_string());
    }
    lines.join(", ")
}

fn newlines(text: &str) -> usize {
    text.matches('\n').count()
}
