use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::dialects::ToolError;

/// What a model asks of the memory tool, as one flat object.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct MemoryInput {
    /// What to do
    pub command: CommandName,
    /// The file or folder, such as /memories/notes.md; for every command but rename
    #[serde(default)]
    #[schemars(with = "String")]
    pub path: Option<String>,
    /// `view`: the first and the last line to show, -1 for the end
    #[serde(default)]
    #[schemars(with = "Vec<i64>")]
    pub view_range: Option<Vec<i64>>,
    /// `create`: the text of the new file
    #[serde(default)]
    #[schemars(with = "String")]
    pub file_text: Option<String>,
    /// `str_replace`: the text to replace, which must be there exactly once
    #[serde(default)]
    #[schemars(with = "String")]
    pub old_str: Option<String>,
    /// `str_replace`: what to put in its place
    #[serde(default)]
    #[schemars(with = "String")]
    pub new_str: Option<String>,
    /// `insert`: the line after which to insert, 0 for the beginning
    #[serde(default)]
    #[schemars(with = "i64")]
    pub insert_line: Option<i64>,
    /// `insert`: the text to insert
    #[serde(default)]
    #[schemars(with = "String")]
    pub insert_text: Option<String>,
    /// `rename`: where it is
    #[serde(default)]
    #[schemars(with = "String")]
    pub old_path: Option<String>,
    /// `rename`: where it goes
    #[serde(default)]
    #[schemars(with = "String")]
    pub new_path: Option<String>,
}

/// Shows the command only: what a model writes is nobody else's to read.
impl fmt::Debug for MemoryInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryInput").field("command", &self.command).finish_non_exhaustive()
    }
}

/// What can be done with files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandName {
    /// Show a file, or what is in a folder
    View,
    /// Make a new file
    Create,
    /// Replace a part of a file
    StrReplace,
    /// Insert lines into a file
    Insert,
    /// Delete a file or a folder
    Delete,
    /// Rename or move a file or a folder
    Rename,
}

impl CommandName {
    fn as_str(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Create => "create",
            Self::StrReplace => "str_replace",
            Self::Insert => "insert",
            Self::Delete => "delete",
            Self::Rename => "rename",
        }
    }
}

/// A command with what it needs.
pub(super) enum Command {
    View { path: String, range: Vec<i64> },
    Create { path: String, text: String },
    StrReplace { path: String, old: String, new: String },
    Insert { path: String, line: i64, text: String },
    Delete { path: String },
    Rename { from: String, to: String },
}

impl TryFrom<MemoryInput> for Command {
    type Error = ToolError;

    fn try_from(input: MemoryInput) -> Result<Self, ToolError> {
        let command = input.command;
        let path = needed(command, "path", input.path);
        Ok(match command {
            CommandName::View => {
                Self::View { path: path?, range: input.view_range.unwrap_or_default() }
            }
            CommandName::Create => {
                Self::Create { path: path?, text: needed(command, "file_text", input.file_text)? }
            }
            CommandName::StrReplace => Self::StrReplace {
                path: path?,
                old: needed(command, "old_str", input.old_str)?,
                new: input.new_str.unwrap_or_default(),
            },
            CommandName::Insert => Self::Insert {
                path: path?,
                line: needed(command, "insert_line", input.insert_line)?,
                text: needed(command, "insert_text", input.insert_text)?,
            },
            CommandName::Delete => Self::Delete { path: path? },
            CommandName::Rename => Self::Rename {
                from: needed(command, "old_path", input.old_path)?,
                to: needed(command, "new_path", input.new_path)?,
            },
        })
    }
}

fn needed<T>(command: CommandName, name: &str, value: Option<T>) -> Result<T, ToolError> {
    value.ok_or_else(|| ToolError::said(format!("{} needs {name}", command.as_str())))
}
