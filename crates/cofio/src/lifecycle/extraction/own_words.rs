//! Telling what somebody says themselves from what they show: code, quotations, addresses.

use std::ops::Range;

/// Words in quotation marks that are a title rather than something that was said.
const TITLE: usize = 4;

/// How far the end of a quotation is looked for, in bytes.
const QUOTATION: usize = 600;

/// Returns the stretches of a text that are not the speaker's own words, in order and apart.
pub(super) fn foreign(text: &str) -> Vec<Range<usize>> {
    let mut stretches = lines(text);
    let mut inside = Vec::new();
    let mut at = 0;
    for stretch in &stretches {
        within(text, at..stretch.start, &mut inside);
        at = stretch.end;
    }
    within(text, at..text.len(), &mut inside);
    stretches.append(&mut inside);
    stretches.sort_by_key(|stretch| stretch.start);
    stretches
}

/// Returns whole lines that are shown: between fences, behind `>`, or code by their looks.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let mut fenced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        if fenced || fence || line.trim_start().starts_with('>') || is_code(line.trim()) {
            match stretches.last_mut() {
                Some(last) if last.end == at => last.end = end,
                _ => stretches.push(at..end),
            }
        }
        fenced ^= fence && !line.trim()[3..].contains("```");
        at = end;
    }
    stretches
}

/// Tells whether a line looks like code, a log or the head of a letter.
fn is_code(line: &str) -> bool {
    let ends = line.ends_with(['{', '}', ';']) || line.ends_with("*/") || line.ends_with('\\');
    let begins =
        ["//", "#!", "$ ", "/*", "<?", "+++", "---", "@@", "import ", "From: ", "Subject: "]
            .iter()
            .any(|sign| line.starts_with(sign));
    let signs = ["=>", "==", "();", "!=", "->", "::", "</", "&&", "||"];
    ends || begins || signs.iter().any(|sign| line.contains(sign))
}

/// Adds quotations, code in a line and addresses of a stretch.
fn within(text: &str, stretch: Range<usize>, found: &mut Vec<Range<usize>>) {
    let part = &text[stretch.clone()];
    let mut at = 0;
    let mut before = ' ';
    while let Some(c) = part[at..].chars().next() {
        let length = shown(&part[at..], c, before);
        if length > 0 {
            found.push(stretch.start + at..stretch.start + at + length);
        }
        before = c;
        at += length.max(c.len_utf8());
    }
}

/// Returns how many bytes at the start of a text are shown rather than said.
fn shown(text: &str, first: char, before: char) -> usize {
    let apart = !before.is_alphanumeric();
    match first {
        '`' => closed(text, '`').unwrap_or(0),
        '"' => closed(text, '"').filter(|&length| is_long(&text[..length])).unwrap_or(0),
        '“' | '„' => closed(text, '”').filter(|&length| is_long(&text[..length])).unwrap_or(0),
        '«' => closed(text, '»').unwrap_or(0),
        '\'' | '‘' if apart => apostrophes(text).unwrap_or(0),
        'h' | 'w' if apart && (text.starts_with("http") || text.starts_with("www.")) => {
            text.find(char::is_whitespace).unwrap_or(text.len())
        }
        _ => 0,
    }
}

/// Returns where a quotation ends that begins here.
fn closed(text: &str, mark: char) -> Option<usize> {
    let mut characters = text.char_indices().skip(1).take_while(|(at, _)| *at < QUOTATION);
    characters.find(|(_, c)| *c == mark).map(|(at, c)| at + c.len_utf8())
}

/// Returns where a quotation in single marks ends, which an apostrophe does not.
fn apostrophes(text: &str) -> Option<usize> {
    let mut characters =
        text.char_indices().skip(1).take_while(|(at, _)| *at < QUOTATION).peekable();
    while let Some((at, c)) = characters.next() {
        let apart = characters.peek().is_none_or(|(_, next)| !next.is_alphanumeric());
        if matches!(c, '\'' | '’') && apart {
            let length = at + c.len_utf8();
            return is_long(&text[..length]).then_some(length);
        }
    }
    None
}

fn is_long(quotation: &str) -> bool {
    quotation.split_whitespace().nth(TITLE - 1).is_some()
}
