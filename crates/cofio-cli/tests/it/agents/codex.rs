//! Codex.

use super::workplace::Workplace;
use super::{check, scenes};

#[test]
fn codex_is_told_in_a_conversation_what_it_kept_in_another() {
    let Some(workplace) = Workplace::with("codex", scenes()) else { return };
    workplace.done("cofio install codex --hooks");
    check(&workplace, |prompt| {
        workplace.done(&format!("codex exec {} '{prompt}'", options(&workplace)))
    });
}

/// Returns what lets Codex talk to our model, and run hooks that nobody was asked about.
fn options(workplace: &Workplace) -> String {
    let provider = format!(
        r#"model_providers.scripted={{name="scripted",base_url="http://127.0.0.1:{}/v1",wire_api="responses"}}"#,
        workplace.model.port
    );
    let settings = ["model=scripted", "model_provider=scripted", &provider];
    let settings = settings.map(|setting| format!("-c '{setting}'")).join(" ");
    format!("--skip-git-repo-check --dangerously-bypass-hook-trust {settings}")
}
