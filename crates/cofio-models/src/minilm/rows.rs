//! What is done to the numbers of each token by itself.
//!
//! Everything is written in lanes of sixteen and without fused operations, so every processor
//! computes the same bits, and inlined, so it is compiled for the instructions of its caller.
#![expect(clippy::inline_always, reason = "code takes its caller's instructions by inlining only")]

/// How many numbers are treated alike at a time.
pub(super) const LANES: usize = 16;

/// Added to and taken from a small number, it leaves a whole number in the lowest bits.
const ROUNDER: f32 = 12_582_912.0;

/// Rounds a row to whole numbers up to `limit` and returns their unit.
#[inline(always)]
pub(super) fn quantise(row: &[f32], limit: f32, rounded: &mut [i16]) -> f32 {
    let mut peaks = [f32::MIN_POSITIVE; LANES];
    for numbers in row.as_chunks::<LANES>().0 {
        for (peak, number) in peaks.iter_mut().zip(numbers) {
            let number = number.abs();
            *peak = if number > *peak { number } else { *peak };
        }
    }
    let peak = peaks.iter().fold(0.0_f32, |peak, lane| peak.max(*lane));
    let factor = limit / peak;
    for (rounded, number) in rounded.iter_mut().zip(row) {
        *rounded = low_bits(number * factor + ROUNDER);
    }
    peak / limit
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the high bits are those of ROUNDER")]
fn low_bits(number: f32) -> i16 {
    number.to_bits().cast_signed() as i16
}

/// Adds `residual` to a row and brings it to mean zero and deviation one, then to its own scale.
#[inline(always)]
pub(super) fn add_and_normalise(row: &mut [f32], residual: &[f32], gain: &[f32], bias: &[f32]) {
    for (number, residual) in row.iter_mut().zip(residual) {
        *number += residual;
    }
    normalise(row, gain, bias);
}

/// Brings a row to mean zero and deviation one, then to its own scale.
#[inline(always)]
pub(super) fn normalise(row: &mut [f32], gain: &[f32], bias: &[f32]) {
    let count = row.len() as f32;
    let mean = sum(row, |number| number) / count;
    let variance = sum(row, |number| (number - mean) * (number - mean)) / count;
    let factor = 1.0 / (variance + 1e-12).sqrt();
    for ((number, gain), bias) in row.iter_mut().zip(gain).zip(bias) {
        *number = (*number - mean) * factor * gain + bias;
    }
}

/// Adds up a function of each number, lane by lane and then across.
#[inline(always)]
pub(super) fn sum(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    for numbers in row.as_chunks::<LANES>().0 {
        for (lane, number) in lanes.iter_mut().zip(numbers) {
            *lane += of(*number);
        }
    }
    lanes.iter().sum()
}

/// Applies the Gaussian error linear unit.
#[inline(always)]
pub(super) fn gelu(row: &mut [f32]) {
    for number in row {
        let half = *number * 0.5;
        *number = half + half * erf(*number * std::f32::consts::FRAC_1_SQRT_2);
    }
}

/// The error function (Abramowitz and Stegun 7.1.26), off by at most 1.5e-7.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let polynomial = ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_7) * t - 0.284_496_72) * t
        + 0.254_829_6)
        * t;
    (1.0 - polynomial * exp(-size * size)).copysign(x)
}

/// The exponential of a number that is not above zero, off by at most two parts in ten million.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = if x > -87.0 { x } else { -87.0 };
    let shifted = x * std::f32::consts::LOG2_E + ROUNDER;
    let whole = shifted - ROUNDER;
    // The two parts of ln 2, so that the rest is exact.
    let rest = (x - whole * 0.693_359_4) + whole * 2.121_944_4e-4;
    // The polynomial of Cephes' expf.
    let mut value = 1.987_569_1e-4_f32;
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        value = value * rest + coefficient;
    }
    let value = value * rest * rest + rest + 1.0;
    let power = shifted.to_bits().wrapping_add(127) << 23;
    value * f32::from_bits(power)
}
