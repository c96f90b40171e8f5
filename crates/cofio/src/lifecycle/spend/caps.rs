use super::{Cost, Money, Prices};
use crate::error::{Error, ErrorKind, Result};

/// What may be spent, and what tokens cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Budget {
    /// What may be spent.
    pub caps: Caps,
    /// What tokens cost, if that is known; what a machine of one's own computes costs nothing.
    pub prices: Option<Prices>,
}

impl Budget {
    /// Refuses a budget that nothing could be spent by, or whose money nobody could count.
    pub fn check(&self) -> Result<()> {
        let Caps { day, job, scope } = &self.caps;
        if day.tokens.is_none() && day.money.is_none() {
            return Err(Error::new(
                ErrorKind::Configuration,
                "no language model is asked until somebody says how much may be spent in a day",
            ));
        }
        if self.prices.is_none() && [day, job, scope].iter().any(|cap| cap.money.is_some()) {
            return Err(Error::new(
                ErrorKind::Configuration,
                "a cap in money needs the prices of the model",
            ));
        }
        Ok(())
    }
}

/// What may be spent; by default nothing, as a day without a cap is a day without a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Caps {
    /// In one day, by everyone together.
    pub day: Cap,
    /// By one job, however many days it takes.
    pub job: Cap,
    /// In one day, for the memories of one scope.
    pub scope: Cap,
}

/// The most that may be spent; what is absent is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cap {
    /// In tokens, read and written.
    pub tokens: Option<u64>,
    /// In money.
    pub money: Option<Money>,
}

/// What was spent so far on one purpose, with what is reserved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// On its day.
    pub day: Cost,
    /// By its job.
    pub job: Cost,
    /// On its day, for its scope.
    pub scope: Cost,
}

/// Refuses a call that could exceed a cap.
pub fn permit(caps: &Caps, spent: &Totals, call: &Cost) -> Result<()> {
    let lines = [
        ("a day", ErrorKind::RateLimited, caps.day, spent.day),
        ("a job", ErrorKind::Configuration, caps.job, spent.job),
        ("a scope in a day", ErrorKind::RateLimited, caps.scope, spent.scope),
    ];
    for (whose, kind, cap, spent) in lines {
        let tokens = spent.usage.total().saturating_add(call.usage.total());
        let money = Money(spent.money.0.saturating_add(call.money.0));
        if let Some(most) = cap.tokens.filter(|most| tokens > *most) {
            return Err(exceeded(kind, &format!("{most} tokens of {whose}")));
        }
        if let Some(most) = cap.money.filter(|most| money > *most) {
            return Err(exceeded(kind, &format!("{most} in money of {whose}")));
        }
    }
    Ok(())
}

/// Says which cap is in the way; tomorrow has a cap of its own, a job has not.
fn exceeded(kind: ErrorKind, cap: &str) -> Error {
    let message = format!("asking the language model could exceed the cap, {cap}");
    Error::new(kind, message).with("cap", cap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifecycle::spend::Usage;

    fn cost(tokens: u64, money: u64) -> Cost {
        Cost { usage: Usage { input: tokens, output: 0 }, money: Money(money) }
    }

    #[test]
    fn each_cap_holds_by_itself_and_to_the_last_token() {
        let check = |caps: Caps, spent: Totals, call: Cost, expected: Option<ErrorKind>| {
            assert_eq!(permit(&caps, &spent, &call).err().map(|error| error.kind()), expected);
        };
        let cap = |tokens, money| Cap { tokens, money: Option::map(money, Money) };
        let day = Caps { day: cap(Some(10), None), ..Caps::default() };
        let job = Caps { job: cap(None, Some(10)), ..Caps::default() };
        let scope = Caps { scope: cap(Some(10), Some(10)), ..Caps::default() };
        let seven = Totals { day: cost(7, 7), job: cost(7, 7), scope: cost(7, 7) };
        check(day, seven, cost(3, 99), None);
        check(day, seven, cost(4, 0), Some(ErrorKind::RateLimited));
        check(job, seven, cost(99, 3), None);
        check(job, seven, cost(0, 4), Some(ErrorKind::Configuration));
        check(scope, seven, cost(3, 3), None);
        check(scope, seven, cost(0, 4), Some(ErrorKind::RateLimited));
        check(scope, seven, cost(4, 0), Some(ErrorKind::RateLimited));
        check(day, seven, cost(u64::MAX, u64::MAX), Some(ErrorKind::RateLimited));
    }

    #[test]
    fn without_a_cap_for_a_day_or_prices_for_money_nothing_is_spent() {
        let check = |budget: Budget, fits: bool| assert_eq!(budget.check().is_ok(), fits);
        let tokens = Cap { tokens: Some(1), money: None };
        let money = Cap { tokens: None, money: Some(Money(1)) };
        let prices = Some(Prices { input: Money(0), output: Money(0) });
        check(Budget::default(), false);
        check(Budget { caps: Caps { job: tokens, ..Caps::default() }, prices }, false);
        check(Budget { caps: Caps { day: tokens, ..Caps::default() }, prices: None }, true);
        let day = Caps { day: money, ..Caps::default() };
        check(Budget { caps: day, prices: None }, false);
        check(Budget { caps: day, prices }, true);
        let job = Caps { day: tokens, job: money, ..Caps::default() };
        check(Budget { caps: job, prices: None }, false);
    }
}
