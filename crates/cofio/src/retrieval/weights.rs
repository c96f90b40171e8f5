//! The weights of ranking: every number that was chosen, in one table, with the reason for it.

use crate::text::hex;

use sha2::{Digest as _, Sha256};

/// How much each piece of evidence counts.
///
/// They were chosen by leaving out one conversation after the other and measuring on the one left
/// out (docs/decisions/0007-ranking-without-a-language-model.md). Most of them may be half or twice as large without much
/// harm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// All that the question's words tell is found in a turn and around it; part of it counts in
    /// proportion.
    pub words: f64,
    /// For each standard deviation by which a turn is nearer in meaning than most.
    pub meaning: f64,
    /// How much the turns around are nearer in meaning than most, in parts of a turn's own cosine.
    pub around: f64,
    /// It has a name of the question: a name is rarely there by chance.
    pub name: f64,
    /// The one author whom the question names said it.
    pub speaker: f64,
    /// It happened in the month, year or season that the question names.
    pub period: f64,
    /// It happened on about the day that the question names: a day says more than a month.
    pub day: f64,
    /// After how many days beside the day that the question names that is worth e times less: a few
    /// days cost as much beside a day as a month does beside a season.
    pub day_fades: f64,
    /// The same beside a week.
    pub week_fades: f64,
    /// The same beside a month.
    pub month_fades: f64,
    /// The same beside a season.
    pub season_fades: f64,
    /// The same beside a year.
    pub year_fades: f64,
    /// How much of that counts where the words may mean something else than a time.
    pub uncertain: f64,
    /// An assistant said it in a conversation, and the question is not about what the assistant
    /// said: what people tell is asked for far more often than what they were told.
    pub assistant: f64,
    /// It is long, for each e-fold beyond `long_from`: long texts have every word by chance.
    pub long: f64,
    /// From how many words with content a text counts as long.
    pub long_from: f64,
    /// It is hardly a word in a conversation: "Wow, thanks!" tells nothing.
    pub brief: f64,
    /// From how many words with content a turn is no longer brief.
    pub brief_below: f64,
    /// It is a short question in a conversation: the answer comes after it, and shares its words.
    pub question: f64,
    /// Below how many words with content a question is short.
    pub question_below: u32,
    /// How much a word counts for the turn itself that stands in a question of it: who asks does
    /// not tell.
    pub asked: f64,
    /// How soon a repeated word stops counting: the choice of Anserini for short passages (Yang et
    /// al., 2018). Between 0.4 and 1.5 it hardly matters.
    pub saturation: f64,
    /// It came from outside or was inferred.
    pub low_trust: f64,
    /// Which share of any beginning of an answer may be trusted little.
    pub low_share: f64,
    /// How much less may speak for what goes before more than that.
    pub crowding: f64,
    /// It tells an assistant what to do, though nobody who may do so said it.
    pub instructs: f64,
    /// It is as recent as can be, where recency is asked for in full.
    pub recency: f64,
    /// After how many days recency is worth e times less.
    pub recency_days: f64,
    /// Over how many words with content evidence fades by e along a conversation: about five short
    /// turns, or one long answer.
    pub reach: f64,
    /// How much of it flows back to what was said before: what follows explains less than what
    /// precedes.
    pub backwards: f64,
    /// To which power less fades between a question and what follows it: an answer belongs to its
    /// question.
    pub answer: f64,
    /// The cosine below which meaning alone brings nothing: unrelated texts get there by chance.
    pub floor: f64,
    /// From which share of the memories an author's name tells nothing about any one of them.
    pub author_share: f64,
    /// From which share of the memories a capitalised word tells nothing about any one of them.
    pub common_share: f64,
    /// How often such a word must be capitalised.
    pub common_capitalised: f64,
    /// By how much more must speak for a memory for its score to be e times nearer to 1.
    pub slope: f64,
    /// How much a place in a list is worth less than the one before, where ranks alone are fused
    /// (Cormack et al., 2009).
    pub rank_constant: f64,
    /// From which share of common terms memories of two layers are the same to a reader.
    pub near_duplicate: f64,
    /// From which share of common terms two memories tell a prompt the same.
    pub repeated: f64,
    /// How much recency counts for a prompt, if nothing is said.
    pub prompt_recency: f64,
    /// The least score of what a prompt calls for: something must speak for it, and more than
    /// against.
    pub relevant: f64,
    /// The same of what is far in meaning: half of what the prompt's words tell.
    pub relevant_far: f64,
    /// The cosine below which something is far in meaning from a prompt. Of 2,960 turns of LoCoMo,
    /// the one nearest by MiniLM to a prompt about something else had 0.18 to 0.33, and to a prompt
    /// about them 0.59 to 0.70.
    pub near: f64,
}

/// The weights in use.
pub const WEIGHTS: Weights = Weights {
    words: 5.0,
    meaning: 0.45,
    around: 0.3,
    name: 0.5,
    speaker: 0.7,
    period: 1.0,
    day: 2.0,
    day_fades: 3.0,
    week_fades: 5.0,
    month_fades: 10.0,
    season_fades: 30.0,
    year_fades: 60.0,
    uncertain: 0.5,
    assistant: -3.0,
    long: -0.6,
    long_from: 40.0,
    brief: -0.5,
    brief_below: 20.0,
    question: -0.5,
    question_below: 15,
    asked: 0.5,
    saturation: 0.9,
    low_trust: -0.5,
    low_share: 0.33,
    crowding: 2.0,
    instructs: -1.5,
    recency: 2.0,
    recency_days: 30.0,
    reach: 100.0,
    backwards: 0.5,
    answer: 0.5,
    floor: 0.15,
    author_share: 0.1,
    common_share: 0.2,
    common_capitalised: 0.8,
    slope: 2.0,
    rank_constant: 60.0,
    near_duplicate: 0.95,
    repeated: 0.7,
    prompt_recency: 0.3,
    relevant: 0.6,
    relevant_far: 0.77,
    near: 0.3,
};

/// Returns what tells these weights from others, for benchmarks to print.
pub fn weights_hash() -> String {
    hash(&WEIGHTS)
}

fn hash(weights: &Weights) -> String {
    hex(&Sha256::digest(format!("{weights:?}"))[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_number_that_changes_an_order_changes_the_hash() {
        let others = [
            Weights { words: 4.9, ..WEIGHTS },
            Weights { day_fades: 2.9, ..WEIGHTS },
            Weights { saturation: 0.8, ..WEIGHTS },
            Weights { slope: 1.9, ..WEIGHTS },
            Weights { rank_constant: 59.0, ..WEIGHTS },
            Weights { near_duplicate: 0.9, ..WEIGHTS },
            Weights { repeated: 0.6, ..WEIGHTS },
            Weights { prompt_recency: 0.2, ..WEIGHTS },
            Weights { relevant: 0.5, ..WEIGHTS },
            Weights { relevant_far: 0.7, ..WEIGHTS },
            Weights { near: 0.2, ..WEIGHTS },
        ];
        let hashes: HashSet<String> = others.iter().chain([&WEIGHTS]).map(hash).collect();
        assert_eq!(hashes.len(), others.len() + 1);
    }
}
