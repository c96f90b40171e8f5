//! Whether a file is the one that was published.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use cofio::{Error, ErrorKind, Result};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::{Likeness, Part, disk};

/// The most bytes of a tokenizer that is not the published one to the byte.
pub const TOKENIZER_BYTES: u64 = 8 * 1024 * 1024;

#[derive(Deserialize)]
struct Tokenizer {
    model: Vocabulary,
}

#[derive(Deserialize)]
struct Vocabulary {
    vocab: HashMap<String, u32>,
}

/// Refuses a file that is not what was published.
pub fn check(path: &Path, part: &Part) -> Result<()> {
    let bytes = disk::size(path)?;
    match part.likeness {
        Likeness::Bytes if bytes != part.bytes => {
            let why = format!("it has {bytes} bytes, not {}", part.bytes);
            return Err(damaged(path, &why));
        }
        Likeness::Vocabulary { .. } if bytes > TOKENIZER_BYTES => {
            return Err(damaged(path, &format!("it has {bytes} bytes")));
        }
        _ => {}
    }
    let found = hash(path)?;
    if found == part.sha256 {
        return Ok(());
    }
    match part.likeness {
        Likeness::Bytes => {
            let why = format!("its sha256 is {found}, not {}", part.sha256);
            Err(damaged(path, &why))
        }
        Likeness::Vocabulary { tokens, sha256 } => check_vocabulary(path, tokens, sha256),
    }
}

fn check_vocabulary(path: &Path, tokens: usize, sha256: &str) -> Result<()> {
    let text = fs::read(path).map_err(|cause| disk::error("read", path, cause))?;
    let tokenizer: Tokenizer =
        serde_json::from_slice(&text).map_err(|_| damaged(path, "it has no vocabulary"))?;
    let mut vocabulary: Vec<(String, u32)> = tokenizer.model.vocab.into_iter().collect();
    if vocabulary.len() != tokens {
        let why = format!("its vocabulary has {} tokens, not {tokens}", vocabulary.len());
        return Err(damaged(path, &why));
    }
    vocabulary.sort_by(|(a, a_id), (b, b_id)| (a_id, a).cmp(&(b_id, b)));
    let mut hasher = Sha256::new();
    for (token, id) in vocabulary {
        hasher.update(format!("{token}\t{id}\n"));
    }
    if hex(&hasher.finalize()) != sha256 {
        return Err(damaged(path, "it has another vocabulary"));
    }
    Ok(())
}

fn damaged(path: &Path, why: &str) -> Error {
    let message = format!("{} is not what was published: {why}", path.display());
    Error::new(ErrorKind::Damaged, message)
}

/// Returns the sha256 of a file.
fn hash(path: &Path) -> Result<String> {
    let cannot = |cause| disk::error("read", path, cause);
    let mut file = fs::File::open(path).map_err(cannot)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match file.read(&mut buffer).map_err(cannot)? {
            0 => return Ok(hex(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
