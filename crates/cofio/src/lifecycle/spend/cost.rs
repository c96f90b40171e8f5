use std::fmt;

/// Tokens per price.
const MILLION: u128 = 1_000_000;

/// How many tokens a call took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// What the model read.
    pub input: u64,
    /// What the model wrote.
    pub output: u64,
}

impl Usage {
    /// Returns all tokens.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Returns the tokens of two calls.
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// Millionths of the unit that prices are in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money(pub u64);

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// A million tokens that the model reads.
    pub input: Money,
    /// A million tokens that the model writes.
    pub output: Money,
}

impl Prices {
    /// Returns what so many tokens cost, rounded up.
    pub fn of(self, usage: Usage) -> Money {
        let part = |tokens: u64, price: Money| u128::from(tokens) * u128::from(price.0);
        let sum = part(usage.input, self.input).saturating_add(part(usage.output, self.output));
        Money(u64::try_from(sum.div_ceil(MILLION)).unwrap_or(u64::MAX))
    }
}

/// What a call costs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// In tokens.
    pub usage: Usage,
    /// In money; none where no prices are known.
    pub money: Money,
}

impl Cost {
    /// Returns what two calls cost.
    pub fn plus(self, other: Self) -> Self {
        let money = Money(self.money.0.saturating_add(other.money.0));
        Self { usage: self.usage.plus(other.usage), money }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: u64, output: u64, expected: u64) {
        let prices = Prices { input: Money(3_000_000), output: Money(15_000_000) };
        assert_eq!(prices.of(Usage { input, output }), Money(expected));
    }

    #[test]
    fn a_price_is_for_a_million_tokens_and_never_rounded_down() {
        check(0, 0, 0);
        check(1_000_000, 0, 3_000_000);
        check(1_000, 200, 6_000);
        let cheap = Prices { input: Money(1), output: Money(0) };
        assert_eq!(cheap.of(Usage { input: 1, output: 0 }), Money(1));
        check(u64::MAX, u64::MAX, u64::MAX);
    }

    #[test]
    fn money_is_shown_in_whole_units() {
        assert_eq!(Money(1_250_000).to_string(), "1.250000");
        assert_eq!(Money(7).to_string(), "0.000007");
    }
}
