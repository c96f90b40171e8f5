//! What a fact states, in a form in which two facts can be compared.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use super::Owner;
use crate::lifecycle::extraction::{Candidate, SPEAKER, Standing, Values};
use crate::text;

/// The share of words that two facts have in common at least if one repeats the other.
const REPEATED: f64 = 0.75;

/// How words begin that turn a liking into its opposite.
const AVERSIONS: [&str; 10] = [
    "dislik",
    "hate",
    "hating",
    "despis",
    "loath",
    "detest",
    "avoid",
    "scared",
    "terrified",
    "afraid",
];

/// Numbers as words, from none.
const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen \
    fourteen fifteen sixteen seventeen eighteen nineteen twenty";

/// What else says how many.
const AMOUNTS: &str = "once twice both couple pair dozen several half thirty forty fifty sixty \
    seventy eighty ninety hundred thousand";

/// What a fact states.
#[derive(Clone, PartialEq)]
pub struct Statement {
    /// Of whom or what, folded.
    subject: String,
    /// What is said of it, folded.
    attribute: String,
    /// Whether there is one value at a time.
    values: Values,
    /// The words of the value.
    value: BTreeSet<String>,
    /// How many there are of it.
    count: BTreeSet<String>,
    /// Whether it names no value, so that it speaks of whatever the value is.
    unnamed: bool,
    /// Whether it holds.
    standing: Standing,
    /// Whether it speaks against its value: "does not like" and "hates" do.
    against: bool,
    /// Whether the speaker puts something right.
    corrects: bool,
    /// The words of the whole fact that have content, but for its subject.
    words: HashSet<String>,
    /// The numbers in the whole fact.
    numbers: BTreeSet<String>,
}

impl Statement {
    /// Reads what a candidate states.
    pub fn new(candidate: &Candidate, owner: &Owner) -> Self {
        let Candidate { content, value, standing, .. } = candidate;
        let subject = text::fold(&owner.subject(&candidate.subject));
        let count = numbers(value);
        Self {
            attribute: text::fold(&candidate.attribute),
            values: candidate.values,
            value: words(value).difference(&count_words(value)).cloned().collect(),
            count,
            unnamed: is_unnamed(value),
            standing: *standing,
            against: (*standing != Standing::Holds) != is_averse(content),
            corrects: candidate.corrects,
            words: own_words(content, &candidate.subject),
            numbers: numbers(content),
            subject,
        }
    }

    /// Returns whom or what it is about, by a name that is always the same.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns what it says of its subject.
    pub fn attribute(&self) -> &str {
        &self.attribute
    }

    /// Returns how much of one statement is in another, if they say the same.
    ///
    /// Another subject, attribute, number, value or polarity is never the same, however many words
    /// are. Of many values, one may be more exact than the other.
    pub fn repeats(&self, other: &Self) -> Option<f64> {
        let alike = self.is_about(other)
            && self.standing == other.standing
            && self.against == other.against
            && self.numbers == other.numbers
            && self.count == other.count
            && match (self.values, other.values) {
                (Values::Many, Values::Many) => {
                    self.value.is_subset(&other.value) || other.value.is_subset(&self.value)
                }
                _ => self.value == other.value,
            };
        let share =
            if self.words == other.words { 1.0 } else { text::overlap(&self.words, &other.words) };
        (alike && share >= REPEATED).then_some(share)
    }

    /// Returns whether what another statement says is over if this one was said later.
    pub fn ends(&self, earlier: &Self) -> bool {
        if !self.is_about(earlier) {
            return false;
        }
        if self.has_value_of(earlier) {
            return self.against != earlier.against;
        }
        if earlier.against || earlier.standing != Standing::Holds {
            return false;
        }
        let single = self.values == Values::One && earlier.values == Values::One;
        match self.standing {
            Standing::Over => single && self.unnamed,
            Standing::Holds if single => !self.against && !self.unnamed && !earlier.unnamed,
            Standing::Holds => self.corrects && self.counts_anew(earlier),
            Standing::Not => false,
        }
    }

    fn is_about(&self, other: &Self) -> bool {
        self.subject == other.subject && self.attribute == other.attribute
    }

    fn has_value_of(&self, other: &Self) -> bool {
        let same = self.value == other.value && self.count == other.count;
        same && (self.values == Values::One || !self.value.is_empty())
    }

    /// Tells whether it says of the same things that there are more or fewer of them.
    fn counts_anew(&self, other: &Self) -> bool {
        let counted = !self.count.is_empty() && !other.count.is_empty();
        counted && !self.value.is_empty() && self.value == other.value
    }
}

/// Shows what kind of statement it is only: no secret was taken out of it yet.
impl fmt::Debug for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Statement")
            .field("standing", &self.standing)
            .field("values", &self.values)
            .finish_non_exhaustive()
    }
}

/// Returns whether two texts differ in how many they speak of, or in whether they speak for or against
/// it.
pub fn differ_in_form(one: &str, other: &str) -> bool {
    numbers(one) != numbers(other)
        || is_averse(one) != is_averse(other)
        || is_negated(one) != is_negated(other)
}

/// Returns which share of their words two texts have in common.
pub fn likeness(one: &str, other: &str) -> f64 {
    let words = |text: &str| words(text).into_iter().collect::<HashSet<String>>();
    text::overlap(&words(one), &words(other))
}

/// Tells whether a text says that something is not so.
fn is_negated(content: &str) -> bool {
    let negations = ["not", "never", "no", "none", "nobody", "nothing", "without", "t"];
    split(content).any(|word| negations.contains(&word.as_str()))
}

/// Returns the words of a text that have content, each by its stem.
fn words(text: &str) -> BTreeSet<String> {
    text::query_words(text).into_iter().filter_map(|mut terms| terms.pop()).collect()
}

/// Returns the words of a text that say how many.
fn count_words(text: &str) -> BTreeSet<String> {
    let counting = split(text).filter(|word| number(word).is_some());
    counting.flat_map(|word| words(&word).into_iter().chain([word])).collect()
}

fn own_words(content: &str, subject: &str) -> HashSet<String> {
    let named: HashSet<String> = words(subject).into_iter().chain([SPEAKER.to_owned()]).collect();
    words(content).into_iter().filter(|word| !named.contains(word)).collect()
}

/// Returns the numbers in a text, however they are written.
fn numbers(text: &str) -> BTreeSet<String> {
    split(text).filter_map(|word| number(&word)).collect()
}

fn number(word: &str) -> Option<String> {
    let counted = || NUMBERS.split(' ').position(|name| name == word).map(|at| at.to_string());
    let stated = || AMOUNTS.split(' ').find(|amount| *amount == word).map(str::to_owned);
    let written = word.contains(|c: char| c.is_numeric()).then(|| word.to_owned());
    written.or_else(counted).or_else(stated)
}

fn split(text: &str) -> impl Iterator<Item = String> {
    let folded = text::fold(text);
    let words: Vec<String> = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

/// Tells whether a value is none: "I changed jobs", "I quit my job".
fn is_unnamed(value: &str) -> bool {
    matches!(split(value).next().as_deref(), None | Some("my" | "our" | "their"))
}

/// Tells whether a sentence says by its verb that something is not liked or not borne.
fn is_averse(content: &str) -> bool {
    let words: Vec<String> = split(content).collect();
    let has = |word: &str| words.iter().any(|other| other == word);
    let averse = |word: &String| AVERSIONS.iter().any(|start| word.starts_with(start));
    let cannot = has("cannot") || words.windows(2).any(|pair| pair == ["can", "not"]);
    words.iter().any(averse) || (cannot && !has("without"))
}
