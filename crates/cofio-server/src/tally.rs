//! What came of asking servers so far, as whoever asks them keeps count.

use std::fmt;
use std::sync::Arc;

/// What came of asking one server so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// What the server is called, such as `redis`.
    pub store: String,
    /// How often it was asked for something.
    pub calls: u64,
    /// How often that failed in the end.
    pub failures: u64,
    /// How often something was tried again.
    pub retries: u64,
    /// How often there was no answer in time.
    pub timeouts: u64,
    /// How often it was not asked because it is left alone.
    pub refusals: u64,
    /// How often it began to be left alone.
    pub opened: u64,
    /// Whether it is asked at the moment.
    pub circuit: Circuit,
}

/// Whether a server is asked at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Circuit {
    /// As usual.
    Closed,
    /// Not at all, as it failed too often.
    Open,
    /// Once, to try it.
    HalfOpen,
}

/// Reads what came of asking each server.
#[derive(Clone)]
pub struct Tallies(Arc<dyn Fn() -> Vec<Tally> + Send + Sync>);

impl Circuit {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Closed, Self::Open, Self::HalfOpen];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
        }
    }
}

impl Tallies {
    /// Reads by `read`, which waits for nobody.
    pub fn new(read: impl Fn() -> Vec<Tally> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Returns what came of it until now.
    pub fn read(&self) -> Vec<Tally> {
        (self.0)()
    }
}

impl Default for Tallies {
    fn default() -> Self {
        Self::new(Vec::new)
    }
}

impl fmt::Debug for Tallies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tallies").field(&self.read()).finish()
    }
}
