//! Tests of structure that a pattern cannot make, so that loose patterns stay quiet.
//!
//! Each takes the text and where the pattern matched, and returns where the secret really stands.

use std::ops::Range;

use super::encoding::{base58, base64};
use super::value::{
    is_code, is_hex, is_mixed, is_passphrase, is_placeholder, is_uuid, is_variable, is_word,
    looks_random,
};

/// A test of structure.
pub type Check = fn(&str, Range<usize>) -> Option<Range<usize>>;

/// Returns the test of a name.
pub fn named(name: &str) -> Option<Check> {
    Some(match name {
        "random" => random,
        "random-or-hex" => random_or_hex,
        "digit" => digit,
        "value" => value,
        "mixed" => mixed,
        "command" => command,
        "jwt" => jwt,
        "basic" => basic,
        "bearer" => bearer,
        "url-password" => url_password,
        "url-parameter" => url_parameter,
        "wif" => wif,
        "azure" => |text, range| extended(text, range, 3..=3),
        "azure-signed" => |text, range| extended(text, range, 30..=90),
        "azure-devops" => |text, range| extended(text, range, 76..=76),
        "telegram" => telegram,
        "mailchimp" => |text, range| extended(text, range, 32..=32),
        "newrelic" => |text, range| extended(text, range, 32..=32),
        "atlas" => |text, range| extended(text, range, 14..=14),
        "maxmind" => |text, range| extended(text, range, 29..=41),
        "dsn" => dsn,
        _ => return None,
    })
}

/// Returns whether a test looks for the beginning of the secret before the keyword.
pub fn reaches_back(name: &str) -> bool {
    ["azure", "azure-signed", "azure-devops", "newrelic", "dsn"].contains(&name)
}

/// Returns whether a byte can belong to a key.
pub fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+/=.~%".contains(&byte)
}

/// Returns whether a key of known form only shows the form: `sk-xxxx`, `ghp_your_token_here`.
pub fn is_placeholder_key(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    if lower.contains("xxxxxx") || lower.contains("......") || lower.contains("******") {
        return true;
    }
    let words = ["your", "here", "example", "placeholder", "replace", "dummy", "redacted", "fake"];
    let parts = || lower.split(|character: char| !character.is_ascii_alphanumeric());
    let named = parts().any(|part| words.contains(&part));
    let wordy =
        parts().all(|part| !part.bytes().any(|byte| byte.is_ascii_digit()) || part.len() < 5);
    if named && wordy {
        return true;
    }
    let body = lower.rsplit(['_', '-', '.']).next().unwrap_or_default().as_bytes();
    let Some(first) = body.first() else { return false };
    let others = body.iter().filter(|byte| *byte != first).count();
    body.len() > 7 && others * 5 < body.len()
}

fn random(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let found = &text[range.clone()];
    let fine = looks_random(found) && !is_placeholder(found) && !is_placeholder_key(found);
    fine.then_some(range)
}

fn random_or_hex(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let found = &text[range.clone()];
    ((is_hex(found) && found.len() > 15) || looks_random(found)).then_some(range)
}

fn digit(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    text[range.clone()].bytes().any(|byte| byte.is_ascii_digit()).then_some(range)
}

fn value(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let found = &text[range.clone()];
    (!is_placeholder(found) && !is_variable(found) && !is_code(found)).then_some(range)
}

fn mixed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let found = text[range.clone()].trim_end_matches(['.', ')', ';']);
    let chosen = is_mixed(found) || is_passphrase(found, 4);
    let fine = chosen && !found.starts_with(':') && !is_placeholder(found) && !is_code(found);
    fine.then_some(range.start..range.start + found.len())
}

/// A password given to a command: not a port, a path or a file.
fn command(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let found = &text[range.clone()];
    let number = found.len() < 6 && found.bytes().all(|byte| byte.is_ascii_digit());
    let path = found.contains('/') || found.starts_with('.') || found.contains(".sql");
    if number || path || !(is_mixed(found) || is_passphrase(found, 4)) {
        return None;
    }
    value(text, range)
}

