//! What expressions of time mean, seen from Wednesday, 14 June 2023.

use jiff::civil::{Date, date};
use proptest::prelude::*;

use super::*;

const REFERENCE: Date = Date::constant(2023, 6, 14);

/// Returns the mentions as "bytes: days", with what is not known about them.
fn shown(question: &str, reference: Date) -> String {
    let mentions = mentioned(question, reference);
    let texts = mentions.iter().map(|mention| {
        let Days { first, last } = mention.days;
        let end = |day: Date| match day {
            Date::MIN | Date::MAX => String::new(),
            day => day.to_string(),
        };
        let days =
            if first == last { end(first) } else { format!("{}..{}", end(first), end(last)) };
        let any_year = if mention.year_known { "" } else { " any year" };
        let unsure = if mention.certain { "" } else { " unsure" };
        format!("{}: {days}{any_year}{unsure}", &question[mention.bytes.clone()])
    });
    texts.collect::<Vec<_>>().join("; ")
}

fn check(pairs: &[(&str, &str)]) {
    let wrong: Vec<_> = pairs
        .iter()
        .map(|&(question, expected)| (question, shown(question, REFERENCE), expected))
        .filter(|(_, shown, expected)| shown != expected)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn check_nothing(questions: &[&str]) {
    check(&questions.iter().map(|&question| (question, "")).collect::<Vec<_>>());
}

#[test]
fn full_dates_are_found() {
    check(&[
        ("What happened on 7 May 2023?", "on 7 May 2023: 2023-05-07"),
        ("What happened on May 7, 2023?", "on May 7, 2023: 2023-05-07"),
        ("may 7 2023 lunch", "may 7 2023: 2023-05-07"),
        ("the 7th of May, 2022", "the 7th of May, 2022: 2022-05-07"),
        ("the twenty-first of June 2022", "the twenty-first of June 2022: 2022-06-21"),
        ("on Friday, May 5, 2023", "on Friday, May 5, 2023: 2023-05-05"),
        ("Sat 6 May 2023", "Sat 6 May 2023: 2023-05-06"),
        ("log of 2023-05-07T10:00", "2023-05-07: 2023-05-07"),
        ("2023/5/7 and 2022.11.30", "2023/5/7: 2023-05-07; 2022.11.30: 2022-11-30"),
        ("May 3-5, 2023", "May 3-5, 2023: 2023-05-03..2023-05-05"),
        ("Sept. 7 '22", "Sept. 7 '22: 2022-09-07"),
        ("on 5/13/2023 or 13/5/2023", "on 5/13/2023: 2023-05-13; 13/5/2023: 2023-05-13"),
        ("on 7.5.2023", "on 7.5.2023: 2023-05-07"),
        ("on 5/5/23", "on 5/5/23: 2023-05-05"),
    ]);
}

#[test]
fn ambiguous_numbers_have_two_readings() {
    check(&[
        ("on 5/7/2023", "on 5/7/2023: 2023-05-07 unsure; on 5/7/2023: 2023-07-05 unsure"),
        ("since 5-7-2022", "since 5-7-2022: 2022-05-07..2023-06-14 unsure"),
        ("on 5/7", "on 5/7: 2023-05-07 any year unsure; on 5/7: 2022-07-05 any year unsure"),
    ]);
    check_nothing(&["3/4 of a cup", "open 24/7", "in 1/2 of them", "10.0.0.1", "v1.2.3", "1-2-3"]);
}

#[test]
fn dates_without_a_year_are_the_latest() {
    check(&[
        ("What did I do on May 7th?", "on May 7th: 2023-05-07 any year"),
        ("on the 7th of May", "on the 7th of May: 2023-05-07 any year"),
        ("on June 14", "on June 14: 2023-06-14 any year"),
        ("on June 15", "on June 15: 2022-06-15 any year"),
        ("on february 29", "on february 29: 2020-02-29 any year"),
        ("Who came in May?", "in May: 2023-05-01..2023-05-31 any year"),
        ("Who came in december?", "in december: 2022-12-01..2022-12-31 any year"),
        ("Who will come in December?", "in December: 2023-12-01..2023-12-31 any year"),
        ("Fourth of July plans", "Fourth of July: 2022-07-04 any year"),
        ("What did I pay on the 3rd?", "on the 3rd: 2023-06-03 unsure"),
    ]);
}

#[test]
fn months_and_longer_periods_are_found() {
    check(&[
        ("May 2023", "May 2023: 2023-05-01..2023-05-31"),
        ("in may of last year", "in may of last year: 2022-05-01..2022-05-31"),
        ("in 2022-11", "in 2022-11: 2022-11-01..2022-11-30"),
        ("Where did I live in 2022?", "in 2022: 2022-01-01..2022-12-31"),
        ("the 1998 report", "the 1998: 1998-01-01..1998-12-31 unsure"),
        ("the summer of 2023", "the summer of 2023: 2023-06-01..2023-08-31"),
        ("winter 2022", "winter 2022: 2022-12-01..2023-02-28"),
        ("in the fall", "in the fall: 2022-09-01..2022-11-30 any year"),
        ("early June", "early June: 2023-06-01..2023-06-10 any year"),
        ("in mid-July 2022", "in mid-July 2022: 2022-07-11..2022-07-21"),
        ("at the end of August", "at the end of August: 2022-08-22..2022-08-31 any year"),
        ("late 2022", "late 2022: 2022-09-02..2022-12-31"),
        ("Q3 2024 goals", "Q3 2024: 2024-07-01..2024-09-30"),
        ("in Q1", "in Q1: 2023-01-01..2023-03-31 any year"),
        ("the third quarter of 2022", "the third quarter of 2022: 2022-07-01..2022-09-30"),
        ("the second half of 2022", "the second half of 2022: 2022-07-02..2022-12-31"),
        ("the first week of June", "the first week of June: 2023-06-01..2023-06-07 any year"),
        ("the last Monday of May", "the last Monday of May: 2023-05-29 any year"),
        ("the week of May 10", "the week of May 10: 2023-05-08..2023-05-14 any year"),
        ("music of the 90s", "the 90s: 1990-01-01..1999-12-31"),
        ("in the 1980s", "in the 1980s: 1980-01-01..1989-12-31"),
        ("in the nineties", "in the nineties: 1990-01-01..1999-12-31"),
    ]);
}

#[test]
fn days_near_the_reference_are_found() {
    check(&[
        ("What did I eat yesterday?", "yesterday: 2023-06-13"),
        ("yesterday morning", "yesterday morning: 2023-06-13"),
        (
            "today, tonight and tomorrow",
            "today: 2023-06-14; tonight: 2023-06-14; tomorrow: 2023-06-15",
        ),
        ("this morning", "this morning: 2023-06-14"),
        ("last night", "last night: 2023-06-13"),
        ("the day before yesterday", "the day before yesterday: 2023-06-12"),
        ("the day after tomorrow", "the day after tomorrow: 2023-06-16"),
        ("3 days ago", "3 days ago: 2023-06-11"),
        ("two weeks ago", "two weeks ago: 2023-05-28..2023-06-03"),
        ("a couple of months ago", "a couple of months ago: 2023-03-15..2023-05-14"),
        ("a year ago", "a year ago: 2021-12-14..2022-12-13"),
        ("in two weeks", "in two weeks: 2023-06-25..2023-07-01 unsure"),
        ("two weeks from now", "two weeks from now: 2023-06-25..2023-07-01"),
        ("recently", "recently: 2023-05-15..2023-06-14 unsure"),
    ]);
}

#[test]
fn weekdays_are_found() {
    check(&[
        ("last Friday", "last Friday: 2023-06-09"),
        ("last Wednesday", "last Wednesday: 2023-06-07"),
        ("this Friday", "this Friday: 2023-06-16"),
        ("next Friday", "next Friday: 2023-06-16 unsure; next Friday: 2023-06-23 unsure"),
        ("What did I do on Tuesday?", "on Tuesday: 2023-06-13"),
        ("What will I do on Tuesday?", "on Tuesday: 2023-06-20"),
        ("What did Will do on Tuesday?", "on Tuesday: 2023-06-13"),
        ("on Friday night", "on Friday night: 2023-06-09"),
        ("on sat", "on sat: 2023-06-10"),
        ("Friday of last week", "Friday of last week: 2023-06-09"),
        (
            "last weekend before May 10, 2022",
            "last weekend before May 10, 2022: 2022-05-07..2022-05-08",
        ),
        ("the Friday before May 20", "the Friday before May 20: 2023-05-19 any year"),
    ]);
    check_nothing(&["every Friday", "He sat in the sun", "the sun", "on Fridays"]);
}

#[test]
fn units_around_the_reference_are_found() {
    check(&[
        ("last week", "last week: 2023-06-05..2023-06-11"),
        ("this week", "this week: 2023-06-12..2023-06-18"),
        ("next week", "next week: 2023-06-19..2023-06-25"),
        ("last weekend", "last weekend: 2023-06-10..2023-06-11"),
        ("this month", "this month: 2023-06-01..2023-06-30"),
        ("last month", "last month: 2023-05-01..2023-05-31"),
        ("last year", "last year: 2022-01-01..2022-12-31"),
        ("last summer", "last summer: 2022-06-01..2022-08-31"),
        ("this winter", "this winter: 2023-12-01..2024-02-29"),
        ("next spring", "next spring: 2024-03-01..2024-05-31"),
        ("last May", "last May: 2023-05-01..2023-05-31"),
        ("last June", "last June: 2022-06-01..2022-06-30"),
        ("in the last 10 days", "in the last 10 days: 2023-06-04..2023-06-14"),
        ("over the past two weeks", "over the past two weeks: 2023-05-31..2023-06-14"),
        ("in the last few months", "in the last few months: 2023-03-14..2023-06-14"),
        ("the last week", "the last week: 2023-06-07..2023-06-14"),
        ("at the end of last month", "at the end of last month: 2023-05-22..2023-05-31"),
    ]);
}

#[test]
fn ranges_and_bounds_are_found() {
    check(&[
        ("since March", "since March: 2023-03-01..2023-06-14"),
        ("since last Friday", "since last Friday: 2023-06-09..2023-06-14"),
        ("before June 2023", "before June 2023: ..2023-05-31"),
        ("after the 3rd of May", "after the 3rd of May: 2023-05-04.."),
        ("until Friday", "until Friday: ..2023-06-09"),
        ("between May and July", "between May and July: 2023-05-01..2023-07-31 any year"),
        ("between may and july 2022", "between may and july 2022: 2022-05-01..2022-07-31"),
        ("from November to February", "from November to February: 2022-11-01..2023-02-28 any year"),
        (
            "from November 2021 to February",
            "from November 2021 to February: 2021-11-01..2022-02-28",
        ),
        ("from 3 to 5 May 2022", "from 3 to 5 May 2022: 2022-05-03..2022-05-05"),
        ("between 2019 and 2021", "between 2019 and 2021: 2019-01-01..2021-12-31"),
        ("2019-2021", "2019-2021: 2019-01-01..2021-12-31"),
        ("two weeks before 9 June 2023", "two weeks before 9 June 2023: 2023-05-23..2023-05-29"),
        ("the day after Christmas 2022", "the day after Christmas 2022: 2022-12-27"),
        ("after April left", "after April: 2023-05-01.. unsure"),
    ]);
}

#[test]
fn feasts_are_found() {
    check(&[
        ("at Christmas 2022", "at Christmas 2022: 2022-12-24..2022-12-26"),
        ("on New Year's Eve", "on New Year's Eve: 2022-12-31 any year"),
        ("last Halloween", "last Halloween: 2022-10-31"),
        ("her Halloween costume", "Halloween: 2022-10-31 any year unsure"),
        ("on Easter 2023", "on Easter 2023: 2023-04-07..2023-04-10"),
        ("for Thanksgiving", "for Thanksgiving: 2022-11-24 any year"),
        ("on Black Friday", "on Black Friday: 2022-11-25 any year"),
        ("on Mother's Day", "on Mother's Day: 2023-05-14 any year"),
    ]);
}

#[test]
fn verbs_names_and_numbers_are_no_dates() {
    check_nothing(&[
        "",
        "What may happen?",
        "May I ask something?",
        "This may be wrong",
        "What came next may surprise",
        "How long may it last?",
        "Did they march through town?",
        "the last march",
        "in the march",
        "What did April say?",
        "June's party",
        "in June's house",
        "Was August with May?",
        "Does she fall asleep?",
        "spring onions",
        "the fall of Rome",
        "wait a second",
        "the second time",
        "on the 7th floor",
        "in her nineties",
        "in his 20s",
        "at 5:30",
        "7 pm",
        "5000 dollars a year",
        "room 101",
        "a game called Cyberpunk 2077",
        "abc2023",
        "#2023",
        "$2000",
        "in 3000 steps",
        "How many days are in a week?",
        "mayo on the sandwich",
        "the real estate",
        "Marco and Julio",
    ]);
}

#[test]
fn german_dates_are_found() {
    check(&[
        ("Was war am 7. Mai 2023?", "am 7. Mai 2023: 2023-05-07"),
        ("im März", "im März: 2023-03-01..2023-03-31 any year"),
        ("Was habe ich gestern gegessen?", "gestern: 2023-06-13"),
        ("letzte Woche", "letzte Woche: 2023-06-05..2023-06-11"),
        ("im letzten Monat", "im letzten Monat: 2023-05-01..2023-05-31"),
        ("vor 3 Tagen", "vor 3 Tagen: 2023-06-11"),
        ("vor zwei Wochen", "vor zwei Wochen: 2023-05-28..2023-06-03"),
        ("am letzten Freitag", "am letzten Freitag: 2023-06-09"),
        ("seit Januar", "seit Januar: 2023-01-01..2023-06-14"),
        ("vor Mai 2022", "vor Mai 2022: ..2022-04-30"),
        ("Anfang Juni 2022", "Anfang Juni 2022: 2022-06-01..2022-06-10"),
    ]);
    check_nothing(&["Was ist hier passiert?"]);
}

#[test]
fn french_dates_are_found() {
    check(&[
        ("le 7 mai 2023", "le 7 mai 2023: 2023-05-07"),
        ("le 1er août", "le 1er août: 2022-08-01 any year"),
        ("en mai", "en mai: 2023-05-01..2023-05-31 any year"),
        ("Qu'est-ce que j'ai fait hier ?", "hier: 2023-06-13"),
        ("avant-hier", "avant-hier: 2023-06-12"),
        ("aujourd'hui", "aujourd'hui: 2023-06-14"),
        ("la semaine dernière", "la semaine dernière: 2023-06-05..2023-06-11"),
        ("le mois dernier", "le mois dernier: 2023-05-01..2023-05-31"),
        ("vendredi dernier", "vendredi dernier: 2023-06-09"),
        ("il y a 3 jours", "il y a 3 jours: 2023-06-11"),
        ("il y a un an avec les amis de ma soeur", "il y a un an: 2021-12-14..2022-12-13"),
        ("l'été dernier", "l'été dernier: 2022-06-01..2022-08-31"),
        ("les 10 derniers jours", "les 10 derniers jours: 2023-06-04..2023-06-14"),
    ]);
}

#[test]
fn spanish_and_portuguese_dates_are_found() {
    check(&[
        ("el 7 de mayo de 2023", "el 7 de mayo de 2023: 2023-05-07"),
        ("en mayo", "en mayo: 2023-05-01..2023-05-31 any year"),
        ("¿Qué hice ayer?", "ayer: 2023-06-13"),
        ("la semana pasada", "la semana pasada: 2023-06-05..2023-06-11"),
        ("el mes pasado", "el mes pasado: 2023-05-01..2023-05-31"),
        ("el viernes pasado", "el viernes pasado: 2023-06-09"),
        ("hace 3 días", "hace 3 días: 2023-06-11"),
        ("hace dos semanas", "hace dos semanas: 2023-05-28..2023-06-03"),
        ("no dia 7 de maio de 2023", "7 de maio de 2023: 2023-05-07"),
        ("O que fiz ontem?", "ontem: 2023-06-13"),
        ("na semana passada", "na semana passada: 2023-06-05..2023-06-11"),
        ("há 3 dias com os meus amigos", "há 3 dias: 2023-06-11"),
        ("3 dias atrás", "3 dias atrás: 2023-06-11"),
        ("sexta-feira passada", "sexta-feira passada: 2023-06-09"),
        ("em março", "em março: 2023-03-01..2023-03-31 any year"),
    ]);
}

#[test]
fn italian_and_dutch_dates_are_found() {
    check(&[
        ("il 7 maggio 2023", "il 7 maggio 2023: 2023-05-07"),
        ("Cosa ho fatto ieri?", "ieri: 2023-06-13"),
        ("la settimana scorsa", "la settimana scorsa: 2023-06-05..2023-06-11"),
        ("il mese scorso", "il mese scorso: 2023-05-01..2023-05-31"),
        ("venerdì scorso", "venerdì scorso: 2023-06-09"),
        ("3 giorni fa", "3 giorni fa: 2023-06-11"),
        ("op 7 mei 2023", "op 7 mei 2023: 2023-05-07"),
        ("Wat deed ik gisteren?", "gisteren: 2023-06-13"),
        ("vorige week", "vorige week: 2023-06-05..2023-06-11"),
        ("afgelopen maand", "afgelopen maand: 2023-05-01..2023-05-31"),
        ("afgelopen vrijdag", "afgelopen vrijdag: 2023-06-09"),
        ("3 dagen geleden", "3 dagen geleden: 2023-06-11"),
    ]);
    check_nothing(&["Non ho mai detto questo", "Waar ligt het hier"]);
}

#[test]
fn east_asian_dates_are_found() {
    check(&[
        ("2023年5月7日发生了什么", "2023年5月7日: 2023-05-07"),
        ("5月7日のパーティー", "5月7日: 2023-05-07 any year"),
        ("２０２３年５月", "２０２３年５月: 2023-05-01..2023-05-31"),
        ("我昨天吃了什么", "昨天: 2023-06-13"),
        ("上周的会议", "上周: 2023-06-05..2023-06-11"),
        ("上周五", "上周五: 2023-06-09"),
        ("三天前", "三天前: 2023-06-11"),
        ("上个月", "上个月: 2023-05-01..2023-05-31"),
        ("先週の金曜日に", "先週の金曜日: 2023-06-09"),
        ("昨日何を食べた", "昨日: 2023-06-13"),
        ("2週間前", "2週間前: 2023-05-28..2023-06-03"),
        ("去年の夏", "去年: 2022-01-01..2022-12-31"),
        ("어제 뭐 먹었어", "어제: 2023-06-13"),
        ("지난주 금요일", "지난주 금요일: 2023-06-09"),
        ("2023년 5월 7일", "2023년 5월 7일: 2023-05-07"),
        ("3일 전", "3일 전: 2023-06-11"),
    ]);
}

#[test]
fn leap_days_and_ends_of_months_and_years_hold() {
    let check = |reference: Date, question: &str, expected: &str| {
        assert_eq!(shown(question, reference), expected, "{question} on {reference}");
    };
    check(date(2024, 2, 29), "a year ago", "a year ago: 2022-08-30..2023-08-29");
    check(date(2024, 2, 29), "last year", "last year: 2023-01-01..2023-12-31");
    check(date(2024, 2, 29), "on 29 February", "on 29 February: 2024-02-29 any year");
    check(date(2023, 3, 31), "last month", "last month: 2023-02-01..2023-02-28");
    check(date(2023, 1, 1), "yesterday", "yesterday: 2022-12-31");
    check(date(2023, 1, 1), "last week", "last week: 2022-12-19..2022-12-25");
    check(date(2023, 1, 1), "last weekend", "last weekend: 2022-12-24..2022-12-25");
    check(date(2023, 1, 15), "this winter", "this winter: 2022-12-01..2023-02-28");
    check(date(2023, 12, 31), "next month", "next month: 2024-01-01..2024-01-31");
    check(REFERENCE, "on 30 February", "February: 2023-02-01..2023-02-28 any year");
    check(REFERENCE, "2023-02-30", "");
}

#[test]
fn precision_follows_the_length() {
    let check = |question: &str, expected: Precision| {
        assert_eq!(mentioned(question, REFERENCE)[0].precision(), expected, "{question}");
    };
    check("yesterday", Precision::Day);
    check("last weekend", Precision::Day);
    check("two weeks ago", Precision::Week);
    check("early June", Precision::Week);
    check("in May", Precision::Month);
    check("last summer", Precision::Season);
    check("in 2022", Precision::Year);
    check("before May 2022", Precision::Longer);
}

#[test]
fn closeness_is_full_inside_and_fades_outside() {
    let closeness = |question: &str, day| mentioned(question, REFERENCE)[0].closeness(day);
    let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
    assert!(near(closeness("in May 2023", date(2023, 5, 31)), 1.0));
    assert!(near(closeness("on 7 May 2023", date(2023, 5, 10)), (-1.0_f64).exp()));
    assert!(
        closeness("in May 2023", date(2023, 6, 3)) > closeness("in May 2023", date(2023, 7, 3))
    );
    assert!(near(closeness("in May", date(2021, 5, 3)), 1.0), "any year");
    assert!(closeness("in May 2023", date(2021, 5, 3)) < 0.01);
    assert!(near(closeness("before 2020", date(1066, 10, 14)), 1.0));
}

#[test]
fn only_what_counts_from_the_reference_is_relative() {
    let relative = |question: &str| mentioned(question, REFERENCE)[0].relative;
    assert!(relative("yesterday") && relative("last May") && relative("2 weeks ago"));
    assert!(!relative("in May") && !relative("May 7, 2023") && !relative("at Christmas"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn mentions_keep_their_promises(question in any_question(), reference in any_date()) {
        let mut end = 0;
        for mention in mentioned(&question, reference) {
            prop_assert!(question.get(mention.bytes.clone()).is_some_and(|text| !text.is_empty()));
            prop_assert!(mention.days.first <= mention.days.last);
            prop_assert!(mention.bytes.start >= end || mention.bytes.end == end);
            end = mention.bytes.end;
            for day in [Date::MIN, reference, Date::MAX] {
                prop_assert!((0.0..=1.0).contains(&mention.closeness(day)));
            }
        }
    }
}

/// Returns any text, and text dense in what the parser looks for.
fn any_question() -> impl Strategy<Value = String> {
    let words: Vec<&str> = include_str!("words.txt")
        .lines()
        .filter_map(|line| line.split_once(':'))
        .flat_map(|(_, words)| words.split(','))
        .chain(["1", "7", "7th", "31", "90s", "99", "2023", "9999", "Q3", "12345678901234567890"])
        .chain(["May", "年", "月", "日", "'", "'s", "-", "/", ".", ",", ":", "\u{301}", "s"])
        .collect();
    let word = proptest::sample::select(words);
    let dense = proptest::collection::vec((word, prop_oneof![Just(" "), Just("")]), 0..12);
    let dense =
        dense.prop_map(|words| words.into_iter().flat_map(|(word, gap)| [word, gap]).collect());
    prop_oneof![any::<String>(), dense]
}

fn any_date() -> impl Strategy<Value = Date> {
    let ordinary = (1900_i16..2100, 1_i8..=12, 1_i8..=31).prop_map(|(year, month, day)| {
        date(year, month, day.min(date(year, month, 1).days_in_month()))
    });
    let near_the_ends = prop_oneof![Just(Date::MIN), Just(Date::MAX)];
    prop_oneof![4 => ordinary, 1 => near_the_ends]
}
