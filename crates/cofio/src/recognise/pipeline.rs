//! Asking several recognisers.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use super::{Cost, Names, Patterns, Projects, Recogniser, Register, Span, settle};
use crate::error::Result;
use crate::model::Mention;
use crate::text::wikilinks;

/// How many names one memory is found by at most.
const MOST: usize = 100;

/// How long a name may be, in characters.
const LONGEST: usize = 200;

/// Recognisers that are asked together.
#[derive(Clone)]
pub struct Pipeline {
    recognisers: Vec<Arc<dyn Recogniser>>,
}

impl Pipeline {
    /// Asks the patterns alone: the strategy for whoever waits.
    pub fn fast() -> Self {
        Self { recognisers: vec![Arc::new(Patterns)] }
    }

    /// Asks the patterns, what tells projects, and `others`; if none of those is accurate, also the
    /// built-in one that guesses names by their capitals.
    pub fn accurate(others: impl IntoIterator<Item = Arc<dyn Recogniser>>) -> Self {
        let mut pipeline = Self::fast();
        pipeline.recognisers.push(Arc::new(Projects));
        pipeline.recognisers.extend(others);
        if !pipeline.is_accurate() {
            pipeline.recognisers.push(Arc::new(Names));
        }
        pipeline
    }

    /// Asks one more, whose word counts as theirs.
    #[must_use]
    pub fn and(mut self, another: Arc<dyn Recogniser>) -> Self {
        self.recognisers.push(another);
        self
    }

    /// Returns whether one of the recognisers judges by context.
    ///
    /// Without one, asking again finds little that was not found when a memory was kept.
    pub fn is_accurate(&self) -> bool {
        self.recognisers.iter().any(|recogniser| recogniser.cost() == Cost::Accurate)
    }

    /// Returns the names of the recognisers, in the order they are asked.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.recognisers.iter().map(|recogniser| recogniser.name())
    }

    /// Makes all of them ready, or says why one cannot be.
    pub fn prepare(&self) -> Result<()> {
        self.recognisers.iter().try_for_each(|recogniser| recogniser.prepare())
    }

    /// Returns the spans that name something, in the order of the text; none overlap.
    pub fn spans(&self, text: &str) -> Vec<Span> {
        let found = self.recognisers.iter().flat_map(|recogniser| recogniser.recognise(text));
        let fits = |span: &Span| text[span.range.clone()].chars().nth(LONGEST).is_none();
        settle(found.filter(fits).collect())
    }

    /// Returns what a text names, each spelling once, in the order of the text.
    ///
    /// `known` are names that are known already, to which new spellings may belong.
    pub fn mentions(&self, text: &str, known: &[Mention]) -> Vec<Mention> {
        Register::new(known).unite(&self.found(text))
    }

    /// Returns what a text names as it is written there, each spelling once, in its order.
    pub fn found(&self, text: &str) -> Vec<Mention> {
        let mut seen = HashSet::new();
        let spans = self.spans(text).into_iter();
        let new = spans.filter(|span| seen.insert((span.entity_type, &text[span.range.clone()])));
        let shown = shown(text);
        let found = new.take(MOST).map(|span| Mention {
            name: shown.get(&span.range).unwrap_or(&&text[span.range.clone()]).to_string(),
            entity_type: span.entity_type,
            alias: text[span.range].to_owned(),
        });
        found.collect()
    }
}

/// Returns the notes in whose place a text shows something else, by where it does.
fn shown(text: &str) -> HashMap<Range<usize>, &str> {
    wikilinks(text).filter_map(|link| Some((link.shown?, &text[link.note]))).collect()
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Returns what a text names by patterns alone, each spelling once, in the order of the text.
pub fn mentions(text: &str) -> Vec<Mention> {
    static FAST: LazyLock<Pipeline> = LazyLock::new(Pipeline::fast);
    FAST.mentions(text, &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EntityType;

    /// Finds one word, and calls it a place.
    struct Gazetteer(&'static str);

    impl Recogniser for Gazetteer {
        fn name(&self) -> &'static str {
            "gazetteer"
        }

        fn cost(&self) -> Cost {
            Cost::Accurate
        }

        fn prepare(&self) -> Result<()> {
            Ok(())
        }

        fn recognise(&self, text: &str) -> Vec<Span> {
            let found = text.match_indices(self.0);
            let span = |(start, word): (usize, &str)| Span {
                range: start..start + word.len(),
                entity_type: EntityType::Location,
                confidence: 0.8,
            };
            found.map(span).collect()
        }
    }

    fn check(pipeline: &Pipeline, text: &str, expected: &[(&str, EntityType)]) {
        let found = pipeline.mentions(text, &[]);
        let found: Vec<_> =
            found.iter().map(|mention| (mention.name.as_str(), mention.entity_type)).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn the_built_in_guess_gives_way_to_an_accurate_recogniser() {
        use EntityType::{Location, Person};
        let text = "I met Paris Hilton with @bob";
        let guessing = Pipeline::accurate([]);
        check(&guessing, text, &[("Paris Hilton", Person), ("bob", Person)]);
        assert!(!guessing.is_accurate());
        let judging = Pipeline::accurate([Arc::new(Gazetteer("Paris")) as Arc<dyn Recogniser>]);
        check(&judging, text, &[("Paris", Location), ("bob", Person)]);
        assert!(judging.is_accurate());
        assert!(judging.names().eq(["patterns", "projects", "gazetteer"]));
    }

    #[test]
    fn what_is_shown_in_place_of_a_note_is_a_spelling_of_its_name() {
        let found = mentions("rows with [[Ada Lovelace|Ada]]");
        let found: Vec<_> =
            found.iter().map(|mention| (mention.name.as_str(), mention.alias.as_str())).collect();
        assert_eq!(found, [("Ada Lovelace", "Ada Lovelace"), ("Ada Lovelace", "Ada")]);
    }

    #[test]
    fn a_memory_is_found_by_so_many_names_of_so_many_characters_at_most() {
        let many: Vec<String> = (0..150).map(|number| format!("#tag{number}")).collect();
        assert_eq!(mentions(&many.join(" ")).len(), MOST);
        let repeated = format!("{} #b", "#a ".repeat(MOST));
        check(&Pipeline::fast(), &repeated, &[("a", EntityType::Other), ("b", EntityType::Other)]);
        let long = format!("https://example.org/{}", "a".repeat(LONGEST));
        check(&Pipeline::fast(), &long, &[]);
    }
}
