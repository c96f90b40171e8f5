//! How long something takes that is done again and again.

use anyhow::Result;
use serde::Serialize;

use crate::machine::percentile;

/// Milliseconds.
#[derive(Serialize)]
pub struct Waits {
    p50: f64,
    longest: f64,
}

impl Waits {
    /// Does something so many times, each time with another number.
    pub fn of(times: usize, once: impl FnMut(usize) -> Result<f64>) -> Result<Self> {
        let mut samples = (0..times).map(once).collect::<Result<Vec<f64>>>()?;
        let p50 = percentile(&mut samples, 0.5);
        Ok(Self { p50, longest: samples.last().copied().unwrap_or(p50) })
    }
}
