//! What is counted at the end of each day.

use std::fmt::Write as _;

use super::plot::{Panel, Series};

/// What a store holds at the end of a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Statements that users made and that hold.
    pub told: u64,
    /// Facts in use, and whatever else is not a turn.
    pub facts: u64,
    /// Facts that wait for somebody to confirm them.
    pub pending: u64,
    /// Facts that are no longer held to be true, as others contradicted them.
    pub conflicts: u64,
    /// Memories that have faded.
    pub decayed: u64,
    /// Memories that were put away.
    pub archived: u64,
    /// Turns that are kept.
    pub episodes: u64,
    /// Memories that have ended by themselves since the first day.
    pub expired: u64,
    /// The bytes of the store on disk, without its journal, which has a size of its own.
    pub bytes: u64,
}

/// What something is called that is counted, and where it is.
type Column = (&'static str, fn(&Figures) -> u64);

const COLUMNS: [Column; 9] = [
    ("told", |day| day.told),
    ("facts", |day| day.facts),
    ("pending", |day| day.pending),
    ("conflicts", |day| day.conflicts),
    ("decayed", |day| day.decayed),
    ("archived", |day| day.archived),
    ("episodes", |day| day.episodes),
    ("expired", |day| day.expired),
    ("bytes", |day| day.bytes),
];

/// Writes a line for each day, from 1.
pub fn csv(days: &[Figures]) -> String {
    let names = COLUMNS.map(|(name, _)| name).join(",");
    let mut lines = format!("day,{names}\n");
    for (number, day) in (1..).zip(days) {
        let values = COLUMNS.map(|(_, value)| value(day).to_string()).join(",");
        writeln!(lines, "{number},{values}").expect("a string can be written to");
    }
    lines
}

/// Returns what is drawn of the days.
pub fn panels(days: &[Figures]) -> Vec<Panel> {
    let series = |name: &'static str| {
        let value = COLUMNS.iter().find(|(column, _)| *column == name).expect("a column").1;
        Series { name: name.to_owned(), values: days.iter().map(|day| value(day) as f64).collect() }
    };
    let panel = |title: &str, names: &[&'static str]| Panel {
        title: title.to_owned(),
        series: names.iter().map(|name| series(name)).collect(),
    };
    vec![
        panel("facts", &["told", "facts", "pending", "conflicts", "decayed", "archived"]),
        panel("conversation", &["episodes", "expired"]),
        panel("size on disk", &["bytes"]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_day_has_a_line() {
        let day = Figures { told: 3, facts: 2, episodes: 40, bytes: 8192, ..Figures::default() };
        assert_eq!(
            csv(&[Figures::default(), day]),
            "day,told,facts,pending,conflicts,decayed,archived,episodes,expired,bytes\n\
             1,0,0,0,0,0,0,0,0,0\n\
             2,3,2,0,0,0,0,40,0,8192\n"
        );
    }

    #[test]
    fn everything_that_is_counted_is_drawn_once() {
        let panels = panels(&[Figures::default()]);
        let drawn: Vec<&String> =
            panels.iter().flat_map(|panel| &panel.series).map(|series| &series.name).collect();
        assert_eq!(drawn, COLUMNS.map(|(name, _)| name));
    }
}
