//! A question of any characters is only a question.

use cofio::model::Layer;
use cofio::{Query, Selection};
use pollster::block_on;
use proptest::prelude::*;

use crate::fixture::{Fixture, identifiers, local};

thread_local! {
    static FIXTURE: Fixture = {
        let fixture = Fixture::new();
        for text in ["tea is black", "see src/main.rs", "東京タワーは高い", "ask @bob", "ภาษาไทย"] {
            fixture.fact("alice", text);
        }
        fixture
    };
}

/// Searches, and returns how many hits there are.
fn hits(question: &str) -> usize {
    FIXTURE.with(|fixture| {
        let mine = Selection::new(identifiers(&[(Layer::User, "alice")]));
        let query = Query::new(mine, question);
        block_on(fixture.engine.search(&local("alice"), &query)).unwrap().hits.len()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_answered(question in any::<String>()) {
        hits(&question);
    }

    #[test]
    fn no_syntax_of_the_index_changes_what_is_found(
        noise in proptest::collection::vec(r#"["'*^:(){}+\-]|AND|OR|NOT|NEAR"#, 0..6),
    ) {
        let question = format!("{} tea {}", noise.join(" "), noise.join(""));
        prop_assert!(hits(&question) >= 1, "{question}");
    }
}
