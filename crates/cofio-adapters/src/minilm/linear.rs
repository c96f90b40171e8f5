//! A matrix of whole numbers, and the order in which its numbers are kept.

use std::io::Result;

use super::file::{BodyReader, BodyWriter};

/// How many columns lie side by side, so that a kernel can read them as one.
pub(super) const PANEL: usize = 48;

/// The largest weight.
///
/// Weights of eight bits lose up to 0.004 of cosine on short texts; these lose 0.00002.
const LARGEST: f32 = 2047.0;

/// Computes `input · weights + bias`, with whole numbers for both factors.
///
/// Weights lie in panels of [`PANEL`] columns; in a panel, two inputs of each column follow each
/// other. Inputs no larger than `limit` cannot overflow a sum of 32 bits.
pub(super) struct Linear {
    pub inputs: usize,
    pub outputs: usize,
    pub limit: f32,
    pub scales: Vec<f32>,
    pub bias: Vec<f32>,
    pub weights: Vec<i16>,
}

impl Linear {
    /// Rounds a matrix that has one row per output.
    pub fn new(inputs: usize, matrix: &[f32], bias: Vec<f32>) -> Self {
        let outputs = bias.len();
        let mut scales = Vec::with_capacity(outputs);
        let mut weights = vec![0; inputs * outputs];
        let mut heaviest = 1;
        for (output, row) in matrix.chunks_exact(inputs).enumerate() {
            let peak = row.iter().fold(f32::MIN_POSITIVE, |peak, weight| peak.max(weight.abs()));
            let scale = peak / LARGEST;
            let mut weight_of_row = 0;
            for (input, weight) in row.iter().enumerate() {
                let rounded = rounded(weight / scale);
                weight_of_row += i64::from(rounded.unsigned_abs());
                weights[position(inputs, input, output)] = rounded;
            }
            heaviest = heaviest.max(weight_of_row);
            scales.push(scale);
        }
        let limit = (i64::from(i32::MAX) / heaviest).min(i64::from(i16::MAX)) as f32;
        Self { inputs, outputs, limit, scales, bias, weights }
    }

    pub fn write(&self, body: &mut BodyWriter) -> Result<()> {
        body.f32s(&[self.limit])?;
        body.f32s(&self.scales)?;
        body.f32s(&self.bias)?;
        body.i16s(&self.weights)
    }

    pub fn read(body: &mut BodyReader, inputs: usize, outputs: usize) -> Result<Self> {
        Ok(Self {
            inputs,
            outputs,
            limit: body.f32s(1)?[0],
            scales: body.f32s(outputs)?,
            bias: body.f32s(outputs)?,
            weights: body.i16s(inputs * outputs)?,
        })
    }

    /// Returns the weights of each panel, in order.
    pub fn panels(&self) -> std::slice::ChunksExact<'_, i16> {
        self.weights.chunks_exact(self.inputs * PANEL)
    }
}

fn position(inputs: usize, input: usize, output: usize) -> usize {
    let panel = output / PANEL * inputs * PANEL;
    panel + (input / 2 * PANEL + output % PANEL) * 2 + input % 2
}

#[expect(clippy::cast_possible_truncation, reason = "no weight is larger than LARGEST")]
fn rounded(weight: f32) -> i16 {
    weight.round() as i16
}
