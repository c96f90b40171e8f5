use std::collections::BTreeMap;

use super::{Caps, Cost, Purpose, Totals, permit};
use crate::error::Result;

/// One call, as it is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it was made for.
    pub purpose: Purpose,
    /// The model that was asked.
    pub model: String,
    /// What it costs: an estimate while it is reserved.
    pub cost: Cost,
    /// How sure the cost is.
    pub standing: Standing,
}

/// How sure the cost of a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// The call is under way, or whoever made it is gone: it counts as estimated.
    Reserved,
    /// The call is over.
    Settled,
}

/// Finds a reservation again.
#[derive(Debug, PartialEq, Eq)]
pub struct Ticket(pub u64);

/// All calls that count, and none that was given back.
#[derive(Debug, Clone, Default)]
pub struct Account {
    entries: BTreeMap<u64, Entry>,
    next: u64,
}

impl Account {
    /// Goes on with what was written down before.
    pub fn with_entries(entries: impl IntoIterator<Item = Entry>) -> Self {
        let entries: BTreeMap<u64, Entry> = (0..).zip(entries).collect();
        Self { next: entries.len() as u64, entries }
    }

    /// Writes down what a call may cost, unless that could exceed a cap.
    pub fn reserve(
        &mut self,
        caps: &Caps,
        purpose: Purpose,
        model: &str,
        estimate: Cost,
    ) -> Result<Ticket> {
        permit(caps, &self.totals(&purpose), &estimate)?;
        let standing = Standing::Reserved;
        let entry = Entry { purpose, model: model.to_owned(), cost: estimate, standing };
        let ticket = self.next;
        self.entries.insert(ticket, entry);
        self.next += 1;
        Ok(Ticket(ticket))
    }

    /// Puts what a call did cost in the place of what it might.
    ///
    /// It counts in full even if it is more than was reserved; then the next call finds less left.
    pub fn settle(&mut self, ticket: &Ticket, cost: Cost) {
        if let Some(entry) = self.entries.get_mut(&ticket.0) {
            entry.cost = cost;
            entry.standing = Standing::Settled;
        }
    }

    /// Gives back what a call reserved that cost nothing.
    pub fn release(&mut self, ticket: &Ticket) {
        self.entries.remove(&ticket.0);
    }

