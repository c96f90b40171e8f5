//! A text as a reader would take it, with the way back to what was written.

use std::borrow::Cow;
use std::ops::Range;

/// Another reading of a text that remembers where each byte comes from.
#[derive(Debug, Clone)]
pub struct View<'a> {
    text: Cow<'a, str>,
    /// Where each byte stands in the original; nothing if this is the original.
    origins: Option<Vec<(u32, u32)>>,
}

impl<'a> View<'a> {
    /// The text as it was written.
    pub fn of(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), origins: None }
    }

    /// Returns the text of this reading.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns where a range of this reading stands in the original.
    pub fn origin(&self, range: Range<usize>) -> Range<usize> {
        let Some(origins) = &self.origins else { return range };
        let origins = origins.get(range).unwrap_or_default();
        let known = origins.iter().filter(|(start, end)| start < end);
        let start = known.clone().map(|(start, _)| *start).min().unwrap_or_default();
        let end = known.map(|(_, end)| *end).max().unwrap_or_default();
        start as usize..end as usize
    }
}

/// Writes a reading of another reading.
#[derive(Debug)]
pub struct Writer<'v> {
    view: &'v View<'v>,
    text: String,
    origins: Vec<(u32, u32)>,
}

impl<'v> Writer<'v> {
    /// Starts with nothing.
    pub fn new(view: &'v View<'v>) -> Self {
        Self { view, text: String::new(), origins: Vec::new() }
    }

    /// Writes a character that stands for a range of the reading below.
    pub fn push(&mut self, character: char, range: Range<usize>) {
        let origin = self.view.origin(range);
        let origin = (to_u32(origin.start), to_u32(origin.end));
        self.text.push(character);
        self.origins.extend(std::iter::repeat_n(origin, character.len_utf8()));
    }

    /// Writes a part of the reading below as it is.
    pub fn copy(&mut self, range: Range<usize>) {
        for (at, character) in self.view.text()[range.clone()].char_indices() {
            let start = range.start + at;
            self.push(character, start..start + character.len_utf8());
        }
    }

    /// Writes something that stands for nothing, so that what is around it stays apart.
    pub fn part(&mut self) {
        self.text.push('\n');
        self.origins.push((0, 0));
    }

    /// Returns the reading, unless nothing was written.
    pub fn finish(self) -> Option<View<'static>> {
        let Self { text, origins, .. } = self;
        (!text.is_empty()).then_some(View { text: Cow::Owned(text), origins: Some(origins) })
    }
}

/// Texts are far shorter than this type can count; a longer one only loses precision.
fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
