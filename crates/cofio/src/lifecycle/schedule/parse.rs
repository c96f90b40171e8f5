use super::cron::{Days, Values};
use crate::error::Error;

/// How long a line may be, in bytes.
const LONGEST: usize = 256;

/// What stands for whole lines.
const NICKNAMES: [(&str, &str); 4] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

const WEEKDAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const MINUTE: Field = Field { name: "minute", first: 0, last: 59, names: &[] };
const HOUR: Field = Field { name: "hour", first: 0, last: 23, names: &[] };
const DAY: Field = Field { name: "day of the month", first: 1, last: 31, names: &[] };
const MONTH: Field = Field { name: "month", first: 1, last: 12, names: &MONTHS };
const WEEKDAY: Field = Field { name: "day of the week", first: 0, last: 6, names: &WEEKDAYS };

/// What a line says, field by field.
pub(super) struct Fields {
    pub minutes: Values,
    pub hours: Values,
    pub days: Days,
}

/// Reads a line of cron.
pub(super) fn parse(line: &str) -> Result<Fields, Error> {
    if line.len() > LONGEST {
        return Err(Error::invalid(format!("a line of cron has at most {LONGEST} bytes")));
    }
    read(line).map_err(|what| Error::invalid(format!("cron {line:?}: {what}")))
}

/// Fails with what is wrong and where, in words.
fn read(line: &str) -> Result<Fields, String> {
    let fields: Vec<&str> = written_out(line)?.split_ascii_whitespace().collect();
    let &[minute, hour, day, month, weekday] = fields.as_slice() else {
        let count = fields.len();
        let noun = if count == 1 { "field" } else { "fields" };
        return Err(format!(
            "it has {count} {noun}, not the five of minute, hour, day of the month, month and day \
             of the week"
        ));
    };
    let days = Days {
        of_month: DAY.values(day)?,
        of_week: WEEKDAY.values(weekday)?,
        months: MONTH.values(month)?,
        // As in every cron, it is the star that counts and not whether all days are meant.
        both: day.starts_with('*') || weekday.starts_with('*'),
    };
    if !days.come_ever() {
        return Err(format!("no month of {month:?} has a day of {day:?}"));
    }
    Ok(Fields { minutes: MINUTE.values(minute)?, hours: HOUR.values(hour)?, days })
}

fn written_out(line: &str) -> Result<&str, String> {
    let line = line.trim_ascii();
    if !line.starts_with('@') {
        return Ok(line);
    }
    let meant = NICKNAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(line));
    let known = || NICKNAMES.map(|(name, _)| name).join(", ");
    meant.map(|(_, line)| *line).ok_or_else(|| format!("of such names there are {}", known()))
}

/// One of the five fields of a line.
struct Field {
    name: &'static str,
    first: i8,
    last: i8,
    /// What the values are called, from the first on.
    names: &'static [&'static str],
}

impl Field {
    /// Reads what is between commas.
    fn values(&self, text: &str) -> Result<Values, String> {
        let mut values = Values::default();
        for part in text.split(',') {
            let (range, step) = match part.split_once('/') {
                Some((range, step)) => (range, Some(self.step(step)?)),
                None => (part, None),
            };
            let (first, last) = self.range(range)?;
            if step.is_some() && range != "*" && !range.contains('-') {
                return Err(self.wrong(part, "has a step but no range, such as 5-50/15"));
            }
            for value in (first..=last).step_by(step.unwrap_or(1)) {
                // The week comes round to Sunday.
                values.insert(if value > self.last { self.first } else { value });
            }
        }
        Ok(values)
    }

    fn range(&self, text: &str) -> Result<(i8, i8), String> {
        if text == "*" {
            return Ok((self.first, self.last));
        }
        let Some((first, last)) = text.split_once('-') else {
            let value = self.value(text)?;
            return Ok((value, value));
        };
        let (first, mut last) = (self.value(first)?, self.value(last)?);
        if self.is_weekday() && last == self.first && first > last {
            last = self.last + 1;
        }
        if first > last {
            return Err(self.wrong(text, "ends before it begins"));
        }
        Ok((first, last))
    }

