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
    pub weights: Vec<Line>,
}

/// As many weights as lie on one line of a processor's cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Line(pub [i16; Self::LENGTH]);

impl Line {
    pub const LENGTH: usize = 32;
    /// How many lines hold two inputs of all columns of a panel.
    pub const PER_PAIR: usize = 2 * PANEL / Self::LENGTH;
}

impl Linear {
    /// Rounds a matrix that has one row per output.
    pub fn new(inputs: usize, matrix: &[f32], bias: Vec<f32>) -> Self {
        let outputs = bias.len();
        let mut scales = Vec::with_capacity(outputs);
        let mut weights = vec![Line([0; Line::LENGTH]); inputs * outputs / Line::LENGTH];
        let mut heaviest = 1;
        for (output, row) in matrix.chunks_exact(inputs).enumerate() {
            let peak = row.iter().fold(f32::MIN_POSITIVE, |peak, weight| peak.max(weight.abs()));
            let scale = peak / LARGEST;
            let mut weight_of_row = 0;
            for (input, weight) in row.iter().enumerate() {
                let rounded = rounded(weight / scale);
                weight_of_row += i64::from(rounded.unsigned_abs());
                let place = position(inputs, input, output);
                weights[place / Line::LENGTH].0[place % Line::LENGTH] = rounded;
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
        self.weights.iter().try_for_each(|line| body.i16s(&line.0))
    }

    pub fn read(body: &mut BodyReader, inputs: usize, outputs: usize) -> Result<Self> {
        Ok(Self {
            inputs,
            outputs,
            limit: body.f32s(1)?[0],
            scales: body.f32s(outputs)?,
            bias: body.f32s(outputs)?,
            weights: body.lines(inputs * outputs / Line::LENGTH)?,
        })
    }

    /// Returns the weights of each panel, in order.
    pub fn panels(&self) -> std::slice::ChunksExact<'_, Line> {
        self.weights.chunks_exact(self.inputs / 2 * Line::PER_PAIR)
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
