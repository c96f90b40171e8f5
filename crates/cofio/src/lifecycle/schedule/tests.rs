use std::collections::BTreeSet;
use std::iter;

use jiff::civil::DateTime;
use jiff::{SignedDuration, ToSpan as _};
use proptest::collection::btree_set;
use proptest::option;
use proptest::prelude::*;

use super::*;

const BERLIN: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
const NEW_YORK: &str = "EST5EDT,M3.2.0,M11.1.0";
/// Clocks are changed by half an hour.
const LORD_HOWE: &str = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";
/// Clocks skip midnight.
const HAVANA: &str = "CST5CDT,M3.2.0/0,M11.1.0/1";
/// Clocks skip a day in May, as Samoa's did in 2011, and show one twice in August.
const DATE_LINE: &str = "<-12>12<+12>-12,M5.3.5/0,M8.2.5/0";

fn zone(name: &str) -> TimeZone {
    TimeZone::posix(name).unwrap()
}

fn at(moment: &str) -> Timestamp {
    moment.parse().unwrap()
}

fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

/// Follows a line from a moment on, and back again.
fn check(line: &str, zone_name: &str, from: &str, expected: &[&str]) {
    let (cron, zone): (Cron, _) = (line.parse().unwrap(), zone(zone_name));
    let expected: Vec<Timestamp> = expected.iter().map(|moment| at(moment)).collect();
    let next = |moment: &Timestamp| cron.next_after(*moment, &zone);
    let forwards = iter::successors(next(&at(from)), next);
    assert_eq!(forwards.take(expected.len()).collect::<Vec<_>>(), expected, "{line}");
    let last = |moment: Timestamp| cron.last_until(moment, &zone);
    let previous = |moment: &Timestamp| last(*moment - SignedDuration::from_nanos(1));
    let backwards = iter::successors(last(*expected.last().unwrap()), previous);
    let mut backwards: Vec<_> = backwards.take(expected.len()).collect();
    backwards.reverse();
    assert_eq!(backwards, expected, "{line}, backwards");
}

#[test]
fn moments_come_in_order() {
    check(
        "0 3 * * *",
        "UTC0",
        "2026-03-01T03:00:00Z",
        &["2026-03-02T03:00:00Z", "2026-03-03T03:00:00Z"],
    );
    check(
        "@hourly",
        "UTC0",
        "2026-12-31T22:59:59.5Z",
        &["2026-12-31T23:00:00Z", "2027-01-01T00:00:00Z"],
    );
    check(
        "0 3 * * sun",
        BERLIN,
        "2026-01-01T00:00:00Z",
        &["2026-01-04T02:00:00Z", "2026-01-11T02:00:00Z"],
    );
    check(
        "*/40 9-10 1 * *",
        "UTC0",
        "2026-02-01T09:10:00Z",
        &[
            "2026-02-01T09:40:00Z",
            "2026-02-01T10:00:00Z",
            "2026-02-01T10:40:00Z",
            "2026-03-01T09:00:00Z",
        ],
    );
}

#[test]
fn days_of_the_month_and_of_the_week_are_alternatives_unless_one_has_a_star() {
    check(
        "0 0 13 * fri",
        "UTC0",
        "2026-11-01T00:00:00Z",
        &[
            "2026-11-06T00:00:00Z",
            "2026-11-13T00:00:00Z",
            "2026-11-20T00:00:00Z",
            "2026-11-27T00:00:00Z",
            "2026-12-04T00:00:00Z",
            "2026-12-11T00:00:00Z",
            "2026-12-13T00:00:00Z",
        ],
    );
    check(
        "0 0 */2 * mon",
        "UTC0",
        "2026-11-01T00:00:00Z",
        &["2026-11-09T00:00:00Z", "2026-11-23T00:00:00Z", "2026-12-07T00:00:00Z"],
    );
}

#[test]
fn the_rarest_day_is_found_across_a_century_without_it() {
    check(
        "0 0 29 2 *",
        "UTC0",
        "2095-01-01T00:00:00Z",
        &["2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"],
    );
    check(
        "0 0 29 2 */7",
        "UTC0",
        "2060-03-01T00:00:00Z",
        &["2088-02-29T00:00:00Z", "2128-02-29T00:00:00Z"],
    );
}

