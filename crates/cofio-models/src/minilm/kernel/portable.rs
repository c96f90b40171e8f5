//! The kernel for every processor, written so that a compiler finds the instructions by itself.

use super::Multiply;
use crate::minilm::linear::{Line, Linear, PANEL};

/// How many columns are computed at a time.
const COLUMNS: usize = 4;

/// Uses what every processor has.
#[derive(Clone, Copy)]
pub(in crate::minilm) struct Portable;

impl Multiply for Portable {
    fn multiply(self, linear: &Linear, input: &[i16], units: &[f32], output: &mut [f32]) {
        let mut columns = vec![0; linear.inputs * PANEL];
        for (panel, weights) in linear.panels().enumerate() {
            spread(weights, linear.inputs, &mut columns);
            let rows = input.chunks_exact(linear.inputs).zip(units);
            for ((row, unit), output) in rows.zip(output.chunks_exact_mut(linear.outputs)) {
                let mut column = panel * PANEL;
                for columns in columns.chunks_exact(COLUMNS * row.len()) {
                    for sum in sums(row, columns) {
                        let scale = unit * linear.scales[column];
                        output[column] = sum as f32 * scale + linear.bias[column];
                        column += 1;
                    }
                }
            }
        }
    }
}

/// Writes the columns of a panel one after the other.
fn spread(weights: &[Line], inputs: usize, columns: &mut [i16]) {
    for (pair, lines) in weights.as_chunks::<{ Line::PER_PAIR }>().0.iter().enumerate() {
        let twos = lines.iter().flat_map(|line| line.0.as_chunks::<2>().0);
        for (column, two) in columns.chunks_exact_mut(inputs).zip(twos) {
            column[2 * pair..][..2].copy_from_slice(two);
        }
    }
}

/// Multiplies a row with a few columns.
#[inline]
fn sums(row: &[i16], columns: &[i16]) -> [i32; COLUMNS] {
    let (first, columns) = columns.split_at(row.len());
    let (second, columns) = columns.split_at(row.len());
    let (third, fourth) = columns.split_at(row.len());
    let fourth = &fourth[..row.len()];
    let mut sums = [0_i32; COLUMNS];
    for place in 0..row.len() {
        let number = i32::from(row[place]);
        let product = |column: &[i16]| number.wrapping_mul(i32::from(column[place]));
        sums[0] = sums[0].wrapping_add(product(first));
        sums[1] = sums[1].wrapping_add(product(second));
        sums[2] = sums[2].wrapping_add(product(third));
        sums[3] = sums[3].wrapping_add(product(fourth));
    }
    sums
}
