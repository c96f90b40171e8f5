//! Numbers of payment cards.

use super::Level;
use super::detect::{By, Found};
use super::words::Promise;

/// Adds the numbers that can be a card's: the right beginning, length and check digit.
pub fn numbers(text: &str, hints: &[(usize, Promise)], found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let opens = bytes[at].is_ascii_digit() && !(at > 0 && part_of_number(bytes[at - 1]));
        if !opens {
            at += 1;
            continue;
        }
        let (digits, end) = digits(bytes, at);
        if is_card(&digits) && !bytes.get(end).is_some_and(|byte| part_of_number(*byte)) {
            let last = hints.partition_point(|(sign, _)| *sign <= at);
            let near = hints[..last].iter().rev().take(6);
            let named = near
                .filter(|(sign, _)| at - sign < 64)
                .any(|(_, promise)| *promise == Promise::Card);
            let level = if named { Level::Probable } else { Level::Possible };
            let range = at..end;
            found.push(Found {
                class: "card-number",
                family: "payment",
                level,
                range,
                by: By::Form,
            });
        }
        at = end.max(at + 1);
    }
}

fn part_of_number(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_./-".contains(&byte)
}

/// Reads digits in groups; returns them and where they end.
fn digits(bytes: &[u8], start: usize) -> (Vec<u8>, usize) {
    let mut digits = Vec::new();
    let mut at = start;
    let mut end = start;
    while at < bytes.len() && digits.len() < 24 {
        match bytes[at] {
            digit @ b'0'..=b'9' => {
                digits.push(digit - b'0');
                end = at + 1;
            }
            b' ' | b'-' if at > start && bytes[at - 1].is_ascii_digit() => {}
            _ => break,
        }
        at += 1;
    }
    (digits, end)
}

fn is_card(digits: &[u8]) -> bool {
    let issuer = match digits {
        [4, ..] => [13, 16, 19].contains(&digits.len()),
        [5, 1..=5, ..] | [2, 2..=7, ..] | [3, 5, ..] => digits.len() == 16,
        [3, 4 | 7, ..] => digits.len() == 15,
        [6, 0 | 2 | 4 | 5, ..] => (16..=19).contains(&digits.len()),
        [3, 0 | 6 | 8, ..] => digits.len() == 14,
        _ => false,
    };
    issuer && digits.iter().any(|digit| *digit != digits[0]) && luhn(digits)
}

/// Checks the last digit as ISO/IEC 7812 does.
fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(*digit);
            if place % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
        })
        .sum();
    sum.is_multiple_of(10)
}
