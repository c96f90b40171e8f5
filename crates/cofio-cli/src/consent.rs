//! Asking before something is done that cannot be undone.

use std::collections::BTreeSet;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use anyhow::Result;

use crate::failure::Refusal;
use crate::output::plain;

/// What somebody agreed to beforehand, and whether they can be asked.
#[derive(Debug, Clone, Copy)]
pub struct Consent {
    given: u8,
    can_ask: bool,
}

/// Which of several things somebody agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// All of them, beforehand.
    All,
    /// Those at these places, of which the first is 0.
    Places(Vec<usize>),
    /// Nobody is there to choose.
    NobodyToAsk,
}

/// Whether somebody agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    Given,
    NotGiven,
}

impl Consent {
    /// Takes how often `--yes` stands on the command line.
    pub fn new(given: u8) -> Self {
        Self { given, can_ask: on_a_terminal() }
    }

    /// Returns whether somebody is there to be asked.
    pub fn can_ask(self) -> bool {
        self.can_ask
    }

    /// Goes on only if somebody agrees.
    pub fn ask(self, question: &str) -> Result<()> {
        self.require(1, question, "y", "[y/N]")
    }

    /// Goes on only if somebody agrees, and then writes `word` to agree once more.
    pub fn ask_twice(self, question: &str, word: &str) -> Result<()> {
        if self.can_ask {
            self.ask(question)?;
        }
        let question = format!("This cannot be undone. Write {word} to go on:");
        self.require(2, &question, word, "")
    }

    /// Returns whether somebody agrees, for a command that goes on either way.
    pub fn asked(self, question: &str) -> Result<Agreement> {
        match self.ask(question) {
            Ok(()) => Ok(Agreement::Given),
            Err(error) if error.is::<Refusal>() => Ok(Agreement::NotGiven),
            Err(error) => Err(error),
        }
    }

    /// Lets somebody choose from a numbered list.
    pub fn choose(self, list: &str, count: usize) -> Result<Choice> {
        if self.given > 0 {
            return Ok(Choice::All);
        }
        if !self.can_ask {
            return Ok(Choice::NobodyToAsk);
        }
        let mut question = format!("{list}\nForget which? Numbers such as 1,3-5, all, or none:");
        loop {
            match places(&prompt(&question)?, count) {
                Some(places) => return Ok(Choice::Places(places)),
                None => question = format!("Give numbers from 1 to {count}, all, or none:"),
            }
        }
    }

    fn require(self, times: u8, question: &str, agreement: &str, choice: &str) -> Result<()> {
        if self.given >= times {
            return Ok(());
        }
        if !self.can_ask {
            let advice = vec!["--yes"; times.into()].join(" ");
            return Err(
                Refusal::Confirmation(format!("this needs to be confirmed: add {advice}")).into()
            );
        }
        let answer = prompt(&format!("{question} {choice}"))?;
        if answer.eq_ignore_ascii_case(agreement)
            || (agreement == "y" && answer.eq_ignore_ascii_case("yes"))
        {
            return Ok(());
        }
        Err(Refusal::Confirmation("not confirmed: nothing was changed".to_owned()).into())
    }
}

/// Returns whether somebody is there to read a question and to answer it.
pub fn on_a_terminal() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Reads which things are chosen, as places that begin with 0; nothing said means none.
fn places(answer: &str, count: usize) -> Option<Vec<usize>> {
    match answer.trim().to_ascii_lowercase().as_str() {
        "all" => return Some((0..count).collect()),
        "" | "none" | "n" | "no" => return Some(Vec::new()),
        _ => {}
    }
    let mut chosen = BTreeSet::new();
    for part in answer.split([',', ' ']).filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if first == 0 || first > last || last > count {
            return None;
        }
        chosen.extend(first - 1..last);
    }
    Some(chosen.into_iter().collect())
}

fn prompt(question: &str) -> io::Result<String> {
    let lines: Vec<_> = question.trim_end().split('\n').map(plain).collect();
    let mut err = io::stderr().lock();
    write!(err, "{} ", lines.join("\n"))?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(answer: &str, expected: Option<&[usize]>) {
        assert_eq!(places(answer, 5).as_deref(), expected, "{answer}");
    }

    #[test]
    fn numbers_and_ranges_are_places_in_the_list() {
        check("1", Some(&[0]));
        check("3, 1", Some(&[0, 2]));
        check("1,3-5", Some(&[0, 2, 3, 4]));
        check("2-2 2", Some(&[1]));
        check(" ALL ", Some(&[0, 1, 2, 3, 4]));
        check("none", Some(&[]));
        check("", Some(&[]));
    }

    #[test]
    fn what_is_not_in_the_list_is_asked_again() {
        for answer in ["0", "6", "4-6", "3-1", "one", "1-", "-1", "1;2", "99999999999999999999"] {
            check(answer, None);
        }
    }
}
