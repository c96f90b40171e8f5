//! What a value looks like by itself: random, a placeholder, a piece of code, a word.

/// Words that stand where a value would.
const PLACEHOLDERS: &[&str] = &[
    "your",
    "yours",
    "example",
    "sample",
    "dummy",
    "fake",
    "placeholder",
    "insert",
    "replace",
    "todo",
    "redacted",
    "mock",
    "null",
    "none",
    "nil",
    "undefined",
    "changeme",
    "xxx",
    "enter",
    "removed",
    "hidden",
    "masked",
    "omitted",
    "censored",
    "fixme",
    "tbd",
    "secretredacted",
    "filtered",
    "optional",
    "required",
];

/// Words of which names are made; a value of nothing else names a thing and is none.
const GENERIC: &[&str] = &[
    "my",
    "the",
    "a",
    "secret",
    "secrets",
    "key",
    "keys",
    "token",
    "tokens",
    "password",
    "passwords",
    "pass",
    "pwd",
    "api",
    "access",
    "client",
    "user",
    "username",
    "test",
    "foo",
    "bar",
    "baz",
    "value",
    "string",
    "str",
    "name",
    "id",
    "auth",
    "some",
    "super",
    "new",
    "old",
    "db",
    "app",
    "prod",
    "dev",
    "staging",
    "default",
    "from",
    "env",
    "file",
    "vault",
    "field",
    "text",
    "hash",
    "policy",
    "manager",
    "reset",
    "is",
    "not",
    "set",
    "private",
    "public",
    "bearer",
    "oauth",
    "oauth2",
    "jwt",
    "basic",
    "true",
    "false",
    "yes",
    "no",
    "admin",
    "root",
    "login",
    "session",
    "refresh",
    "passphrase",
    "hello",
    "world",
    "data",
    "path",
    "url",
    "uri",
    "type",
    "int",
    "bool",
    "object",
    "array",
    "number",
    "any",
    "void",
    "self",
    "this",
    "that",
    "same",
    "valid",
    "invalid",
    "wrong",
    "correct",
    "empty",
    "missing",
    "input",
    "output",
    "form",
    "label",
    "credentials",
    "credential",
    "config",
    "settings",
    "account",
    "unknown",
    "error",
    "char",
    "varchar",
    "bytes",
    "byte",
    "float",
    "long",
    "date",
    "utf8",
    "base64",
    "sha256",
    "md5",
    "plain",
    "clear",
    "encrypted",
    "hashed",
    "encoded",
    "service",
    "server",
    "random",
    "here",
    "change",
    "goes",
    "me",
];

/// Returns whether a text has the look of characters drawn by chance.
///
/// What counts is how often neighbours differ in kind: words and names change rarely.
pub fn looks_random(value: &str) -> bool {
    let shape = Shape::of(value);
    let kinds = [shape.lower, shape.upper, shape.digits].iter().filter(|count| **count > 0).count();
    if shape.letters_and_digits() < 8 || kinds < 2 {
        return false;
    }
    let rate = f64::from(shape.changes) / f64::from(shape.pairs.max(1));
    if shape.lower > 0 && shape.upper > 0 && letters_in_words(value) * 2 > value.len() {
        return false;
    }
    if shape.digits == 0 {
        return value.len() >= 16 && rate >= 0.3;
    }
    if shape.lower * 8 <= shape.upper {
        return shape.digits >= 2 && rate >= 0.12;
    }
    if shape.upper == 0 && value.len() > 15 && shape.digits < 2 {
        return false;
    }
    rate >= if value.len() < 16 { 0.3 } else { 0.2 }
}

/// Returns whether a value has what passwords have and words do not: digits or signs in it.
pub fn is_mixed(value: &str) -> bool {
    let letters = value.chars().any(char::is_alphabetic);
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let sign = |character: char| "!@#$%^&*+=~?|".contains(character);
    let inner = value.trim_end_matches(['!', '?', '*']);
    (letters && digits) || (inner.contains(sign) && inner.len() > 3) || has_inner_capital(value)
}

/// Returns whether a value is so many words or more joined by dashes, dots or underscores.
pub fn is_passphrase(value: &str, least: usize) -> bool {
    let words: Vec<&str> = value.split(['-', '_', '.']).collect();
    let word = |part: &&str| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    words.len() >= least && words.iter().all(word) && !words.iter().any(|word| is_generic(word))
}

/// Returns whether a value only shows where one belongs.
pub fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    let first = lower.chars().next();
    if lower.chars().all(|character| Some(character) == first) {
        return !lower.chars().all(|character| character.is_ascii_digit()) || lower.is_empty();
    }
    if ["***", "•••", "...", "…", "xxxx", "####", "____", "----"]
        .iter()
        .any(|mask| lower.contains(mask))
    {
        return true;
    }
    let parts = || {
        lower.split(|character: char| !character.is_alphanumeric()).filter(|part| !part.is_empty())
    };
    parts().any(|part| PLACEHOLDERS.contains(&part))
        || parts().all(|part| {
            is_generic(part.trim_end_matches(|last: char| last.is_ascii_digit()))
                && !(part.len() > 4 && part.bytes().any(|byte| byte.is_ascii_digit()))
        })
        || is_variable(value)
}

