//! Which questions ask for a time.

use crate::text::fold;

/// Words that ask when, wherever they stand.
const ASKING: &[&str] =
    &["wann", "wanneer", "когда", "ποτε", "متي", "कब", "milloin", "hvornar", "kiedy", "kdy"];

/// Words that ask when at the start of a question, and elsewhere often only join two clauses.
const ASKING_FIRST: &[&str] = &["when", "quand", "cuando", "quando"];

/// What may stand before a word of [`ASKING_FIRST`] that asks.
const BEFORE_ASKING: &[&str] = &[
    "since", "until", "till", "by", "from", "know", "remember", "recall", "me", "and", "or", "so",
    "but", "exactly", "about", "depuis", "jusqu", "desde", "hasta", "da", "ate", "sai", "sabes",
    "y", "et", "e", "sais",
];

/// Words after which "when" asks, wherever it stands.
const AUXILIARIES: &[&str] = &[
    "did",
    "do",
    "does",
    "is",
    "was",
    "were",
    "are",
    "am",
    "will",
    "has",
    "have",
    "had",
    "can",
    "could",
    "should",
    "would",
    "might",
    "s",
    "exactly",
    "precisely",
    "approximately",
    "roughly",
    "else",
];

/// Words that ask which one of something.
const WHICH: &[&str] = &[
    "what", "which", "welches", "welchem", "welchen", "welcher", "quel", "quelle", "que", "cual",
    "che", "quale", "qual", "em", "welk", "welke",
];

/// What a time is measured in or called.
const TIMES: &[&str] = &[
    "date",
    "dates",
    "day",
    "month",
    "year",
    "week",
    "weekday",
    "weekend",
    "season",
    "decade",
    "time",
    "datum",
    "tag",
    "monat",
    "jahr",
    "woche",
    "jour",
    "mois",
    "annee",
    "semaine",
    "fecha",
    "dia",
    "mes",
    "ano",
    "semana",
    "giorno",
    "mese",
    "anno",
    "data",
    "settimana",
    "dag",
    "maand",
    "jaar",
];

/// Word sequences that ask when.
const PHRASES: &[&[&str]] = &[
    &["how", "long", "ago"],
    &["how", "long", "since"],
    &["how", "long", "has", "it", "been"],
    &["how", "recently"],
    &["how", "soon"],
    &["wie", "lange", "ist"],
    &["wie", "lang", "ist"],
    &["combien", "de", "temps"],
    &["hace", "cuanto"],
    &["cuanto", "hace"],
    &["quanto", "tempo", "fa"],
    &["ha", "quanto", "tempo"],
    &["hoe", "lang", "geleden"],
    &["ne", "zaman"],
    &["khi", "nao"],
];

/// Words that ask when in scripts without spaces between words.
const UNSPACED: &[&str] = &[
    "什么时候",
    "什麼時候",
    "何时",
    "何時",
    "几号",
    "哪天",
    "哪年",
    "哪一年",
    "几月",
    "いつ",
    "何日",
    "何年",
    "何月",
    "언제",
    "며칠",
    "몇 년",
    "몇 월",
    "เมื่อไหร่",
    "เมื่อไร",
    "เมื่อใด",
];

/// Tells whether `question` asks for a time: "when did…", "which year…", "how long ago…", "wann…".
///
/// "What did she say when he left?" does not, nor does "When I was in Paris, what did I eat?".
pub fn asks_when(question: &str) -> bool {
    let unspaced = !question.is_ascii() && UNSPACED.iter().any(|word| question.contains(word));
    unspaced || question.split(['.', '?', '!', ';', '\n']).any(sentence_asks_when)
}

fn sentence_asks_when(sentence: &str) -> bool {
    let folded = fold(sentence);
    let words: Vec<&str> = folded
        .split(|c: char| !c.is_alphanumeric() && !is_mark(c))
        .filter(|word| !word.is_empty())
        .collect();
    let asks = |index: usize| {
        let rest = &words[index..];
        ASKING.contains(&rest[0])
            || ASKING_FIRST.contains(&rest[0]) && joins_nothing(&words, index, sentence)
            || WHICH.contains(&rest[0]) && rest.get(1).is_some_and(|word| TIMES.contains(word))
            || PHRASES.iter().any(|phrase| rest.starts_with(phrase))
    };
    (0..words.len()).any(asks)
}

/// Tells whether "when" asks here, rather than joining two clauses.
fn joins_nothing(words: &[&str], index: usize, sentence: &str) -> bool {
    let next_asks = words.get(index + 1).is_some_and(|next| AUXILIARIES.contains(next));
    match index.checked_sub(1).map(|previous| words[previous]) {
        None => next_asks || !sentence.contains(','),
        Some(previous) => {
            next_asks || BEFORE_ASKING.contains(&previous) || index + 1 == words.len()
        }
    }
}

/// Tells whether `c` is a vowel sign, which belongs to its word in Indic scripts.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{dff}')
}
