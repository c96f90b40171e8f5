use proptest::prelude::*;

use super::super::{Level, findings, findings_across, redact};
use super::examples::expanded;

/// Pieces that bring rules, names, codes and seams together.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("password".to_owned()),
        Just(" is ".to_owned()),
        Just(": ".to_owned()),
        Just("=".to_owned()),
        Just("\"".to_owned()),
        Just("пароль: ".to_owned()),
        Just("密码是".to_owned()),
        Just(expanded("ghp_{alnum:36}")),
        Just(expanded("sk-proj-{url:40}")),
        Just("AKIA".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just("://a:b1c2d3@".to_owned()),
        Just("%41".to_owned()),
        Just("\\u0041".to_owned()),
        Just("\u{200b}".to_owned()),
        Just("\n".to_owned()),
        Just(" ".to_owned()),
        Just("[X]".to_owned()),
        "\\PC{0,6}",
        "[a-zA-Z0-9+/=_-]{0,24}",
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn findings_are_in_order_and_on_boundaries(text in pieces()) {
        let mut end = 0;
        for finding in findings(&text) {
            prop_assert!(finding.range.start >= end && finding.range.start < finding.range.end);
            prop_assert!(text.get(finding.range.clone()).is_some());
            end = finding.range.end;
        }
    }

    #[test]
    fn a_second_redaction_changes_nothing(
        text in pieces(),
        replacement in prop_oneof![Just("[X]".to_owned()), Just(String::new()), "\\PC{0,8}"],
    ) {
        let once = redact(&text, &replacement, Level::Probable);
        let twice = redact(once.text.as_str(), &replacement, Level::Probable);
        prop_assert_eq!(once.text.as_str(), twice.text.as_str());
    }

    #[test]
    fn turns_are_put_together_on_boundaries(turns in prop::collection::vec(pieces(), 0..4), text in pieces()) {
        let earlier: Vec<&str> = turns.iter().map(String::as_str).collect();
        for (turn, finding) in findings_across(&earlier, &text) {
            let text = earlier.get(turn).copied().unwrap_or(&text);
            prop_assert!(text.get(finding.range).is_some());
        }
    }
}
