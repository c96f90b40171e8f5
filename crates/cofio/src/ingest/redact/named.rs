//! Values that are secrets because of what they are called.
//!
//! `DB_PASSWORD=…`, `"token": "…"`, `--password …`, "my password is …", "use … as the password".

use std::ops::Range;

use super::Level;
use super::detect::{By, Found};
use super::judge::{Carrier, Link, judge};
use super::name::Name;
use super::phrases;
use super::rules::on_boundaries;
use super::words::{LINKS, Promise, UNSPACED_LINKS};

/// How far after its name a value is looked for.
const REACH: usize = 480;

/// How far a value may stand from its name in prose: "password for the guest network is …".
const GAP: usize = 56;

/// A value so long is not looked at again for every name in it.
const LONG: usize = 64;

/// Finds values by their names.
#[derive(Debug, Default)]
pub struct Names {
    /// Where the last long value ended.
    seen: usize,
}

impl Names {
    /// Returns the value that belongs to a name.
    pub fn beside(&mut self, text: &str, word: Range<usize>, promise: Promise) -> Option<Found> {
        if matches!(promise, Promise::Hint | Promise::Card) || word.start < self.seen {
            return None;
        }
        let name = Name::around(text, word, promise)?;
        let window = on_boundaries(text, name.range.end..text.len().min(name.range.end + REACH));
        let rest = &text[window.clone()];
        let unbroken = rest.bytes().take_while(u8::is_ascii_graphic).count();
        if unbroken > LONG {
            self.seen = window.start + unbroken;
        }
        let after = if may_follow(rest) { value_after(rest, &name) } else { None };
        let (level, range) = after
            .map(|(level, range)| (level, window.start + range.start..window.start + range.end))
            .or_else(|| value_before(text, &name))?;
        let class = match promise {
            Promise::Password => "password",
            Promise::Pin => "pin",
            _ => "named-secret",
        };
        Some(Found { class, family: "password", level, range, by: By::Name })
    }
}

/// Returns whether something other than plain words follows a name.
fn may_follow(rest: &str) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphabetic() || b" ,.\n".contains(byte);
    let plain_is = |word: &str| word == "is" || word == "to";
    let near = rest.bytes().take(160);
    near.clone().any(|byte| byte.is_ascii() && !plain(&byte))
        || rest.split(' ').take(3).any(plain_is)
        || rest.starts_with(['：', '是', 'は', '는', '은'])
}

/// Reads what follows a name: perhaps a link, perhaps quotes, and the value.
fn value_after(rest: &str, name: &Name<'_>) -> Option<(Level, Range<usize>)> {
    let mut reader = Reader { text: rest, at: 0 };
    let closed = reader.closers();
    let start = reader.at;
    if let Some(link) = reader.link(name) {
        return judged(rest, &mut reader, link, false, name);
    }
    reader.at = start;
    if name.is_flag() && reader.spaces() {
        return judged(rest, &mut reader, Link::Flag, false, name);
    }
    if name.weak {
        return None;
    }
    if name.in_prose()
        && !closed
        && let Some(link) = reader.distant_link()
        && let Some(found) = judged(rest, &mut reader, link, true, name)
    {
        return Some(found);
    }
    reader.at = start;
    let apart = reader.spaces();
    apart.then(|| judged(rest, &mut reader, Link::Bare, false, name)).flatten()
}

/// Reads a value and judges it.
fn judged(
    rest: &str,
    reader: &mut Reader<'_>,
    link: Link,
    gap: bool,
    name: &Name<'_>,
) -> Option<(Level, Range<usize>)> {
    if name.weak && link == Link::Word && name.promise != Promise::Pin {
        return None;
    }
    let (value, quoted) = reader.value()?;
    let after = &rest[value.end..];
    let carrier = Carrier { promise: name.promise, link, quoted, gap, name, after };
    if let Some(level) = judge(&rest[value.clone()], &carrier) {
        return Some((level, value));
    }
    if name.promise == Promise::Password && link == Link::Symbol && !quoted && !gap {
        let words = phrases::words(&rest[value.start..], 4)?;
        return Some((Level::Probable, value.start..value.start + words));
    }
    None
}

