//! What a passage is known again by.

use sha2::{Digest as _, Sha256};

use crate::model::{CleanText, PassageHash};

/// Returns the hash of a passage's text.
pub fn passage_hash(text: &CleanText) -> PassageHash {
    let digest = Sha256::digest(text.as_str());
    std::array::from_fn(|index| digest[index])
}