    /// Returns every call, in the order they were reserved.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Returns what was spent so far, seen from one purpose.
    pub fn totals(&self, purpose: &Purpose) -> Totals {
        let mut totals = Totals::default();
        for Entry { purpose: other, cost, .. } in self.entries() {
            if other.day == purpose.day {
                totals.day = totals.day.plus(*cost);
            }
            if other.job == purpose.job {
                totals.job = totals.job.plus(*cost);
            }
            if other.day == purpose.day && other.scope == purpose.scope {
                totals.scope = totals.scope.plus(*cost);
            }
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::lifecycle::spend::{Cap, Money, Usage};
    use crate::model::{Identifier, Scope};
    use jiff::civil::date;
    use proptest::prelude::*;

    fn purpose(day: i8, job: u8, scope: u8) -> Purpose {
        let user = Identifier::new(&format!("user{scope}")).unwrap();
        Purpose { day: date(2026, 3, 1 + day), job: job.to_string(), scope: Scope::user(user) }
    }

    fn cost(input: u64, output: u64, money: u64) -> Cost {
        Cost { usage: Usage { input, output }, money: Money(money) }
    }

    fn tokens(most: u64) -> Cap {
        Cap { tokens: Some(most), money: None }
    }

    #[test]
    fn what_is_reserved_counts_until_it_is_settled_or_given_back() {
        let caps = Caps { day: tokens(100), ..Caps::default() };
        let mut account = Account::default();
        let reserve =
            |account: &mut Account| account.reserve(&caps, purpose(0, 0, 0), "m", cost(40, 20, 0));
        let first = reserve(&mut account).unwrap();
        assert_eq!(reserve(&mut account).unwrap_err().kind(), ErrorKind::RateLimited);
        account.settle(&first, cost(30, 5, 0));
        let second = reserve(&mut account).unwrap();
        assert!(reserve(&mut account).is_err());
        account.release(&second);
        let third = reserve(&mut account).unwrap();
        account.settle(&third, cost(500, 0, 0));
        assert!(reserve(&mut account).is_err(), "a call that cost more counts in full");
        let standings: Vec<_> = account.entries().map(|entry| entry.standing).collect();
        assert_eq!(standings, [Standing::Settled, Standing::Settled]);
    }

    #[test]
    fn days_jobs_and_scopes_are_counted_apart() {
        let caps = Caps { day: tokens(100), job: tokens(50), scope: tokens(40) };
        let mut account = Account::default();
        let mut check = |day, job, scope, call, expected: bool| {
            let ticket = account.reserve(&caps, purpose(day, job, scope), "m", cost(call, 0, 0));
            assert_eq!(ticket.is_ok(), expected, "{day} {job} {scope} {call}");
        };
        check(0, 0, 0, 40, true);
        check(0, 1, 0, 1, false);
        check(0, 0, 1, 11, false);
        check(0, 0, 1, 10, true);
        check(0, 1, 2, 40, true);
        check(0, 2, 3, 11, false);
        check(0, 2, 3, 10, true);
        // Another day has its own caps, but the job is still the same.
        check(1, 0, 0, 1, false);
        check(1, 3, 0, 40, true);
    }

    #[test]
    fn an_account_goes_on_where_it_was() {
        let caps = Caps { day: tokens(10), ..Caps::default() };
        let mut before = Account::default();
        before.reserve(&caps, purpose(0, 0, 0), "m", cost(6, 0, 0)).unwrap();
        let mut after = Account::with_entries(before.entries().cloned());
        assert!(after.reserve(&caps, purpose(0, 0, 0), "m", cost(5, 0, 0)).is_err());
        let ticket = after.reserve(&caps, purpose(0, 0, 0), "m", cost(4, 0, 0)).unwrap();
        after.release(&ticket);
        assert!(after.entries().eq(before.entries()));
    }

    /// A step that one of several callers takes.
    #[derive(Debug, Clone)]
    enum Step {
        Reserve {
            day: i8,
            job: u8,
            scope: u8,
            cost: Cost,
        },
        /// Settles one of those under way, at this share of what it reserved, in percent.
        Settle {
            which: usize,
            percent: u64,
        },
        Release {
            which: usize,
        },
    }

    fn step() -> impl Strategy<Value = Step> {
        let reserve = (0..2_i8, 0..3_u8, 0..3_u8, 0..60_u64, 0..60_u64, 0..60_u64).prop_map(
            |(day, job, scope, input, output, money)| Step::Reserve {
                day,
                job,
                scope,
                cost: cost(input, output, money),
            },
        );
        prop_oneof![
            3 => reserve,
            2 => (any::<usize>(), 0..=100_u64)
                .prop_map(|(which, percent)| Step::Settle { which, percent }),
            1 => any::<usize>().prop_map(|which| Step::Release { which }),
        ]
    }

    fn cap() -> impl Strategy<Value = Cap> {
        let limit = || proptest::option::of(0..300_u64);
        (limit(), limit()).prop_map(|(tokens, money)| Cap { tokens, money: money.map(Money) })
    }

    fn within(cap: Cap, spent: Cost) -> bool {
        cap.tokens.is_none_or(|most| spent.usage.total() <= most)
            && cap.money.is_none_or(|most| spent.money <= most)
    }

    proptest! {
        #[test]
        fn no_order_of_steps_exceeds_a_cap(
            (day, job, scope) in (cap(), cap(), cap()),
            steps in proptest::collection::vec(step(), 0..60),
        ) {
            let caps = Caps { day, job, scope };
            let mut account = Account::default();
            let mut open: Vec<(Ticket, Cost)> = Vec::new();
            for step in steps {
                match step {
                    Step::Reserve { day, job, scope, cost } => {
                        let ticket = account.reserve(&caps, purpose(day, job, scope), "m", cost);
                        open.extend(ticket.ok().map(|ticket| (ticket, cost)));
                    }
                    Step::Settle { which, percent } if !open.is_empty() => {
                        let (ticket, reserved) = open.remove(which % open.len());
                        let share = |part: u64| part * percent / 100;
                        let Usage { input, output } = reserved.usage;
                        account.settle(
                            &ticket,
                            cost(share(input), share(output), share(reserved.money.0)),
                        );
                    }
                    Step::Release { which } if !open.is_empty() => {
                        let (ticket, _) = open.remove(which % open.len());
                        account.release(&ticket);
                    }
                    Step::Settle { .. } | Step::Release { .. } => {}
                }
                for (day, job, scope) in combinations(2, 3, 3) {
                    let totals = account.totals(&purpose(day, job, scope));
                    prop_assert!(within(caps.day, totals.day));
                    prop_assert!(within(caps.job, totals.job));
                    prop_assert!(within(caps.scope, totals.scope));
                }
                let reserved = account.entries().filter(|e| e.standing == Standing::Reserved);
                prop_assert_eq!(reserved.count(), open.len());
            }
        }
    }

    /// Returns every combination of a day, a job and a scope.
    fn combinations(days: i8, jobs: u8, scopes: u8) -> impl Iterator<Item = (i8, u8, u8)> {
        (0..days).flat_map(move |day| {
            (0..jobs).flat_map(move |job| (0..scopes).map(move |scope| (day, job, scope)))
        })
    }
}
