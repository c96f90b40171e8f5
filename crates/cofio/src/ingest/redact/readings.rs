//! Every reading of a text, and what they find together.

use super::detect::{By, Found, detect, detect_forms};
use super::view::View;
use super::{Finding, Level, codes, escapes, fold, joins, turned};

/// How many encodings may lie in each other.
const DEPTH: usize = 2;

/// Returns the secrets of a text in order; they do not overlap.
pub fn findings(text: &str) -> Vec<Finding> {
    if is_plain(text) {
        return Vec::new();
    }
    let mut found = detect(text);
    other_readings(text, DEPTH, &mut found);
    merged(text, found)
}

/// The shortest text in which words alone can be a secret.
const SHORT: usize = 48;

/// Returns whether a text is a few plain words: most questions are, and need no rules.
fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphabetic() || b" ,.?!'".contains(&byte);
    let long = |word: &str| word.len() > 15;
    text.len() < SHORT && text.bytes().all(plain) && !text.split(' ').any(long)
}

/// Adds what only another reading of the text shows.
fn other_readings(text: &str, depth: usize, found: &mut Vec<Found>) {
    let plain = View::of(text);
    let folded = fold::folded(&plain);
    let base = folded.as_ref().unwrap_or(&plain);
    if folded.is_some() {
        add(base, detect(base.text()), Level::Probable, found);
    }
    let once = escapes::unescaped(base);
    let twice = once.as_ref().and_then(escapes::unescaped);
    let unescaped = twice.as_ref().or(once.as_ref());
    if let Some(view) = unescaped {
        add(view, detect(view.text()), Level::Probable, found);
    }
    let base = unescaped.unwrap_or(base);
    let joined = joins::joined(base);
    let closed_up = joins::closed_up(base);
    let closed_up_reversed = closed_up.as_ref().and_then(turned::reversed);
    let forms = [
        joined.clone(),
        closed_up,
        closed_up_reversed,
        turned::reversed(base),
        turned::rotated(base),
        codes::numbers(base),
    ];
    for view in forms.iter().flatten() {
        add(view, detect_forms(view.text()), Level::Definite, found);
    }
    if depth > 0 {
        for view in [Some(base), joined.as_ref()].into_iter().flatten() {
            decode(view, depth, found);
        }
    }
}

/// Adds runs whose text in another base has secrets.
fn decode(view: &View<'_>, depth: usize, found: &mut Vec<Found>) {
    for (range, text) in codes::encoded(view.text()) {
        let mut inner = detect(&text);
        other_readings(&text, depth - 1, &mut inner);
        let inner =
            inner.into_iter().filter(|one| one.level >= Level::Probable && one.by != By::Look);
        if let Some(one) = inner.max_by_key(|one| one.level) {
            found.push(Found { range: view.origin(range), ..one });
        }
    }
}

/// Adds what a reading shows that is sure enough, where it was written.
fn add(view: &View<'_>, shown: Vec<Found>, least: Level, found: &mut Vec<Found>) {
    for one in shown.into_iter().filter(|one| one.level >= least) {
        let range = view.origin(one.range.clone());
        if !range.is_empty() {
            found.push(Found { range, ..one });
        }
    }
}

/// Puts overlapping findings together; the surest names the whole.
fn merged(text: &str, mut found: Vec<Found>) -> Vec<Finding> {
    found.retain(|one| !one.range.is_empty() && one.range.end <= text.len());
    found.sort_by_key(|one| (one.range.start, one.range.end));
    let sure = join(found.iter().filter(|one| one.level > Level::Possible));
    let unsure = join(found.iter().filter(|one| one.level == Level::Possible));
    let free = unsure.into_iter().filter(|one| {
        let next = sure.partition_point(|other| other.range.end <= one.range.start);
        sure.get(next).is_none_or(|other| other.range.start >= one.range.end)
    });
    let mut all: Vec<Found> = free.collect();
    all.extend(sure.iter().cloned());
    all.sort_by_key(|one| one.range.start);
    all.into_iter()
        .map(|Found { class, family, level, range, .. }| Finding { class, family, level, range })
        .collect()
}

fn join<'f>(found: impl Iterator<Item = &'f Found>) -> Vec<Found> {
    let mut joined: Vec<Found> = Vec::new();
    for one in found {
        match joined.last_mut().filter(|last| one.range.start < last.range.end) {
            Some(last) => {
                let range = last.range.start..last.range.end.max(one.range.end);
                let surer = (one.level, one.by == By::Form) > (last.level, last.by == By::Form);
                let named = if surer { one.clone() } else { last.clone() };
                *last = Found { range, ..named };
            }
            None => joined.push(one.clone()),
        }
    }
    joined
}
