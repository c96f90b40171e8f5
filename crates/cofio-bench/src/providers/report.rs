//! The figures of all stores side by side.

use serde::Serialize;

use super::contender::Contender;
use super::measure::Figure;
use crate::table::table;

/// What is behind a figure that is not what it is to be.
const MISSED: &str = " *";

/// Everything that was measured.
#[derive(Serialize)]
pub struct Report {
    pub command: String,
    pub processors: usize,
    /// How busy the machine was; above 0.5 something else ran.
    pub load_before: Option<f64>,
    pub runs: Vec<Run>,
}

/// One store at one size.
#[derive(Serialize)]
pub struct Run {
    pub store: Contender,
    pub memories: usize,
    pub notes: Vec<String>,
    pub filled_per_second: f64,
    pub embedded_per_second: f64,
    pub figures: Vec<Figure>,
}

impl Report {
    /// Lays out what was measured at one size: the median, and what 95 of 100 stay below.
    pub fn overview(&self, memories: usize) -> String {
        let runs: Vec<&Run> = self.runs.iter().filter(|run| run.memories == memories).collect();
        let Some(first) = runs.first() else { return String::new() };
        let mut head = vec![format!("{memories} memories, ms"), "wanted".to_owned()];
        head.extend(runs.iter().map(|run| run.store.to_string()));
        let mut rows = vec![head];
        for (place, figure) in first.figures.iter().enumerate() {
            let goal = figure.goal_ms.map_or("–".to_owned(), shown);
            let mut row = vec![format!("{}: {}", figure.of, figure.what), goal];
            row.extend(
                runs.iter().map(|run| run.figures.get(place).map_or_else(String::new, cell)),
            );
            rows.push(row);
        }
        let mut rate = |what: &str, of: fn(&Run) -> f64| {
            let mut row = vec![format!("filled: {what} per second"), "–".to_owned()];
            row.extend(runs.iter().map(|run| format!("{:.0}", of(run))));
            rows.push(row);
        };
        rate("memories", |run| run.filled_per_second);
        rate("vectors", |run| run.embedded_per_second);
        table(&rows)
    }

    /// Returns the sizes that were measured.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes: Vec<usize> = self.runs.iter().map(|run| run.memories).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

fn cell(figure: &Figure) -> String {
    let missed = if figure.meets() { "" } else { MISSED };
    format!("{} ({}){missed}", shown(figure.times.p50_ms), shown(figure.times.p95_ms))
}

/// Writes milliseconds with two digits that count, or all before the point.
pub fn shown(ms: f64) -> String {
    match ms {
        ms if ms >= 10.0 => format!("{ms:.0}"),
        ms if ms >= 1.0 => format!("{ms:.1}"),
        ms if ms >= 0.1 => format!("{ms:.2}"),
        ms => format!("{ms:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::Times;
    use super::*;

    #[test]
    fn what_is_missed_is_marked() {
        let figure = |p50_ms, goal_ms| Figure {
            of: "session",
            what: "add",
            times: Times { p50_ms, p95_ms: 12.3, samples: 10 },
            goal_ms,
        };
        let run = |store, figure| Run {
            store,
            memories: 10,
            notes: Vec::new(),
            filled_per_second: 100.0,
            embedded_per_second: 50.0,
            figures: vec![figure],
        };
        let runs = vec![
            run(Contender::Sqlite, figure(0.512, Some(5.0))),
            run(Contender::Postgres, figure(6.5, Some(5.0))),
        ];
        let report = Report { command: String::new(), processors: 2, load_before: None, runs };
        let shown = report.overview(10);
        let line = shown.lines().nth(1).unwrap();
        assert!(line.contains("0.51 (12)") && line.contains("6.5 (12) *"), "{shown}");
        assert!(!line.contains("0.51 (12) *"), "{shown}");
        assert_eq!(report.sizes(), [10]);
    }
}
