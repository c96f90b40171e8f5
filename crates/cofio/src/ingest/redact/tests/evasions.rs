use super::super::{Finding, Level, findings, findings_across, redact};
use super::examples::expanded;

fn key() -> String {
    expanded("ghp_{alnum:36}")
}

/// Checks that nothing but `rest` is left of a text.
fn check(text: &str, rest: &str) {
    assert_eq!(redact(text, "[X]", Level::Probable).text.as_str(), rest, "{text:?}");
}

fn each(key: &str, write: impl Fn(char) -> String) -> String {
    key.chars().map(write).collect()
}

#[test]
fn letters_that_look_alike_are_read() {
    let key = key();
    let wide = |letter: char| char::from_u32(letter as u32 + 0xFEE0).unwrap().to_string();
    let tag = |letter: char| char::from_u32(letter as u32 + 0xE0000).unwrap().to_string();
    check(&format!("it is {} ok", each(&key, wide)), "it is [X] ok");
    check(&format!("it is {} ok", each(&key, tag)), "it is [X] ok");
    check(
        &format!("it is {} ok", each(&key, |letter| format!("{letter}\u{200b}"))),
        "it is [X]\u{200b} ok",
    );
    check(&format!("it is {}\u{ad}{} ok", &key[..7], &key[7..]), "it is [X] ok");
    check(&format!("it is {} ok", key.replacen('p', "р", 1)), "it is [X] ok");
}

#[test]
fn letters_that_are_written_as_codes_are_read() {
    let key = key();
    for code in [
        each(&key, |letter| format!("%{:02X}", letter as u32)),
        each(&key, |letter| format!("%25{:02X}", letter as u32)),
        each(&key, |letter| format!("&#{};", letter as u32)),
        each(&key, |letter| format!("&#x{:x};", letter as u32)),
        each(&key, |letter| format!("\\u{:04x}", letter as u32)),
        each(&key, |letter| format!("\\x{:02x}", letter as u32)),
        each(&key, |letter| format!("={:02X}", letter as u32)),
        each(&key, |letter| format!("{:02x}", letter as u32)),
    ] {
        check(&format!("it is {code} ok"), "it is [X] ok");
    }
    let numbers: Vec<String> = key.bytes().map(|byte| byte.to_string()).collect();
    check(&format!("[{}]", numbers.join(", ")), "[[X]]");
}

#[test]
fn keys_in_base64_are_read_also_twice() {
    let alphabet: Vec<char> =
        ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['+', '/']).collect();
    let encode = |text: &str| -> String {
        let bits: Vec<u8> =
            text.bytes().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
        bits.chunks(6)
            .map(|six| {
                six.iter().chain([&0; 5]).take(6).fold(0, |sum, bit| sum << 1 | usize::from(*bit))
            })
            .map(|digit| alphabet[digit])
            .collect()
    };
    check(&format!("it is {} ok", encode(&key())), "it is [X] ok");
    check(&format!("it is {} ok", encode(&encode(&key()))), "it is [X] ok");
}

#[test]
fn keys_in_parts_are_read() {
    let key = key();
    let (left, right) = key.split_at(20);
    check(&format!("it is {left}\n{right} ok"), "it is [X] ok");
    check(&format!("it is {left}\\\n  {right} ok"), "it is [X] ok");
    check(&format!("> {left}\n> {right}"), "> [X]");
    check(&format!("k = \"{left}\" + \"{right}\""), "k = \"[X]\"");
    check(&format!("k = \"{left}\"\n  \"{right}\""), "k = \"[X]\"");
    check(&format!("it is {left}**{right}** ok"), "it is [X]** ok");
    check(&format!("it is {left}<wbr>{right} ok"), "it is [X] ok");
    let spaced: Vec<String> = key.chars().map(String::from).collect();
    check(&format!("it is: {}", spaced.join(" ")), "it is: [X]");
    let fours: Vec<&str> = (0..10).map(|at| &key[at * 4..at * 4 + 4]).collect();
    check(&format!("it is: {}", fours.join(" ")), "it is: [X]");
}

#[test]
fn keys_that_were_turned_are_read() {
    let backwards: String = key().chars().rev().collect();
    check(&format!("it is {backwards} ok"), "it is [X] ok");
    let moved = each(&key(), |letter| {
        let turn = |first: u8| char::from((letter as u8 - first + 13) % 26 + first);
        match letter {
            'a'..='z' => turn(b'a'),
            'A'..='Z' => turn(b'A'),
            _ => letter,
        }
        .to_string()
    });
    check(&format!("it is {moved} ok"), "it is [X] ok");
}

#[test]
fn a_key_over_several_turns_is_found_in_all_of_them() {
    let key = expanded("AKIA{b32:7}4{b32:8}");
    let (left, right) = key.split_at(9);
    let first = format!("it starts with {left}");
    let second = format!("and goes on with {right}, thanks");
    let found = findings_across(&["hello", &first, "wait"], &second);
    let parts: Vec<(usize, &str)> = found
        .iter()
        .map(|(turn, Finding { range, .. })| (*turn, &[&first, &second][turn / 3][range.clone()]))
        .collect();
    assert_eq!(parts, [(1, left), (3, right)]);
}

#[test]
fn turns_of_prose_give_nothing_together() {
    let earlier = ["I like green tea", "see you at 10am in B2", "the build is v1.2.3"];
    assert!(findings_across(&earlier, "Room AB12 is free, ask Dana3").is_empty());
    let whole = format!("it is {}", expanded("sk-proj-{url:60}"));
    assert!(findings_across(&[&whole], "ask Dana3 in room B2Z9").is_empty());
    assert!(findings("I like green tea see you at 10am in B2").is_empty());
}
