//! Cuts text into passages: stretches short enough for one thought, long enough to be told apart.

/// Characters of a passage at most.
///
/// Long enough for a paragraph's point, short enough that a long answer is judged by its best part.
pub const MAX_PASSAGE: usize = 400;

/// Passages of a text at most; what is left over belongs to the last one.
pub const MAX_PASSAGES: usize = 4_096;

/// Returns the passages of a text in order: sentences and lines, packed up to [`MAX_PASSAGE`].
///
/// Together they have everything but the space between them. A text without content has none.
pub fn passages(text: &str) -> Vec<&str> {
    let mut packed: Vec<Span> = Vec::new();
    for piece in pieces(text) {
        let full = packed.len() == MAX_PASSAGES;
        match packed.last_mut() {
            Some(last) if full || packs(last, &piece) => *last = last.to(&piece),
            _ => packed.push(piece),
        }
    }
    packed.into_iter().map(|span| &text[span.start..span.end]).collect()
}

/// Returns the sentences and lines of a text, those longer than [`MAX_PASSAGE`] in parts.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().map(|span| &text[span.start..span.end])
}

/// Tells whether a text ends in a question mark.
pub fn is_question(text: &str) -> bool {
    text.trim_end().ends_with(['?', '？', '؟'])
}

/// A stretch of a text, in bytes, and how many characters it has.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    characters: usize,
}

impl Span {
    fn to(self, next: &Self) -> Self {
        // What separates two pieces counts as one character.
        let characters = self.characters + 1 + next.characters;
        Self { start: self.start, end: next.end, characters }
    }
}

fn packs(last: &Span, next: &Span) -> bool {
    last.to(next).characters <= MAX_PASSAGE
}

/// Returns the sentences and lines of a text, those that are too long cut between words.
fn pieces(text: &str) -> Vec<Span> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let after = at + c.len_utf8();
        let follows_space = characters.peek().is_none_or(|(_, next)| next.is_whitespace());
        let ends = c == '\n' || is_full_stop(c) || (is_stop(c) && follows_space);
        if ends || after == text.len() {
            cut(text, start, after, &mut pieces);
            start = after;
        }
    }
    pieces
}

fn is_stop(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '۔' | '؟' | '।')
}

/// Tells whether a sentence ends here though no space follows.
fn is_full_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？')
}

/// Adds a stretch without the space around it, in as many parts as it needs.
fn cut(text: &str, start: usize, end: usize, pieces: &mut Vec<Span>) {
    let mut rest = &text[start..end];
    loop {
        rest = rest.trim_start();
        let offset = end - rest.len();
        let trimmed = rest.trim_end();
        let Some((limit, _)) = trimmed.char_indices().nth(MAX_PASSAGE) else {
            if !trimmed.is_empty() {
                let characters = trimmed.chars().count();
                pieces.push(Span { start: offset, end: offset + trimmed.len(), characters });
            }
            return;
        };
        let head = &trimmed[..limit];
        let length = head.rfind(char::is_whitespace).filter(|&at| at > 0).unwrap_or(limit);
        let characters = head[..length].chars().count();
        pieces.push(Span { start: offset, end: offset + length, characters });
        rest = &rest[length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_texts_are_one_passage() {
        assert_eq!(passages("One. Two!\nThree"), ["One. Two!\nThree"]);
        assert_eq!(passages("  \n "), [""; 0]);
        assert_eq!(passages("v1.2 is out"), ["v1.2 is out"]);
    }

    #[test]
    fn long_texts_are_cut_between_sentences() {
        let (one, two) = ("a ".repeat(150) + "end.", "b ".repeat(150) + "end.");
        let text = format!("{one} {two}");
        assert_eq!(passages(&text), [one, two]);
    }

    #[test]
    fn long_sentences_are_cut_between_words() {
        let text = "word ".repeat(200);
        let passages = passages(&text);
        assert_eq!(passages.len(), 3);
        assert!(passages.iter().all(|passage| passage.split(' ').all(|word| word == "word")));
        assert_eq!(super::passages(&"x".repeat(900)).len(), 3);
        assert_eq!(super::passages(&"文。".repeat(300)).len(), 3);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_or_too_long(text in "([a-z.!?\n 漢。]{0,40}\\PC{0,30}){0,40}") {
            let bare = |text: &str| text.split_whitespace().collect::<String>();
            let passages = passages(&text);
            prop_assert_eq!(bare(&passages.concat()), bare(&text));
            for passage in passages {
                prop_assert!(!passage.trim().is_empty());
                prop_assert!(passage.chars().count() <= 2 * MAX_PASSAGE);
            }
        }
    }
}
