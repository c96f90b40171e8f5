//! Mean and deviation of the cosines of a whole scope.

use super::super::cache::Codes;
use crate::model::{Groups, Spread};
use crate::store::vectors::{LANES, Question};

/// Sums from which the spread follows.
#[derive(Default)]
pub(super) struct Tally {
    all: Sums,
    assistant: Sums,
}

#[derive(Default, Clone, Copy)]
struct Sums {
    count: f64,
    cosines: f64,
    squares: f64,
    /// Of the squares of the codes' scales.
    scales: f64,
}

impl Tally {
    /// Adds the cosines of a page, and returns the highest of them.
    ///
    /// Entries that only fill up a group have the cosine, the scale and the mark zero.
    pub(super) fn add(&mut self, codes: &Codes, cosines: &[[f32; LANES]]) -> f32 {
        let mut all = [[0.0_f32; LANES]; 2];
        let mut assistant = [[0.0_f32; LANES]; 2];
        let mut highest = [f32::NEG_INFINITY; LANES];
        for (cosines, marks) in cosines.iter().zip(&codes.marks) {
            for lane in 0..LANES {
                let (cosine, marked) = (cosines[lane], cosines[lane] * marks[lane]);
                all[0][lane] += cosine;
                all[1][lane] += cosine * cosine;
                assistant[0][lane] += marked;
                assistant[1][lane] += marked * cosine;
                highest[lane] = highest[lane].max(cosine);
            }
        }
        let [everybody, assistants] = codes.tallied;
        self.all.add(all, everybody);
        self.assistant.add(assistant, assistants);
        highest.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }

    /// Returns the spread of exact cosines.
    pub(super) fn exact(&self) -> Groups<Spread> {
        let moments = |sums: Sums| sums.moments(|_, variance| variance);
        Groups { assistant: moments(self.assistant), others: moments(self.others()) }
    }

    /// Returns the spread of the cosines behind estimates.
    pub(super) fn estimated(&self, question: &Question) -> Groups<Spread> {
        let moments = |sums: Sums| {
            let square = sums.mean_square_scale();
            // Estimates scatter around each cosine; without that they scatter less.
            sums.moments(|mean, variance| {
                let around_none = f64::from(question.scatter(square, 0.0));
                let around_one = f64::from(question.scatter(square, 1.0));
                let slope = around_none - around_one;
                (variance - around_none + slope * mean * mean) / (1.0 - slope)
            })
        };
        Groups { assistant: moments(self.assistant), others: moments(self.others()) }
    }

    /// Returns the mean of the squares of the codes' scales.
    pub(super) fn mean_square_scale(&self) -> f32 {
        self.all.mean_square_scale()
    }

    fn others(&self) -> Sums {
        let (all, assistant) = (self.all, self.assistant);
        Sums {
            count: all.count - assistant.count,
            cosines: all.cosines - assistant.cosines,
            squares: all.squares - assistant.squares,
            scales: all.scales - assistant.scales,
        }
    }
}

impl Sums {
    fn add(&mut self, [cosines, squares]: [[f32; LANES]; 2], (count, scales): (f32, f32)) {
        let sum = |lanes: [f32; LANES]| f64::from(lanes.into_iter().sum::<f32>());
        self.cosines += sum(cosines);
        self.squares += sum(squares);
        self.count += f64::from(count);
        self.scales += f64::from(scales);
    }

    fn moments(self, true_variance: impl Fn(f64, f64) -> f64) -> Spread {
        if self.count < 1.0 {
            return Spread::default();
        }
        let mean = self.cosines / self.count;
        let variance = (self.squares / self.count - mean * mean).max(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it counts whole passages"
        )]
        let count = self.count as u64;
        Spread { count, mean, deviation: true_variance(mean, variance).max(0.0).sqrt() }
    }

    fn mean_square_scale(self) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "less precision will do")]
        let mean = (self.scales / self.count.max(1.0)) as f32;
        mean
    }
}
