//! Writing things into JSON in the style of what is there, without touching any of it.

use std::ops::Range;

use anyhow::Result;
use jsonc_parser::ast::{Array, Object, StringLit};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};

use super::literal::{Layout, Literal, property, quoted};
use super::tree::{Tree, is_comment};

/// One level of a file in which nothing shows how deep its levels are.
const UNIT: &str = "  ";

/// What is to be done to a text.
pub enum Change {
    /// Something goes to the end of an object or a list.
    Append { container: Range<usize>, last: Option<Range<usize>>, item: Item },
    /// A string becomes another.
    Text { range: Range<usize>, text: String },
}

/// What an object or a list is given.
pub enum Item {
    Property(&'static str, Literal),
    Element(Literal),
}

impl Change {
    /// Adds a property to an object.
    pub fn property(object: &Object<'_>, name: &'static str, value: Literal) -> Self {
        let last = object.properties.last().map(|last| last.range.start..last.range.end);
        let container = object.range.start..object.range.end;
        Self::Append { container, last, item: Item::Property(name, value) }
    }

    /// Adds an element to a list.
    pub fn element(array: &Array<'_>, value: Literal) -> Self {
        let last = array.elements.last().map(|last| last.range().start..last.range().end);
        let container = array.range.start..array.range.end;
        Self::Append { container, last, item: Item::Element(value) }
    }

    /// Puts a text in the place of a string.
    pub fn text(string: &StringLit<'_>, text: &str) -> Self {
        Self::Text { range: string.range.start..string.range.end, text: text.to_owned() }
    }
}

/// Makes one change after another, until none is left to be made.
pub fn made(text: &str, next: impl Fn(&Object<'_>) -> Result<Option<Change>>) -> Result<String> {
    let mut text = if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() };
    loop {
        let tree = Tree::of(&text)?;
        let changed = match next(tree.top()?)? {
            None => return Ok(text),
            Some(Change::Text { range, text: string }) => spliced(&text, range, &quoted(&string)),
            Some(Change::Append { container, last: None, item }) => fill(&text, container, &item),
            Some(Change::Append { last: Some(last), item, .. }) => {
                append(&text, last, &item, &tree.tokens)
            }
        };
        text = changed;
    }
}

/// Puts something into an object or a list that has nothing.
fn fill(text: &str, container: Range<usize>, item: &Item) -> String {
    let (start, end) = (container.start + 1, container.end - 1);
    let comments = text[start..end].trim_end();
    let space = start + comments.len()..end;
    let is_top = text[..container.start].trim().is_empty();
    if !text.contains('\n') && !is_top {
        return spliced(text, space, &item.written(&line(text)));
    }
    let outer = indent(text, container.start).unwrap_or_default();
    let layout = lines(text, format!("{outer}{}", unit(text)));
    let (next, item, newline) = (layout.next(), item.written(&layout), newline(text));
    spliced(text, space, &format!("{next}{item}{newline}{outer}"))
}

/// Puts something behind the last one in an object or a list, and behind the comments on its line.
fn append(text: &str, last: Range<usize>, item: &Item, tokens: &[TokenAndRange<'_>]) -> String {
    let layout = match own_line(text, last.start) {
        Some(indent) => lines(text, indent.to_owned()),
        None => line(text),
    };
    let behind = tokens.partition_point(|token| token.range.start < last.end);
    let comma = tokens.get(behind).filter(|token| token.token == Token::Comma);
    let mut end = comma.map_or(last.end, |comma| comma.range.end);
    for token in &tokens[behind + usize::from(comma.is_some())..] {
        let ends_line =
            matches!((&token.token, &layout), (Token::CommentLine(_), Layout::Line { .. }));
        let apart = text[end..token.range.start].contains('\n');
        if !is_comment(token) || ends_line || apart {
            break;
        }
        end = token.range.end;
    }
    let (before, after) = if comma.is_some() { ("", ",") } else { (",", "") };
    let (rest, space, item) = (&text[last.end..end], layout.next(), item.written(&layout));
    spliced(text, last.end..end, &format!("{before}{rest}{space}{item}{after}"))
}

impl Item {
    fn written(&self, layout: &Layout) -> String {
        match self {
            Self::Property(name, value) => property(name, value, layout),
            Self::Element(value) => value.written(layout),
        }
    }
}

/// Returns how a text lays out what stands on one line.
fn line(text: &str) -> Layout {
    Layout::Line { space: if text.contains("\": ") { " " } else { "" } }
}

/// Returns how a text lays out what stands on several lines, the first of which begins so.
fn lines(text: &str, indent: String) -> Layout {
    Layout::Lines { newline: newline(text), indent, unit: unit(text).to_owned() }
}

/// Returns what one level adds to the beginning of a line.
fn unit(text: &str) -> &str {
    let lines = text.lines().skip(1).map(|line| &line[..line.len() - line.trim_start().len()]);
    lines.into_iter().find(|blank| !blank.is_empty()).unwrap_or(UNIT)
}

fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Returns what the line of a place begins with.
fn indent(text: &str, place: usize) -> Option<&str> {
    let line = &text[text[..place].rfind('\n')? + 1..place];
    Some(&line[..line.len() - line.trim_start_matches([' ', '\t']).len()])
}

/// Returns what stands before something on its line, if that is nothing but blanks.
fn own_line(text: &str, place: usize) -> Option<&str> {
    let line = &text[text[..place].rfind('\n')? + 1..place];
    line.trim_matches([' ', '\t']).is_empty().then_some(line)
}

fn spliced(text: &str, range: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}
