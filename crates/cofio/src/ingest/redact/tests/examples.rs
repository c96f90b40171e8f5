//! Examples of secrets, made up where they are needed so that the repository contains none.

/// Replaces `{alphabet:length}` by so many characters of an alphabet, the same every time.
pub fn expanded(example: &str) -> String {
    let mut text = String::new();
    let mut rest = example;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('}').map(|at| open + at) else { break };
        let seed = text.len() + example.len();
        match characters(&rest[open + 1..close], seed) {
            Some(characters) => text.push_str(&characters),
            None => text.push_str(&rest[open..=close]),
        }
        rest = &rest[close + 1..];
    }
    text + rest
}

fn characters(placeholder: &str, seed: usize) -> Option<String> {
    let hex = "0123456789abcdef";
    match placeholder {
        "nl" => return Some("\n".to_owned()),
        "uuid" => {
            let digits = drawn(hex, 32, seed);
            let parts =
                [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
            return Some(parts.join("-"));
        }
        "=abc" => return Some("aB3".to_owned()),
        "=alnum14" => return Some(drawn(ALNUM, 14, seed)),
        "=digit10" => return Some(drawn("123456789", 10, seed)),
        "=hex32" => return Some(drawn(hex, 32, seed)),
        "=b64" => return Some(drawn(ALNUM, 76, seed)),
        "=mmk" => return Some(format!("{}_{}", drawn(ALNUM, 6, seed), drawn(ALNUM, 29, seed))),
        "=dsn" => return Some(format!("https://{}@o1.ingest.", drawn(hex, 32, seed))),
        _ => {}
    }
    let (alphabet, length) = placeholder.split_once(':')?;
    let length = length.parse().ok()?;
    if alphabet == "bytes" {
        let numbers: Vec<String> = (0..length).map(|at| (at * 37 % 256).to_string()).collect();
        return Some(numbers.join(", "));
    }
    let letters = match alphabet {
        "alnum" => ALNUM,
        "alpha" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "hex" => hex,
        "HEX" => "0123456789ABCDEF",
        "lower" => "abcdefghijklmnopqrstuvwxyz0123456789",
        "upper" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "b32" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "b58" => "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
        "b64" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        "url" | "b64u" => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        "bech" => "023456789acdefghjklmnpqrstuvwxyz",
        "digit" => "0123456789",
        "x" => "x",
        _ => return None,
    };
    Some(drawn(letters, length, seed))
}

const ALNUM: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Draws characters with a multiplicative generator; the last is always a letter or a digit.
fn drawn(alphabet: &str, length: usize, seed: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state = seed as u64 + 88_172_645_463_325_252;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        letters[usize::try_from(state % letters.len() as u64).unwrap()]
    };
    let mut text: String = (1..length).map(|_| draw()).collect();
    text.push(std::iter::repeat_with(draw).find(char::is_ascii_alphanumeric).unwrap());
    text
}
