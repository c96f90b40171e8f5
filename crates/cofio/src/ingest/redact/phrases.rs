//! Words that are a secret together: the seed of a wallet, a passphrase.

use super::Level;
use super::detect::{By, Found};
use super::rules::on_boundaries;

/// Words of prose that no list of seed words has.
const PROSE: &[&str] = &[
    "the", "and", "for", "was", "are", "but", "not", "from", "have", "has", "had", "were", "is",
    "of", "to", "in", "it", "at", "by", "or", "be", "as", "an", "on", "if", "so", "we", "he",
    "she", "his", "her", "its", "our", "should", "would", "could", "must", "which", "because",
    "these", "those", "been", "does", "did", "also", "into", "use", "using", "please", "a", "i",
    "my", "me", "us",
];

/// Finds the seed words of a wallet after what names them.
pub fn after(text: &str, end: usize) -> Option<Found> {
    let window = on_boundaries(text, end..text.len().min(end + 480));
    let rest = &text[window.clone()];
    let lead = rest.find(|character: char| "\":=\n'`".contains(character)).filter(|at| *at < 32);
    let starts = [0, lead.map_or(0, |at| at + 1), word_link(rest)];
    let (start, length) = starts.into_iter().find_map(|from| {
        let skipped = rest[from..].len() - rest[from..].trim_start_matches(lead_in).len();
        words(&rest[from + skipped..], 11).map(|length| (from + skipped, length))
    })?;
    let range = window.start + start..window.start + start + length;
    Some(Found {
        class: "seed-phrase",
        family: "crypto",
        level: Level::Probable,
        range,
        by: By::Name,
    })
}

/// Returns how long a sequence of at least so many plain words is.
///
/// Numbers and commas between the words do not count.
pub fn words(text: &str, least: usize) -> Option<usize> {
    let mut count = 0;
    let mut end = 0;
    for piece in text.split_inclusive([' ', '\n', ',', '\t', '-']) {
        let word = piece.trim_matches([' ', '\n', ',', '\t', '"', '\'', '`', '-', '\r']);
        let number = word.bytes().all(|byte| byte.is_ascii_digit() || b".)#:".contains(&byte));
        let at = piece.as_ptr() as usize - text.as_ptr() as usize;
        if number {
            continue;
        }
        let bare = word.trim_end_matches(['.', '!', ';']);
        let plain = bare.bytes().all(|byte| byte.is_ascii_lowercase());
        if !plain || !(3..=10).contains(&bare.len()) || PROSE.contains(&bare) {
            break;
        }
        count += 1;
        end = at + piece.find(bare).unwrap_or(0) + bare.len();
        if bare.len() < word.len() || count == 24 {
            break;
        }
    }
    (count >= least).then_some(end)
}

fn lead_in(character: char) -> bool {
    " \t\n\r\":='`*([{>-.1".contains(character)
}

/// Returns where the words begin in "… phrase is …".
fn word_link(rest: &str) -> usize {
    [" is ", " are ", " ist ", " lautet ", " est ", " es "]
        .iter()
        .filter_map(|link| rest.find(link).map(|at| at + link.len()))
        .filter(|at| *at < 40)
        .min()
        .unwrap_or(0)
}
