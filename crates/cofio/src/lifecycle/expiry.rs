//! When a memory ends by itself.

use jiff::ToSpan;

use crate::config::Expiry;
use crate::error::{Error, Result};
use crate::model::{Kind, Lifetime, Timestamp, microseconds};

/// Returns when a memory of this kind, learnt now, ends.
pub fn expires_at(
    kind: Kind,
    lifetime: Lifetime,
    policy: &Expiry,
    now: Timestamp,
) -> Result<Option<Timestamp>> {
    let out_of_range = || Error::invalid("a lifetime this long has no end in the calendar");
    let end = match lifetime {
        Lifetime::ByKind => by_kind(kind, policy, now)?,
        Lifetime::For(duration) => Some(now.checked_add(duration).map_err(|_| out_of_range())?),
        Lifetime::Until(end) => Some(end),
    };
    let end = end.map(microseconds);
    if end.is_some_and(|end| end <= now) {
        return Err(Error::invalid("a memory cannot end before it begins"));
    }
    if kind != Kind::Episode {
        return Ok(end);
    }
    let latest = now.checked_add(policy.episode_at_most).map_err(|_| out_of_range())?;
    Ok(end.map(|end| end.min(latest)))
}

fn by_kind(kind: Kind, policy: &Expiry, now: Timestamp) -> Result<Option<Timestamp>> {
    let out_of_range = |_| Error::invalid("the clock is at the end of the calendar");
    match kind {
        Kind::Context => {
            let tomorrow = now
                .to_zoned(policy.time_zone.clone())
                .checked_add(1.day())
                .and_then(|time| time.start_of_day())
                .map_err(out_of_range)?;
            Ok(Some(tomorrow.timestamp()))
        }
        Kind::Episode => Ok(Some(now.checked_add(policy.episode).map_err(out_of_range)?)),
        Kind::Working | Kind::Fact | Kind::Procedure | Kind::Reflection => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;
    use jiff::tz::{Offset, TimeZone};

    const NOW: &str = "2026-03-01T22:30:00Z";

    fn check(kind: Kind, lifetime: Lifetime, expected: Option<&str>) {
        let policy = Expiry::default();
        let end = expires_at(kind, lifetime, &policy, NOW.parse().unwrap()).unwrap();
        assert_eq!(end, expected.map(|text| text.parse().unwrap()));
    }

    #[test]
    fn a_kind_has_its_own_lifetime() {
        check(Kind::Fact, Lifetime::ByKind, None);
        check(Kind::Reflection, Lifetime::ByKind, None);
        check(Kind::Context, Lifetime::ByKind, Some("2026-03-02T00:00:00Z"));
        check(Kind::Episode, Lifetime::ByKind, Some("2026-05-30T22:30:00Z"));
    }

    #[test]
    fn a_lifetime_that_is_given_wins_but_an_episode_lives_a_year_at_most() {
        let days = |count: i64| Lifetime::For(SignedDuration::from_hours(24 * count));
        check(Kind::Fact, days(1), Some("2026-03-02T22:30:00Z"));
        check(Kind::Episode, days(30), Some("2026-03-31T22:30:00Z"));
        check(Kind::Episode, days(9999), Some("2027-03-01T22:30:00Z"));
    }

    #[test]
    fn a_day_ends_where_the_person_lives() {
        let time_zone = TimeZone::fixed(Offset::constant(2));
        let policy = Expiry { time_zone, ..Expiry::default() };
        let now = NOW.parse().unwrap();
        let end = expires_at(Kind::Context, Lifetime::ByKind, &policy, now).unwrap();
        assert_eq!(end, Some("2026-03-02T22:00:00Z".parse().unwrap()));
    }

    #[test]
    fn a_lifetime_that_is_over_or_endless_is_refused() {
        let now: Timestamp = NOW.parse().unwrap();
        let ended = Lifetime::Until(now);
        let endless = Lifetime::For(SignedDuration::MAX);
        for lifetime in [ended, endless, Lifetime::For(SignedDuration::from_nanos(1))] {
            assert!(expires_at(Kind::Fact, lifetime, &Expiry::default(), now).is_err());
        }
    }
}
