//! Claude Code.

use super::workplace::Workplace;
use super::{TELLS, check, scenes};
use crate::guide::Transcript;

#[test]
fn claude_code_is_told_in_a_conversation_what_it_kept_in_another() {
    let Some(workplace) = Workplace::with("claude", scenes()) else { return };
    let mut transcript = Transcript::default();
    play(&mut transcript, &workplace, "cofio install claude-code --hooks");
    check(&workplace, |prompt| {
        // Without a terminal nobody can be asked whether the tool may be used.
        let allowed = if prompt == TELLS { " --allowedTools mcp__cofio__remember" } else { "" };
        play(&mut transcript, &workplace, &format!("claude -p '{prompt}'{allowed}"))
    });
    play(&mut transcript, &workplace, "cofio list");
    transcript.assert_in("agents.md", "## A fresh install");
}

/// Runs what must succeed, and returns what it printed.
fn play(transcript: &mut Transcript, workplace: &Workplace, typed: &str) -> String {
    let printed = workplace.done(typed);
    let shown = workplace.machine.without_accidents(&printed);
    transcript.add(typed, &shown.replace("HOME/", "~/").replace("WORK/", "~/work/"));
    printed
}
