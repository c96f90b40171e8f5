//! Keys in blocks of text: `-----BEGIN … PRIVATE KEY-----`, also cut off or on one line.

use std::ops::Range;

use super::Level;
use super::detect::{By, Found};
use super::rules::on_boundaries;

/// A block between lines of dashes.
#[derive(Debug)]
pub struct Block {
    /// Where it stands, lines of dashes included.
    pub range: Range<usize>,
    private: bool,
    filled: bool,
}

impl Block {
    /// Returns the block as a secret; a public key or a certificate is none.
    pub fn found(self) -> Option<Found> {
        let Self { range, private, filled } = self;
        let (class, family, level, by) = ("private-key", "key", Level::Definite, By::Form);
        (private && filled).then_some(Found { class, family, level, range, by })
    }
}

/// How long the inside of a block can be.
const LONGEST: usize = 32 * 1024;

/// Reads the block that begins at a line of dashes.
pub fn at(text: &str, start: usize) -> Option<Block> {
    let window = &text[start..on_boundaries(text, start..text.len().min(start + LONGEST)).end];
    let label = window.get(10..)?;
    let label_end = label[..on_boundaries(label, 0..label.len().min(80)).end].find("-----")?;
    let label = label[..label_end].trim().to_ascii_uppercase();
    let private = label.contains("PRIVATE") || label.contains("SECRET") || label == "ENCRYPTED";
    let body = 10 + label_end + 5;
    let next = window[body..].find("-----").map_or(window.len(), |at| body + at);
    let closes = window[next..].get(5..8).is_some_and(|word| word.eq_ignore_ascii_case("end"));
    let end = if closes {
        let tail = &window[next + 5..];
        let tail = &tail[..on_boundaries(tail, 0..tail.len().min(80)).end];
        next + 5 + tail.find("-----").map_or(3, |at| at + 5)
    } else {
        body + base64_length(&window[body..next])
    };
    let filled = window[body..end.min(next)].bytes().filter(u8::is_ascii_alphanumeric).count() > 3;
    Some(Block { range: start..start + end, private, filled })
}

/// Returns how far a text goes on like the inside of a block, headers and escapes included.
fn base64_length(text: &str) -> usize {
    let mut end = 0;
    for (lines, piece) in text.split_inclusive('\n').enumerate() {
        let line = piece.trim_matches([
            ' ', '\t', '\r', '\n', '>', '"', '\'', ',', '+', '\\', '#', '/', '*', '|', '`',
        ]);
        let escaped = line.replace("\\n", "").replace("\\r", "");
        let key = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
        let header = line.contains(": ") && line.len() < 100 && lines < 8;
        let inside = !escaped.is_empty() && escaped.bytes().all(key);
        let word = lines > 0
            && escaped.len() < 20
            && escaped.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
        if !(line.is_empty() || header || inside) || (word && inside) {
            // What stands on the line of the key before other text still belongs to it.
            let run =
                piece.trim_start().split([' ', '"', '\'', '<', ',']).next().unwrap_or_default();
            if lines == 0 || run.len() > 40 {
                end += piece.len() - piece.trim_start().len() + run.trim_end().len();
            }
            break;
        }
        end += piece.len();
    }
    text[..end].trim_end().len()
}
