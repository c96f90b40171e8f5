use std::borrow::Cow;
use std::fmt;

/// Text that went through redaction.
///
/// Only redaction and the reading back of what was stored can make one, so a store, an embedder
/// or a log cannot be handed a secret by mistake.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct CleanText(String);

impl CleanText {
    /// Marks text that redaction has just passed.
    pub(crate) fn redacted(text: String) -> Self {
        Self(text)
    }

    /// Returns the text after something else was taken out of it.
    pub(crate) fn sanitised(self, clean: impl FnOnce(&str) -> Cow<'_, str>) -> Self {
        match clean(&self.0) {
            Cow::Owned(cleaner) => Self(cleaner),
            Cow::Borrowed(_) => self,
        }
    }

    /// Marks text that a store gives back.
    pub(crate) fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Shows the size only: memories do not belong in logs.
impl fmt::Debug for CleanText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CleanText({} bytes)", self.0.len())
    }
}