/// Finds "… is the password" and "use … as the password".
fn value_before(text: &str, name: &Name<'_>) -> Option<(Level, Range<usize>)> {
    const LINKS: &[&str] = &["as", "is", "als", "ist", "comme", "est", "como", "es", "for", "für"];
    if !name.in_prose() || name.promise == Promise::Key || name.weak {
        return None;
    }
    let window = on_boundaries(text, name.range.start.saturating_sub(96)..name.range.start);
    let line = text[window.clone()].rsplit('\n').next()?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let link = words.iter().rposition(|word| LINKS.contains(&word.to_lowercase().as_str()))?;
    if words.len() - link > 5 || link == 0 {
        return None;
    }
    let around = |sign: char| "\"'`*“”‘’(),;:«»".contains(sign);
    let word = words[link - 1].trim_matches(around);
    let at = word.as_ptr() as usize - text.as_ptr() as usize;
    let carrier = Carrier {
        promise: name.promise,
        link: Link::Bare,
        quoted: false,
        gap: true,
        name,
        after: "",
    };
    let level = judge(word, &carrier)?;
    Some((level, at..at + word.len()))
}

/// Reads a text from left to right.
struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn spaces(&mut self) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '\u{a0}', '\u{3000}']);
        let skipped = rest.len() - trimmed.len();
        self.at += skipped;
        skipped > 0
    }

    /// Skips what closes a name: quotes, brackets, emphasis. Returns whether a quote was closed.
    fn closers(&mut self) -> bool {
        let rest = self.rest();
        let closers = ['"', '\'', '`', '*', ']', ')', '\\', '”', '’', '»', '」', '_'];
        let trimmed = rest.trim_start_matches(closers);
        let skipped = &rest[..rest.len() - trimmed.len()];
        let closed = skipped.contains(['"', '\'', '`']);
        if skipped.len() < 7 {
            self.at += skipped.len();
        }
        closed
    }

    /// Reads the links between a name and its value; the last decides.
    fn link(&mut self, name: &Name<'_>) -> Option<Link> {
        if name.is_tag() {
            let open = self.rest().starts_with('>');
            self.at += usize::from(open);
            if open {
                return Some(Link::Symbol);
            }
        }
        if let Some(length) = value_member(self.rest()) {
            self.at += length;
            return Some(Link::Symbol);
        }
        let mut link = None;
        for _ in 0..4 {
            let before = self.at;
            let spaced = self.spaces() || self.at == 0;
            let Some((length, one)) = link_at(self.rest(), spaced) else {
                if link.is_none() {
                    self.at = before;
                }
                break;
            };
            self.at += length;
            link = Some(if link == Some(Link::Symbol) { Link::Symbol } else { one });
        }
        if link == Some(Link::Symbol) {
            self.line_break();
        }
        link
    }

    /// Reads a few words of prose up to a link.
    fn distant_link(&mut self) -> Option<Link> {
        let rest = self.rest();
        let limit = on_boundaries(rest, 0..rest.len().min(GAP)).end;
        let line = rest[..limit].split(['\n', '.', '?', '!', ';', ',', '"', '{']).next()?;
        let mut at = 0;
        for word in line.split_inclusive([' ', '\u{a0}']) {
            let bare = word.trim_end();
            let colon = bare.ends_with(':') || bare.ends_with("：");
            let known = DISTANT.contains(&bare.to_lowercase().as_str());
            at += word.len();
            if colon || known {
                self.at += at;
                let mut last = if colon { Link::Symbol } else { Link::Word };
                self.spaces();
                while let Some((length, one)) = link_at(self.rest(), true) {
                    self.at += length;
                    self.spaces();
                    last = one;
                }
                return Some(last);
            }
        }
        None
    }

    /// Steps over the end of a line when the value stands alone on the next.
    fn line_break(&mut self) {
        self.spaces();
        let rest = self.rest();
        let Some(next) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')) else {
            return;
        };
        let line = next.split('\n').next().unwrap_or_default().trim();
        let fence = next.starts_with("```");
        if !line.is_empty() && !line.contains([' ', ':', '=']) && !fence {
            self.at += rest.len() - next.trim_start().len();
        }
    }

    /// Reads a value, in quotes or up to where it must end.
    fn value(&mut self) -> Option<(Range<usize>, bool)> {
        self.spaces();
        let rest = self.rest();
        let opened = rest.trim_start_matches(['*', '(', '\\', '=', '~', '_']);
        let skipped = rest.len() - opened.len();
        let skipped = if skipped > 4 { 0 } else { skipped };
        let opened = &rest[skipped..];
        let mut start = self.at + skipped;
        let quote = opened.chars().next()?;
        if let Some(close) = closing(quote) {
            start += quote.len_utf8();
            let inner = &self.text[start..];
            let escaped = format!("\\{close}");
            let line = inner.split('\n').next()?;
            let end = line.find(&escaped).into_iter().chain(line.find(close)).min();
            if let Some(end) = end.filter(|end| *end > 0) {
                return Some((start..start + end, true));
            }
        }
        let inner = &self.text[start..];
        let stop = |character: char| {
            character.is_whitespace()
                || "\"'`<>,;|".contains(character)
                || ('\u{2e80}'..'\u{ff00}').contains(&character)
                || ('\u{ff5f}'..'\u{ffa0}').contains(&character)
        };
        let mut value = &inner[..inner.find(stop).unwrap_or(inner.len())];
        loop {
            let trimmed = value.trim_end_matches(['.', ':', '*', '\\', '。', '…', '/', '&']);
            let trimmed =
                [('(', ')'), ('[', ']'), ('{', '}')].iter().fold(trimmed, |value, pair| {
                    if value.ends_with(pair.1) && !value.contains(pair.0) {
                        &value[..value.len() - 1]
                    } else {
                        value
                    }
                });
            if trimmed.len() == value.len() {
                break;
            }
            value = trimmed;
        }
        if value.contains('&') && self.text[..self.at].ends_with('=') {
            value = value.split('&').next()?;
        }
        (!value.is_empty()).then(|| (start..start + value.len(), false))
    }
}

