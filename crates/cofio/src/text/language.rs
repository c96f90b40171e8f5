//! Which language a text is in, told from few words.

use super::{script::Script, stop_words::Languages, word::Word};

/// A language with stop words and, except for `Other`, a stemmer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "a language is its name")]
pub enum Language {
    English,
    German,
    French,
    Spanish,
    Portuguese,
    Italian,
    Dutch,
    Swedish,
    Norwegian,
    Danish,
    Finnish,
    Turkish,
    Romanian,
    Hungarian,
    Russian,
    Greek,
    Arabic,
    Tamil,
    /// Any language whose words are not stemmed.
    Other,
}

impl Language {
    pub(super) const ALL: [Self; 19] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Portuguese,
        Self::Italian,
        Self::Dutch,
        Self::Swedish,
        Self::Norwegian,
        Self::Danish,
        Self::Finnish,
        Self::Turkish,
        Self::Romanian,
        Self::Hungarian,
        Self::Russian,
        Self::Greek,
        Self::Arabic,
        Self::Tamil,
        Self::Other,
    ];

    /// Returns the language called `name`, in lower case, or `Other`.
    pub(super) fn named(name: &str) -> Self {
        let is_named = |language: &Self| format!("{language:?}").eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(is_named).unwrap_or(Self::Other)
    }
}

/// What the words of a text say about its language.
///
/// Words in a script of their own are never in doubt; the guess is about the Latin ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    latin: Language,
    /// Whether the guess rests on more than one word, or is the default.
    certain: bool,
}

impl Guess {
    /// Guesses from stop words and letters; English wins a tie.
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a Word>) -> Self {
        let mut votes = Votes::default();
        for word in words.filter(|word| word.script == Script::Latin) {
            votes.add(word.stop_word_in);
            votes.add(word.letters_of);
        }
        votes.guess()
    }

    /// Returns the language `word` is taken to be in.
    pub(super) fn language_of(self, word: &Word) -> Language {
        match word.script {
            Script::Latin => self.latin,
            Script::Cyrillic => Language::Russian,
            Script::Greek => Language::Greek,
            Script::Arabic => Language::Arabic,
            Script::Tamil => Language::Tamil,
            Script::Hangul | Script::Other => Language::Other,
        }
    }

    /// Tells whether `word` is a stop word here.
    ///
    /// Capitals make a word a name (IT, US, WHO), and an uncertain guess drops nothing.
    pub(super) fn drops(self, word: &Word) -> bool {
        let sure = self.certain || word.script != Script::Latin;
        sure && !word.in_capitals && word.stop_word_in.contains(self.language_of(word))
    }

    /// Tells whether Latin words might as well be English.
    pub(super) fn may_be_english(self) -> bool {
        !self.certain
    }
}

/// Votes by which a language must lead English before its stop words are dropped.
///
/// One word alone is often a coincidence: "die hard", "son injured".
const CERTAIN_LEAD: u32 = 2;

#[derive(Default)]
struct Votes([u32; Language::ALL.len()]);

impl Votes {
    fn add(&mut self, languages: Languages) {
        if languages.is_empty() {
            return;
        }
        for language in Language::ALL.into_iter().filter(|&language| languages.contains(language)) {
            self.0[language as usize] += 1;
        }
    }

    fn guess(&self) -> Guess {
        let mut latin = Language::English;
        for language in Language::ALL {
            if self.of(language) > self.of(latin) {
                latin = language;
            }
        }
        let lead = self.of(latin) - self.of(Language::English);
        Guess { latin, certain: latin == Language::English || lead >= CERTAIN_LEAD }
    }

    fn of(&self, language: Language) -> u32 {
        self.0[language as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::{super::language, Language};

    fn check(expected: Language, texts: &[&str]) {
        for text in texts {
            assert_eq!(language(text), expected, "{text:?}");
        }
    }

    #[test]
    fn short_latin_texts_are_told_apart() {
        check(
            Language::English,
            &["where did Alice put the keys", "my son turned five", "updated the résumé"],
        );
        check(
            Language::German,
            &["Wo hat Anna ihre Schlüssel gelassen", "ich wohne in Berlin", "das ist gut"],
        );
        check(
            Language::French,
            &["où est la bibliothèque", "Je suis allé au marché", "c'est l'été"],
        );
        check(
            Language::Spanish,
            &["dónde está la biblioteca", "El perro vive con mi hermana", "mañana no puedo"],
        );
        check(
            Language::Portuguese,
            &["onde está o meu livro", "Eu não gosto de café", "a reunião foi ontem"],
        );
        check(
            Language::Italian,
            &["dove abita mia sorella", "Il gatto dorme sul divano", "non ho capito perché"],
        );
        check(
            Language::Dutch,
            &["waar heb je het boek gelaten", "Ik woon niet in Amsterdam", "het is mijn huis"],
        );
        check(
            Language::Swedish,
            &["var bor du nu", "Jag tycker inte om kaffe", "det är en bok på bordet"],
        );
        check(
            Language::Norwegian,
            &["hva heter du", "Jeg liker ikke kaffe og vet ikke hvorfor meg", "noen har sett meg"],
        );
        check(
            Language::Danish,
            &["hvad hedder du", "Jeg kan ikke lide kaffe af den slags", "hvornår kommer han"],
        );
        check(Language::Finnish, &["missä sinä asut", "Minä en juo kahvia", "hän on töissä"]);
        check(
            Language::Turkish,
            &["kitap nerede", "Ben İstanbul'da yaşıyorum", "bu çok güzel bir gün"],
        );
        check(
            Language::Romanian,
            &["unde este cartea mea", "Nu îmi place cafeaua", "el este în București"],
        );
        check(
            Language::Hungarian,
            &["hol van a könyvem", "Nem szeretem a kávét", "ez egy jó nap volt"],
        );
    }

    #[test]
    fn scripts_tell_the_language() {
        check(Language::Russian, &["где моя книга", "Привет"]);
        check(Language::Greek, &["πού είναι το βιβλίο"]);
        check(Language::Arabic, &["أين الكتاب"]);
        check(Language::Tamil, &["நான் சென்னையில் வசிக்கிறேன்"]);
        check(
            Language::Other,
            &["東京に住んでいる", "אני גר בתל אביב", "나는 서울에 산다", "Tôi sống ở Hà Nội"],
        );
    }

    #[test]
    fn nothing_to_go_by_means_english() {
        check(Language::English, &["", "Alice Bob", "12:30", "🎉"]);
    }

    #[test]
    fn the_larger_part_decides() {
        check(Language::English, &["the word книга means book"]);
        check(Language::Russian, &["книга называется Rust"]);
    }
}
