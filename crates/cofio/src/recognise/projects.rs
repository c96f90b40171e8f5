//! Telling projects by the words beside their names: "the Apollo project", "repo acme/widgets".
//!
//! English only. A project may be called like anything, so nothing but such a word tells that a
//! name is one; what only looks like a name, as in "a Python project", is left alone.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{Cost, Recogniser, Span};
use crate::error::Result;
use crate::model::EntityType;

/// Finds names of projects, repositories and packages.
#[derive(Debug, Clone, Copy)]
pub struct Projects;

/// How sure a match is: surer than a model, which knows no projects, and less than a form that
/// leaves no doubt.
const CONFIDENCE: f32 = 0.9;

/// Without one of these no match is possible, and most texts have none.
const NEEDED: [&str; 5] = ["project", "repo", "codebase", "crate", "codename"];

/// A name behind the word: capitals, an owner with a repository, or code.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    let word = r"(?i:\b(?:project|repo|repository|codename)(?:,? (?:called|named))?:? )";
    regex(&format!(r"{word}(?:{CODE}|({OWNED})|(?-i:({CAPITALS})))"))
});

/// A name of code behind a word that stands before many other things.
static CODE_BEHIND: LazyLock<Regex> =
    LazyLock::new(|| regex(&format!(r"(?i:\b(?:crate|codebase|projects?|repos?),? )(?:{CODE})")));

/// A name between what points at one thing and the word.
static BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    let pointing = r"(?i:\b(?:the|our|their|his|her|this|that|on|of|for|in)) ";
    let word = r"(?i: (?:project|repo|repository|codebase))\b";
    regex(&format!(r"{pointing}(?:{CODE}|({OWNED})|({CAPITALS})){word}"))
});

/// A name that is marked as code.
const CODE: &str = r"`([\p{L}\p{N}][\p{L}\p{N}._/-]{1,62})`";

/// A repository under its owner.
const OWNED: &str = r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_][A-Za-z0-9_.-]*[A-Za-z0-9]";

/// One to three words with capitals.
const CAPITALS: &str = r"\p{Lu}[\p{L}\p{N}-]+(?: \p{Lu}[\p{L}\p{N}-]+){0,2}";

/// Words with capitals that say what sort of project it is, what it is kept in, or what somebody
/// does in one, rather than what it is called; each in lower case.
const NO_NAMES: &[&str] = &[
    "android",
    "angular",
    "api",
    "bitbucket",
    "board",
    "budget",
    "c",
    "charter",
    "cli",
    "coordinator",
    "css",
    "django",
    "docker",
    "euler",
    "flutter",
    "git",
    "github",
    "gitlab",
    "go",
    "golang",
    "html",
    "i",
    "ios",
    "java",
    "javascript",
    "kotlin",
    "kubernetes",
    "lead",
    "leader",
    "linux",
    "management",
    "manager",
    "meeting",
    "mercurial",
    "node",
    "npm",
    "office",
    "open",
    "owner",
    "php",
    "plan",
    "planning",
    "python",
    "rails",
    "react",
    "ruby",
    "rust",
    "school",
    "scope",
    "side",
    "sql",
    "status",
    "swift",
    "team",
    "terraform",
    "typescript",
    "update",
    "vue",
    "windows",
];

impl Recogniser for Projects {
    fn name(&self) -> &'static str {
        "projects"
    }

    fn cost(&self) -> Cost {
        Cost::Fast
    }

    fn prepare(&self) -> Result<()> {
        Ok(())
    }

    fn recognise(&self, text: &str) -> Vec<Span> {
        let lower = text.to_lowercase();
        if !NEEDED.iter().any(|needed| lower.contains(needed)) {
            return Vec::new();
        }
        let named = [&BEHIND, &CODE_BEHIND, &BEFORE].into_iter();
        let matches = named.flat_map(|regex| regex.captures_iter(text));
        let ranges = matches.filter_map(|captures| name(&captures));
        ranges.map(|range| span(range, text)).collect()
    }
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("every pattern is tested")
}

/// Returns where the name is, if it is one.
fn name(captures: &Captures<'_>) -> Option<Range<usize>> {
    let found = captures.iter().skip(1).flatten().next()?;
    let first = found.as_str().split(' ').next()?.to_lowercase();
    let last = found.as_str().split(' ').next_back()?.to_lowercase();
    let is_name = |word: &String| !NO_NAMES.contains(&word.as_str());
    (is_name(&first) && is_name(&last)).then(|| found.range())
}

fn span(range: Range<usize>, text: &str) -> Span {
    let written = text[range.clone()].trim_end_matches(['.', '-']);
    let range = range.start..range.start + written.len();
    Span { range, entity_type: EntityType::Project, confidence: CONFIDENCE }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found = Projects.recognise(text);
        let found: Vec<_> = found.iter().map(|span| &text[span.range.clone()]).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn a_project_is_told_by_the_word_beside_its_name() {
        check("the Apollo project is late", &["Apollo"]);
        check("she leads Project Blue Heron now", &["Blue Heron"]);
        check("it is in the repo acme/widgets, I think", &["acme/widgets"]);
        check("clone our acme/widgets-2.0 repository.", &["acme/widgets-2.0"]);
        check("a project called Nightjar", &["Nightjar"]);
        check("codename: Larkspur", &["Larkspur"]);
        check("the crate `serde_json` and the `billing-api` repo", &["serde_json", "billing-api"]);
    }

    #[test]
    fn what_sort_of_project_it_is_names_none() {
        for text in [
            "a Python project and a Berlin project",
            "the GitHub repo and our Rust codebase",
            "the Project Manager asked for the Project Plan",
            "a long-term project, an open-source repo",
            "the project is late and the repo/branch is old",
            "a crate of Beer arrived",
            "projects and/or repositories",
            "I projected it on the wall",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn odd_texts_do_no_harm() {
        for text in
            ["", "project ", "project `", "repo a/", "the É project", "project É-", "`` repo"]
        {
            for span in Projects.recognise(text) {
                assert!(!text[span.range].is_empty());
            }
        }
    }
}