/// Links that may stand some words after a name.
const DISTANT: &[&str] = &[
    "is",
    "was",
    "to",
    "ist",
    "lautet",
    "auf",
    "est",
    "es",
    "é",
    "è",
    "är",
    "er",
    "jest",
    "это",
    "=",
    ":",
    "->",
    "→",
    "=>",
    "है",
    "هي",
    "هو",
    "είναι",
    "là",
    "adalah",
    "on",
    "este",
    "je",
];

/// Reads one link.
fn link_at(rest: &str, spaced: bool) -> Option<(usize, Link)> {
    for link in UNSPACED_LINKS {
        if rest.starts_with(link) && (!link.is_ascii() || !rest.starts_with("::")) {
            return Some((link.len(), Link::Symbol));
        }
    }
    let word = &rest[..rest.find([' ', '\t', '\n', '"', '\'', '`', '*']).unwrap_or(rest.len())];
    let symbol = |word: &str| word.chars().all(|character| !character.is_alphanumeric());
    if !spaced && !symbol(word) {
        return None;
    }
    let bare = if word.len() > 1 { word.trim_end_matches([':', '：']) } else { word };
    let lower = bare.to_lowercase();
    if !LINKS.contains(&lower.as_str()) || word.is_empty() {
        return None;
    }
    let dash = ["-", "–", "—"].contains(&bare);
    let link =
        if (symbol(bare) && !dash) || word.len() > bare.len() { Link::Symbol } else { Link::Word };
    Some((word.len(), link))
}

/// Reads `", "value": ` and the like, after a name that is a value itself.
fn value_member(rest: &str) -> Option<usize> {
    let trimmed = rest.trim_start_matches([',', ' ', '\t', '\n', '\r', '"', '\'', '-']);
    let tail = trimmed.strip_prefix("value").or_else(|| trimmed.strip_prefix("Value"))?;
    let tail = tail.trim_start_matches(['"', '\'', ' ']);
    let tail = tail.strip_prefix(['=', ':'])?;
    Some(rest.len() - tail.len())
}

fn closing(quote: char) -> Option<char> {
    Some(match quote {
        '"' | '\'' | '`' => quote,
        '“' | '”' | '„' => '”',
        '‘' => '’',
        '«' => '»',
        '「' => '」',
        '『' => '』',
        _ => return None,
    })
}
