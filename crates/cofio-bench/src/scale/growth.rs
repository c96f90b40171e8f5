//! How something grows with the number of memories, found from a few sizes.

use serde::Serialize;

/// What a figure grows with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// Nothing.
    Constant,
    /// The logarithm of the number.
    Logarithmic,
    /// The number.
    Linear,
}

/// A figure as a function of the number of memories.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Growth {
    pub shape: Shape,
    /// What there is without any.
    base: f64,
    /// How much is added per memory, or per factor of e.
    slope: f64,
    /// The largest size that was measured, as predicted from the smaller ones: 0.1 is a tenth too
    /// much.
    pub deviation: f64,
}

impl Growth {
    /// Finds out how a figure grows: what predicts the largest size best from the smaller ones.
    ///
    /// There must be three sizes or more, in growing order.
    pub fn of(points: &[(f64, f64)]) -> Option<Self> {
        let (last, earlier) = points.split_last().filter(|(_, earlier)| earlier.len() > 1)?;
        let tried = [Shape::Constant, Shape::Logarithmic, Shape::Linear].map(|shape| {
            let predicted = Self::fitted(shape, earlier).at(last.0);
            (shape, predicted / last.1 - 1.0)
        });
        let best = tried.into_iter().min_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        best.map(|(shape, deviation)| Self { deviation, ..Self::fitted(shape, points) })
    }

    /// The same where it is known what it grows with.
    pub fn linear(points: &[(f64, f64)]) -> Option<Self> {
        let (last, earlier) = points.split_last().filter(|(_, earlier)| earlier.len() > 1)?;
        let deviation = Self::fitted(Shape::Linear, earlier).at(last.0) / last.1 - 1.0;
        Some(Self { deviation, ..Self::fitted(Shape::Linear, points) })
    }

    /// Fits by least squares of relative errors, so that small sizes count as much as large ones.
    fn fitted(shape: Shape, points: &[(f64, f64)]) -> Self {
        let weight = |y: f64| 1.0 / (y * y).max(f64::MIN_POSITIVE);
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            points.iter().map(|&(x, y)| weight(y) * of(shape.of(x), y)).sum()
        };
        let all = sum(&|_, _| 1.0);
        let (x, y) = (sum(&|x, _| x) / all, sum(&|_, y| y) / all);
        let spread = sum(&|own, _| (own - x).powi(2));
        let together = sum(&|own, value| (own - x) * (value - y));
        let slope = if spread > 0.0 { (together / spread).max(0.0) } else { 0.0 };
        Self { shape, base: y - slope * x, slope, deviation: f64::NAN }
    }

    /// Returns the figure at a size.
    pub fn at(&self, size: f64) -> f64 {
        (self.base + self.slope * self.shape.of(size)).max(0.0)
    }

    /// Returns the size at which the figure comes to a value, if it grows.
    pub fn reaches(&self, value: f64) -> Option<f64> {
        let steps = (value - self.base) / self.slope;
        match self.shape {
            _ if self.slope <= 0.0 => None,
            Shape::Constant => None,
            Shape::Logarithmic => Some(steps.exp()),
            Shape::Linear => Some(steps),
        }
    }
}

impl Shape {
    fn of(self, size: f64) -> f64 {
        match self {
            Self::Constant => 0.0,
            Self::Logarithmic => size.max(1.0).ln(),
            Self::Linear => size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [f64; 4] = [1e4, 3e4, 1e5, 3e5];

    fn check(figure: impl Fn(f64) -> f64, shape: Shape) {
        let points: Vec<(f64, f64)> = SIZES.iter().map(|&size| (size, figure(size))).collect();
        let growth = Growth::of(&points).unwrap();
        assert_eq!(growth.shape, shape);
        assert!(growth.deviation.abs() < 1e-6, "{growth:?}");
        let far = figure(1e8);
        assert!((growth.at(1e8) / far - 1.0).abs() < 1e-6, "{growth:?} is not {far}");
    }

    #[test]
    fn what_grows_is_recognised() {
        check(|_| 5.0, Shape::Constant);
        check(|size| 2.0 + 0.5 * size.ln(), Shape::Logarithmic);
        check(|size| 3.0 + size / 1e4, Shape::Linear);
    }

    #[test]
    fn a_wrong_prediction_is_told() {
        let points = [(1e4, 1.0), (3e4, 1.0), (1e5, 2.0)];
        assert!((Growth::of(&points).unwrap().deviation + 0.5).abs() < 1e-9);
        assert!(Growth::of(&points[..2]).is_none(), "two sizes predict nothing");
    }

    #[test]
    fn it_is_known_when_a_limit_is_reached() {
        let points = SIZES.map(|size| (size, 10.0 + size / 1e3));
        let reached = Growth::of(&points).unwrap().reaches(1_010.0).unwrap();
        assert!((reached / 1e6 - 1.0).abs() < 1e-6, "{reached}");
        let constant = SIZES.map(|size| (size, 1.0));
        assert_eq!(Growth::of(&constant).unwrap().reaches(2.0), None);
    }
}
