//! The network: from tokens to vectors.
#![expect(clippy::inline_always, reason = "code takes its caller's instructions by inlining only")]

use super::attention::{Desk, attend};
use super::kernel::Multiply;
use super::linear::Linear;
use super::model::{INNER, Layer, Model, WIDTH};
use super::rows::{add_and_normalise, gelu, normalise, quantise, sum};

/// The network and the tokens of the texts it is to read, all as rows of one matrix.
///
/// No row knows of another but through attention, which stays within a text. So the vector of a
/// text does not depend on what it is computed with.
pub(super) struct Network<'a> {
    pub model: &'a Model,
    pub texts: &'a [Vec<u32>],
}

/// Where the network works; kept to be used again.
pub(super) struct Scratch {
    hidden: Vec<f32>,
    wide: Vec<f32>,
    mixed: Vec<f32>,
    rounded: Vec<i16>,
    units: Vec<f32>,
    desk: Desk,
}

impl Scratch {
    pub fn new() -> Self {
        Self {
            hidden: Vec::new(),
            wide: Vec::new(),
            mixed: Vec::new(),
            rounded: Vec::new(),
            units: Vec::new(),
            desk: Desk::new(),
        }
    }

    fn resize(&mut self, tokens: usize) {
        self.hidden.resize(tokens * WIDTH, 0.0);
        self.wide.resize(tokens * INNER, 0.0);
        self.mixed.resize(tokens * WIDTH, 0.0);
        self.rounded.resize(tokens * INNER, 0);
        self.units.resize(tokens, 0.0);
    }
}

impl Network<'_> {
    /// Returns one vector of length one per text.
    #[inline(always)]
    pub fn vectors(&self, kernel: impl Multiply, scratch: &mut Scratch) -> Vec<Vec<f32>> {
        scratch.resize(self.texts.iter().map(Vec::len).sum());
        self.look_up(&mut scratch.hidden);
        for layer in &self.model.layers {
            self.attend(kernel, layer, scratch);
            think(kernel, layer, scratch);
        }
        self.pool(&scratch.hidden)
    }

    /// Writes the vector of each token and its place.
    #[inline(always)]
    fn look_up(&self, hidden: &mut [f32]) {
        let Model { words, word_scales, positions, norm, .. } = self.model;
        let mut rows = hidden.chunks_exact_mut(WIDTH);
        for text in self.texts {
            let places = positions.chunks_exact(WIDTH);
            for ((id, place), row) in text.iter().zip(places).zip(&mut rows) {
                let id = *id as usize;
                let word = &words[id * WIDTH..][..WIDTH];
                for ((number, byte), place) in row.iter_mut().zip(word).zip(place) {
                    *number = f32::from(byte.cast_signed()) * word_scales[id] + place;
                }
                normalise(row, &norm.gain, &norm.bias);
            }
        }
    }

    /// Lets the tokens of each text look at each other.
    #[inline(always)]
    fn attend(&self, kernel: impl Multiply, layer: &Layer, scratch: &mut Scratch) {
        let Scratch { hidden, wide, mixed, rounded, units, desk } = scratch;
        multiply(kernel, &layer.attention, hidden, rounded, units, wide);
        let mut first = 0;
        for text in self.texts {
            let end = first + text.len();
            let projected = &wide[first * 3 * WIDTH..end * 3 * WIDTH];
            attend(projected, &mut mixed[first * WIDTH..end * WIDTH], desk);
            first = end;
        }
        multiply(kernel, &layer.attention_output, mixed, rounded, units, wide);
        let norm = &layer.attention_norm;
        for (row, change) in hidden.chunks_exact_mut(WIDTH).zip(wide.chunks_exact(WIDTH)) {
            add_and_normalise(row, change, &norm.gain, &norm.bias);
        }
    }

    /// Returns the mean of each text's tokens, brought to length one.
    #[inline(always)]
    fn pool(&self, hidden: &[f32]) -> Vec<Vec<f32>> {
        let mut rows = hidden.chunks_exact(WIDTH);
        let pooled = self.texts.iter().map(|text| {
            let mut vector = vec![0.0; WIDTH];
            for row in rows.by_ref().take(text.len()) {
                vector.iter_mut().zip(row).for_each(|(total, number)| *total += number);
            }
            to_length_one(&mut vector);
            vector
        });
        pooled.collect()
    }
}

/// Thinks about each token by itself.
#[inline(always)]
fn think(kernel: impl Multiply, layer: &Layer, scratch: &mut Scratch) {
    let Scratch { hidden, wide, mixed, rounded, units, .. } = scratch;
    multiply(kernel, &layer.inner, hidden, rounded, units, wide);
    wide.chunks_exact_mut(INNER).for_each(gelu);
    multiply(kernel, &layer.output, wide, rounded, units, mixed);
    for (row, change) in hidden.chunks_exact_mut(WIDTH).zip(mixed.chunks_exact(WIDTH)) {
        add_and_normalise(row, change, &layer.norm.gain, &layer.norm.bias);
    }
}

/// Rounds the input and multiplies it with a matrix.
#[inline(always)]
fn multiply(
    kernel: impl Multiply,
    linear: &Linear,
    input: &[f32],
    rounded: &mut [i16],
    units: &mut [f32],
    output: &mut [f32],
) {
    let tokens = units.len();
    let rounded = &mut rounded[..tokens * linear.inputs];
    let rows = input.chunks_exact(linear.inputs).zip(rounded.chunks_exact_mut(linear.inputs));
    for ((row, rounded), unit) in rows.zip(units.iter_mut()) {
        *unit = quantise(row, linear.limit, rounded);
    }
    kernel.multiply(linear, rounded, units, &mut output[..tokens * linear.outputs]);
}

/// Brings a vector to length one.
#[inline(always)]
pub(super) fn to_length_one(vector: &mut [f32]) {
    let length = sum(vector, |number| number * number).sqrt();
    for number in vector {
        *number /= length;
    }
}
