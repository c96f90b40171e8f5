use std::fmt::{Display, Write as _};

use anstyle::Style;

use super::plain;

/// Text for people, line by line; nothing in it is obeyed by a terminal except the page's own styles.
#[derive(Debug)]
pub struct Page {
    text: String,
    color: bool,
}

impl Page {
    /// Starts an empty page.
    pub fn new(color: bool) -> Self {
        Self { text: String::new(), color }
    }

    /// Adds lines.
    pub fn line(&mut self, text: impl Display) {
        self.add("", &text.to_string(), Style::new());
    }

    /// Adds lines that stand out.
    pub fn strong(&mut self, text: impl Display) {
        self.add("", &text.to_string(), Style::new().bold());
    }

    /// Adds lines that stand back.
    pub fn faint(&mut self, text: impl Display) {
        self.add("", &text.to_string(), Style::new().dimmed());
    }

    /// Adds lines further to the right.
    pub fn indented(&mut self, text: impl Display) {
        self.add("  ", &text.to_string(), Style::new());
    }

    /// Adds lines further to the right that stand back.
    pub fn aside(&mut self, text: impl Display) {
        self.add("  ", &text.to_string(), Style::new().dimmed());
    }

    /// Adds an empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// Returns what was added.
    pub fn into_text(self) -> String {
        self.text
    }

    fn add(&mut self, margin: &str, text: &str, style: Style) {
        for line in text.split('\n') {
            let line = plain(line);
            if line.is_empty() {
                self.text.push('\n');
                continue;
            }
            let style = if self.color { style } else { Style::new() };
            let _ = writeln!(self.text, "{margin}{style}{line}{style:#}");
        }
    }
}
