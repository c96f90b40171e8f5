//! Taking secrets out of text.
//!
//! The rules are the floor: keys of well-known form, private keys, passwords named as such.

use std::sync::LazyLock;

use regex::Regex;

use crate::model::CleanText;

/// How sure a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It looks like one, and is taken out; whoever wrote it is told.
    Probable,
    /// It can be nothing else.
    Definite,
}

impl Level {
    /// Returns the name that records and answers use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Probable => "probable",
            Self::Definite => "definite",
        }
    }
}

/// What was taken out, without its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redaction {
    /// The name of the rule.
    pub class: &'static str,
    /// How sure the rule is.
    pub level: Level,
}

impl Redaction {
    /// Returns whether it was called a credential where it stood, whatever its form.
    pub fn is_named_credential(&self) -> bool {
        self.class == "password"
    }
}

/// Text without its secrets.
#[derive(Debug, Clone)]
pub struct Redacted {
    /// What is left.
    pub text: CleanText,
    /// What was taken out.
    pub redactions: Vec<Redaction>,
}

/// Takes the secrets out of a text and puts `replacement` where they stood.
pub fn redact(text: &str, replacement: &str) -> Redacted {
    let mut redactions = Vec::new();
    if !SIGNS.is_match(text) {
        return Redacted { text: CleanText::redacted(text.to_owned()), redactions };
    }
    let mut text = text.to_owned();
    for rule in RULES.iter() {
        let mut clean = String::new();
        let mut end = 0;
        for captures in rule.regex.captures_iter(&text) {
            let Some(secret) = captures.iter().skip(1).flatten().next() else { continue };
            if secret.as_str() == replacement {
                continue;
            }
            clean.push_str(&text[end..secret.start()]);
            clean.push_str(replacement);
            end = secret.end();
            redactions.push(Redaction { class: rule.class, level: rule.level });
        }
        if end > 0 {
            clean.push_str(&text[end..]);
            text = clean;
        }
    }
    Redacted { text: CleanText::redacted(text), redactions }
}

struct Rule {
    class: &'static str,
    level: Level,
    regex: Regex,
}

/// Name, certainty, and a pattern whose first group that matches is the secret.
const PATTERNS: &[(&str, Level, &str)] = &[
    (
        "private-key",
        Level::Definite,
        r"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z))",
    ),
    ("anthropic-key", Level::Definite, r"\b(sk-ant-[A-Za-z0-9_-]{20,})"),
    ("openai-key", Level::Definite, r"\b(sk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,})"),
    ("aws-key", Level::Definite, r"\b((?:AKIA|ASIA)[A-Z0-9]{16})\b"),
    (
        "github-token",
        Level::Definite,
        r"\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    ),
    ("url-password", Level::Probable, r"\b[a-z][a-z0-9+.-]*://[^\s:/@]+:([^\s@/]+)@"),
    ("bearer-token", Level::Probable, r"(?i)\bbearer\s+([A-Za-z0-9._~+/-]{16,}=*)"),
    (
        "password",
        Level::Probable,
        r#"(?i)\b(?:password|passwd|passphrase|pwd)\\?["'`]?\s*(?:[=:]|\bis\b)\s*\\?(?:"([^"]{4,}?)\\?"|'([^']{4,})'|`([^`]{4,})`|["'`]?([^\s"'`]{4,}))"#,
    ),
];

/// What every secret that a rule knows has in or before it; most texts have none of these.
static SIGNS: LazyLock<Regex> = LazyLock::new(|| {
    let signs = "PRIVATE KEY|sk-|AKIA|ASIA|gh[pousr]_|github_pat_|://|(?i:bearer|pass|pwd)";
    Regex::new(signs).expect("every pattern is tested")
});

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rule = |&(class, level, pattern): &(&'static str, Level, &str)| {
        let regex = Regex::new(pattern).expect("every pattern is tested");
        Rule { class, level, regex }
    };
    PATTERNS.iter().map(rule).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str, class: Option<&str>) {
        let redacted = redact(text, "[X]");
        assert_eq!(redacted.text.as_str(), expected);
        assert_eq!(redacted.redactions.first().map(|found| found.class), class);
    }

    #[test]
    fn keys_of_known_form_are_taken_out() {
        let openai = format!("use sk-{} please", "a1".repeat(24));
        check(&openai, "use [X] please", Some("openai-key"));
        check(&format!("sk-ant-api03-{}", "aZ9_".repeat(20)), "[X]", Some("anthropic-key"));
        check("id AKIAIOSFODNN7EXAMPLE.", "id [X].", Some("aws-key"));
        check(&format!("(ghp_{})", "Ab3".repeat(12)), "([X])", Some("github-token"));
        let private = "a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b";
        check(private, "a [X] b", Some("private-key"));
        check("-----BEGIN PRIVATE KEY-----\ncut off", "[X]", Some("private-key"));
    }

    #[test]
    fn passwords_that_are_named_are_taken_out_and_the_rest_stays() {
        check("password = hunter22", "password = [X]", Some("password"));
        check("the password is hunter2!", "the password is [X]", Some("password"));
        check("postgres://me:s3cret@db/x", "postgres://me:[X]@db/x", Some("url-password"));
        check(r#"{"password": "two words here"}"#, r#"{"password": "[X]"}"#, Some("password"));
        check("passphrase='correct horse'", "passphrase='[X]'", Some("password"));
        let bearer = "Authorization: Bearer abcdef0123456789abcdef";
        check(bearer, "Authorization: Bearer [X]", Some("bearer-token"));
    }

    #[test]
    fn harmless_text_is_left_alone() {
        for text in [
            "the bearer of good news",
            "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
            "see https://example.com:8080/a@b and sk-learn",
            "passwords are hard",
            "",
        ] {
            check(text, text, None);
        }
    }

    #[test]
    fn a_redacted_text_is_not_redacted_again() {
        let once = redact("password = hunter22", "[SECRET_REDACTED]");
        let twice = redact(once.text.as_str(), "[SECRET_REDACTED]");
        assert_eq!(once.text, twice.text);
        assert!(twice.redactions.is_empty());
    }
}
