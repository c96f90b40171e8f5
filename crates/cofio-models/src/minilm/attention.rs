//! How each token looks at the others of its text.
//!
//! Written like `rows`: the same bits everywhere, compiled for the instructions of its caller.
#![expect(clippy::inline_always, reason = "code takes its caller's instructions by inlining only")]

use super::model::{HEADS, TOKENS, WIDTH};
use super::rows::{LANES, exp, sum};

/// Numbers per token that one head looks at.
const HEAD: usize = WIDTH / HEADS;
/// Numbers per token in what `attend` reads: query, key and value.
const STRIDE: usize = 3 * WIDTH;
/// How many tokens look around at a time.
const ROWS: usize = 4;

/// Where one head works.
pub(super) struct Desk {
    /// The keys of a text, one row per dimension.
    keys: Vec<f32>,
    /// How much each of a few tokens looks at each token.
    weights: Vec<f32>,
}

impl Desk {
    pub fn new() -> Self {
        Self { keys: vec![0.0; HEAD * TOKENS], weights: vec![0.0; ROWS * TOKENS] }
    }
}

/// Mixes the values of one text's tokens; `projected` has a row of query, key and value for each.
#[inline(always)]
pub(super) fn attend(projected: &[f32], mixed: &mut [f32], desk: &mut Desk) {
    let tokens = projected.len() / STRIDE;
    for head in 0..HEADS {
        let first = head * HEAD;
        transpose_keys(&projected[WIDTH + first..], tokens, &mut desk.keys);
        let mut token = 0;
        while token + ROWS <= tokens {
            look::<ROWS>(&projected[first..], mixed, token, first, tokens, desk);
            token += ROWS;
        }
        while token < tokens {
            look::<1>(&projected[first..], mixed, token, first, tokens, desk);
            token += 1;
        }
    }
}

#[inline(always)]
fn padded(tokens: usize) -> usize {
    tokens.next_multiple_of(LANES)
}

#[inline(always)]
fn transpose_keys(from: &[f32], tokens: usize, keys: &mut [f32]) {
    let padded = padded(tokens);
    for (dimension, keys) in keys.chunks_exact_mut(padded).take(HEAD).enumerate() {
        for (token, key) in keys[..tokens].iter_mut().enumerate() {
            *key = from[token * STRIDE + dimension];
        }
        keys[tokens..].fill(0.0);
    }
}

#[inline(always)]
fn look<const COUNT: usize>(
    from: &[f32],
    mixed: &mut [f32],
    token: usize,
    first: usize,
    tokens: usize,
    desk: &mut Desk,
) {
    let padded = padded(tokens);
    weigh::<COUNT>(&from[token * STRIDE..], padded, desk);
    let mut totals = [0.0; COUNT];
    for (row, total) in totals.iter_mut().enumerate() {
        *total = softmax(&mut desk.weights[row * TOKENS..][..padded], tokens);
    }
    let values = mix::<COUNT>(&from[2 * WIDTH..], tokens, &desk.weights);
    for (row, value) in values.iter().enumerate() {
        let target = &mut mixed[(token + row) * WIDTH + first..][..HEAD];
        let factor = 1.0 / totals[row];
        for (target, value) in target.iter_mut().zip(value) {
            *target = value * factor;
        }
    }
}

/// Multiplies a few queries with all keys.
#[inline(always)]
fn weigh<const COUNT: usize>(queries: &[f32], padded: usize, desk: &mut Desk) {
    for start in (0..padded).step_by(LANES) {
        let mut sums = [[0.0_f32; LANES]; COUNT];
        for dimension in 0..HEAD {
            let keys = lanes(&desk.keys[dimension * padded + start..]);
            for (row, sums) in sums.iter_mut().enumerate() {
                let query = queries[row * STRIDE + dimension];
                for (sum, key) in sums.iter_mut().zip(keys) {
                    *sum += query * key;
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            desk.weights[row * TOKENS + start..][..LANES].copy_from_slice(sums);
        }
    }
}

/// Turns products into weights; returns their sum, by which they are still to be divided.
#[inline(always)]
fn softmax(weights: &mut [f32], tokens: usize) -> f32 {
    weights[tokens..].fill(f32::NEG_INFINITY);
    let mut peaks = [f32::NEG_INFINITY; LANES];
    for weights in weights.as_chunks::<LANES>().0 {
        for (peak, weight) in peaks.iter_mut().zip(weights) {
            *peak = if *weight > *peak { *weight } else { *peak };
        }
    }
    let peak = peaks.iter().fold(f32::NEG_INFINITY, |peak, lane| peak.max(*lane));
    for weight in weights.iter_mut() {
        *weight = exp(*weight - peak);
    }
    weights[tokens..].fill(0.0);
    sum(weights, |weight| weight)
}

/// Adds up all values, each as heavy as a few tokens look at it.
#[inline(always)]
fn mix<const COUNT: usize>(values: &[f32], tokens: usize, weights: &[f32]) -> [[f32; HEAD]; COUNT] {
    let mut sums = [[0.0_f32; HEAD]; COUNT];
    for token in 0..tokens {
        let value = &values[token * STRIDE..][..HEAD];
        for (row, sums) in sums.iter_mut().enumerate() {
            let weight = weights[row * TOKENS + token];
            for (sum, value) in sums.iter_mut().zip(value) {
                *sum += weight * value;
            }
        }
    }
    sums
}

#[inline(always)]
fn lanes(numbers: &[f32]) -> &[f32; LANES] {
    numbers.first_chunk().expect("rows are padded to whole lanes")
}
