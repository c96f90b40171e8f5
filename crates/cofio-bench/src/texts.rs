//! Texts that behave like notes: words of very different frequency, of different lengths.

use fastrand::Rng;

/// How many different words there are.
const VOCABULARY: usize = 20_000;

/// Makes the same texts for the same seed.
pub struct Texts {
    random: Rng,
    words: Vec<String>,
}

impl Texts {
    /// Begins with a seed.
    pub fn new(seed: u64) -> Self {
        let mut letters = Rng::with_seed(7);
        Self {
            random: Rng::with_seed(seed),
            words: (0..VOCABULARY).map(|_| word(&mut letters)).collect(),
        }
    }

    /// Returns a note of 8 to 24 words.
    pub fn note(&mut self) -> String {
        let length = self.random.usize(8..=24);
        self.phrase(length)
    }

    /// Returns a question of 3 to 6 words.
    pub fn question(&mut self) -> String {
        let length = self.random.usize(3..=6);
        self.phrase(length)
    }

    fn phrase(&mut self, length: usize) -> String {
        let words: Vec<&str> =
            (0..length).map(|_| self.words[frequent(&mut self.random)].as_str()).collect();
        words.join(" ")
    }
}

/// Picks a word so that the n-th most frequent comes about n times less often than the first.
fn frequent(random: &mut Rng) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let rank = (VOCABULARY as f64).powf(random.f64()) as usize;
    rank.min(VOCABULARY) - 1
}

fn word(random: &mut Rng) -> String {
    const ONSETS: [&str; 14] =
        ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "st", "tr"];
    const NUCLEI: [&str; 6] = ["a", "e", "i", "o", "u", "ou"];
    let syllables = random.usize(2..=4);
    let mut word = String::new();
    for _ in 0..syllables {
        word.push_str(ONSETS[random.usize(..ONSETS.len())]);
        word.push_str(NUCLEI[random.usize(..NUCLEI.len())]);
    }
    word
}
