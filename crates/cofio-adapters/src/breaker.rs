//! When a server is left alone: a circuit breaker, without a clock or a lock of its own.

use std::time::Duration;

/// When to leave a server alone, and for how long.
#[derive(Debug, Clone)]
pub struct Limits {
    /// How many failures in a row are too many.
    pub failures: u32,
    /// How long it is left alone then, before one call tries whether it answers again.
    pub rest: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { failures: 5, rest: Duration::from_secs(10) }
    }
}

/// Whether calls are let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Circuit {
    /// All are.
    Closed,
    /// None is.
    Open,
    /// One is, to try it.
    HalfOpen,
}

/// Lets calls through or not, by how those before went.
///
/// Moments are counted from any beginning, which is the same for all of them.
#[derive(Debug)]
pub struct Breaker {
    limits: Limits,
    state: State,
    /// Changes with every change of the circuit, so that late answers do not count.
    era: u64,
    opened: u64,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Closed { failures: u32 },
    Open { until: Duration },
    HalfOpen,
}

/// That a call was let through; how it went is to be told.
#[derive(Debug)]
pub struct Ticket {
    era: u64,
}

impl Breaker {
    /// Begins with a closed circuit.
    pub fn new(limits: Limits) -> Self {
        Self { limits, state: State::Closed { failures: 0 }, era: 0, opened: 0 }
    }

    /// Lets a call through, or says how long the server is still left alone.
    pub fn admit(&mut self, now: Duration) -> Result<Ticket, Duration> {
        match self.state {
            State::Closed { .. } => {}
            State::Open { until } if now < until => return Err(until.saturating_sub(now)),
            State::Open { .. } => self.enter(State::HalfOpen),
            State::HalfOpen => return Err(Duration::ZERO),
        }
        Ok(Ticket { era: self.era })
    }

    /// Takes note that a call was answered.
    #[expect(clippy::needless_pass_by_value, reason = "how a call went is told once")]
    pub fn succeed(&mut self, ticket: Ticket) {
        if ticket.era != self.era {
            return;
        }
        match &mut self.state {
            State::Closed { failures } => *failures = 0,
            State::HalfOpen => self.enter(State::Closed { failures: 0 }),
            State::Open { .. } => {}
        }
    }

    /// Takes note that a call failed.
    #[expect(clippy::needless_pass_by_value, reason = "how a call went is told once")]
    pub fn fail(&mut self, ticket: Ticket, now: Duration) {
        if ticket.era != self.era {
            return;
        }
        let failures = match self.state {
            State::Closed { failures } => failures + 1,
            State::HalfOpen => self.limits.failures,
            State::Open { .. } => return,
        };
        if failures >= self.limits.failures {
            self.opened += 1;
            self.enter(State::Open { until: now + self.limits.rest });
        } else {
            self.state = State::Closed { failures };
        }
    }

    /// Takes note that nobody will know how a call went; if it was to try the server, another may.
    #[expect(clippy::needless_pass_by_value, reason = "how a call went is told once")]
    pub fn abandon(&mut self, ticket: Ticket) {
        if ticket.era == self.era && matches!(self.state, State::HalfOpen) {
            self.enter(State::Open { until: Duration::ZERO });
        }
    }

    /// Returns whether calls are let through.
    pub fn circuit(&self) -> Circuit {
        match self.state {
            State::Closed { .. } => Circuit::Closed,
            State::Open { .. } => Circuit::Open,
            State::HalfOpen => Circuit::HalfOpen,
        }
    }

    /// Returns how long the server is still left alone.
    pub fn rest(&self, now: Duration) -> Duration {
        match self.state {
            State::Open { until } => until.saturating_sub(now),
            State::Closed { .. } | State::HalfOpen => Duration::ZERO,
        }
    }

