//! Cuts texts to size and puts them together to requests.

use cofio::model::CleanText;

/// Returns what the model is shown of a text: its start, and never nothing, which servers refuse.
pub fn shown(text: &CleanText, text_bytes: usize) -> &str {
    let text = text.as_str();
    let end = (0..=text_bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    match &text[..end.unwrap_or(0)] {
        "" => " ",
        cut => cut,
    }
}

/// Splits texts into runs that fit into a request each.
pub fn split<'a>(texts: &[&'a str], most_texts: usize, most_bytes: usize) -> Vec<Vec<&'a str>> {
    let mut batches: Vec<Vec<&str>> = Vec::new();
    let mut bytes = 0;
    for &text in texts {
        bytes += text.len();
        match batches.last_mut() {
            Some(batch) if batch.len() < most_texts && bytes <= most_bytes => batch.push(text),
            _ => {
                bytes = text.len();
                batches.push(vec![text]);
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], most_texts: usize, most_bytes: usize, expected: &[&[&str]]) {
        assert_eq!(split(texts, most_texts, most_bytes), expected);
    }

    #[test]
    fn a_batch_is_limited_in_texts_and_bytes() {
        check(&[], 2, 9, &[]);
        check(&["a", "b", "c"], 2, 9, &[&["a", "b"], &["c"]]);
        check(&["aaa", "bbb", "ccc"], 9, 6, &[&["aaa", "bbb"], &["ccc"]]);
        check(&["aaaaaaa", "b", "ccccccc"], 9, 6, &[&["aaaaaaa"], &["b"], &["ccccccc"]]);
        check(&["a", "b"], 0, 0, &[&["a"], &["b"]]);
    }

    #[test]
    fn a_server_is_never_shown_nothing() {
        assert_eq!(shown(&CleanText::default(), 9), " ");
    }
}