    fn value(&self, text: &str) -> Result<i8, String> {
        let named = |name: &&str| name.eq_ignore_ascii_case(text) || short(name, text);
        if let Some(place) = self.names.iter().position(named) {
            return Ok((self.first..).nth(place).unwrap_or(self.first));
        }
        let last = if self.is_weekday() { self.last + 1 } else { self.last };
        let number = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok());
        let number = number.flatten().filter(|number| (self.first..=last).contains(number));
        let or_name = if self.names.is_empty() { "" } else { " or a name" };
        let expected = || format!("is no number from {} to {last}{or_name}", self.first);
        number.ok_or_else(|| self.wrong(text, &expected()))
    }

    fn step(&self, text: &str) -> Result<usize, String> {
        let number = text.parse::<u8>().ok().filter(|&step| step > 0 && !text.starts_with('+'));
        let step = number.map(usize::from);
        step.ok_or_else(|| self.wrong(text, "is no step: a number from 1 to 255"))
    }

    /// Returns whether seven is another name for its first value.
    fn is_weekday(&self) -> bool {
        self.names.len() == WEEKDAYS.len()
    }

    fn wrong(&self, text: &str, what: &str) -> String {
        format!("in the field of the {}, {text:?} {what}", self.name)
    }
}

/// Returns whether a text is the first three letters of a name, in whatever case.
fn short(name: &str, text: &str) -> bool {
    name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(field: &Field, text: &str, expected: &[i8]) {
        let mut values = Values::default();
        for &value in expected {
            values.insert(value);
        }
        assert_eq!(field.values(text), Ok(values), "{text}");
    }

    fn check_wrong(line: &str, expected: &str) {
        let error = parse(line).err().expect("a line that is refused").to_string();
        assert!(error.ends_with(expected), "{error}");
    }

    #[test]
    fn a_field_is_a_list_of_values_ranges_and_steps() {
        check(&HOUR, "7", &[7]);
        check(&HOUR, "1,3-5,3", &[1, 3, 4, 5]);
        check(&HOUR, "*/6", &[0, 6, 12, 18]);
        check(&HOUR, "9-17/4", &[9, 13, 17]);
        check(&HOUR, "22-23/200", &[22]);
        check(&DAY, "*/10", &[1, 11, 21, 31]);
    }

    #[test]
    fn months_and_days_have_names() {
        check(&MONTH, "jan,Sep-NOV", &[1, 9, 10, 11]);
        check(&MONTH, "december,may", &[5, 12]);
        check(&WEEKDAY, "mon-Friday/2", &[1, 3, 5]);
    }

    #[test]
    fn the_week_begins_and_ends_with_sunday() {
        check(&WEEKDAY, "0", &[0]);
        check(&WEEKDAY, "7", &[0]);
        check(&WEEKDAY, "5-7", &[0, 5, 6]);
        check(&WEEKDAY, "sat-sun", &[0, 6]);
        check(&WEEKDAY, "sun-tue", &[0, 1, 2]);
        check(&WEEKDAY, "*/3", &[0, 3, 6]);
    }

    #[test]
    fn a_refusal_says_what_is_wrong_and_where() {
        check_wrong("0 24 * * *", "in the field of the hour, \"24\" is no number from 0 to 23");
        check_wrong("0 0 0 * *", "day of the month, \"0\" is no number from 1 to 31");
        check_wrong("0 0 * jam *", "month, \"jam\" is no number from 1 to 12 or a name");
        check_wrong("0 0 * * 8", "week, \"8\" is no number from 0 to 7 or a name");
        check_wrong("1,,2 * * * *", "minute, \"\" is no number from 0 to 59");
        check_wrong("+5 * * * *", "minute, \"+5\" is no number from 0 to 59");
        check_wrong("0 5-1 * * *", "hour, \"5-1\" ends before it begins");
        check_wrong("*/0 * * * *", "minute, \"0\" is no step: a number from 1 to 255");
        check_wrong("5/15 * * * *", "minute, \"5/15\" has a step but no range, such as 5-50/15");
        check_wrong("@often", "of such names there are @hourly, @daily, @weekly, @monthly");
        check_wrong(
            "",
            "it has 0 fields, not the five of minute, hour, day of the month, month and day of the week",
        );
        check_wrong(
            "never",
            "it has 1 field, not the five of minute, hour, day of the month, month and day of the week",
        );
        check_wrong("0 0 30 feb *", "no month of \"feb\" has a day of \"30\"");
        check_wrong(&"0".repeat(300), "a line of cron has at most 256 bytes");
    }
}
