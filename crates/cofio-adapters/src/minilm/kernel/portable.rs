//! The kernel for every processor, written so that a compiler finds the instructions by itself.

use super::Multiply;
use crate::minilm::linear::{Linear, PANEL};

/// How many rows and columns are computed at a time.
const ROWS: usize = 4;
const COLUMNS: usize = 8;

/// Uses what every processor has.
#[derive(Clone, Copy)]
pub(in crate::minilm) struct Portable;

impl Multiply for Portable {
    fn multiply(self, linear: &Linear, input: &[i16], units: &[f32], output: &mut [f32]) {
        for (panel, weights) in linear.panels().enumerate() {
            let mut row = 0;
            while row + ROWS <= units.len() {
                tiles::<ROWS>(linear, panel, weights, row, input, units, output);
                row += ROWS;
            }
            while row < units.len() {
                tiles::<1>(linear, panel, weights, row, input, units, output);
                row += 1;
            }
        }
    }
}

fn tiles<const COUNT: usize>(
    linear: &Linear,
    panel: usize,
    weights: &[i16],
    row: usize,
    input: &[i16],
    units: &[f32],
    output: &mut [f32],
) {
    let rows = std::array::from_fn::<_, COUNT, _>(|index| {
        &input[(row + index) * linear.inputs..][..linear.inputs]
    });
    for start in (0..PANEL).step_by(COLUMNS) {
        let column = panel * PANEL + start;
        let scales = &linear.scales[column..][..COLUMNS];
        let bias = &linear.bias[column..][..COLUMNS];
        for (index, sums) in sums(rows, weights, start).iter().enumerate() {
            let unit = units[row + index];
            let target = &mut output[(row + index) * linear.outputs + column..][..COLUMNS];
            for column in 0..COLUMNS {
                target[column] = sums[column] as f32 * (unit * scales[column]) + bias[column];
            }
        }
    }
}

#[inline]
fn sums<const COUNT: usize>(
    rows: [&[i16]; COUNT],
    weights: &[i16],
    start: usize,
) -> [[i32; COLUMNS]; COUNT] {
    let mut sums = [[0_i32; COLUMNS]; COUNT];
    for (pair, weights) in weights.as_chunks::<{ 2 * PANEL }>().0.iter().enumerate() {
        let weights = &weights[2 * start..][..2 * COLUMNS];
        for (row, sums) in rows.iter().zip(&mut sums) {
            let first = i32::from(row[2 * pair]);
            let second = i32::from(row[2 * pair + 1]);
            for (sum, weights) in sums.iter_mut().zip(weights.as_chunks::<2>().0) {
                let product = first.wrapping_mul(i32::from(weights[0]));
                let other = second.wrapping_mul(i32::from(weights[1]));
                *sum = sum.wrapping_add(product.wrapping_add(other));
            }
        }
    }
    sums
}
