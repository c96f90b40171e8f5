//! Reading a question in the light of where it is asked: whose names it has, and what to look for.

use std::collections::HashSet;
use std::ops::Range;

use super::weights::WEIGHTS;
use crate::model::Survey;
use crate::text::{self, Language};

/// How many words the longest name of an entity has that a question is searched for.
const LONGEST_NAME: usize = 4;

/// How many words of a question are asked about.
const MAX_WORDS: usize = 64;

/// From which share of the memories it is known how a word is written ([`crate::model::WordUse::capitalised`]).
const MEASURED: f64 = 0.1;

/// Names that are more often verbs of no content, which the index keeps as they are also names.
const VERBS: [&str; 2] = ["will", "may"];

/// How an assistant is addressed, whatever the language; folded.
const YOU: [&str; 6] = ["you", "your", "yours", "vous", "usted", "voce"];

/// How an assistant is addressed by words that mean something else in another language; folded.
const YOU_IN: [(Language, &[&str]); 5] = [
    (Language::German, &["du", "dein", "deine", "deinen", "deiner", "dir", "dich"]),
    (Language::French, &["tu", "ton", "ta", "tes", "toi"]),
    (Language::Spanish, &["tu", "tus", "ti"]),
    (Language::Portuguese, &["tu", "teu", "tua", "ti"]),
    (Language::Italian, &["tu", "tuo", "tua", "ti"]),
];

/// A question as it is written, word by word.
#[derive(Debug, Clone)]
pub struct Question {
    words: Vec<Word>,
    text: String,
}

/// A word of a question.
#[derive(Debug, Clone)]
struct Word {
    /// Where it stands, with the punctuation around it.
    bytes: Range<usize>,
    /// The word, folded for comparison.
    core: String,
    /// Whether it is written as names are.
    capitalised: bool,
    /// Whether a sentence begins with it, so that anything would have a capital letter.
    opens: bool,
}

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interpretation {
    /// The question without names that everybody says.
    pub by_words: String,
    /// The question without anything that everybody says.
    pub by_meaning: String,
    /// The keys of the one author whom it names.
    pub speakers: Vec<u64>,
    /// Whether it is about what the assistant said.
    pub to_assistant: bool,
}

impl Question {
    /// Splits a question into words.
    pub fn new(text: &str) -> Self {
        let start = |word: &str| word.as_ptr().addr() - text.as_ptr().addr();
        let mut opens = true;
        let word = |word: &str| Word {
            bytes: start(word)..start(word) + word.len(),
            core: core(word),
            capitalised: is_capitalised(word),
            opens: std::mem::replace(&mut opens, word.ends_with(['.', '?', '!', ':'])),
        };
        Self { words: text.split_whitespace().map(word).collect(), text: text.to_owned() }
    }

    /// Returns the question as it was asked.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the first words, folded for comparison, without punctuation.
    pub fn words(&self) -> Vec<String> {
        let words = self.words.iter().map(|word| word.core.clone());
        words.filter(|core| !core.is_empty()).take(MAX_WORDS).collect()
    }

    /// Returns every run of a few words, as a name of an entity might be written.
    pub fn names(&self) -> Vec<String> {
        let words = self.words();
        let runs = (1..=LONGEST_NAME).flat_map(|length| words.windows(length));
        let names: HashSet<String> = runs.map(|run| run.join(" ")).collect();
        names.into_iter().collect()
    }

    /// Decides what to look for, knowing what is usual where the question is asked.
    pub fn interpret(&self, survey: &Survey) -> Interpretation {
        let uses = Uses::of(self, survey);
        let all = survey.memories.max(1) as f64;
        let mut named: Vec<(String, u64)> = Vec::new();
        let mut usual: HashSet<usize> = HashSet::new();
        for author in &survey.authors {
            let said = self.naming(&author.name, &uses);
            if !said.is_empty() {
                named.push((text::fold(&author.name), author.key));
            }
            if author.memories as f64 >= WEIGHTS.author_share * all {
                let is_name = |place: &usize| !uses.words.contains(&self.words[*place].core);
                usual.extend(said.into_iter().filter(is_name));
            }
        }
        let by_words = self.without(&usual);
        let is_usual = |(_, word): &(usize, &Word)| uses.names.contains(&word.core);
        usual.extend(self.words.iter().enumerate().filter(is_usual).map(|(place, _)| place));
        let by_meaning = self.without(&usual);
        let distinct: HashSet<&String> = named.iter().map(|(name, _)| name).collect();
        let speakers = if distinct.len() == 1 {
            named.iter().map(|(_, key)| *key).collect()
        } else {
            Vec::new()
        };
        Interpretation {
            by_words,
            by_meaning,
            speakers,
            to_assistant: self.addresses_assistant(uses.language),
        }
    }

