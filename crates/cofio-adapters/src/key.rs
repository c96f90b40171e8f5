//! The key that a server wants, kept out of everything that is shown.

use std::fmt;

use cofio::{Error, ErrorKind, Result};

/// What stands where a key would.
const MASK: &str = "***";

/// A key that is never shown.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// Takes a key; space around it, such as the end of a line, is left out.
    pub fn new(text: &str) -> Result<Self> {
        let key = text.trim();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Error::new(
                ErrorKind::Configuration,
                "a key has to be visible ASCII characters on one line",
            ));
        }
        Ok(Self(key.to_owned()))
    }

    /// Returns the key, for the header of a request alone.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Takes the key out of what a server says.
    pub(crate) fn mask(&self, text: &str) -> String {
        text.replace(&self.0, MASK)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({MASK})")
    }
}
