//! Whether a value with a name is a secret.

use super::Level;
use super::name::Name;
use super::value::{
    is_code, is_hex, is_mixed, is_passphrase, is_placeholder, is_uuid, is_variable, is_word,
    looks_random,
};
use super::words::Promise;

/// What ties a value to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// `=`, `:` and the like.
    Symbol,
    /// "is", "lautet", "to".
    Word,
    /// An option of a command and a space.
    Flag,
    /// Nothing but a space.
    Bare,
}

/// How a value was given.
#[derive(Debug)]
pub struct Carrier<'a> {
    /// What the name promises.
    pub promise: Promise,
    /// What ties the value to the name.
    pub link: Link,
    /// Whether it stood in quotes.
    pub quoted: bool,
    /// Whether other words stood between.
    pub gap: bool,
    /// The name.
    pub name: &'a Name<'a>,
    /// What follows the value.
    pub after: &'a str,
}

/// Returns how sure it is that a value is a secret, if it may be one.
pub fn judge(value: &str, carrier: &Carrier<'_>) -> Option<Level> {
    let standing_for = is_placeholder(value) || is_variable(value);
    let expression = !carrier.quoted && (is_code(value) || opens_call(carrier));
    if value.chars().count() < 3 || standing_for || value.contains("://") {
        return None;
    }
    if expression && !(looks_random(value) && value.len() > 15 && !value.contains(['(', '[', '{']))
    {
        return None;
    }
    match carrier.promise {
        Promise::Password => password(value, carrier),
        Promise::Pin => pin(value, carrier),
        Promise::Secret => secret(value, carrier, if carrier.gap { 12 } else { 8 }),
        Promise::Key => key(value, carrier),
        Promise::Hint | Promise::Phrase | Promise::Card => None,
    }
}

fn password(value: &str, carrier: &Carrier<'_>) -> Option<Level> {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let least = if carrier.name.weak { 6 } else { 4 };
    if value.chars().count() < least || is_measure(value, carrier) || is_known_term(value) {
        return None;
    }
    let strict = carrier.link == Link::Bare || (carrier.gap && carrier.link == Link::Word);
    if digits {
        return (!strict && value.len() <= 24).then_some(Level::Probable);
    }
    if strict {
        let both = value.bytes().any(|byte| byte.is_ascii_digit())
            && value.chars().any(char::is_alphabetic);
        let long = value.len() > 5 && value.len() < 65;
        if is_passphrase(value, 4) {
            return Some(Level::Probable);
        }
        let fine = both && long && is_mixed(value) && !value.contains(['/', '=', ':', '.']);
        return fine.then_some(Level::Probable);
    }
    if carrier.quoted && value.contains(' ') {
        let words: Vec<&str> = value.split_whitespace().collect();
        let talks = |word: &str| {
            let word = word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
            SENTENCE.contains(&word.as_str())
        };
        return (!words.iter().any(|word| talks(word)) && words.len() < 13)
            .then_some(Level::Probable);
    }
    if is_mixed(value) || is_passphrase(value, 3) {
        return Some(Level::Probable);
    }
    if !is_word(value) {
        return carrier.quoted.then_some(Level::Possible);
    }
    if value.chars().count() < 5 || TALK.contains(&value.to_lowercase().as_str()) {
        return None;
    }
    match carrier.link {
        _ if carrier.quoted => Some(Level::Probable),
        Link::Symbol
            if carrier.name.is_upper()
                && !carrier.name.weak
                && carrier.name.as_str().contains('_') =>
        {
            Some(Level::Probable)
        }
        _ => ends_statement(carrier.after).then_some(Level::Possible),
    }
}

fn pin(value: &str, carrier: &Carrier<'_>) -> Option<Level> {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let only = value.bytes().all(|byte| byte.is_ascii_digit() || b"-#*".contains(&byte));
    let fine = only && (3..=10).contains(&digits) && !is_measure(value, carrier);
    let short = digits == 3 && !carrier.name.as_str().to_ascii_lowercase().starts_with("cv");
    (fine && !short).then_some(Level::Probable)
}

fn secret(value: &str, carrier: &Carrier<'_>, least: usize) -> Option<Level> {
    let length = value.len();
    let machine = looks_random(value) || (is_hex(value) && length > 15) || is_uuid(value);
    let signs =
        is_mixed(value) && value.contains(['!', '@', '#', '$', '%', '^', '&', '*']) && length > 9;
    if value.contains(|sign: char| "()[]{}<>|\\ ".contains(sign)) || value.starts_with(['#', '/']) {
        return None;
    }
    if is_known_term(value) || value.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let level = match carrier.link {
        Link::Bare => (machine && length >= 16 && !is_uuid(value)).then_some(Level::Probable),
        _ => (length >= least && (machine || signs)).then_some(Level::Probable),
    };
    let phrase =
        carrier.link != Link::Bare && !carrier.gap && is_passphrase(value, 3) && length > 15;
    let upper = carrier.name.is_upper() && carrier.link == Link::Symbol && length > 9;
    level.or((phrase || (upper && is_word(value))).then_some(Level::Possible))
}

fn key(value: &str, carrier: &Carrier<'_>) -> Option<Level> {
    let machine = looks_random(value) || (is_hex(value) && value.len() > 31) || is_uuid(value);
    if value.contains(|sign: char| "()[]{}<>|\\ ".contains(sign)) || value.starts_with(['#', '/']) {
        return None;
    }
    if value.len() < 16 || !machine || carrier.link == Link::Bare && value.len() < 20 {
        return None;
    }
    let part = |part: &str| part.len() > 11 && looks_random(part);
    let path = value.contains(':') || (value.contains('/') && !value.split('/').any(part));
    let member = carrier.quoted && carrier.link == Link::Symbol && carrier.name.as_str().len() <= 4;
    Some(if member || path { Level::Possible } else { Level::Probable })
}

