//! Which memories the words of a question speak for most.

use std::collections::HashMap;

use cofio::text::bm25;

use super::words::Form;

/// About how many places of terms are weighed at most.
const WORK: usize = 60_000;

/// What words say about memories.
#[derive(Debug, Default)]
pub(super) struct Votes {
    heard: HashMap<i64, Heard>,
}

/// What was heard of one memory.
#[derive(Debug, Clone, Copy, Default)]
struct Heard {
    sum: f64,
    /// The last word that it has, counted from 1.
    word: usize,
}

impl Votes {
    /// Hears words in a place that has so many passages.
    ///
    /// They are taken from the rarest on until there would be too much to weigh, and the rarest
    /// always. Of the forms of a word and of several passages, one counts.
    pub(super) fn of(forms: &[Form], passages: u64) -> Self {
        let mut frequencies: HashMap<usize, u64> = HashMap::new();
        for form in forms {
            *frequencies.entry(form.word).or_default() += form.passages;
        }
        let mut rarest_first: Vec<(usize, u64)> =
            frequencies.into_iter().filter(|(_, frequency)| *frequency > 0).collect();
        rarest_first.sort_unstable_by_key(|(word, frequency)| (*frequency, *word));
        let mut votes = Self::default();
        let mut work = 0;
        for (position, (word, frequency)) in rarest_first.into_iter().enumerate() {
            let own = || forms.iter().filter(|form| form.word == word);
            work += own().map(|form| form.memories.len()).sum::<usize>();
            if position == 0 || work <= WORK {
                let rarity = bm25::rarity(frequency, passages);
                own().for_each(|form| votes.hear(word + 1, rarity, &form.memories));
            }
        }
        votes
    }

    fn hear(&mut self, word: usize, rarity: f64, memories: &[i64]) {
        for memory in memories {
            let heard = self.heard.entry(*memory).or_default();
            if heard.word != word {
                *heard = Heard { sum: heard.sum + rarity, word };
            }
        }
    }

    /// Returns the memories for which most speaks first; of those for which the same speaks, what was
    /// remembered last.
    pub(super) fn best_first(self) -> Vec<i64> {
        let mut ranked: Vec<(i64, Heard)> = self.heard.into_iter().collect();
        ranked.sort_by(|(one, a), (two, b)| b.sum.total_cmp(&a.sum).then(two.cmp(one)));
        ranked.into_iter().map(|(memory, _)| memory).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&[&[i64]]], expected: &[i64]) {
        let forms: Vec<Form> = words
            .iter()
            .enumerate()
            .flat_map(|(word, forms)| {
                forms.iter().map(move |memories| Form::of(word, memories.to_vec()))
            })
            .collect();
        assert_eq!(Votes::of(&forms, 100).best_first(), expected);
    }

    #[test]
    fn most_and_rarest_words_come_first_and_then_the_latest() {
        check(&[&[&[2, 5]], &[&[1, 2, 4, 7]]], &[2, 5, 7, 4, 1]);
    }

    #[test]
    fn a_word_counts_once_in_whatever_form_and_however_often() {
        check(&[&[&[1, 1, 1], &[1]], &[&[2]], &[&[2]]], &[2, 1]);
    }
}