#[test]
fn a_time_that_is_skipped_comes_when_clocks_go_on() {
    check(
        "30 2 * * *",
        BERLIN,
        "2026-03-28T12:00:00Z",
        &["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
    );
    check(
        "*/20 2-3 29 3 *",
        BERLIN,
        "2026-03-28T12:00:00Z",
        &["2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z"],
    );
    check(
        "0 0 * * *",
        HAVANA,
        "2026-03-07T06:00:00Z",
        &["2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"],
    );
    check(
        "15 2 * * *",
        LORD_HOWE,
        "2026-10-03T00:00:00Z",
        &["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"],
    );
}

#[test]
fn a_time_that_is_shown_twice_comes_once() {
    check(
        "30 2 * * *",
        BERLIN,
        "2026-10-24T12:00:00Z",
        &["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
    );
    check(
        "@hourly",
        BERLIN,
        "2026-10-24T23:00:00Z",
        &["2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z"],
    );
    check(
        "45 1 * * *",
        LORD_HOWE,
        "2026-04-04T00:00:00Z",
        &["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"],
    );
}

#[test]
fn the_calendar_has_an_end_at_both_sides() {
    let daily: Cron = "@daily".parse().unwrap();
    for name in ["UTC0", BERLIN, NEW_YORK] {
        assert_eq!(daily.next_after(Timestamp::MAX, &zone(name)), None);
        assert!(daily.last_until(Timestamp::MAX, &zone(name)).is_some());
        assert_eq!(daily.last_until(Timestamp::MIN, &zone(name)), None);
        assert!(daily.next_after(Timestamp::MIN, &zone(name)).is_some());
    }
}

#[test]
fn a_line_is_shown_as_it_was_written() {
    for (line, shown) in [("0  2 *\t* *", "0 2 * * *"), (" @daily ", "@daily")] {
        let cron: Cron = line.parse().unwrap();
        assert_eq!(cron.to_string(), shown);
        assert_eq!(shown.parse::<Cron>().unwrap(), cron);
    }
}

#[test]
fn the_lines_that_hold_unless_others_are_set_can_be_read() {
    for line in [ENRICHMENT, CONSOLIDATION, DECAY, REFLECTION, CLEANUP] {
        assert_eq!(line.parse::<Cron>().unwrap().to_string(), line);
    }
}

const BEGAN: &str = "2026-03-01T00:00:00Z";

/// Asks for what is due of a daily job at three o'clock that began to count on 1 March.
fn check_due(last_run: Option<&str>, now: &str, expected: Option<(&str, bool)>) {
    let cron: Cron = "0 3 * * *".parse().unwrap();
    let found = due(&cron, last_run.map(at), at(BEGAN), at(now), &TimeZone::UTC);
    let expected =
        expected.map(|(planned, catches_up)| Due { planned_at: at(planned), catches_up });
    assert_eq!(found, expected);
}

#[test]
fn a_job_is_due_once_for_each_moment() {
    let planned = "2026-03-05T03:00:00Z";
    check_due(Some("2026-03-04T03:00:02Z"), "2026-03-05T02:59:59Z", None);
    check_due(Some("2026-03-04T03:00:02Z"), planned, Some((planned, false)));
    check_due(Some("2026-03-05T03:00:00Z"), planned, None);
    check_due(Some("2026-03-05T03:00:07Z"), "2026-03-06T02:59:59Z", None);
}

#[test]
fn runs_that_were_missed_are_caught_up_once() {
    let planned = "2026-03-20T03:00:00Z";
    check_due(Some("2026-03-04T03:00:02Z"), "2026-03-20T14:00:00Z", Some((planned, true)));
    check_due(None, "2026-03-20T14:00:00Z", Some((planned, true)));
    check_due(Some("2026-03-20T14:00:00Z"), "2026-03-20T14:00:01Z", None);
}

#[test]
fn nothing_is_due_that_was_planned_before_the_schedule_began() {
    check_due(None, "2026-03-01T02:59:59Z", None);
    check_due(None, "2026-02-27T12:00:00Z", None);
    check_due(None, "2026-03-01T03:00:00Z", Some(("2026-03-01T03:00:00Z", false)));
    let hourly: Cron = "@hourly".parse().unwrap();
    let began = due(&hourly, None, at(BEGAN), at(BEGAN), &TimeZone::UTC);
    assert_eq!(began, Some(Due { planned_at: at(BEGAN), catches_up: false }));
}

#[test]
fn a_clock_that_is_put_back_a_little_repeats_nothing() {
    check_due(Some("2026-03-05T03:00:01Z"), "2026-03-05T02:59:58Z", None);
    check_due(Some("2026-03-05T03:00:01Z"), "2026-03-05T03:00:00Z", None);
}

#[test]
fn a_clock_that_jumps_by_years_causes_one_run() {
    let schedule = schedule("0 3 * * *", 0);
    for there in ["2036-07-01T12:00:00Z", "2026-03-09T12:00:00Z"] {
        let mut last_run = Some(at("2031-05-05T03:00:00Z"));
        assert_eq!(runs(&schedule, &mut last_run, at(BEGAN), at(there), 60), 1);
    }
}

#[test]
fn a_job_that_is_delayed_runs_as_often_as_one_that_is_not() {
    for delay in [0, 7, 61, 200] {
        let schedule = schedule("@hourly", delay);
        let mut last_run = None;
        let runs = runs(&schedule, &mut last_run, at(BEGAN), at(BEGAN), 24 * 60);
        assert_eq!(i64::try_from(runs).unwrap(), 24 - delay / 60, "a delay of {delay} minutes");
        let next = schedule.next_after(last_run.unwrap());
        assert_eq!(next, Some(last_run.unwrap() + minutes(60)));
    }
}

fn schedule(line: &str, delay: i64) -> Schedule {
    let cron = line.parse().unwrap();
    Schedule { cron, zone: TimeZone::UTC, delay: minutes(delay) }
}

/// Lives through some minutes, runs the job whenever it is due, and counts.
fn runs(
    schedule: &Schedule,
    last_run: &mut Option<Timestamp>,
    since: Timestamp,
    from: Timestamp,
    count: i64,
) -> usize {
    let mut runs = 0;
    for now in (0..count).map(|minute| from + minutes(minute)) {
        if schedule.due(*last_run, since, now).is_some() {
            *last_run = Some(now);
            runs += 1;
        }
    }
    runs
}

#[test]
fn delays_are_spread_over_all_there_are() {
    let most = SignedDuration::from_secs(100);
    let delay = |seed: usize| jitter(format!("store {seed}: decay").as_bytes(), most);
    let delays: BTreeSet<i64> = (0..1_000).map(|seed| delay(seed).as_secs() / 10).collect();
    assert!((0..10).all(|tenth| delays.contains(&tenth)), "{delays:?}");
    assert_eq!(jitter(b"a seed", most), jitter(b"a seed", most));
    assert_eq!(jitter(b"a seed", SignedDuration::ZERO), SignedDuration::ZERO);
    assert_eq!(jitter(b"a seed", -most), SignedDuration::ZERO);
    assert!(jitter(b"a seed", SignedDuration::MAX) > most);
}

/// What stands in one field, unless it is a star.
type Numbers = Option<BTreeSet<i8>>;

/// The fields of a line, before they are written.
#[derive(Debug, Clone)]
struct Planned {
    minutes: Numbers,
    hours: Numbers,
    days: Numbers,
    months: Numbers,
    weekdays: Numbers,
}

impl Planned {
    fn any() -> impl Strategy<Value = Self> {
        let numbers = |first: i8, last: i8| option::of(btree_set(first..=last, 1..=4));
        let weekdays = option::weighted(0.3, btree_set(0..=6_i8, 1..=3));
        let fields = (
            numbers(0, 59),
            option::of(btree_set(0..=5_i8, 1..=4)),
            numbers(1, 31),
            option::weighted(0.2, btree_set(1..=12_i8, 6..=12)),
            weekdays,
        );
        fields.prop_map(|(minutes, hours, days, months, weekdays)| Self {
            minutes,
            hours,
            days,
            months,
            weekdays,
        })
    }

    fn line(&self) -> String {
        let field = |numbers: &Numbers| match numbers {
            Some(numbers) => numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
            None => "*".to_owned(),
        };
        let Self { minutes, hours, days, months, weekdays } = self;
        [minutes, hours, days, months, weekdays].map(field).join(" ")
    }

    fn has(&self, shown: DateTime) -> bool {
        let has = |numbers: &Numbers, value: i8| {
            numbers.as_ref().is_none_or(|numbers| numbers.contains(&value))
        };
        let day = has(&self.days, shown.day());
        let weekday = has(&self.weekdays, shown.weekday().to_sunday_zero_offset());
        let either = self.days.is_some() && self.weekdays.is_some();
        has(&self.minutes, shown.minute())
            && has(&self.hours, shown.hour())
            && has(&self.months, shown.month())
            && if either { day || weekday } else { day && weekday }
    }

    /// Returns the moments after one and until another, by looking at a clock every minute.
    fn seen(&self, zone: &TimeZone, after: Timestamp, until: Timestamp) -> Vec<Timestamp> {
        let mut seen = Vec::new();
        let mut now = after - minutes(3 * 24 * 60);
        let mut latest = zone.to_datetime(now);
        while now < until {
            now += minutes(1);
            let shown = zone.to_datetime(now);
            let mut passed = latest.series(1.minute()).skip(1).take_while(|time| *time <= shown);
            if now > after && passed.any(|time| self.has(time)) {
                seen.push(now);
            }
            latest = latest.max(shown);
        }
        seen
    }
}

/// Days around which clocks are changed in one of the zones.
const CHANGES: [&str; 9] = [
    "2026-03-08T00:00:00Z",
    "2026-03-29T00:00:00Z",
    "2026-04-04T00:00:00Z",
    "2026-05-15T00:00:00Z",
    "2026-08-14T00:00:00Z",
    "2026-10-03T00:00:00Z",
    "2026-10-25T00:00:00Z",
    "2026-11-01T00:00:00Z",
    "2024-02-28T00:00:00Z",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn moments_are_those_that_somebody_sees_who_watches_a_clock(
        planned in Planned::any(),
        zone_name in prop::sample::select(&[BERLIN, NEW_YORK, LORD_HOWE, HAVANA, DATE_LINE][..]),
        change in prop::sample::select(&CHANGES[..]),
        offset in -3 * 24 * 60..24 * 60_i64,
        days in 1..22_i64,
    ) {
        let zone = zone(zone_name);
        let Ok(cron) = planned.line().parse::<Cron>() else { return Ok(()) };
        let after = at(change) + minutes(offset);
        let until = after + minutes(days * 24 * 60);
        let seen = planned.seen(&zone, after, until);
        let next = |moment: &Timestamp| cron.next_after(*moment, &zone);
        let found = iter::successors(next(&after), next).take_while(|moment| *moment <= until);
        prop_assert_eq!(found.collect::<Vec<_>>(), seen.clone(), "{}", cron);
        for now in (0..200).map(|part| after + minutes(days * 24 * 60 * part / 200)) {
            let last = seen.iter().copied().rfind(|moment| *moment <= now);
            let found = cron.last_until(now, &zone).filter(|moment| *moment > after);
            prop_assert_eq!(found, last, "{} until {}", cron, now);
        }
    }

    #[test]
    fn whatever_is_read_can_be_shown_read_again_and_followed(
        line in "[-0-9*/, a-z@]{0,24}|([0-9*]{1,2}(-[0-9])?(/[0-9])?,? ?){5,7}",
        second in Timestamp::MIN.as_second()..Timestamp::MAX.as_second(),
    ) {
        let Ok(cron) = line.parse::<Cron>() else { return Ok(()) };
        prop_assert_eq!(&cron.to_string().parse::<Cron>().unwrap(), &cron);
        let moment = Timestamp::from_second(second).unwrap();
        let next = cron.next_after(moment, &TimeZone::UTC);
        prop_assert!(next.is_none_or(|next| next > moment));
        let last = cron.last_until(moment, &TimeZone::UTC);
        prop_assert!(last.is_none_or(|last| last <= moment));
    }

    #[test]
    fn a_delay_is_within_its_limits(seed: Vec<u8>, most in 0..i64::MAX) {
        let most = SignedDuration::from_nanos(most);
        let delay = jitter(&seed, most);
        prop_assert!(SignedDuration::ZERO <= delay && delay <= most);
    }
}