/// Words by which a text of several words shows that it talks about a secret.
const SENTENCE: &[&str] = &[
    "password",
    "passwords",
    "passwort",
    "passphrase",
    "login",
    "username",
    "token",
    "contraseña",
    "your",
    "must",
    "please",
    "enter",
    "choose",
    "required",
    "incorrect",
    "invalid",
    "characters",
    "cannot",
    "should",
    "not",
    "is",
    "the",
];

/// Words that follow "password" in talk about passwords.
const TALK: &[&str] = &[
    "required",
    "incorrect",
    "correct",
    "invalid",
    "wrong",
    "stored",
    "expired",
    "missing",
    "empty",
    "strong",
    "weak",
    "reset",
    "changed",
    "hashed",
    "encrypted",
    "stolen",
    "leaked",
    "protected",
    "needed",
    "optional",
    "unknown",
    "secure",
    "insecure",
    "forgotten",
    "lost",
    "manager",
    "policy",
    "field",
    "prompt",
    "below",
    "above",
    "there",
    "short",
    "case",
    "sensitive",
    "only",
    "still",
    "always",
    "never",
    "already",
    "about",
    "being",
    "written",
    "saved",
    "shared",
    "safe",
    "visible",
    "hidden",
    "disabled",
    "enabled",
    "unset",
    "blank",
    "different",
    "stale",
    "compromised",
    "valid",
    "please",
    "enter",
    "choose",
    "type",
    "with",
    "must",
    "should",
    "have",
    "been",
    "stays",
    "falsch",
    "richtig",
    "erforderlich",
    "sicher",
    "abgelaufen",
    "vergessen",
    "obligatoire",
    "incorrecta",
    "obligatorio",
    "requerida",
    "characters",
    "letters",
    "confirm",
    "confirmation",
    "again",
    "repeat",
    "authentication",
    "generation",
    "recovery",
    "rotation",
    "strength",
    "length",
    "include",
    "string",
    "true",
    "false",
    "null",
    "none",
    "undefined",
    "boolean",
    "number",
    "text",
    "varchar",
    "redacted",
    "available",
    "possible",
    "important",
    "easy",
    "hard",
    "good",
    "great",
    "better",
    "going",
    "getting",
    "something",
    "anything",
    "nothing",
    "everything",
    "your",
    "their",
    "what",
    "when",
    "where",
    "which",
    "help",
    "support",
    "change",
    "update",
    "updated",
    "rotated",
    "generated",
    "regenerated",
    "provided",
];

/// Returns whether a value is a number of something: "12 characters", "8-64".
fn is_measure(value: &str, carrier: &Carrier<'_>) -> bool {
    const UNITS: &[&str] = &[
        "char",
        "letter",
        "digit",
        "symbol",
        "day",
        "hour",
        "minute",
        "second",
        "week",
        "month",
        "year",
        "bit",
        "byte",
        "time",
        "zeichen",
        "caract",
        "символ",
        "знак",
        "tage",
        "stunden",
        "attempt",
        "user",
        "of",
        "or",
        "and",
        "to",
        "times",
        "%",
    ];
    let number = value.bytes().all(|byte| byte.is_ascii_digit() || b"+-.~".contains(&byte));
    let next = carrier.after.trim_start_matches([' ', '-']).to_lowercase();
    let counted = UNITS.iter().any(|unit| next.starts_with(unit));
    number && (counted || value.contains(['+', '~']) || value.split('-').any(|part| part.len() < 3))
}

/// Returns whether a value is a term of the trade that has digits in it.
fn is_known_term(value: &str) -> bool {
    const TERMS: &[&str] = &[
        "sha1",
        "sha256",
        "sha512",
        "md5",
        "oauth2",
        "oauth1",
        "base64",
        "base32",
        "utf8",
        "utf-8",
        "bcrypt",
        "argon2",
        "argon2id",
        "scrypt",
        "pbkdf2",
        "1password",
        "2fa",
        "u2f",
        "fido2",
        "x509",
        "http2",
        "ipv4",
        "ipv6",
        "aes256",
        "aes-256",
        "rs256",
        "hs256",
        "es256",
        "ed25519",
        "i18n",
        "k8s",
        "s3",
        "ec2",
        "sha-256",
        "sha-1",
        "sha-512",
        "pkcs12",
        "pkcs8",
        "web3",
        "auth0",
    ];
    let lower = value.to_lowercase();
    let version = lower.strip_prefix('v').unwrap_or(&lower);
    TERMS.contains(&lower.as_str())
        || (version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && version.contains('.'))
}

/// Returns whether what follows an unquoted value makes it part of an expression.
fn opens_call(carrier: &Carrier<'_>) -> bool {
    let generic = carrier.after.starts_with('<') && !carrier.after.starts_with("</");
    generic
        || carrier.after.starts_with(['(', '['])
        || (carrier.link == Link::Symbol && carrier.after.starts_with("::"))
}

fn ends_statement(after: &str) -> bool {
    let rest = after.trim_start_matches(['.', '!', ',', '"', '\'']);
    rest.is_empty()
        || rest.starts_with(['\n', '\r'])
        || (rest.len() < after.len() && rest.starts_with(' '))
}
