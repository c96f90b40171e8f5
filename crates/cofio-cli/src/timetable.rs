//! When Cofio works by itself.

use cofio::Result;
use cofio::lifecycle::schedule::{DEFAULTS, Timetable};

use crate::settings::Settings;

/// Returns the timetable that the settings make.
pub fn timetable(settings: &Settings) -> Result<Timetable> {
    let zone = &settings.values().time_zone.value;
    let store = settings.store().to_string_lossy();
    Timetable::new(DEFAULTS.iter().copied(), zone, &store)
}