    /// Returns how often failures were too many.
    pub fn opened(&self) -> u64 {
        self.opened
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.era += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMITS: Limits = Limits { failures: 3, rest: Duration::from_secs(10) };

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn fail(breaker: &mut Breaker, now: u64) {
        let ticket = breaker.admit(seconds(now)).unwrap();
        breaker.fail(ticket, seconds(now));
    }

    fn succeed(breaker: &mut Breaker, now: u64) {
        let ticket = breaker.admit(seconds(now)).unwrap();
        breaker.succeed(ticket);
    }

    #[test]
    fn failures_in_a_row_open_it_and_a_success_between_does_not() {
        let mut breaker = Breaker::new(LIMITS);
        for _ in 0..5 {
            fail(&mut breaker, 0);
            fail(&mut breaker, 0);
            succeed(&mut breaker, 0);
        }
        assert_eq!(breaker.circuit(), Circuit::Closed);
        for _ in 0..3 {
            fail(&mut breaker, 1);
        }
        assert_eq!((breaker.circuit(), breaker.opened()), (Circuit::Open, 1));
        assert_eq!(breaker.admit(seconds(4)).unwrap_err(), seconds(7));
    }

    #[test]
    fn after_a_rest_one_call_decides() {
        for answered in [true, false] {
            let mut breaker = Breaker::new(LIMITS);
            for _ in 0..3 {
                fail(&mut breaker, 0);
            }
            let probe = breaker.admit(seconds(10)).unwrap();
            assert_eq!(breaker.circuit(), Circuit::HalfOpen);
            assert!(breaker.admit(seconds(11)).is_err(), "one at a time");
            if answered {
                breaker.succeed(probe);
                assert_eq!(breaker.circuit(), Circuit::Closed);
                fail(&mut breaker, 12);
                assert_eq!(breaker.circuit(), Circuit::Closed, "counting begins anew");
            } else {
                breaker.fail(probe, seconds(12));
                assert_eq!(breaker.admit(seconds(13)).unwrap_err(), seconds(9));
                assert!(breaker.admit(seconds(22)).is_ok());
            }
        }
    }

    #[test]
    fn a_try_that_nobody_waits_for_makes_room_for_another() {
        let mut breaker = Breaker::new(LIMITS);
        for _ in 0..3 {
            fail(&mut breaker, 0);
        }
        let probe = breaker.admit(seconds(10)).unwrap();
        breaker.abandon(probe);
        succeed(&mut breaker, 10);
        assert_eq!(breaker.circuit(), Circuit::Closed);
    }

    /// What happens next: somebody asks, one of the calls under way ends so, or time passes.
    #[derive(Debug, Clone)]
    enum Event {
        Ask,
        End(usize, Option<bool>),
        Pass(u64),
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let event = prop_oneof![
            4 => Just(Event::Ask),
            4 => (0_usize..8, proptest::option::of(any::<bool>())).prop_map(|(n, how)| Event::End(n, how)),
            2 => (0_u64..15).prop_map(Event::Pass),
        ];
        proptest::collection::vec(event, 0..200)
    }

    proptest! {
        /// Plays events, and compares with what can be said without knowing how it is done.
        #[test]
        fn it_is_never_stuck_and_never_lets_through_what_it_should_not(events in events()) {
            let mut breaker = Breaker::new(LIMITS);
            let mut now = 0;
            let mut under_way: Vec<(Ticket, Circuit)> = Vec::new();
            let mut opened_at: Option<u64> = None;
            for event in events {
                let before = breaker.circuit();
                match event {
                    Event::Pass(time) => now += time,
                    Event::Ask => match breaker.admit(seconds(now)) {
                        Ok(ticket) => {
                            let circuit = breaker.circuit();
                            prop_assert_ne!(circuit, Circuit::Open, "an open one lets nobody through");
                            prop_assert!(before != Circuit::HalfOpen, "one at a time");
                            under_way.push((ticket, circuit));
                        }
                        Err(left) => {
                            prop_assert_ne!(before, Circuit::Closed, "a closed one refuses nobody");
                            prop_assert!(left <= LIMITS.rest);
                            if before == Circuit::Open {
                                prop_assert!(left > Duration::ZERO, "after its rest it is tried");
                            }
                        }
                    },
                    Event::End(place, how) if !under_way.is_empty() => {
                        let place = place % under_way.len();
                        let (ticket, admitted) = under_way.remove(place);
                        match how {
                            Some(true) => breaker.succeed(ticket),
                            Some(false) => breaker.fail(ticket, seconds(now)),
                            None => breaker.abandon(ticket),
                        }
                        if before == Circuit::HalfOpen && admitted == Circuit::Closed {
                            prop_assert_eq!(breaker.circuit(), before, "late answers do not count");
                        }
                        if before == Circuit::Open {
                            prop_assert_eq!(breaker.circuit(), before, "only time ends a rest");
                        }
                    }
                    Event::End(..) => {}
                }
                if breaker.circuit() == Circuit::Open && before != Circuit::Open {
                    opened_at = Some(now);
                }
            }
            // Whatever happened: when all is over and it has rested, one success closes it.
            for (ticket, _) in under_way {
                breaker.abandon(ticket);
            }
            prop_assert!(opened_at.is_some() || breaker.opened() == 0);
            let ticket = breaker.admit(seconds(now + 10));
            prop_assert!(ticket.is_ok(), "it is never stuck");
            breaker.succeed(ticket.unwrap());
            prop_assert_eq!(breaker.circuit(), Circuit::Closed);
        }
    }
}
