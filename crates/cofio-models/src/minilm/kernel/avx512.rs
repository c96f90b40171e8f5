//! The kernel for processors with AVX-512 and its neural network instructions.
#![expect(unsafe_code, reason = "instructions that not every processor has")]

use std::arch::asm;
use std::arch::x86_64::{
    __m512i, _MM_HINT_T0, _mm_prefetch, _mm512_add_ps, _mm512_cvtepi32_ps, _mm512_load_si512,
    _mm512_loadu_ps, _mm512_mul_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512,
    _mm512_storeu_ps,
};

use super::Multiply;
use crate::minilm::encoder::{Network, Scratch};
use crate::minilm::linear::{Line, Linear, PANEL};

/// How many rows are computed at a time; their sums fill 24 of the 32 registers.
const ROWS: usize = 8;
/// How many columns a register holds.
const COLUMNS: usize = 16;
const REGISTERS: usize = PANEL / COLUMNS;
/// How many lines ahead weights are fetched, as all of them do not fit into the near caches.
const AHEAD: usize = 16 * Line::PER_PAIR;

/// Proof that this processor has the instructions: only `detect` makes one.
#[derive(Clone, Copy)]
pub(in crate::minilm) struct Avx512(());

impl Avx512 {
    pub fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        found.then_some(Self(()))
    }

    pub fn run(self, network: &Network<'_>, scratch: &mut Scratch) -> Vec<Vec<f32>> {
        #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
        fn run(kernel: Avx512, network: &Network<'_>, scratch: &mut Scratch) -> Vec<Vec<f32>> {
            network.vectors(kernel, scratch)
        }
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe { run(self, network, scratch) }
    }
}

impl Multiply for Avx512 {
    fn multiply(self, linear: &Linear, input: &[i16], units: &[f32], output: &mut [f32]) {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe { multiply(linear, input, units, output) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn multiply(linear: &Linear, input: &[i16], units: &[f32], output: &mut [f32]) {
    for (panel, weights) in linear.panels().enumerate() {
        let column = panel * PANEL;
        let rows = input.chunks(ROWS * linear.inputs).zip(units.chunks(ROWS));
        for ((input, units), output) in rows.zip(output.chunks_mut(ROWS * linear.outputs)) {
            let output = &mut output[column..];
            match units.len() {
                8 => tile::<8>(linear, column, weights, input, units, output),
                7 => tile::<7>(linear, column, weights, input, units, output),
                6 => tile::<6>(linear, column, weights, input, units, output),
                5 => tile::<5>(linear, column, weights, input, units, output),
                4 => tile::<4>(linear, column, weights, input, units, output),
                3 => tile::<3>(linear, column, weights, input, units, output),
                2 => tile::<2>(linear, column, weights, input, units, output),
                _ => tile::<1>(linear, column, weights, input, units, output),
            }
        }
    }
}

/// Computes the columns of one panel for a few rows.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn tile<const COUNT: usize>(
    linear: &Linear,
    column: usize,
    weights: &[Line],
    input: &[i16],
    units: &[f32],
    output: &mut [f32],
) {
    let sums = sums::<COUNT>(weights, input, linear.inputs);
    let scales = &linear.scales[column..][..PANEL];
    let bias = &linear.bias[column..][..PANEL];
    for (row, sums) in sums.into_iter().enumerate() {
        let unit = _mm512_set1_ps(units[row]);
        let target = &mut output[row * linear.outputs..][..PANEL];
        for (register, sum) in sums.into_iter().enumerate() {
            let start = register * COLUMNS;
            // SAFETY: the three slices have PANEL numbers, and `start + COLUMNS` is not above it.
            unsafe {
                let scale = _mm512_mul_ps(unit, _mm512_loadu_ps(scales.as_ptr().add(start)));
                let product = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), scale);
                let value = _mm512_add_ps(product, _mm512_loadu_ps(bias.as_ptr().add(start)));
                _mm512_storeu_ps(target.as_mut_ptr().add(start), value);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[expect(clippy::cast_ptr_alignment, reason = "two numbers are read unaligned")]
fn sums<const COUNT: usize>(
    weights: &[Line],
    input: &[i16],
    inputs: usize,
) -> [[__m512i; REGISTERS]; COUNT] {
    assert!(weights.len() == inputs / 2 * Line::PER_PAIR && input.len() >= COUNT * inputs);
    let mut sums = [[_mm512_setzero_si512(); REGISTERS]; COUNT];
    for pair in 0..inputs / 2 {
        // SAFETY: the assertion above says that the panel has `inputs / 2` times `2 * PANEL`
        // weights, and that there are `COUNT` rows of `inputs` numbers; fetching ahead reads nothing.
        unsafe {
            let weights = weights.as_ptr().add(pair * Line::PER_PAIR).cast::<__m512i>();
            let columns: [__m512i; REGISTERS] = std::array::from_fn(|register| {
                let later = weights.wrapping_add(AHEAD + register);
                _mm_prefetch::<_MM_HINT_T0>(later.cast());
                _mm512_load_si512(weights.add(register))
            });
            for (row, sums) in sums.iter_mut().enumerate() {
                let two = input.as_ptr().add(row * inputs + 2 * pair).cast::<i32>();
                let two = _mm512_set1_epi32(two.read_unaligned());
                for (sum, columns) in sums.iter_mut().zip(columns) {
                    *sum = plus_products(*sum, two, columns);
                }
            }
        }
    }
    sums
}

/// Adds the products of two numbers with two weights to each sum.
///
/// This is `_mm512_dpwssd_epi32`, which LLVM compiles to two instructions that take twice the time.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn plus_products(mut sums: __m512i, two: __m512i, columns: __m512i) -> __m512i {
    // SAFETY: the instruction changes nothing but the register it is given.
    unsafe {
        asm!(
            "vpdpwssd {sums}, {two}, {columns}",
            sums = inout(zmm_reg) sums,
            two = in(zmm_reg) two,
            columns = in(zmm_reg) columns,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sums
}
