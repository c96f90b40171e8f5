use std::io::Write as _;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::consent;
use crate::failure::Refusal;

/// Opens a text in the editor that somebody likes, and returns what they made of it.
pub fn edited(text: &str) -> Result<String> {
    if !consent::on_a_terminal() {
        let advice = "an editor needs a terminal: use --content instead";
        return Err(Refusal::Usage(advice.to_owned()).into());
    }
    let mut file = tempfile::Builder::new().prefix("cofio-").suffix(".md").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let (program, arguments) = editor()?;
    let status = Command::new(&program).args(arguments).arg(file.path()).status();
    let status = status.with_context(|| format!("cannot start the editor {program:?}"))?;
    if !status.success() {
        bail!("the editor ended with an error: nothing was changed");
    }
    let edited =
        std::fs::read_to_string(file.path()).context("cannot read what the editor wrote")?;
    Ok(edited.trim_end_matches(['\r', '\n']).to_owned())
}

/// Returns the program and its arguments.
fn editor() -> Result<(String, Vec<String>)> {
    let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    for command in named {
        let mut words = command.split_whitespace().map(str::to_owned);
        if let Some(program) = words.next() {
            return Ok((program, words.collect()));
        }
    }
    Err(Refusal::Usage("say which editor: set VISUAL or EDITOR".to_owned()).into())
}
