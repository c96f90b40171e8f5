//! Saying in words why a hit is where it is.

use super::merge::Hit;
use super::rank::{Dated, Part, Signal};

/// Returns why a hit is there: the weightiest reason first, then what held it back.
pub fn explain(hit: &Hit) -> Vec<String> {
    let signals = &hit.signals;
    let mut parts = signals.parts.clone();
    parts.sort_by(|a, b| b.value.total_cmp(&a.value));
    let mut reasons: Vec<String> = parts.iter().filter_map(|part| reason(hit, part)).collect();
    if parts.is_empty() {
        reasons.extend(unweighted(hit));
    }
    if let [first, rest @ ..] = signals.overrides.as_slice() {
        let more =
            if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        reasons.push(format!("stands for {first}{more}, which says the same for more people"));
    }
    reasons
}

/// Says what found a hit where nothing was added up.
fn unweighted(hit: &Hit) -> Vec<String> {
    let signals = &hit.signals;
    let words = (!signals.matched_terms.is_empty()).then(|| has_words(hit));
    let names = (!signals.matched_names.is_empty()).then(|| names(hit));
    let meaning = signals.cosine.map(|cosine| format!("is close in meaning ({cosine:.2})"));
    words.into_iter().chain(meaning).chain(names).collect()
}

fn reason(hit: &Hit, part: &Part) -> Option<String> {
    let amount = format!("{:+.2}", part.value);
    let raises = part.value > 0.0;
    let words = match part.signal {
        Signal::Words if raises => has_words(hit),
        Signal::Surroundings if raises => "what was said around it has the words".to_owned(),
        Signal::Words | Signal::Surroundings => "its words say less than those of most".to_owned(),
        Signal::Meaning => {
            let cosine = hit.signals.cosine.unwrap_or_default();
            let near =
                if raises { "is close in meaning" } else { "is farther in meaning than most" };
            format!("{near} ({cosine:.2})")
        }
        Signal::Name => names(hit),
        Signal::Speaker => {
            let author = hit.memory.author().unwrap_or("the one who is named");
            format!("{author} said it")
        }
        Signal::Date => happened(hit.signals.dated?),
        Signal::Recency => "it is recent".to_owned(),
        Signal::Assistant => "an assistant said it".to_owned(),
        Signal::Length => "it is long".to_owned(),
        Signal::Brevity => "it is short".to_owned(),
        Signal::Question => "it is a short question".to_owned(),
        Signal::Trust => "it is trusted little".to_owned(),
        Signal::Instruction => "it tells an assistant what to do".to_owned(),
    };
    Some(format!("{amount} {words}")).filter(|_| part.value.abs() >= 0.005)
}

fn happened(Dated { day, away }: Dated) -> String {
    match away {
        0 => format!("it happened when the question says ({day})"),
        1 => format!("it happened 1 day from what the question says ({day})"),
        _ => format!("it happened {away} days from what the question says ({day})"),
    }
}

fn has_words(hit: &Hit) -> String {
    format!("has {}", hit.signals.matched_terms.join(", "))
}

fn names(hit: &Hit) -> String {
    format!("names {}", hit.signals.matched_names.join(", "))
}
