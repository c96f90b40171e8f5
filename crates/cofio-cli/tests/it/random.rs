//! Numbers that look random and are the same for the same seed.

/// A sequence of them (xorshift, Marsaglia 2003).
pub struct Random(u64);

impl Random {
    /// Begins a sequence.
    pub fn new(seed: u64) -> Self {
        // Zero would be followed by nothing but zeros.
        Self(seed.max(1))
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    pub fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

/// Returns how much of something a run has: the last that a variable says of it, or a little.
pub fn size(variable: &str, name: &str, otherwise: usize) -> usize {
    let wanted = std::env::var(variable).unwrap_or_default();
    let mut sizes = wanted.split(',').filter_map(|size| size.split_once('='));
    let last = sizes.rfind(|(known, _)| *known == name);
    last.map_or(otherwise, |(_, number)| number.parse().expect("a size is a number"))
}
