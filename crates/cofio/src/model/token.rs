use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::KeyId;
use super::id::is_digits;

/// What every token begins with.
const PREFIX: &str = "cofio_";

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// How many letters and digits 32 bytes take.
const LETTERS: usize = 43;

/// How many bytes a token has.
const BYTES: usize = PREFIX.len() + 32 + 1 + LETTERS;

/// What a program proves itself by: `cofio_`, the digits of the key's id, `_`, and 43 letters and
/// digits that nobody can guess.
///
/// It is shown once, to whoever made the key, and kept nowhere; it cannot be printed by accident.
pub struct Token(String);

impl Token {
    /// Makes the token of a key from 32 bytes that nobody can foresee.
    pub(crate) fn new(id: &KeyId, entropy: [u8; 32]) -> Self {
        Self(format!("{PREFIX}{}_{}", id.digits(), letters(entropy)))
    }

    /// Returns the token itself, to be shown this once.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns what the token is known by.
    pub(crate) fn hash(&self) -> KeyHash {
        KeyHash::of(&self.0)
    }

    /// Returns the key whose token a text claims to be, if it has the form of one.
    pub(crate) fn claimed(raw: &str) -> Option<KeyId> {
        let (digits, secret) = raw.strip_prefix(PREFIX)?.split_at_checked(32)?;
        let formed = raw.len() == BYTES
            && is_digits(digits)
            && secret.starts_with('_')
            && secret[1..].bytes().all(|byte| byte.is_ascii_alphanumeric());
        formed.then(|| KeyId::from_digits(digits))
    }
}

/// Does not show the token.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// What a token is known by: its SHA-256.
///
/// A slow hash is for words that people choose, which can be tried out; of 32 random bytes there are
/// too many for any hash to be slow enough to matter. Two of them are compared in constant time.
#[derive(Clone, Copy)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// Hashes a token, or what claims to be one: no more of it than a token has.
    pub(crate) fn of(token: &str) -> Self {
        let bytes = token.as_bytes();
        Self(Sha256::digest(&bytes[..bytes.len().min(BYTES + 1)]).into())
    }

    /// Returns the hash that no token has, as far as anybody knows.
    pub(crate) fn nobodys() -> Self {
        Self([0; 32])
    }

    /// Takes a hash that a store has kept.
    pub fn from_bytes(hash: [u8; 32]) -> Self {
        Self(hash)
    }

    /// Returns its bytes, for a store to keep.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for KeyHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for KeyHash {}

/// Does not show the hash.
impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// Writes 32 bytes as a number in letters and digits, which no program takes for syntax.
fn letters(mut number: [u8; 32]) -> String {
    let digit = |_| {
        let mut rest = 0;
        for byte in &mut number {
            let value = rest << 8 | usize::from(*byte);
            *byte =
                u8::try_from(value / ALPHABET.len()).expect("the rest is less than the divisor");
            rest = value % ALPHABET.len();
        }
        char::from(ALPHABET[rest])
    };
    (0..LETTERS).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(entropy: [u8; 32]) -> Token {
        Token::new(&KeyId::from_digits("0198c0de0000700080000000000000aa"), entropy)
    }

    #[test]
    fn a_token_names_its_key_and_has_one_form() {
        let token = token([7; 32]);
        let text = token.expose();
        assert_eq!(text.len(), BYTES);
        assert!(text.starts_with("cofio_0198c0de0000700080000000000000aa_"), "{text}");
        let claimed = Token::claimed(text).unwrap();
        assert_eq!(claimed.as_str(), "key_0198c0de0000700080000000000000aa");
        for wrong in [
            "",
            "cofio_",
            &text[1..],
            &text[..BYTES - 1],
            &format!("{text}x"),
            &text.to_uppercase(),
            &text.replace("aa_", "ag_"),
            &text.replace("aa_", "aa-"),
            &format!("{}é", &text[..BYTES - 2]),
        ] {
            assert!(Token::claimed(wrong).is_none(), "{wrong}");
        }
    }

    /// Reads back what [`letters`] wrote.
    fn number(letters: &str) -> [u8; 32] {
        let mut number = [0_u8; 32];
        for letter in letters.bytes().rev() {
            let mut carried = ALPHABET.iter().position(|known| *known == letter).unwrap();
            for byte in number.iter_mut().rev() {
                let value = usize::from(*byte) * ALPHABET.len() + carried;
                *byte = u8::try_from(value % 256).unwrap();
                carried = value / 256;
            }
            assert_eq!(carried, 0, "{letters} is more than 32 bytes");
        }
        number
    }

    #[test]
    fn every_bit_of_the_secret_is_in_the_token() {
        let counted: [u8; 32] = std::array::from_fn(|place| u8::try_from(place * 7 + 1).unwrap());
        for entropy in [[0; 32], [255; 32], counted] {
            assert_eq!(number(&letters(entropy)), entropy);
        }
        for bit in 0..256 {
            let mut entropy = [0; 32];
            entropy[bit / 8] = 1 << (bit % 8);
            assert_eq!(number(&letters(entropy)), entropy, "bit {bit}");
        }
    }

    #[test]
    fn nothing_is_printed_by_accident() {
        let token = token([9; 32]);
        assert_eq!(format!("{token:?} {:?}", token.hash()), "Token(…) KeyHash(…)");
    }

    #[test]
    fn a_hash_is_of_the_whole_token() {
        let (one, two) = (token([1; 32]), token([2; 32]));
        assert_eq!(one.hash(), KeyHash::of(one.expose()));
        assert_ne!(one.hash(), two.hash());
        assert_ne!(one.hash(), KeyHash::of(&format!("{}x", one.expose())));
        assert_ne!(one.hash(), KeyHash::of(&one.expose()[..BYTES - 1]));
    }
}
