//! What a shell and `man` know about the command.

use anyhow::Result;
use clap::{Args, CommandFactory as _, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::arguments::Arguments;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  cofio completions bash > ~/.local/share/bash-completion/completions/cofio
  cofio completions man > ~/.local/share/man/man1/cofio.1";

/// Prints the completions for a shell, or the manual page
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// Who reads it: bash, zsh, fish, powershell, elvish or man
    #[arg(value_name = "FOR", hide_possible_values = true)]
    reader: Reader,
}

/// Who reads it.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Reader {
    Bash,
    Zsh,
    Fish,
    Powershell,
    Elvish,
    /// The manual page
    Man,
}

impl Completions {
    pub fn run(self) -> Result<()> {
        let mut text = Vec::new();
        match self.reader.shell() {
            Some(shell) => {
                clap_complete::generate(shell, &mut Arguments::command(), "cofio", &mut text);
            }
            None => Man::new(Arguments::command()).render(&mut text)?,
        }
        output::print(&String::from_utf8(text)?)?;
        Ok(())
    }
}

impl Reader {
    fn shell(self) -> Option<Shell> {
        match self {
            Self::Bash => Some(Shell::Bash),
            Self::Zsh => Some(Shell::Zsh),
            Self::Fish => Some(Shell::Fish),
            Self::Powershell => Some(Shell::PowerShell),
            Self::Elvish => Some(Shell::Elvish),
            Self::Man => None,
        }
    }
}
