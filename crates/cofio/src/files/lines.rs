//! What a line of markdown begins.
//!
//! A line ends with `\n`; whatever carriage returns stand before it belong to the end. Each function
//! looks at a line once.

use super::bullet::Bullet;

/// One line of a text, and where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// What it says, without its end.
    pub(super) text: &'a str,
    /// Where the next one begins.
    pub(super) end: usize,
}

/// Returns the line that begins at a place, unless the text ends there.
pub(super) fn line_at(text: &str, start: usize) -> Option<Line<'_>> {
    let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
    let (line, length) = rest.find('\n').map_or((rest, rest.len()), |at| (&rest[..at], at + 1));
    Some(Line { text: line.trim_end_matches('\r'), end: start + length })
}

/// Returns all lines, without their ends.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let line = line_at(text, at)?;
        at = line.end;
        Some(line.text)
    })
}

/// What a line begins, seen for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    Blank,
    /// Four columns or more before the first character.
    Indented,
    Heading(u8),
    Fence(Fence),
    Break,
    /// A comment; `true` if it ends on this line.
    Comment(bool),
    Item(Bullet),
    Quote,
    Plain,
}

impl Opening {
    /// Returns whether the line cannot go on with the paragraph before it.
    pub(super) fn interrupts(self) -> bool {
        match self {
            Self::Indented | Self::Plain => false,
            Self::Item(bullet) => bullet.interrupts,
            _ => true,
        }
    }
}

/// Returns what a line begins.
pub(super) fn opening(line: &str) -> Opening {
    let (columns, rest) = indentation(line);
    if is_blank(rest) {
        return Opening::Blank;
    }
    if columns >= 4 {
        return Opening::Indented;
    }
    if let Some(level) = heading_level(rest) {
        return Opening::Heading(level);
    }
    if let Some(fence) = Fence::opened_by(rest) {
        return Opening::Fence(fence);
    }
    if is_break(rest) {
        return Opening::Break;
    }
    if let Some(closed) = comment(rest) {
        return Opening::Comment(closed);
    }
    match Bullet::of(line) {
        Some(bullet) => Opening::Item(bullet),
        None if rest.starts_with('>') => Opening::Quote,
        None => Opening::Plain,
    }
}

/// Returns whether a character separates words on a line.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// Returns whether nothing is to be seen on a line.
pub(super) fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

/// Returns how many columns a line is indented, and what comes behind.
pub(super) fn indentation(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches(is_space);
    (width(&line[..line.len() - rest.len()], 0), rest)
}

/// Returns the column after some spaces and tabs that begin at a column.
pub(super) fn width(spaces: &str, from: usize) -> usize {
    spaces.bytes().fold(from, |column, byte| match byte {
        b'\t' => (column / 4 + 1) * 4,
        _ => column + 1,
    })
}

/// Takes at most so many columns of indentation off a line; a tab that reaches beyond goes whole.
pub(super) fn dedent(line: &str, columns: usize) -> &str {
    let mut column = 0;
    let taken = line.bytes().take_while(|&byte| {
        let taken = column < columns && matches!(byte, b' ' | b'\t');
        column = if byte == b'\t' { (column / 4 + 1) * 4 } else { column + 1 };
        taken
    });
    &line[taken.count()..]
}

/// Returns the level of a heading that begins with number signs.
fn heading_level(rest: &str) -> Option<u8> {
    let behind = rest.trim_start_matches('#');
    let level =
        u8::try_from(rest.len() - behind.len()).ok().filter(|level| (1..=6).contains(level))?;
    (behind.is_empty() || behind.starts_with(is_space)).then_some(level)
}

/// Returns the level of the heading that a line makes of the paragraph before it.
pub(super) fn underline(line: &str) -> Option<u8> {
    let (columns, rest) = indentation(line);
    let rest = rest.trim_end_matches(is_space);
    let all = |sign: u8| !rest.is_empty() && rest.bytes().all(|byte| byte == sign);
    match () {
        () if columns >= 4 => None,
        () if all(b'=') => Some(1),
        () if all(b'-') => Some(2),
        () => None,
    }
}

/// Returns whether a line is drawn as a rule: three or more of the same sign, and nothing else.
pub(super) fn is_break(rest: &str) -> bool {
    let Some(sign) = rest.bytes().find(|byte| matches!(byte, b'-' | b'*' | b'_')) else {
        return false;
    };
    let mut signs = 0;
    let only = rest.bytes().all(|byte| {
        signs += usize::from(byte == sign);
        byte == sign || matches!(byte, b' ' | b'\t')
    });
    only && signs >= 3
}

/// Returns whether a line is comments alone, and if so whether the last one ends on it.
fn comment(rest: &str) -> Option<bool> {
    let mut rest = rest.strip_prefix("<!--")?;
    loop {
        let Some((_, behind)) = rest.split_once("-->") else { return Some(false) };
        let behind = behind.trim_start_matches(is_space);
        if behind.is_empty() {
            return Some(true);
        }
        rest = behind.strip_prefix("<!--")?;
    }
}

/// The signs that begin or end code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    sign: u8,
    length: usize,
}

impl Fence {
    /// Returns the fence that begins with a line.
    pub(super) fn opened_by(rest: &str) -> Option<Self> {
        let sign = *rest.as_bytes().first().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = rest.bytes().take_while(|&byte| byte == sign).count();
        let named = sign == b'`' && rest[length..].contains('`');
        (length >= 3 && !named).then_some(Self { sign, length })
    }

    /// Returns whether a line ends what this fence began.
    pub(super) fn closed_by(self, rest: &str) -> bool {
        let length = rest.bytes().take_while(|&byte| byte == self.sign).count();
        length >= self.length && rest[length..].chars().all(is_space)
    }
}
