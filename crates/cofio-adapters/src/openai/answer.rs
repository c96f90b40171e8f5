//! Turns what a server answers into vectors, or says what is wrong with it.

use std::fmt;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, de};

/// Not every server fills base64 up at its end.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    /// Which text it is for; servers without it answer in order.
    index: Option<usize>,
    embedding: Numbers,
}

/// Numbers as an array or as little-endian floats in base64.
struct Numbers(Vec<f32>);

/// Reads the vectors of so many texts, in the order of the texts, each of length one.
///
/// The error says what is wrong and holds nothing of the answer's content.
pub fn read(body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        match error.classify() {
            serde_json::error::Category::Data => {
                format!("it holds something other than vectors at {place}")
            }
            _ => format!("it is not JSON at {place}"),
        }
    })?;
    if answer.data.len() != texts {
        return Err(format!("it has {} vectors for {texts} texts", answer.data.len()));
    }
    let mut vectors = in_order(answer.data)?;
    let dimensions = vectors.first().map_or(0, Vec::len);
    for (position, vector) in vectors.iter_mut().enumerate() {
        if vector.len() != dimensions {
            return Err(format!("its vectors have {dimensions} and {} dimensions", vector.len()));
        }
        normalise(vector).map_err(|what| format!("vector {position} {what}"))?;
    }
    Ok(vectors)
}

fn in_order(items: Vec<Item>) -> Result<Vec<Vec<f32>>, String> {
    if items.iter().all(|item| item.index.is_none()) {
        return Ok(items.into_iter().map(|item| item.embedding.0).collect());
    }
    let mut vectors: Vec<Option<Vec<f32>>> = items.iter().map(|_| None).collect();
    for item in items {
        let place = item.index.and_then(|index| vectors.get_mut(index));
        let Some(place @ None) = place else {
            return Err("it does not number its vectors from 0, each once".to_owned());
        };
        *place = Some(item.embedding.0);
    }
    Ok(vectors.into_iter().flatten().collect())
}

fn normalise(vector: &mut [f32]) -> Result<(), &'static str> {
    if vector.iter().any(|number| !number.is_finite()) {
        return Err("has a number that is not finite");
    }
    let length = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
    if length == 0.0 {
        return Err("has no direction");
    }
    for number in vector {
        #[expect(clippy::cast_possible_truncation, reason = "it is at most one")]
        {
            *number = (f64::from(*number) / length) as f32;
        }
    }
    Ok(())
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumbersVisitor)
    }
}

struct NumbersVisitor;

impl<'de> Visitor<'de> for NumbersVisitor {
    type Value = Numbers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of numbers, or base64")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Numbers, A::Error> {
        let mut numbers = Vec::new();
        while let Some(number) = items.next_element()? {
            numbers.push(number);
        }
        Ok(Numbers(numbers))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Numbers, E> {
        let bytes = BASE64.decode(text).map_err(|_| E::custom("not base64"))?;
        let (floats, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::custom("not a whole number of floats"));
        }
        Ok(Numbers(floats.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(body: &str, texts: usize, expected: Result<&[&[f32]], &str>) {
        let found = read(body.as_bytes(), texts);
        let found = found.as_ref().map(|vectors| vectors.iter().map(Vec::as_slice).collect());
        let expected = expected.map(<[_]>::to_vec);
        assert_eq!(found.map_err(String::as_str), expected, "{body}");
    }

    #[test]
    fn vectors_come_as_numbers_or_base64_in_any_order() {
        check(r#"{"data": [{"index": 0, "embedding": [3, 4.0]}]}"#, 1, Ok(&[&[0.6, 0.8]]));
        check(
            r#"{"data": [{"embedding": [2, 0]}, {"embedding": [0, -3e0]}]}"#,
            2,
            Ok(&[&[1.0, 0.0], &[0.0, -1.0]]),
        );
        check(
            r#"{"data": [{"index": 1, "embedding": [2, 0]}, {"index": 0, "embedding": [0, 2]}]}"#,
            2,
            Ok(&[&[0.0, 1.0], &[1.0, 0.0]]),
        );
        // 0.0 and 2.0, with and without padding.
        check(r#"{"data": [{"index": 0, "embedding": "AAAAAAAAAEA="}]}"#, 1, Ok(&[&[0.0, 1.0]]));
        check(r#"{"data": [{"index": 0, "embedding": "AAAAAAAAAEA"}]}"#, 1, Ok(&[&[0.0, 1.0]]));
        check(r#"{"data": []}"#, 0, Ok(&[]));
    }

    #[test]
    fn very_small_and_very_large_numbers_keep_their_direction() {
        check(r#"{"data": [{"embedding": [1e-38, 0]}]}"#, 1, Ok(&[&[1.0, 0.0]]));
        check(r#"{"data": [{"embedding": [0, 3e38]}]}"#, 1, Ok(&[&[0.0, 1.0]]));
    }

    #[test]
    fn what_is_wrong_is_said_without_its_content() {
        let two = |a: &str, b: &str| format!(r#"{{"data": [{{{a}}}, {{{b}}}]}}"#);
        let order = "it does not number its vectors from 0, each once";
        let (e, i0) = (r#""embedding": [1]"#, r#""index": 0"#);
        check(&two(&format!("{e}, {i0}"), &format!("{e}, {i0}")), 2, Err(order));
        check(&two(&format!("{e}, {i0}"), e), 2, Err(order));
        check(&two(&format!(r#"{e}, "index": 7"#), &format!("{e}, {i0}")), 2, Err(order));
        check(&two(e, r#""embedding": [1, 2]"#), 2, Err("its vectors have 1 and 2 dimensions"));
        check(&two(e, r#""embedding": [0]"#), 2, Err("vector 1 has no direction"));
        check(&two(e, r#""embedding": []"#), 2, Err("its vectors have 1 and 0 dimensions"));
        check(&two(e, e), 3, Err("it has 2 vectors for 3 texts"));
        check(r#"{"data": [{"embedding": []}]}"#, 1, Err("vector 0 has no direction"));
        // A float that is not a number.
        let nan = r#"{"data": [{"embedding": "AADAfw=="}]}"#;
        check(nan, 1, Err("vector 0 has a number that is not finite"));
        for data in ["secret", r#"{"data": [{"embedding": [NaN]}]}"#, "", r#"{"data": ["#] {
            let error = read(data.as_bytes(), 1).unwrap_err();
            assert!(error.starts_with("it is not JSON at line "), "{data}: {error}");
        }
        for data in [
            r#"{"data": "secret"}"#,
            r#"{"data": [{"embedding": "secret"}]}"#,
            r#"{"data": [{"embedding": "AAAA"}]}"#,
            r#"{"data": [{"embedding": [null]}]}"#,
            r#"{"data": [{"embedding": null}]}"#,
            r#"{"error": "secret"}"#,
            "[]",
        ] {
            let error = read(data.as_bytes(), 1).unwrap_err();
            let start = "it holds something other than vectors at line ";
            assert!(error.starts_with(start) && !error.contains("secret"), "{data}: {error}");
        }
    }
}
