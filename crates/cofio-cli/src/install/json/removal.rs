//! Taking things out of JSON, together with a comma and nothing else.

use std::ops::Range;

use anyhow::Result;
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, ParseResult, parse_to_ast};

use super::{NAME, not_json, options, runs_hook};
use crate::install::edit::runs_cofio;

/// Takes our server out, and the object of servers if nothing else is in it.
pub fn server(text: &str, list: &str) -> Result<String> {
    without(text, |root| {
        let list = root.get(list)?;
        let servers = object(&list.value)?;
        let ours = servers.get(NAME).filter(|server| is_server(&server.value))?;
        Some(if servers.properties.len() == 1 { range(list) } else { range(ours) })
    })
}

/// Takes our commands out of some events, with everything around them that has nothing else.
pub fn hooks(text: &str, events: &[&str]) -> Result<String> {
    without(text, |root| {
        let list = root.get("hooks")?;
        let hooks = object(&list.value)?;
        let has_others = |event: &&ObjectProp<'_>| !array(&event.value).is_some_and(is_ours);
        if !hooks.properties.is_empty() && !hooks.properties.iter().any(|event| has_others(&event))
        {
            return Some(range(list));
        }
        events.iter().filter_map(|event| hooks.get(event)).find_map(in_event)
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
        let command = group(entry)?.elements.iter().find(|command| is_our_command(command))?;
        Some(command.range().start..command.range().end)
    })
}

/// Returns whether a list of entries has ours and no others.
fn is_ours(entries: &Array<'_>) -> bool {
    !entries.elements.is_empty() && entries.elements.iter().all(is_our_entry)
}

fn is_our_entry(entry: &Value<'_>) -> bool {
    let alone =
        |group: &Array<'_>| !group.elements.is_empty() && group.elements.iter().all(is_our_command);
    is_our_command(entry) || group(entry).is_some_and(alone)
}

fn is_our_command(entry: &Value<'_>) -> bool {
    let command = object(entry).and_then(|entry| text(&entry.get("command")?.value));
    command.is_some_and(|command| runs_hook(command).is_some())
}

fn is_server(server: &Value<'_>) -> bool {
    let words = || -> Option<(&str, Option<&str>)> {
        let server = object(server)?;
        let command = &server.get("command")?.value;
        let arguments = server.get("args").and_then(|arguments| array(&arguments.value));
        match array(command) {
            Some(words) => {
                Some((text(words.elements.first()?)?, words.elements.get(1).and_then(text)))
            }
            None => Some((text(command)?, arguments.and_then(|list| text(list.elements.first()?)))),
        }
    };
    words().is_some_and(|(program, argument)| runs_cofio(program, argument, "mcp"))
}

/// Takes out what is found, until nothing more is.
fn without(text: &str, find: impl Fn(&Object<'_>) -> Option<Range<usize>>) -> Result<String> {
    let mut text = text.to_owned();
    loop {
        let collect = CollectOptions { tokens: true, ..CollectOptions::default() };
        let ParseResult { value, tokens, .. } =
            parse_to_ast(&text, &collect, &options()).map_err(|error| not_json(&error))?;
        let found = value.as_ref().and_then(object).and_then(&find);
        let Some(found) = found else { return Ok(text) };
        text = cut(&text, found, &tokens.unwrap_or_default());
    }
}

/// Takes out a property or an element with the comma that it needs, and its line if it has one.
fn cut(text: &str, item: Range<usize>, tokens: &[TokenAndRange<'_>]) -> String {
    let is_comma = |token: &&TokenAndRange<'_>| token.token == Token::Comma;
    let next = tokens.iter().find(|token| token.range.start >= item.end).filter(is_comma);
    let previous = tokens.iter().rev().find(|token| token.range.end <= item.start).filter(is_comma);
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

fn object<'a, 'b>(value: &'b Value<'a>) -> Option<&'b Object<'a>> {
    if let Value::Object(object) = value { Some(object) } else { None }
}

fn array<'a, 'b>(value: &'b Value<'a>) -> Option<&'b Array<'a>> {
    if let Value::Array(array) = value { Some(array) } else { None }
}

fn text<'b>(value: &'b Value<'_>) -> Option<&'b str> {
    if let Value::StringLit(text) = value { Some(&text.value) } else { None }
}

/// Returns the commands of an entry that is a group of them.
fn group<'a, 'b>(entry: &'b Value<'a>) -> Option<&'b Array<'a>> {
    array(&object(entry)?.get("hooks")?.value)
}
