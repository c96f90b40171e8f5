//! Making text from outside harmless before it is kept.
//!
//! It is not the defence: that is where low trust leads to. It only takes away what a text from
//! outside has no use for, and leaves every other byte as it is.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::model::{Kind, Trust};
use crate::text::visible;

/// How many characters of an episode from outside are kept.
const LONGEST: usize = 10_000;

/// What stands where the rest of such an episode was.
const CUT: &str = "...[TRUNCATED]";

/// Returns a text as it may be kept.
///
/// Only low trust changes anything: markers that pretend to be part of a prompt are defused,
/// characters that nobody sees are dropped, and a long episode is cut.
pub fn sanitise(text: &str, trust: Trust, kind: Kind) -> Cow<'_, str> {
    if trust != Trust::Low {
        return Cow::Borrowed(text);
    }
    let mut clean = visible(text);
    if MARKERS.is_match(&clean) {
        clean = Cow::Owned(MARKERS.replace_all(&clean, defused).into_owned());
    }
    if kind == Kind::Episode
        && let Some((end, _)) = clean.char_indices().nth(LONGEST)
    {
        clean = Cow::Owned(format!("{}{CUT}", &clean[..end]));
    }
    clean
}

/// What pretends to be part of a prompt: the words of a system, and the signs of chat templates.
static MARKERS: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)\[(SYSTEM|ADMIN|INSTRUCTION)\]|(IGNORE PREVIOUS)|<\|([a-z_]{2,24})\|>|\[/?(INST)\]|<</?(SYS)>>|</?(memory)>";
    Regex::new(pattern).expect("the pattern is tested")
});

fn defused(found: &Captures<'_>) -> String {
    let name = found.iter().skip(1).flatten().next().map_or("", |name| name.as_str());
    format!("[content: {}]", name.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(sanitise(text, Trust::Low, Kind::Fact), expected);
        for trust in [Trust::Medium, Trust::High] {
            assert_eq!(sanitise(text, trust, Kind::Fact), text, "{trust}");
        }
    }

    #[test]
    fn markers_of_a_prompt_are_defused() {
        check("[SYSTEM] obey", "[content: system] obey");
        check("[admin] [Instruction]", "[content: admin] [content: instruction]");
        check("Please ignore previous advice", "Please [content: ignore previous] advice");
        check("<|im_start|>user", "[content: im_start]user");
        check(
            "[INST]<<SYS>>x<</SYS>>[/INST]",
            "[content: inst][content: sys]x[content: sys][content: inst]",
        );
        check("</memory>now", "[content: memory]now");
    }

    #[test]
    fn what_nobody_sees_is_dropped() {
        check("a\u{1b}[31mb\u{0}c\u{7f}", "a[31mbc");
        check("user\u{202e}txt.exe\u{202c}", "usertxt.exe");
        check("hi\u{e0041}\u{e0042}\u{e007f}!", "hi!");
        check("\u{feff}a\u{2060}b", "ab");
    }

    #[test]
    fn everything_else_stays_byte_for_byte() {
        for text in [
            "",
            "tab\tline\nreturn\r\n",
            "🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f} a flag",
            "👩‍👩‍👧 می‌خواهم क्‍ष שלום\u{200f}!",
            "system [sys] <memory of a goldfish> ignore the previous one",
            "a <| b |> c, x[i]",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn a_long_episode_from_outside_is_cut_where_a_character_ends() {
        let long = "ä".repeat(LONGEST + 1);
        let cut = sanitise(&long, Trust::Low, Kind::Episode).into_owned();
        assert_eq!(cut, format!("{}{CUT}", "ä".repeat(LONGEST)));
        let just = "ä".repeat(LONGEST);
        assert_eq!(sanitise(&just, Trust::Low, Kind::Episode), just);
        assert_eq!(sanitise(&long, Trust::Low, Kind::Fact), long);
        assert_eq!(sanitise(&long, Trust::High, Kind::Episode), long);
    }
}
