//! A file as a person sees it in an editor: items of a list, and lines in between.

use std::fmt;

/// The lines of a file, the lines of an item together.
#[derive(Debug, Clone)]
pub struct Page(Vec<Piece>);

/// An item with what is indented beneath it, or another line.
#[derive(Debug, Clone)]
pub struct Piece {
    pub raw: String,
    is_item: bool,
}

impl Page {
    pub fn read(text: &str) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        for line in text.split_inclusive('\n') {
            match pieces.last_mut() {
                Some(piece) if piece.is_item && line.starts_with("  ") => piece.raw.push_str(line),
                _ => pieces.push(Piece { raw: line.to_owned(), is_item: line.starts_with("- ") }),
            }
        }
        Self(pieces)
    }

    /// Returns the items, from top to bottom.
    pub fn items(&self) -> impl Iterator<Item = &Piece> {
        self.0.iter().filter(|piece| piece.is_item)
    }

    /// Puts another text in the place of the item with a word.
    pub fn replace(&mut self, word: &str, text: &str, by: &str) -> bool {
        let Some(at) = self.position(word) else { return false };
        self.0[at].raw = self.0[at].raw.replace(text, by);
        true
    }

    /// Takes the item with a word out.
    pub fn remove(&mut self, word: &str) -> Option<Piece> {
        self.position(word).map(|at| self.0.remove(at))
    }

    /// Puts an item before the one with a number, or at the end.
    pub fn insert(&mut self, number: usize, raw: &str) {
        let items = self.0.iter().enumerate().filter(|(_, piece)| piece.is_item);
        let at = items.map(|(at, _)| at).nth(number).unwrap_or(self.0.len());
        if let Some(last) = self.0.last_mut().filter(|last| !last.raw.ends_with('\n')) {
            last.raw.push('\n');
        }
        self.0.insert(at, Piece { raw: raw.to_owned(), is_item: true });
    }

    fn position(&self, word: &str) -> Option<usize> {
        let stands = |piece: &Piece| piece.raw.split_whitespace().any(|one| one == word);
        self.0.iter().position(|piece| piece.is_item && stands(piece))
    }
}

impl Piece {
    /// Returns the memory that it is, if that is marked.
    pub fn id(&self) -> Option<&str> {
        let (_, behind) = self.raw.split_once(" <!-- cofio:")?;
        behind.split_once(" -->").map(|(id, _)| id)
    }

    /// Returns what it says, line by line.
    pub fn text(&self) -> String {
        let bare = |line: &str| {
            let line = line.split(" <!-- cofio:").next().unwrap_or(line);
            line.strip_prefix("- ").unwrap_or(line).trim().to_owned()
        };
        self.raw.lines().map(bare).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| f.write_str(&piece.raw))
    }
}
