//! Frames: how a predicate begins, and what it tells.

use super::FactType;
use super::Values;

/// What the frames below a heading tell.
#[derive(Debug, Clone)]
pub(super) struct Heading {
    /// The name of the attribute.
    pub attribute: &'static str,
    /// The type of the fact.
    pub fact_type: FactType,
    /// How many values there are at a time.
    pub values: Values,
    /// Whether the frames hold for people who are known by their name alone.
    pub anyone: bool,
    /// Sentences that have such a fact.
    #[cfg(test)]
    pub hits: Vec<&'static str>,
    /// Sentences that have none.
    #[cfg(test)]
    pub misses: Vec<&'static str>,
}

/// How a predicate begins.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    /// How it stands in time.
    pub aspect: Aspect,
    /// The verbs, or the nouns of a noun frame, that it may begin with.
    pub firsts: Vec<&'static str>,
    /// What follows.
    pub parts: Vec<Part>,
    /// The number of its heading.
    pub heading: usize,
}

/// How a predicate stands in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aspect {
    /// Holds now; in the past it is over.
    State,
    /// Holds now; in the past it tells nothing.
    Habit,
    /// Holds once it has happened; before that it is a plan.
    Event,
    /// Is over once it has happened; before that it is a plan.
    End,
    /// Tells something only as long as it is to come.
    Plan,
    /// Says what the speaker's such-and-such is.
    Noun,
}

/// One part of a frame.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// One of several words, which may be missing.
    Words { words: Vec<&'static str>, optional: bool },
    /// A slot, by its name.
    Slot(&'static str),
}

impl Frame {
    /// Tells whether "not" is among its own words, so that it does not deny.
    pub fn denies(&self) -> bool {
        self.parts
            .iter()
            .any(|part| matches!(part, Part::Words { words, .. } if words.contains(&"not")))
    }
}

/// Reads the table of frames.
pub(super) fn frames(table: &'static str) -> (Vec<Heading>, Vec<Frame>) {
    let (mut headings, mut frames) = (Vec::new(), Vec::new());
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            headings.push(read_heading(heading));
        } else if line.starts_with(['+', '-']) {
            #[cfg(test)]
            read_example(line, headings.last_mut().expect("examples stand below a heading"));
        } else {
            frames.push(read_frame(line, headings.len() - 1));
        }
    }
    (headings, frames)
}

fn read_heading(line: &'static str) -> Heading {
    let words: Vec<&str> = line.split(' ').collect();
    Heading {
        attribute: words[0],
        fact_type: words[1].parse().expect("the types in the table are types"),
        values: if words[2] == "one" { Values::One } else { Values::Many },
        anyone: words.contains(&"anyone"),
        #[cfg(test)]
        hits: Vec::new(),
        #[cfg(test)]
        misses: Vec::new(),
    }
}

#[cfg(test)]
fn read_example(line: &'static str, heading: &mut Heading) {
    let list = if line.starts_with('+') { &mut heading.hits } else { &mut heading.misses };
    list.push(line[1..].trim());
}

fn read_frame(line: &'static str, heading: usize) -> Frame {
    let mut words = line.split(' ');
    let aspect = match words.next().expect("a line is not empty") {
        "state" => Aspect::State,
        "habit" => Aspect::Habit,
        "event" => Aspect::Event,
        "end" => Aspect::End,
        "plan" => Aspect::Plan,
        "noun" => Aspect::Noun,
        other => panic!("{other} is no aspect"),
    };
    let firsts = words.next().expect("a frame has a verb or a noun").split('|').collect();
    Frame { aspect, firsts, parts: words.map(read_part).collect(), heading }
}

fn read_part(word: &'static str) -> Part {
    if let Some(name) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Part::Slot(name);
    }
    let (words, optional) = word.strip_suffix('?').map_or((word, false), |words| (words, true));
    Part::Words { words: words.split('|').collect(), optional }
}
