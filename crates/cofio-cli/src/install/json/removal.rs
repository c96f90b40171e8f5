//! Taking things out of JSON, together with a comma and nothing else.

use std::ops::Range;

use anyhow::Result;
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};

use super::tree::{Tree, array, is_comment, object, property};
use super::{NAME, command, group, server_program};

/// Takes our server out, and the object of servers if nothing else is in it.
pub fn server(text: &str, list: &str) -> Result<String> {
    without(text, |root| {
        let list = property(root, list)?;
        let servers = object(&list.value)?;
        let ours =
            property(servers, NAME).filter(|server| server_program(&server.value).is_some())?;
        Some(if servers.properties.len() == 1 { range(list) } else { range(ours) })
    })
}

/// Takes our commands out of some events, with everything around them that has nothing else.
pub fn hooks(text: &str, events: &[&str]) -> Result<String> {
    without(text, |root| {
        let list = property(root, "hooks")?;
        let hooks = object(&list.value)?;
        let has_others = |event: &&ObjectProp<'_>| !array(&event.value).is_some_and(is_ours);
        if !hooks.properties.is_empty() && !hooks.properties.iter().any(|event| has_others(&event))
        {
            return Some(range(list));
        }
        events.iter().filter_map(|event| property(hooks, event)).find_map(in_event)
    })
}

/// Returns the largest part of an event that is ours alone.
fn in_event(event: &ObjectProp<'_>) -> Option<Range<usize>> {
    let entries = array(&event.value)?;
    if is_ours(entries) {
        return Some(range(event));
    }
    entries.elements.iter().find_map(|entry| {
        if is_our_entry(entry) {
            return Some(entry.range().start..entry.range().end);
        }
        let command = group(entry).iter().find(|entry| command(entry).is_some())?;
        Some(command.range().start..command.range().end)
    })
}

/// Returns whether a list of entries has ours and no others.
fn is_ours(entries: &Array<'_>) -> bool {
    !entries.elements.is_empty() && entries.elements.iter().all(is_our_entry)
}

fn is_our_entry(entry: &Value<'_>) -> bool {
    let (group, ours) = (group(entry), |entry: &Value<'_>| command(entry).is_some());
    ours(entry) || (!group.is_empty() && group.iter().all(ours))
}

/// Takes out what is found, until nothing more is.
fn without(text: &str, find: impl Fn(&Object<'_>) -> Option<Range<usize>>) -> Result<String> {
    let mut text = text.to_owned();
    loop {
        let tree = Tree::of(&text)?;
        // What is no object has nothing of ours.
        let found = tree.top().ok().and_then(&find);
        let Some(found) = found else { return Ok(text) };
        let without = cut(&text, found, &tree.tokens);
        text = without;
    }
}

/// Takes out a property or an element with the comma that it needs, and its line if it has one.
fn cut(text: &str, item: Range<usize>, tokens: &[TokenAndRange<'_>]) -> String {
    let tokens = || tokens.iter().filter(|token| !is_comment(token));
    let is_comma = |token: &&TokenAndRange<'_>| token.token == Token::Comma;
    let next = tokens().find(|token| token.range.start >= item.end).filter(is_comma);
    let previous = tokens().rev().find(|token| token.range.end <= item.start).filter(is_comma);
    let end = next.map_or(item.end, |comma| comma.range.end);
    let blank = [' ', '\t'];
    let before = text[..item.start].trim_end_matches(blank);
    // What has a line to itself takes it along; within a line it takes the space before it.
    let start = match before.strip_suffix('\n') {
        Some(line) => line.strip_suffix('\r').unwrap_or(line).len(),
        None => before.len(),
    };
    match (next, previous) {
        (None, Some(comma)) => {
            let between = &text[comma.range.end..start.max(comma.range.end)];
            format!("{}{between}{}", &text[..comma.range.start], &text[end..])
        }
        _ => format!("{}{}", &text[..start], &text[end..]),
    }
}

fn range(property: &ObjectProp<'_>) -> Range<usize> {
    property.range.start..property.range.end
}
