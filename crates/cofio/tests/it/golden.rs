//! How much the built-in recognisers find of what a person would find.

use std::collections::BTreeSet;

use cofio::model::EntityType;
use cofio::recognise::Pipeline;

/// A sentence, and what it names.
struct Sentence {
    text: &'static str,
    named: BTreeSet<(EntityType, String)>,
}

fn sentences() -> Vec<Sentence> {
    let mut sentences: Vec<Sentence> = Vec::new();
    let lines = include_str!("../golden/entities.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix("  ") {
            Some(named) => {
                let (entity_type, name) = named.split_once(": ").unwrap();
                let named = (entity_type.parse().unwrap(), name.to_owned());
                sentences.last_mut().unwrap().named.insert(named);
            }
            None => sentences.push(Sentence { text: line, named: BTreeSet::new() }),
        }
    }
    sentences
}

/// Returns how many names there are, how many were found, and how many of those are right.
fn measured(pipeline: &Pipeline) -> (usize, usize, usize) {
    let (mut all, mut found, mut right) = (0, 0, 0);
    for Sentence { text, named } in sentences() {
        let spans = pipeline.spans(text);
        let spans: BTreeSet<_> = spans
            .iter()
            .map(|span| (span.entity_type, text[span.range.clone()].to_owned()))
            .collect();
        all += named.len();
        found += spans.len();
        right += spans.intersection(&named).count();
    }
    (all, found, right)
}

#[test]
fn patterns_are_always_right_and_capitals_mostly() {
    let (all, found, right) = measured(&Pipeline::fast());
    assert_eq!((found, right), (5, 5));
    let (_, found, right) = measured(&Pipeline::accurate([]));
    assert!(right * 100 >= found * 85, "{right} of {found} are right");
    assert!(right * 100 >= all * 70, "{right} of {all} are found");
}
