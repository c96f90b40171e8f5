use super::super::rules::RULES;
use super::super::{Level, findings};
use super::examples::expanded;

/// Returns the class of the surest finding.
fn surest(text: &str) -> Option<(&'static str, Level)> {
    findings(text).into_iter().map(|one| (one.class, one.level)).max_by_key(|(_, level)| *level)
}

#[test]
fn every_rule_finds_its_hits_and_leaves_its_misses() {
    let mut wrong = Vec::new();
    for rule in RULES.iter() {
        assert!(!rule.hits.is_empty() && !rule.misses.is_empty(), "{} has no examples", rule.class);
        assert!(!rule.class.is_empty() && !rule.family.is_empty() && !rule.keywords.is_empty());
        for hit in &rule.hits {
            let text = expanded(hit);
            let own = (0..text.len())
                .any(|at| text.is_char_boundary(at) && rule.attempt(&text, at).found.is_some());
            if !own || surest(&text).is_none_or(|(_, level)| level < rule.level) {
                wrong.push(format!("{}: not found in {text:?}, {:?}", rule.class, surest(&text)));
            }
        }
        for miss in &rule.misses {
            let text = expanded(miss);
            let found = findings(&text).into_iter().any(|one| one.class == rule.class);
            if found {
                wrong.push(format!("{}: found in {text:?}", rule.class));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
