//! Recognising names, with a language model.

use serde::Deserialize;
use serde_json::Value;

use super::{Counsel, Prompt, Shape, material, quoting};
use crate::error::Result;
use crate::lifecycle::spend::Purpose;
use crate::model::{CleanText, EntityType};
use crate::recognise::Span;

/// The most texts that are shown at once.
const MOST_TEXTS: usize = 20;

/// The most characters of a text that are shown.
const TEXT_CHARS: usize = 4_000;

/// The most characters of texts that are shown at once.
const BATCH_CHARS: usize = 24_000;

/// The most names of one answer.
const MOST_NAMES: usize = 200;

/// How sure a name is that a model finds: what has the form of an address is surer.
const CONFIDENCE: f32 = 0.85;

const INSTRUCTIONS: &str = "\
Find the names in each line of the material: people, projects and products, organisations, places. \
For each name give the number of the line (text), the name exactly as it is written there (name), \
and what it names (type). Give a name once for each line that has it. Leave out pronouns, dates, \
numbers and common nouns. If there are no names, the list is empty.";

/// Returns what each of some texts names, by the word of a model.
///
/// A name counts where it stands in the text as a whole. What is too long is looked at only as far
/// as it is shown.
pub async fn recognise(
    counsel: &Counsel,
    purpose: &Purpose,
    texts: &[CleanText],
) -> Result<Vec<Vec<Span>>> {
    let mut found = Vec::with_capacity(texts.len());
    for batch in batches(texts) {
        let answer = counsel.ask(purpose, &prompt(batch)).await?;
        found.extend(read(&answer.value, batch));
    }
    Ok(found)
}

/// Returns what a model is asked about some texts, to tell beforehand what that would cost.
pub fn prompts(texts: &[CleanText]) -> Vec<Prompt> {
    batches(texts).into_iter().map(prompt).collect()
}

/// Returns what each of the texts that a model was shown names, as far as the names stand there.
pub fn read(answer: &Value, texts: &[CleanText]) -> Vec<Vec<Span>> {
    let mut found = vec![Vec::new(); texts.len()];
    for Claim { text: number, name, entity_type } in claims(answer) {
        let Some(place) = number.checked_sub(1).filter(|place| *place < texts.len()) else {
            continue;
        };
        let Ok(entity_type) = entity_type.parse() else { continue };
        let spans: &mut Vec<Span> = &mut found[place];
        for range in quoting::places(shown(&texts[place]), &name) {
            if spans.iter().all(|span| span.range != range) {
                spans.push(Span { range, entity_type, confidence: CONFIDENCE });
            }
        }
    }
    found
}

/// A name as a model gives it; nobody has looked at it yet.
#[derive(Deserialize)]
struct Claim {
    text: usize,
    name: String,
    #[serde(rename = "type")]
    entity_type: String,
}

fn claims(answer: &Value) -> Vec<Claim> {
    let fits = shape().check(answer).is_ok();
    let names = answer.get("names").filter(|_| fits);
    names.and_then(|names| Vec::deserialize(names).ok()).unwrap_or_default()
}

fn shape() -> Shape {
    let name = Shape::Object(vec![
        ("text", Shape::number_of(MOST_TEXTS)),
        ("name", Shape::Text(200)),
        ("type", Shape::Word(EntityType::NAMES)),
    ]);
    Shape::Object(vec![("names", Shape::list(name, MOST_NAMES))])
}

fn prompt(texts: &[CleanText]) -> Prompt {
    let shown = |text: &CleanText| CleanText::stored(shown(text).to_owned());
    Prompt::new(INSTRUCTIONS, texts.iter().map(shown).collect(), shape())
}

fn shown(text: &CleanText) -> &str {
    material::start(text.as_str(), TEXT_CHARS)
}

fn batches(mut texts: &[CleanText]) -> Vec<&[CleanText]> {
    let mut batches = Vec::new();
    while !texts.is_empty() {
        let length = material::fitting(texts.iter().map(shown), MOST_TEXTS, BATCH_CHARS);
        let (batch, rest) = texts.split_at(length);
        batches.push(batch);
        texts = rest;
    }
    batches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn clean(texts: &[&str]) -> Vec<CleanText> {
        texts.iter().map(|text| CleanText::stored((*text).to_owned())).collect()
    }

    /// Checks which names count, each as `name type` under its text.
    fn check(texts: &[&str], names: &[(u64, &str, &str)], expected: &[&[&str]]) {
        let name = |(text, name, kind): &(u64, &str, &str)| json!({"text": text, "name": name, "type": kind});
        let answer = json!({"names": names.iter().map(name).collect::<Vec<_>>()});
        let found = read(&answer, &clean(texts));
        let line =
            |text: &str, span: &Span| format!("{} {}", &text[span.range.clone()], span.entity_type);
        let found: Vec<Vec<String>> = found
            .iter()
            .zip(texts)
            .map(|(spans, text)| spans.iter().map(|span| line(text, span)).collect())
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_name_counts_wherever_it_stands_in_its_text() {
        check(
            &["Ana met Bo. ANA left.", "Bo is in Rome"],
            &[(1, "Ana", "person"), (2, "Rome", "location"), (2, "Bo", "person")],
            &[&["Ana person", "ANA person"], &["Rome location", "Bo person"]],
        );
    }

    #[test]
    fn a_name_that_does_not_stand_there_does_not_count() {
        let texts = ["Ana met Bo", "Anastasia"];
        check(&texts, &[(1, "Rome", "location"), (2, "Ana", "person")], &[&[], &[]]);
        check(&texts, &[(3, "Ana", "person"), (20, "Ana", "person")], &[&[], &[]]);
        // Of two opinions on one place the first counts.
        let twice = [(1, "Ana", "person"), (1, "ana", "location")];
        check(&texts, &twice, &[&["Ana person"], &[]]);
        // An answer of another shape has no names at all.
        check(&texts, &[(1, "Ana", "person"), (21, "Ana", "person")], &[&[], &[]]);
        check(&texts, &[(1, "Ana", "deity")], &[&[], &[]]);
    }

    #[test]
    fn many_and_long_texts_are_shown_in_batches() {
        let sizes = |texts: &[CleanText]| -> Vec<usize> {
            prompts(texts).iter().map(|prompt| prompt.material.len()).collect()
        };
        assert_eq!(sizes(&clean(&["Ana"; 45])), [20, 20, 5]);
        let long = "Ana ".repeat(5_000);
        assert_eq!(sizes(&clean(&[long.as_str(); 7])), [6, 1]);
        assert_eq!(prompts(&clean(&[&long]))[0].material[0].as_str().len(), TEXT_CHARS);
        assert_eq!(sizes(&[]), [0; 0]);
    }

    proptest! {
        #[test]
        fn whatever_is_answered_spans_are_parts_of_their_texts(
            texts in prop::collection::vec("[Aaéñ 中\u{202e}]{0,12}", 0..4),
            names in prop::collection::vec((0..22_u64, "[Aaéñ 中]{0,3}", prop::sample::select(EntityType::NAMES)), 0..8),
        ) {
            let texts: Vec<CleanText> = texts.into_iter().map(CleanText::stored).collect();
            let name = |(text, name, kind): (u64, String, &str)| json!({"text": text, "name": name, "type": kind});
            let answer = json!({"names": names.into_iter().map(name).collect::<Vec<_>>()});
            let found = read(&answer, &texts);
            prop_assert_eq!(found.len(), texts.len());
            for (spans, text) in found.iter().zip(&texts) {
                for span in spans {
                    prop_assert!(!text.as_str()[span.range.clone()].trim().is_empty());
                }
            }
        }
    }
}
