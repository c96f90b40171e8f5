use cofio::model::{Bound, Grant, Identifier, Key, Layer, Timestamp, Trust};
use jiff::tz::TimeZone;

use crate::output::Page;
use crate::when;

/// Shows a key among others.
pub fn key(page: &mut Page, key: &Key, now: Timestamp, zone: &TimeZone) {
    page.line(&key.name);
    page.aside(format!("{} · {}", key.id, permitted(key)));
    let mut parts = vec![format!("made {}", when::shown(key.created_at, zone))];
    parts.extend(key.expires_at.map(|end| {
        let verb = if end <= now { "ended" } else { "ends" };
        format!("{verb} {}", when::shown(end, zone))
    }));
    parts.extend(key.revoked_at.map(|end| format!("revoked {}", when::shown(end, zone))));
    parts.extend(key.replaced_by.as_ref().map(|by| format!("replaced by {by}")));
    page.aside(parts.join(" · "));
}

/// Returns what a key may do, where, and how far it is trusted.
pub fn permitted(key: &Key) -> String {
    let (rights, opened) = (key.rights, opened(&key.bound));
    match key.trust {
        Trust::High => format!("{rights} in {opened}"),
        trust => format!("{rights} in {opened}, with {trust} trust at most"),
    }
}

fn opened(bound: &Bound) -> String {
    if *bound == Bound::everything() {
        return "everything".to_owned();
    }
    let layers: Vec<String> = bound.iter().map(|(layer, grant)| of_layer(layer, grant)).collect();
    layers.join("; ")
}

fn of_layer(layer: Layer, grant: &Grant) -> String {
    match grant.names() {
        None => format!("any {layer}"),
        Some(names) => {
            let names: Vec<&str> = names.iter().map(Identifier::as_str).collect();
            format!("{layer} {}", names.join(", "))
        }
    }
}
