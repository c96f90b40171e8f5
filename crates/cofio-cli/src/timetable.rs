//! When Cofio works by itself.

use cofio::Result;
use cofio::lifecycle::schedule::Timetable;

use crate::settings::Settings;

/// Returns the timetable that the settings make.
pub fn timetable(settings: &Settings) -> Result<Timetable> {
    let zone = &settings.values().time_zone.value;
    let store = settings.store().to_string_lossy();
    Timetable::new(settings.schedule(), zone, &store)
}
