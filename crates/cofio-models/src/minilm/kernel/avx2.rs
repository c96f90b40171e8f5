//! The kernel for processors with AVX2.
#![expect(unsafe_code, reason = "instructions that not every processor has")]

use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_add_ps, _mm256_cvtepi32_ps, _mm256_load_si256,
    _mm256_loadu_ps, _mm256_madd_epi16, _mm256_mul_ps, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_setzero_si256, _mm256_storeu_ps,
};

use super::Multiply;
use crate::minilm::encoder::{Network, Scratch};
use crate::minilm::linear::{Line, Linear, PANEL};

/// How many rows are computed at a time; their sums fill 8 of the 16 registers.
const ROWS: usize = 4;
/// How many columns a register holds.
const COLUMNS: usize = 8;
/// How many registers of columns are computed at a time.
const REGISTERS: usize = 2;

/// Proof that this processor has the instructions: only `detect` makes one.
#[derive(Clone, Copy)]
pub(in crate::minilm) struct Avx2(());

impl Avx2 {
    pub fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    pub fn run(self, network: &Network<'_>, scratch: &mut Scratch) -> Vec<Vec<f32>> {
        #[target_feature(enable = "avx2")]
        fn run(kernel: Avx2, network: &Network<'_>, scratch: &mut Scratch) -> Vec<Vec<f32>> {
            network.vectors(kernel, scratch)
        }
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe { run(self, network, scratch) }
    }
}

impl Multiply for Avx2 {
    fn multiply(self, linear: &Linear, input: &[i16], units: &[f32], output: &mut [f32]) {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe { multiply(linear, input, units, output) }
    }
}

#[target_feature(enable = "avx2")]
fn multiply(linear: &Linear, input: &[i16], units: &[f32], output: &mut [f32]) {
    for (panel, weights) in linear.panels().enumerate() {
        for start in (0..PANEL).step_by(REGISTERS * COLUMNS) {
            let column = panel * PANEL + start;
            let rows = input.chunks(ROWS * linear.inputs).zip(units.chunks(ROWS));
            for ((input, units), output) in rows.zip(output.chunks_mut(ROWS * linear.outputs)) {
                let output = &mut output[column..];
                match units.len() {
                    4 => tile::<4>(linear, column, weights, input, units, output),
                    3 => tile::<3>(linear, column, weights, input, units, output),
                    2 => tile::<2>(linear, column, weights, input, units, output),
                    _ => tile::<1>(linear, column, weights, input, units, output),
                }
            }
        }
    }
}

/// Computes a few columns of one panel for a few rows.
#[target_feature(enable = "avx2")]
fn tile<const COUNT: usize>(
    linear: &Linear,
    column: usize,
    weights: &[Line],
    input: &[i16],
    units: &[f32],
    output: &mut [f32],
) {
    let sums = sums::<COUNT>(weights, column % PANEL, input, linear.inputs);
    let scales = &linear.scales[column..][..REGISTERS * COLUMNS];
    let bias = &linear.bias[column..][..REGISTERS * COLUMNS];
    for (row, sums) in sums.into_iter().enumerate() {
        let unit = _mm256_set1_ps(units[row]);
        let target = &mut output[row * linear.outputs..][..REGISTERS * COLUMNS];
        for (register, sum) in sums.into_iter().enumerate() {
            let start = register * COLUMNS;
            // SAFETY: the three slices hold REGISTERS times COLUMNS numbers, and
            // `start + COLUMNS` is not above it.
            unsafe {
                let scale = _mm256_mul_ps(unit, _mm256_loadu_ps(scales.as_ptr().add(start)));
                let product = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale);
                let value = _mm256_add_ps(product, _mm256_loadu_ps(bias.as_ptr().add(start)));
                _mm256_storeu_ps(target.as_mut_ptr().add(start), value);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
#[expect(clippy::cast_ptr_alignment, reason = "two numbers are read unaligned")]
fn sums<const COUNT: usize>(
    weights: &[Line],
    start: usize,
    input: &[i16],
    inputs: usize,
) -> [[__m256i; REGISTERS]; COUNT] {
    assert!(weights.len() == inputs / 2 * Line::PER_PAIR && input.len() >= COUNT * inputs);
    assert!(start + REGISTERS * COLUMNS <= PANEL);
    let mut sums = [[_mm256_setzero_si256(); REGISTERS]; COUNT];
    for pair in 0..inputs / 2 {
        // SAFETY: the assertions above say that the panel has `inputs / 2` times `2 * PANEL`
        // weights, that the columns lie within it, and that there are `COUNT` rows of `inputs`
        // numbers.
        unsafe {
            let weights = weights.as_ptr().add(pair * Line::PER_PAIR).cast::<__m256i>();
            let weights = weights.add(start / COLUMNS);
            let columns: [__m256i; REGISTERS] =
                std::array::from_fn(|register| _mm256_load_si256(weights.add(register)));
            for (row, sums) in sums.iter_mut().enumerate() {
                let two = input.as_ptr().add(row * inputs + 2 * pair).cast::<i32>();
                let two = _mm256_set1_epi32(two.read_unaligned());
                for (sum, columns) in sums.iter_mut().zip(columns) {
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(two, columns));
                }
            }
        }
    }
    sums
}
