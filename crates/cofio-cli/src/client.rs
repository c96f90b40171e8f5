//! The programs that agents run in, as far as Cofio knows them.

use std::fmt;

use clap::ValueEnum;

/// A program that agents run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Client {
    ClaudeCode,
    Codex,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
    Gemini,
    Zed,
    #[value(name = "opencode")]
    OpenCode,
    ClaudeDesktop,
}

impl Client {
    /// Every client, in the order people are told of them.
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Cursor,
        Self::VsCode,
        Self::Gemini,
        Self::Zed,
        Self::OpenCode,
        Self::ClaudeDesktop,
    ];

    /// Returns the name for the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Gemini => "gemini",
            Self::Zed => "zed",
            Self::OpenCode => "opencode",
            Self::ClaudeDesktop => "claude-desktop",
        }
    }

    /// Returns the name that its makers gave it.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Gemini => "Gemini CLI",
            Self::Zed => "Zed",
            Self::OpenCode => "OpenCode",
            Self::ClaudeDesktop => "Claude Desktop",
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_has_the_name_that_the_command_line_takes() {
        for client in Client::ALL {
            assert_eq!(Client::from_str(client.as_str(), false), Ok(client));
        }
        assert_eq!(Client::value_variants(), Client::ALL);
    }
}
