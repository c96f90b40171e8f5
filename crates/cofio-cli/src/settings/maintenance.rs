//! When Cofio works by itself, and how far it goes.

use std::fmt;
use std::str::FromStr;

use cofio::Config;
use cofio::config::{Decay, Guard, Merge, Sessions};
use cofio::lifecycle::schedule::{Cron, DEFAULTS};
use cofio::model::{Fraction, Layer, Task};
use jiff::SignedDuration;

use super::table::Values;

/// When a task is done: a line of cron, or never.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line(Option<String>);

impl Line {
    /// Returns the line, if there is one.
    pub fn line(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns when a task is done if nobody says anything.
    pub fn usual(task: Task) -> Self {
        Self(DEFAULTS.iter().find(|(other, _)| *other == task).map(|(_, line)| (*line).to_owned()))
    }
}

impl FromStr for Line {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        if raw == "off" {
            return Ok(Self(None));
        }
        let cron: Result<Cron, cofio::Error> = raw.parse();
        cron.map(|_| Self(Some(raw.to_owned()))).map_err(|error| format!("{error}, or \"off\""))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.line().unwrap_or("off"))
    }
}

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share(pub f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        let share = raw.parse().ok().and_then(|number| Fraction::new(number).ok());
        let advice = || "give a number from 0 to 1, such as 0.3".to_owned();
        share.map(|share| Self(share.get())).ok_or_else(advice)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How many times as fast as usual: a number from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace(pub f64);

impl FromStr for Pace {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        let pace = raw.parse().ok().filter(|number| (0.0..=100.0).contains(number));
        pace.map(Self).ok_or_else(|| "give a number from 0 to 100, such as 0.5".to_owned())
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Some layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layers(pub Vec<Layer>);

impl FromStr for Layers {
    type Err = String;

    fn from_str(raw: &str) -> Result<Self, String> {
        let layers = raw.split(',').map(|name| name.trim().parse());
        layers.collect::<cofio::Result<_>>().map(Self).map_err(|error| error.to_string())
    }
}

impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|layer| layer.as_str()).collect();
        f.pad(&names.join(","))
    }
}

/// Returns each task that is done by itself with its line of cron, in the order in which they build on
/// each other.
pub fn lines(values: &Values) -> impl Iterator<Item = (Task, &str)> {
    let all = [
        (Task::Enrich, &values.schedule_enrich),
        (Task::Consolidate, &values.schedule_consolidate),
        (Task::Promote, &values.schedule_promote),
        (Task::Decay, &values.schedule_decay),
        (Task::Reflect, &values.schedule_reflect),
        (Task::Expire, &values.schedule_expire),
    ];
    all.into_iter().filter_map(|(task, given)| Some((task, given.value.line()?)))
}

/// Puts into an engine's settings how far its jobs go.
pub fn govern(config: &mut Config, values: &Values) {
    let days = |count: i64| SignedDuration::from_hours(24 * count);
    config.decay = Decay {
        formula: values.decay_formula.value,
        pace: values.decay_pace.value.0,
        threshold: values.decay_threshold.value.0,
        rest: days(values.decay_rest_days.value),
        exempt: values.decay_exempt_layers.value.clone().map(|layers| layers.0).unwrap_or_default(),
    };
    config.sessions = Sessions {
        idle: SignedDuration::from_mins(values.sessions_idle_minutes.value),
        retention: values.sessions_keep_days.value.map(days),
        promotion: Some(values.sessions_promotion.value.0),
    };
    config.merge = Merge { similarity: values.merge_similarity.value.0, ..Merge::default() };
    config.guard = Guard { share: values.guard_share.value.0, ..Guard::default() };
}