/// Returns whether a value stands for another: `$NAME`, `${name}`, `<name>`, `{{ name }}`, `%s`.
pub fn is_variable(value: &str) -> bool {
    let enclosed = |open: &str, close: char| {
        value.starts_with(open) && value.ends_with(close) && value.len() > 1
    };
    let name = |rest: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
        !rest.is_empty() && rest.bytes().all(plain)
    };
    enclosed("<", '>')
        || enclosed("{", '}')
        || enclosed("[", ']')
        || enclosed("%", '%')
        || enclosed("@", '@')
        || value.starts_with("${")
        || value.starts_with("$(")
        || value.starts_with("{{")
        || value.starts_with("#{")
        || value.starts_with("<%")
        || value.starts_with("%(")
        || value.starts_with("&lt;")
        || (value.len() <= 2 && value.starts_with('%'))
        || value.strip_prefix('$').is_some_and(|rest| {
            name(rest) && (rest.to_ascii_uppercase() == rest || rest.to_ascii_lowercase() == rest)
        })
}

/// Returns whether an unquoted value is an expression of a programming language.
pub fn is_code(value: &str) -> bool {
    let name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:>&*-$@!".contains(&byte);
    let calls = |at: usize| value[..at].bytes().all(name) && (at == 0 || !is_mixed(&value[..at]));
    let letters = |at: usize| value[..at].bytes().all(|byte| name(byte) && !b"$@!".contains(&byte));
    if value.find(['(', '[', '{', '<']).is_some_and(|at| calls(at) || letters(at)) {
        return true;
    }
    let number = value.strip_prefix("0x").is_some_and(|digits| digits.len() < 17 && is_hex(digits));
    if number
        || value.contains("::")
        || value.contains("->")
        || value.starts_with(['&', '*', '@', '.'])
    {
        return true;
    }
    let plain = |part: &str| {
        let mut bytes = part.bytes();
        bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let drawn = |part: &str| part.len() > 15 && looks_random(part);
    let dotted = value.contains('.') && value.split('.').all(plain) && !value.split('.').any(drawn);
    let snake = value.contains('_') && value.split('_').all(|part| plain(part) || part.is_empty());
    let lower_camel = plain(value) && has_inner_capital(value) && !looks_random(value);
    dotted || (!digits && (snake || lower_camel))
}

/// Returns whether a value is a word and nothing else.
pub fn is_word(value: &str) -> bool {
    value.chars().all(|character| character.is_alphabetic() || "'’-".contains(character))
}

/// Returns whether a text is one of the forms of a UUID.
pub fn is_uuid(value: &str) -> bool {
    let lengths = value.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12])
        && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Returns whether a text is of hexadecimal digits only.
pub fn is_hex(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether a word belongs to names of things.
pub fn is_generic(word: &str) -> bool {
    let lower = word.to_lowercase();
    GENERIC.contains(&lower.as_str()) || PLACEHOLDERS.contains(&lower.as_str())
}

fn has_inner_capital(value: &str) -> bool {
    let letters: Vec<char> = value.chars().collect();
    letters.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase())
}

/// Returns how many letters stand in runs as long as words: four small ones, the first perhaps not.
fn letters_in_words(value: &str) -> usize {
    let mut count = 0;
    let mut run = 0;
    for (at, byte) in value.bytes().chain([b' ']).enumerate() {
        if byte.is_ascii_lowercase() || (byte.is_ascii_uppercase() && run == 0) {
            run += 1;
            continue;
        }
        if run >= 4 && is_pronounceable(&value[at - run..at]) {
            count += run;
        }
        run = usize::from(byte.is_ascii_uppercase());
    }
    count
}

/// Returns whether letters can be spoken: a vowel, and never four consonants in a row.
fn is_pronounceable(letters: &str) -> bool {
    let vowel = |letter: char| "aeiouyAEIOUY".contains(letter);
    letters.contains(vowel) && letters.split(vowel).all(|consonants| consonants.len() < 4)
}

/// How many characters of each kind there are, and how often neighbours differ.
struct Shape {
    lower: u32,
    upper: u32,
    digits: u32,
    pairs: u32,
    changes: u32,
}

impl Shape {
    fn of(value: &str) -> Self {
        let mut shape = Self { lower: 0, upper: 0, digits: 0, pairs: 0, changes: 0 };
        let (mut before, mut last) = (b' ', b' ');
        for byte in value.bytes() {
            match byte {
                b'a'..=b'z' => shape.lower += 1,
                b'A'..=b'Z' => shape.upper += 1,
                b'0'..=b'9' => shape.digits += 1,
                _ => {}
            }
            if byte.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() {
                shape.pairs += 1;
                let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
                // A capital followed by small letters is how a word begins.
                let begins = last.is_ascii_uppercase()
                    && byte.is_ascii_lowercase()
                    && !before.is_ascii_uppercase();
                shape.changes += u32::from(kind(byte) != kind(last) && !begins);
            }
            (before, last) = (last, byte);
        }
        shape
    }

    fn letters_and_digits(&self) -> u32 {
        self.lower + self.upper + self.digits
    }
}
