//! Claude Code.

use super::guide::Transcript;
use super::workplace::Workplace;
use super::{TELLS, check, scenes};

#[test]
fn claude_code_is_told_in_a_conversation_what_it_kept_in_another() {
    let Some(workplace) = Workplace::with("claude", scenes()) else { return };
    let mut transcript = Transcript::default();
    transcript.play(&workplace, "cofio install claude-code --hooks");
    check(&workplace, |prompt| {
        // Without a terminal nobody can be asked whether the tool may be used.
        let allowed = if prompt == TELLS { " --allowedTools mcp__cofio__remember" } else { "" };
        transcript.play(&workplace, &format!("claude -p '{prompt}'{allowed}"))
    });
    transcript.play(&workplace, "cofio list");
    transcript.assert_in_guide();
}