    /// Returns the places of the words that name an author: all of the name, or its first or last
    /// part with a capital letter.
    fn naming(&self, name: &str, uses: &Uses) -> Vec<usize> {
        let parts: Vec<String> = name.split_whitespace().map(core).collect();
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Vec::new() };
        let is_whole = |place: &usize| {
            let run = self.words[*place..].iter().map(|word| &word.core);
            parts.len() > 1 && run.take(parts.len()).eq(&parts)
        };
        let whole = (0..self.words.len()).filter(is_whole);
        let whole: Vec<usize> = whole.flat_map(|place| place..place + parts.len()).collect();
        if !whole.is_empty() {
            return whole;
        }
        let names = |(_, word): &(usize, &Word)| {
            let doubtful = uses.words.contains(&word.core)
                || VERBS.contains(&word.core.as_str())
                || text::is_stop_word(&word.core, uses.language);
            (word.core == *first || word.core == *last)
                && word.core.chars().count() > 1
                && (word.capitalised || parts.len() == 1)
                && (word.capitalised && !word.opens || !doubtful)
        };
        self.words.iter().enumerate().filter(names).map(|(place, _)| place).collect()
    }

    /// Tells whether it asks what "you" said, and not just politely.
    fn addresses_assistant(&self, language: Language) -> bool {
        let words: Vec<&str> = self.words.iter().map(|word| word.core.as_str()).collect();
        let before = |place: usize, back: usize| {
            place.checked_sub(back).and_then(|place| words.get(place)).copied().unwrap_or_default()
        };
        let polite = |place: usize| {
            let recalls = matches!(words.get(place + 1), Some(&("remember" | "recall" | "know")));
            matches!(before(place, 1), "can" | "could" | "would" | "will" | "thank")
                || (before(place, 1) == "do" && recalls)
        };
        let here = YOU_IN.iter().find(|(spoken, _)| *spoken == language);
        let is_you = |word: &str| {
            YOU.contains(&word) || here.is_some_and(|(_, words)| words.contains(&word))
        };
        words.iter().enumerate().any(|(place, word)| is_you(word) && !polite(place))
    }

    /// Returns the question without some words, or as it is if hardly anything would remain.
    fn without(&self, places: &HashSet<usize>) -> String {
        if places.len() + 2 > self.words.len() {
            return self.text.clone();
        }
        let mut rest = String::with_capacity(self.text.len());
        let mut kept_until = 0;
        let leaves = |(place, _): &(usize, &Word)| places.contains(place);
        for (_, word) in self.words.iter().enumerate().filter(leaves) {
            rest.push_str(&self.text[kept_until..word.bytes.start]);
            let after = &self.text[word.bytes.end..];
            kept_until = self.text.len() - after.trim_start().len();
        }
        rest.push_str(&self.text[kept_until..]);
        rest
    }
}

/// What the words of a question are where it is asked.
struct Uses {
    language: Language,
    /// Those that many memories have, nearly always as a name.
    names: HashSet<String>,
    /// Those that many memories have, and often not as a name.
    words: HashSet<String>,
}

impl Uses {
    fn of(question: &Question, survey: &Survey) -> Self {
        let language = text::language(&question.text);
        let mut uses = Self { language, names: HashSet::new(), words: HashSet::new() };
        for (word, used) in question.words().into_iter().zip(&survey.words) {
            let share = used.memories as f64 / survey.memories.max(1) as f64;
            let as_name = used.capitalised > WEIGHTS.common_capitalised;
            if as_name && share >= WEIGHTS.common_share {
                uses.names.insert(word);
            } else if !as_name && share >= MEASURED {
                uses.words.insert(word);
            }
        }
        uses
    }
}

/// Tells whether a word does not begin with a small letter; in many scripts no letter is small.
fn is_capitalised(word: &str) -> bool {
    word.chars().find(|c| c.is_alphanumeric()).is_some_and(|c| !c.is_lowercase())
}

