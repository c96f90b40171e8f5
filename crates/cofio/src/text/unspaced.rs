//! Terms of text without spaces: overlapping pairs of clusters, since nothing marks the words.

use unicode_normalization::char::is_combining_mark;

use super::script::{is_han, is_stacker};

/// Characters in a cluster at most, so that a pair stays within the length of a term.
const MAX_CLUSTER: usize = 32;

/// Returns the pairs of a run, each preceded by its first cluster.
///
/// Single clusters make a query of one character find the document.
pub(super) fn document_terms(run: &str) -> Vec<String> {
    let clusters = clusters(run);
    let mut terms = Vec::with_capacity(2 * clusters.len());
    for (index, cluster) in clusters.iter().enumerate() {
        terms.push((*cluster).to_owned());
        if let Some(next) = clusters.get(index + 1) {
            terms.push(format!("{cluster}{next}"));
        }
    }
    terms
}

/// Returns the pairs of a run, or its only cluster, and the ideographs that stand alone.
///
/// An ideograph between kana or at the end of a run is often a whole word (猫が, 本を), whose
/// pairs hold only together with the particle beside it.
pub(super) fn query_terms(run: &str) -> Vec<String> {
    let clusters = clusters(run);
    if let [only] = clusters[..] {
        return vec![only.to_owned()];
    }
    let pairs = clusters.windows(2).map(<[&str]>::concat);
    pairs.chain(lone_ideographs(&clusters)).collect()
}

/// Returns the overlapping pairs of syllables in a Korean word longer than a pair.
///
/// Particles attach to Korean words, so the pairs find the word inside.
pub(super) fn syllable_pairs(word: &str) -> Vec<String> {
    let syllables: Vec<char> = word.chars().collect();
    if syllables.len() <= 2 {
        return Vec::new();
    }
    syllables.windows(2).map(|pair| pair.iter().collect()).collect()
}

/// Splits a run into base characters, each with the marks that follow it.
fn clusters(run: &str) -> Vec<&str> {
    let mut clusters = Vec::new();
    let mut start = 0;
    let mut length = 0;
    let mut stacked = false;
    for (index, c) in run.char_indices() {
        let continues = (stacked || is_combining_mark(c)) && length < MAX_CLUSTER;
        if !continues && index > start {
            clusters.push(&run[start..index]);
            start = index;
            length = 0;
        }
        stacked = is_stacker(c);
        length += 1;
    }
    if start < run.len() {
        clusters.push(&run[start..]);
    }
    clusters
}

fn lone_ideographs(clusters: &[&str]) -> Vec<String> {
    let is_ideograph =
        |index: usize| clusters.get(index).is_some_and(|cluster| cluster.starts_with(is_han));
    let mut alone = Vec::new();
    for (index, cluster) in clusters.iter().enumerate() {
        let after_ideograph = index > 0 && is_ideograph(index - 1);
        if is_ideograph(index) && !after_ideograph && !is_ideograph(index + 1) {
            alone.push((*cluster).to_owned());
        }
    }
    alone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(terms: &[String], expected: &str) {
        assert_eq!(terms.join(" "), expected);
    }

    #[test]
    fn documents_hold_clusters_and_pairs() {
        check(&document_terms("東京都"), "東 東京 京 京都 都");
        check(&document_terms("猫"), "猫");
        check(&document_terms(""), "");
    }

    #[test]
    fn queries_hold_pairs_unless_there_is_only_one_cluster() {
        check(&query_terms("東京都"), "東京 京都");
        check(&query_terms("猫"), "猫");
        check(&query_terms("ねこ"), "ねこ");
    }

    #[test]
    fn an_ideograph_between_kana_is_a_word() {
        check(&query_terms("猫が好き"), "猫が が好 好き 猫 好");
    }

    #[test]
    fn marks_stay_with_their_base() {
        check(&document_terms("ที่นี่"), "ที่ ที่นี่ นี่");
        check(&query_terms("ខ្មែរ"), "ខ្មែរ");
        check(&query_terms("မြန်မာ"), "မြန် န်မာ");
    }

    #[test]
    fn clusters_are_bounded() {
        let endless = format!("ก{}", "\u{e34}".repeat(1000));
        assert!(document_terms(&endless).iter().all(|term| term.chars().count() <= 64));
    }

    #[test]
    fn korean_words_are_paired_from_three_syllables() {
        check(&syllable_pairs("학교에서"), "학교 교에 에서");
        check(&syllable_pairs("학교"), "");
    }
}
