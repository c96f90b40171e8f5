//! Names for texts that are too long or too private to be names.

use sha2::{Digest as _, Sha256};

/// Returns a short name for a text that nobody can read it from.
pub fn digest(text: &str) -> String {
    let digest = Sha256::digest(text);
    let half = digest.first_chunk().expect("a digest has 32 bytes");
    format!("{:032x}", u128::from_be_bytes(*half))
}
