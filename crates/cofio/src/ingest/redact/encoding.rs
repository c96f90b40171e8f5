//! Ways of writing bytes as text.

/// Decodes base64 of either alphabet, with or without padding.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    bits(text.trim_end_matches('=').as_bytes(), 6, digit)
}

/// Decodes base32.
pub fn base32(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'2'..=b'7' => Some(byte - b'2' + 26),
        _ => None,
    };
    bits(text.trim_end_matches('=').as_bytes(), 5, digit)
}

/// Decodes hexadecimal digits.
pub fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    if !text.len().is_multiple_of(2) {
        return None;
    }
    bits(text.as_bytes(), 4, digit)
}

/// Decodes base58 as Bitcoin writes it, of at most 64 digits.
pub fn base58(text: &str) -> Option<Vec<u8>> {
    const ALPHABET: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    if text.len() > 64 {
        return None;
    }
    let mut bytes = Vec::new();
    for digit in text.bytes() {
        let place = ALPHABET.iter().position(|letter| *letter == digit)?;
        let mut carry = u16::try_from(place).ok()?;
        for byte in &mut bytes {
            let [low, high] = (carry + u16::from(*byte) * 58).to_le_bytes();
            (*byte, carry) = (low, u16::from(high));
        }
        bytes.extend(carry.to_le_bytes().into_iter().filter(|byte| *byte > 0));
    }
    bytes.reverse();
    Some(bytes)
}

/// Puts digits of some bits together; what is left over at the end falls away.
fn bits(digits: &[u8], width: u32, digit: impl Fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(digits.len());
    let (mut buffer, mut held) = (0_u32, 0);
    for byte in digits {
        buffer = (buffer << width) | u32::from(digit(*byte)?);
        held += width;
        if held >= 8 {
            held -= 8;
            bytes.push((buffer >> held).to_le_bytes()[0]);
        }
    }
    Some(bytes)
}
