//! Whether documents and queries meet, over languages, scripts and arbitrary text.

use proptest::prelude::*;

use super::*;

fn finds(document: &str, query: &str) -> bool {
    let terms = document_terms(document);
    query_terms(query).iter().any(|term| terms.contains(term))
}

fn check(expected: bool, pairs: &[(&str, &str)]) {
    let wrong: Vec<_> =
        pairs.iter().filter(|(document, query)| finds(document, query) != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn english_is_found_by_other_forms_of_its_words() {
    check(
        true,
        &[
            ("Alice's deployment failed on Tuesday", "when did Alice deploy"),
            ("Bob prefers tabs over spaces", "what is Bob's preference? preferred tab"),
            ("She was running late for the meetings", "run"),
            ("Don't forget the milk", "forgetting milk"),
            ("Lunch with O'Brien", "obrien"),
            ("Lunch with O’Brien", "O'Brien"),
            ("The café résumé is naïve", "cafe resume naive"),
            ("The IT team moved to the US office", "who runs IT"),
            ("Trip to Rome in May", "may"),
        ],
    );
}

#[test]
fn european_languages_are_found_by_other_forms_of_their_words() {
    check(
        true,
        &[
            ("Die Krankenhäuser in der Stadt sind voll", "Wo ist das Krankenhaus?"),
            ("Wir haben die Schlüssel in der Küche gefunden", "schlussel"),
            ("Meine Straße ist sehr laut", "STRASSE"),
            ("Ich fahre mit der Donaudampfschifffahrt", "donaudampfschifffahrt"),
            ("Nous avons bu de l'eau dans les montagnes", "montagne"),
            ("L’école est fermée aujourd’hui", "ecole"),
            ("Les voitures rapides sont dans le garage", "voiture rapide"),
            ("Las canciones de mi abuela son muy bonitas", "canción bonita"),
            ("El niño vive en España", "ESPANA"),
            ("As reuniões são na segunda-feira", "segunda"),
            ("Eu não gosto de gatos pretos", "onde está o gato preto"),
            ("Le città italiane sono molto belle", "dove è la citta italiana"),
            ("De kinderen spelen in de tuinen", "tuin"),
            ("Jag bor i de röda husen på landet", "vad är mitt hus"),
            ("Vi spiste fisk og potetene var gode", "poteter"),
            ("Jeg har købt nogle bøger om danske konger", "hvad er der i bøgerne"),
            ("Minä asun vanhassa talossa Helsingissä", "helsinki asua talo"),
            ("Am cumpărat niște cărți pentru copii", "cărțile copiilor"),
            ("A könyvek az asztalon vannak", "hol van a könyvem"),
            ("Moja siostra mieszka w Łodzi", "lodzi"),
            ("Příliš žluťoučký kůň", "kun"),
        ],
    );
}

#[test]
fn turkish_and_vietnamese_are_found_with_and_without_their_marks() {
    check(
        true,
        &[
            ("Kitaplar masanın üzerinde", "kitap nerede"),
            ("İstanbul'da yaşıyorum", "ISTANBUL"),
            ("Işık açık kaldı", "isik"),
            ("Toplantı yarın öğleden sonra", "toplanti"),
            ("Tôi sống ở Hà Nội với gia đình", "ha noi"),
            ("Cuộc họp ở Đà Nẵng", "Đà Nẵng"),
        ],
    );
}

#[test]
fn other_alphabets_are_found() {
    check(
        true,
        &[
            ("Я читаю интересную книгу", "какие книги интересные"),
            ("Ещё одна ёлка", "елка"),
            ("Мы встретились с Иваном в Москве", "Москва"),
            ("Το βιβλίο είναι στο τραπέζι", "βιβλία"),
            ("Μένω στην Αθήνα", "ΑΘΗΝΑ"),
            ("قرأت الكتاب في المكتبة", "كتاب"),
            ("اجتماع مع أحمد غدا", "احمد"),
            ("مُحَمَّد يعمل هنا", "محمد"),
            ("שָׁלוֹם עולם", "שלום"),
            ("הפגישה עם דני ביום ראשון", "דני"),
            ("मैं दिल्ली में रहता हूँ", "दिल्ली"),
            ("मेरा नाम राम है", "राम"),
            ("நான் சென்னையில் வசிக்கிறேன்", "சென்னையில்"),
            ("Ես ապրում եմ Երևանում", "երևանում"),
            ("მე ვცხოვრობ თბილისში", "თბილისში"),
        ],
    );
}

#[test]
fn text_without_spaces_is_found() {
    check(
        true,
        &[
            ("東京で友達と寿司を食べました", "寿司"),
            ("東京で友達と寿司を食べました", "東京"),
            ("猫は可愛い", "猫が好き"),
            ("本を読む", "本"),
            ("ｶﾀｶﾅ入力", "カタカナ"),
            ("我喜欢在北京吃烤鸭", "北京烤鸭"),
            ("会议改到星期三下午。", "星期三"),
            ("使用Rust语言编写", "rust"),
            ("ฉันชอบกินข้าวผัดที่กรุงเทพ", "ข้าวผัด"),
            ("ຂ້ອຍຢູ່ວຽງຈັນ", "ວຽງຈັນ"),
            ("ខ្ញុំរស់នៅភ្នំពេញ", "ភ្នំពេញ"),
            ("ကျွန်တော် ရန်ကုန်မှာ နေတယ်", "ရန်ကုန်"),
            ("나는 학교에서 친구를 만났다", "학교"),
            ("서울에 살고 있어요", "서울"),
            ("Rust는 빠르다", "rust"),
        ],
    );
}

#[test]
fn identifiers_and_symbols_are_found_whole_and_in_parts() {
    check(
        true,
        &[
            ("see src/main.rs.", "src/main.rs"),
            ("see src/main.rs.", "main.rs"),
            ("upgrade (v1.2.3), please", "v1.2.3"),
            ("call getUserName()", "user name"),
            ("call getUserName()", "getusername"),
            ("the HTTPServer crashed", "http server"),
            ("set snake_case on", "case"),
            ("mail user@example.com!", "user@example.com"),
            ("open https://example.com/a?b=c", "example.com"),
            ("written in C++ and C#", "C#"),
            ("edit .env now", ".env"),
            ("#hashtag @mention", "mention"),
            ("[docs](https://docs.rs/serde)", "https://docs.rs/serde"),
            ("shipped 🎉🎉", "🎉"),
            ("nice 👍🏽", "👍"),
            ("love ❤️", "❤"),
            ("from 🇮🇹", "🇮🇹"),
        ],
    );
}

#[test]
fn what_is_not_there_is_not_found() {
    check(
        false,
        &[
            ("Alice likes tea", "coffee"),
            ("The cat sat on the mat", "what is the dog doing on it"),
            ("give it to us", "who runs IT"),
            ("Die Katze schläft in der Küche", "wo ist der Hund"),
            ("Le chat est dans la cuisine", "où est le chien"),
            ("El gato está en la casa", "dónde está el perro"),
            ("Я читаю книгу", "где собака"),
            ("東京で寿司を食べた", "大阪"),
            ("我喜欢北京", "上海"),
            ("ฉันชอบแมว", "หมู"),
            ("나는 학교에 간다", "병원"),
            ("उसका नाम राम है", "दिल्ली"),
            ("קראתי ספר", "שולחן"),
            ("🎉", "🎊"),
            ("written in C++", "F#"),
        ],
    );
}

#[test]
fn stop_words_find_each_other_only_where_there_is_nothing_else() {
    check(true, &[("To be, or not to be", "to be or not to be"), ("Who is it?", "who is it")]);
    check(false, &[("It is the cat", "who is it")]);
}

#[test]
fn a_word_is_indexed_by_spelling_and_stem() {
    assert_eq!(document_terms("Running, running"), ["running", "run", "running", "run"]);
    assert_eq!(document_terms("Alice's"), ["alice", "alic"]);
    assert_eq!(document_terms("I don't know"), ["know"]);
    assert_eq!(query_terms("run running run"), ["run", "running"]);
}

#[test]
fn a_foreign_query_also_asks_for_the_english_stem() {
    let terms = query_terms("wo sind die running shoes von Anna");
    assert!(terms.contains(&"run".to_owned()), "{terms:?}");
}

#[test]
fn long_terms_and_queries_are_cut() {
    let long = "é".repeat(1000);
    assert_eq!(document_terms(&long)[0], "e".repeat(MAX_TERM));
    let words: String = (0..1000).map(|number| number.to_string() + " ").collect();
    assert_eq!(query_terms(&words).len(), MAX_QUERY_TERMS);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn terms_keep_their_promises(text in any_text()) {
        let queried = query_terms(&text);
        prop_assert!(queried.len() <= MAX_QUERY_TERMS);
        for term in document_terms(&text).iter().chain(&queried) {
            let forbidden = |c: char| c.is_whitespace() || c.is_control() || c == '"';
            prop_assert!(!term.is_empty() && !term.contains(forbidden), "{term:?}");
            prop_assert!(term.chars().count() <= MAX_TERM, "{term:?}");
            prop_assert!(term.chars().all(|c| c.to_lowercase().eq([c])), "{term:?}");
        }
        fold(&text);
        language(&text);
    }

    #[test]
    fn a_text_is_found_by_itself(text in any_text()) {
        prop_assert_eq!(finds(&text, &text), !document_terms(&text).is_empty());
    }

    #[test]
    fn a_plain_word_is_found_by_itself(before in ".{0,40}", word in "[a-zA-Z]{3,20}", after in ".{0,40}") {
        let stop_word = !stop_words::stop_word_in(&word.to_lowercase()).is_empty();
        prop_assume!(!stop_word);
        let document = format!("{before} {word} {after}");
        prop_assert!(finds(&document, &word));
    }
}

/// Returns text of every script, and text dense in what the analyser treats specially.
fn any_text() -> impl Strategy<Value = String> {
    let special = r#"([a-zA-Z0-9]{1,3}|[-_./@#+'"’ \t]|[éßİǅΣςёй]|[가-힣]|[一-龥ぁ-んァ-ヶ]|[ก-๎]|[؀-ۿ]|[\u{300}-\u{36f}]|[🇦-🇿🎉-🏿]|[αβισματων]){0,40}"#;
    prop_oneof![any::<String>(), special, r"(\PC| ){0,60}"]
}
