use std::fmt;

use cofio::ingest;

use crate::dialects::ToolError;

/// The name of a topic: letters and digits in lower case, with single dashes between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic(String);

impl Topic {
    /// The folder of all topics in a workspace.
    pub const FOLDER: &str = "world/";

    /// Makes a name of whatever somebody calls a topic.
    pub fn new(raw: &str) -> Result<Self, ToolError> {
        let lower = raw.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let name = words.collect::<Vec<_>>().join("-");
        if name.is_empty() {
            return Err(ToolError::said("a topic needs a letter or a digit"));
        }
        let topic = Self(name);
        if ingest::findings(raw).is_empty() && ingest::findings(&topic.file()).is_empty() {
            return Ok(topic);
        }
        Err(ToolError::said("the topic looks like a secret, choose another name"))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path of its file in a workspace.
    pub fn file(&self) -> String {
        format!("{}{}.md", Self::FOLDER, self.0)
    }

    /// Returns the topic that a file is about.
    pub(super) fn of_file(path: &str) -> &str {
        let name = path.strip_prefix(Self::FOLDER).unwrap_or(path);
        name.strip_suffix(".md").unwrap_or(name)
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_letters_digits_and_dashes() {
        let check = |raw: &str, expected: &str| {
            assert_eq!(Topic::new(raw).unwrap().file(), format!("world/{expected}.md"));
        };
        check("people", "people");
        check("My Topic!", "my-topic");
        check("  API_v2 (beta) ", "api-v2-beta");
        check("../../etc/passwd", "etc-passwd");
        check("Größe\0/7", "größe-7");
        for raw in ["", " ", "../..", "---", "🦊"] {
            assert_eq!(
                Topic::new(raw).unwrap_err().to_string(),
                "a topic needs a letter or a digit"
            );
        }
        assert!(Topic::new("AKIAIOSFODNN7EXAMPLE").is_err());
    }
}
