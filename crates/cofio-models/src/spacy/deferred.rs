use std::fmt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::OnceLock;

use cofio::Result;
use cofio::recognise::{Cost, Recogniser, Span};

use super::EnCoreWebSm;

/// Finds names with `en_core_web_sm`, whose file is read when it is first needed.
pub struct Deferred {
    path: PathBuf,
    loaded: OnceLock<EnCoreWebSm>,
    /// Held by whoever reads the file, so that it is read once.
    loading: Mutex<()>,
}

impl Deferred {
    /// Takes a file that [`compact`](super::compact) wrote, and does not look at it yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), loaded: OnceLock::new(), loading: Mutex::new(()) }
    }

    fn model(&self) -> Result<&EnCoreWebSm> {
        if let Some(model) = self.loaded.get() {
            return Ok(model);
        }
        let _alone = self.loading.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(model) = self.loaded.get() {
            return Ok(model);
        }
        let model = EnCoreWebSm::open(&self.path)?;
        Ok(self.loaded.get_or_init(|| model))
    }
}

impl Recogniser for Deferred {
    fn name(&self) -> &'static str {
        EnCoreWebSm::NAME
    }

    fn cost(&self) -> Cost {
        Cost::Accurate
    }

    fn prepare(&self) -> Result<()> {
        self.model().map(drop)
    }

    fn recognise(&self, text: &str) -> Vec<Span> {
        self.model().map(|model| model.recognise(text)).unwrap_or_default()
    }
}

impl fmt::Debug for Deferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Deferred").field("path", &self.path).finish_non_exhaustive()
    }
}