/// The first part of a JSON web token is base64 of an object with an algorithm or a type.
fn jwt(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let header = text[range.clone()].split('.').next()?;
    let header = base64(header)?;
    let known = [r#""alg""#, r#""typ""#, r#""kid""#, r#""enc""#];
    let header = String::from_utf8(header).ok()?;
    known.iter().any(|name| header.contains(name)).then_some(range)
}

/// Basic credentials are base64 of a name, a colon and a password.
fn basic(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let pair = String::from_utf8(base64(&text[range.clone()])?).ok()?;
    let (_, password) = pair.split_once(':')?;
    let printable = pair.chars().all(|character| !character.is_control());
    (printable && !password.is_empty()).then_some(range)
}

fn bearer(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let found = &text[range.clone()];
    let digits = found.bytes().any(|byte| byte.is_ascii_digit());
    let token = looks_random(found) || is_uuid(found) || (digits && !is_code(found));
    (token && !is_placeholder(found) && !is_placeholder_key(found)).then_some(range)
}

fn url_password(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let found = &text[range.clone()];
    let before = &text[..range.start];
    let user = before[before.rfind("://")? + 3..].trim_end_matches(':');
    let example = ["user", "username", "me"].contains(&user) && is_word(found) && found.len() < 6;
    let same = user == found && is_word(found);
    let port =
        found.bytes().all(|byte| byte.is_ascii_digit()) && found.len() < 6 && user.contains('.');
    let trivial = found.len() < 4 || found.contains("anon");
    let dots = found.chars().all(|character| ".*x".contains(character));
    (!example && !same && !port && !trivial && !dots && !is_placeholder(found)).then_some(range)
}

/// A parameter counts in an address only; elsewhere the name and the value are looked at.
fn url_parameter(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let start = text[..range.start]
        .rfind(|character: char| character.is_whitespace() || "\"'<>`(".contains(character));
    let before = &text[start.map_or(0, |at| at + 1)..range.start];
    let found = &text[range.clone()];
    if !before.contains('?') && !before.contains('&') {
        return None;
    }
    let name = before.rsplit(['?', '&']).next()?.trim_end_matches('=').to_ascii_lowercase();
    let page = ["page", "next", "cursor", "continuation"].iter().any(|word| name.contains(word));
    let fine = looks_random(found) || is_uuid(found) || (is_hex(found) && found.len() > 15);
    (!page && fine && !is_placeholder(found)).then_some(range)
}

/// A private key in wallet import format ends in a checksum.
fn wif(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    use sha2::{Digest, Sha256};
    let key = base58(&text[range.clone()])?;
    let (body, checksum) = key.split_at_checked(key.len().checked_sub(4)?)?;
    (Sha256::digest(Sha256::digest(body)).starts_with(checksum)).then_some(range)
}

/// The number of a Telegram bot stands before the colon.
fn telegram(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let before = text[..range.start].bytes().rev();
    let digits = before.take_while(u8::is_ascii_digit).take(12).count();
    (7..=11).contains(&digits).then(|| range.start - digits..range.end)
}

/// The address of a Sentry project has its key before the host.
fn dsn(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let start = text[..range.start].rfind("https://")? + 8;
    let (key, _) = text[start..range.start].split_once('@')?;
    (key.len() > 31 && is_hex(&key[..32])).then(|| start..start + key.len())
}

/// Widens a match to the left over a number of key characters.
fn extended(
    text: &str,
    range: Range<usize>,
    lengths: std::ops::RangeInclusive<usize>,
) -> Option<Range<usize>> {
    let before = text[..range.start].bytes().rev();
    let key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+/~.".contains(byte);
    let length = before.take_while(key).take(lengths.end() + 1).count();
    lengths.contains(&length).then(|| range.start - length..range.end)
}
