use jiff::civil::Date;

/// What one call of a language model costs, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spending {
    /// The day it counts for.
    pub day: Date,
    /// The job that needed it.
    pub job: String,
    /// Whose memories it worked on, as the scope's text.
    pub scope: String,
    /// The model that was asked.
    pub model: String,
    /// How much.
    pub amount: Amount,
    /// Whether the call is over; until then the amount is an estimate.
    pub settled: bool,
}

/// Tokens and money.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Tokens that the model read.
    pub input: u64,
    /// Tokens that the model wrote.
    pub output: u64,
    /// Millionths of the unit that prices are in.
    pub money: u64,
}

impl Amount {
    /// Returns two amounts together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            money: self.money.saturating_add(other.money),
        }
    }
}

/// What was spent so far, seen from one call: estimates count as spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// On its day.
    pub day: Amount,
    /// By its job.
    pub job: Amount,
    /// On its day, for its scope.
    pub scope: Amount,
}
