//! Asking before something is done that cannot be undone.

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

fn prompt(question: &str) -> io::Result<String> {
    let lines: Vec<_> = question.trim_end().split('\n').map(plain).collect();
    let mut err = io::stderr().lock();
    write!(err, "{} ", lines.join("\n"))?;
    err.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}
