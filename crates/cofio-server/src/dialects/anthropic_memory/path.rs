use cofio::ingest;

use crate::dialects::ToolError;

/// Where all files are.
const ROOT: &str = "/memories";

/// A place at or below `/memories`, without any way out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemoryPath {
    /// The names from the top, none of them empty, `.` or `..`.
    parts: Vec<String>,
}

impl MemoryPath {
    /// Reads a path as a model writes it.
    pub(super) fn parse(raw: &str) -> Result<Self, ToolError> {
        let below = raw.strip_prefix(ROOT).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(below) = below else {
            return Err(ToolError::said(format!("Path must start with /memories, got: {raw}")));
        };
        let parts = resolved(below).ok_or_else(|| {
            ToolError::said(format!("Path {raw} would escape /memories directory"))
        })?;
        let path = Self { parts };
        if ingest::check_key(&path.key()).is_err() {
            let words = "Path is longer than 256 bytes or has control characters";
            return Err(ToolError::said(words));
        }
        Ok(path)
    }

    /// Refuses a path that cannot be kept as it is.
    pub(super) fn refuse_secrets(&self) -> Result<(), ToolError> {
        if ingest::findings(&self.key()).is_empty() {
            return Ok(());
        }
        Err(ToolError::said("Path looks like a secret, choose another one"))
    }

    /// Returns the path in its only form.
    pub(super) fn key(&self) -> String {
        self.parts.iter().fold(ROOT.to_owned(), |path, part| path + "/" + part)
    }

    /// Returns whether it is the folder of all files.
    pub(super) fn is_root(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the folders it is in, without that of all files.
    pub(super) fn folders(&self) -> impl Iterator<Item = Self> + '_ {
        (1..self.parts.len()).map(|end| Self { parts: self.parts[..end].to_vec() })
    }

    /// Returns whether it is in a folder, at any depth.
    pub(super) fn is_below(&self, folder: &Self) -> bool {
        self.parts.len() > folder.parts.len() && self.parts.starts_with(&folder.parts)
    }

    /// Returns the names that lead to it from a folder that it is in.
    pub(super) fn within(&self, folder: &Self) -> &[String] {
        self.parts.get(folder.parts.len()..).unwrap_or_default()
    }

    /// Returns where it is after a folder or the file itself was renamed.
    pub(super) fn moved(&self, from: &Self, to: &Self) -> Self {
        Self { parts: to.parts.iter().chain(self.within(from)).cloned().collect() }
    }
}

/// Follows a path from the root, or returns nothing if it leads out.
fn resolved(below: &str) -> Option<Vec<String>> {
    let mut parts = vec!["memories"];
    for part in below.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    let (root, parts) = parts.split_first()?;
    (*root == "memories").then(|| parts.iter().map(|&part| part.to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(raw: &str, expected: &str) {
        assert_eq!(MemoryPath::parse(raw).unwrap().key(), expected);
    }

    #[track_caller]
    fn check_refused(raw: &str, expected: &str) {
        assert_eq!(MemoryPath::parse(raw).unwrap_err().to_string(), expected);
    }

    #[test]
    fn every_way_of_writing_a_path_means_the_same_place() {
        check("/memories", "/memories");
        check("/memories/", "/memories");
        check("/memories/a/b.md", "/memories/a/b.md");
        check("/memories//a/./b.md/", "/memories/a/b.md");
        check("/memories/a/../b.md", "/memories/b.md");
        check("/memories/../memories/b.md", "/memories/b.md");
    }

    #[test]
    fn what_only_looks_like_a_way_out_is_a_name() {
        check("/memories/%2e%2e/a", "/memories/%2e%2e/a");
        check("/memories/..\\a", "/memories/..\\a");
        check("/memories/...", "/memories/...");
    }

    #[test]
    fn no_path_leads_out() {
        for raw in ["/memories/..", "/memories/../a", "/memories/a/../../../etc/passwd"] {
            check_refused(raw, &format!("Path {raw} would escape /memories directory"));
        }
        for raw in ["", "a", "/etc/passwd", "memories/a", "/memoriesa", "/Memories"] {
            check_refused(raw, &format!("Path must start with /memories, got: {raw}"));
        }
        for raw in ["/memories/a\0b".to_owned(), format!("/memories/{}", "a".repeat(300))] {
            check_refused(&raw, "Path is longer than 256 bytes or has control characters");
        }
    }
}
