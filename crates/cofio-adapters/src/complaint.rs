//! What a server says when it refuses, made fit to be shown.

use serde_json::Value;

use crate::key::Key;

/// How many characters of a complaint are shown.
const SHOWN_CHARS: usize = 200;

/// How many characters in a row, or a whole text if it is shorter, count as repeated.
const REPEATED_CHARS: usize = 16;

/// Returns the message in the body of a refusal: short, on one line, without the key, and only if
/// it repeats nothing of the texts.
pub fn read(body: &[u8], key: Option<&Key>, texts: &[&str]) -> Option<String> {
    let message = message(body)?;
    let message = key.map_or_else(|| message.clone(), |key| key.mask(&message));
    let words: Vec<&str> = message.split(|c: char| c.is_control() || c == ' ').collect();
    let line = words.join(" ");
    let line = line.trim();
    let is_repeated = texts.iter().any(|text| repeats(&message, text));
    if line.is_empty() || is_repeated {
        return None;
    }
    let short: String = line.chars().take(SHOWN_CHARS).collect();
    Some(if short.len() < line.len() { short + "…" } else { short })
}

/// Returns the code in the body of a refusal.
pub fn code(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    Some(body["error"]["code"].as_str()?.to_owned())
}

fn message(body: &[u8]) -> Option<String> {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        let text = std::str::from_utf8(body).ok()?;
        // A page made for browsers says nothing in its first line.
        return (!text.contains('<')).then(|| text.to_owned());
    };
    let places = [&value["error"]["message"], &value["error"], &value["message"], &value["detail"]];
    places.into_iter().find_map(Value::as_str).map(ToOwned::to_owned)
}

fn repeats(message: &str, text: &str) -> bool {
    let text = text.trim();
    if text.chars().nth(REPEATED_CHARS).is_none() {
        return !text.is_empty() && message.contains(text);
    }
    let starts: Vec<usize> = message.char_indices().map(|(start, _)| start).collect();
    let ends = starts.iter().skip(REPEATED_CHARS).copied().chain([message.len()]);
    starts.iter().zip(ends).any(|(&start, end)| {
        let run = &message[start..end];
        run.chars().count() == REPEATED_CHARS && text.contains(run)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, expected: Option<&str>) {
        let key = Key::new("sk-123").unwrap();
        let texts = ["Alice drinks her tea black, always", "tea"];
        assert_eq!(read(body.as_bytes(), Some(&key), &texts).as_deref(), expected, "{body}");
    }

    #[test]
    fn the_message_is_found_in_every_dialect() {
        check(r#"{"error": {"message": "no such model", "code": null}}"#, Some("no such model"));
        check(r#"{"error": "no such model"}"#, Some("no such model"));
        check(r#"{"message": "no such model"}"#, Some("no such model"));
        check(r#"{"detail": "no such model"}"#, Some("no such model"));
        check("404 page not found\n", Some("404 page not found"));
        check("<html>no such model</html>", None);
        check(r#"{"detail": [{"input": "no such model"}]}"#, None);
        check("", None);
    }

    #[test]
    fn keys_and_texts_are_not_repeated() {
        check(r#"{"error": "wrong key sk-123!"}"#, Some("wrong key ***!"));
        check(r#"{"error": "cannot embed 'drinks her tea black'"}"#, None);
        check(r#"{"error": "no tea"}"#, None);
        check(r#"{"error": "drinks her 7"}"#, Some("drinks her 7"));
    }

    #[test]
    fn a_message_is_one_short_line() {
        check(r#"{"error": "a\nb\u001b[2Jc"}"#, Some("a b [2Jc"));
        let long = "ß".repeat(300);
        check(&format!(r#"{{"error": "{long}"}}"#), Some(&("ß".repeat(200) + "…")));
    }
}
