//! What a value that must not be learnt again has in common with its other spellings.

use sha2::{Digest as _, Sha256};

use crate::model::Scope;
use crate::text;

/// Returns what every spelling of a text has in common within a scope, or nothing if there is
/// nothing to read in it.
///
/// Case, accents, spaces, punctuation, characters that nobody sees and letters that look the same
/// make no difference; another word does.
pub fn value_hash(scope: &Scope, content: &str) -> Option<[u8; 32]> {
    let skeleton: String =
        text::fold(content).chars().filter(|c| c.is_alphanumeric()).map(plain).collect();
    if skeleton.is_empty() {
        return None;
    }
    let scope = scope.to_string();
    let hash = Sha256::new()
        .chain_update((scope.len() as u64).to_le_bytes())
        .chain_update(scope)
        .chain_update(skeleton);
    Some(hash.finalize().into())
}

/// Returns the Latin letter that a folded letter of another script looks like.
fn plain(letter: char) -> char {
    const ALIKE: &[(char, &str)] = &[
        ('a', "аαɑ"),
        ('b', "ьƅ"),
        ('c', "сϲ"),
        ('d', "ԁ"),
        ('e', "еєҽ"),
        ('g', "ɡ"),
        ('h', "һ"),
        ('i', "іιıɩ"),
        ('j', "јϳ"),
        ('k', "кκ"),
        ('l', "ӏⅼ"),
        ('m', "мⅿ"),
        ('n', "пո"),
        ('o', "оοօσ"),
        ('p', "рρ"),
        ('q', "ԛ"),
        ('s', "ѕ"),
        ('t', "тτ"),
        ('u', "υսʋ"),
        ('v', "ѵν"),
        ('w', "ԝω"),
        ('x', "хχ"),
        ('y', "уγү"),
    ];
    if letter.is_ascii() {
        return letter;
    }
    let alike = ALIKE.iter().find(|(_, others)| others.contains(letter));
    alike.map_or(letter, |(plain, _)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Identifier;

    fn hash(user: &str, content: &str) -> Option<[u8; 32]> {
        value_hash(&Scope::user(Identifier::new(user).unwrap()), content)
    }

    #[test]
    fn other_spellings_of_a_value_are_the_same_value() {
        let value = hash("alice", "Alice is allergic to nuts");
        for spelling in [
            "alice is allergic to NUTS",
            "  Alice   is allergic\tto nuts!! ",
            "Ａｌｉｃｅ is allergic to nuts",
            "Ali\u{200b}ce is aller\u{ad}gic to nu\u{2060}ts",
            "Аliсе is allergic to nuts",
            "Älice is állergic to nüts",
        ] {
            assert_eq!(hash("alice", spelling), value, "{spelling}");
        }
    }

    #[test]
    fn another_value_and_another_scope_are_not() {
        let value = hash("alice", "Alice is allergic to nuts");
        assert_ne!(hash("alice", "Alice is allergic to eggs"), value);
        assert_ne!(hash("alice", "Nuts make Alice ill"), value);
        assert_ne!(hash("bob", "Alice is allergic to nuts"), value);
        assert_eq!(hash("alice", " \u{200b}!"), None);
    }
}