/// Returns a word folded for comparison, without the punctuation around it and the English genitive.
fn core(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '@' | '#'));
    let bare = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare);
    text::fold(bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Author, WordUse};

    /// Reads a question where some authors wrote a fifth of twenty memories each.
    fn read(question: &str, authors: &[&str], uses: &[(&str, WordUse)]) -> Interpretation {
        let question = Question::new(question);
        let author =
            |(key, name): (u64, &&str)| Author { key, name: (*name).to_owned(), memories: 4 };
        let of = |word: &String| uses.iter().find(|(used, _)| used == word);
        let used = |word: &String| of(word).map_or_else(WordUse::default, |(_, uses)| *uses);
        question.interpret(&Survey {
            memories: 20,
            authors: (1..).zip(authors).map(author).collect(),
            words: question.words().iter().map(used).collect(),
        })
    }

    /// Checks whether a question names its only author, and what is left of it without the name.
    #[track_caller]
    fn check(author: &str, question: &str, names: bool, left: &str) {
        let reading = read(question, &[author], &[]);
        assert_eq!(!reading.speakers.is_empty(), names, "{question}");
        assert_eq!(reading.by_words, left);
    }

    #[test]
    fn a_name_is_left_out_of_a_long_question_and_nothing_else_is() {
        let filler = "and so on ".repeat(40);
        let question = format!("What did Caroline   say, {filler}about\tthe zebra?");
        check("Caroline", &question, true, &question.replace("Caroline   ", ""));
        let late = format!("{filler}what did Caroline say?");
        check("Caroline", &late, true, &late.replace("Caroline ", ""));
    }

    #[test]
    fn an_author_is_named_by_first_name_last_name_or_the_whole_name() {
        let maria = "Maria de la Cruz";
        check(maria, "When did Maria go home?", true, "When did go home?");
        check(maria, "Where does Cruz live now?", true, "Where does live now?");
        check(maria, "where does maria de la cruz live now", true, "where does live now");
        check(maria, "Does Maria like crème de la crème?", true, "Does like crème de la crème?");
        check("Caroline", "when did caroline go hiking", true, "when did go hiking");
        check("Dr. Will Smith", "When did Will go home?", false, "When did Will go home?");
        check("Will", "When did Will go home?", true, "When did go home?");
        check("Иван Петров", "Где живёт Иван сейчас?", true, "Где живёт сейчас?");
        check("田中", "田中 は どこ に いる", true, "は どこ に いる");
    }

    #[test]
    fn a_word_that_happens_to_be_in_a_name_names_nobody() {
        let unnamed = |author, question| check(author, question, false, question);
        unnamed("Maria de la Cruz", "¿dónde vive el hermano de Ana?");
        unnamed("Maria de la Cruz", "La Paz, where is it?");
        unnamed("Support Team", "which team won the trophy");
        unnamed("Will", "what will we do tomorrow");
        unnamed("Will", "Will it rain tomorrow?");
        unnamed("Vincent van Gogh", "which van did we rent");
    }

    #[test]
    fn a_name_that_is_mostly_a_word_stays_in_the_question() {
        let common = |capitalised| [("mark", WordUse { memories: 10, capitalised })];
        let left = |question, capitalised| {
            let reading = read(question, &["Mark"], &common(capitalised));
            (reading.by_words, !reading.speakers.is_empty())
        };
        let kept = "which mark did I get";
        assert_eq!(left(kept, 0.2), (kept.to_owned(), false));
        assert_eq!(left(kept, 0.9), ("which did I get".to_owned(), true));
        let named = "Which grade did Mark get?";
        assert_eq!(left(named, 0.2), (named.to_owned(), true));
    }

    #[test]
    fn an_assistant_is_addressed_in_the_language_of_the_question() {
        for question in [
            "Which hotel did you recommend?",
            "Was hast du mir gestern empfohlen?",
            "Wie war dein Vorschlag für das Essen?",
            "Quel restaurant est-ce que tu as proposé ?",
            "Quelle était ta recommandation pour le dîner ?",
            "¿Qué libro me recomendaste tú?",
            "¿Qué libro recomendó usted?",
            "O que você sugeriu para o jantar?",
            "Che libro mi hai consigliato tu?",
        ] {
            assert!(read(question, &[], &[]).to_assistant, "{question}");
        }
        for question in [
            "Can you tell me where the key is?",
            "which dir has the logs",
            "a ton of bricks for the wall",
            "who works with Ta on the TES engine",
            "what are the ti plasmids of the lab",
            "où est le pain du boulanger",
        ] {
            assert!(!read(question, &[], &[]).to_assistant, "{question}");
        }
    }
}
