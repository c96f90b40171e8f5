use serde_json::{Map, Value, json};

/// What an answer looks like.
///
/// Everything in it has a limit, every field of an object has to be there, and no other may be.
/// Servers differ in what they understand of JSON Schema, so the schema says what all of them do,
/// with limits in words; [`check`](Shape::check) holds to all of it, whoever answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A text that is not blank, of at most so many characters.
    Text(usize),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number from the first to the second.
    Whole(i64, i64),
    /// A number from the first to the second.
    Number(f64, f64),
    /// Yes or no.
    Flag,
    /// At most so many of the same.
    List(Box<Shape>, usize),
    /// Fields with these names.
    Object(Vec<(&'static str, Shape)>),
    /// That, or null.
    Maybe(Box<Shape>),
}

impl Shape {
    /// Makes the shape of the number of something that was shown, of which there are at most so many.
    pub fn number_of(most: usize) -> Self {
        Self::Whole(1, i64::try_from(most).unwrap_or(i64::MAX))
    }

    /// Makes the shape of a list.
    pub fn list(item: Self, most: usize) -> Self {
        Self::List(Box::new(item), most)
    }

    /// Makes the shape of what may be null.
    pub fn maybe(shape: Self) -> Self {
        Self::Maybe(Box::new(shape))
    }

    /// Returns the JSON schema that a server is given.
    pub fn json_schema(&self) -> Value {
        match self {
            Self::Text(most) => {
                json!({"type": "string", "description": format!("1 to {most} characters")})
            }
            Self::Word(words) => json!({"type": "string", "enum": words}),
            Self::Whole(least, most) => {
                json!({"type": "integer", "description": format!("{least} to {most}")})
            }
            Self::Number(least, most) => {
                json!({"type": "number", "description": format!("{least} to {most}")})
            }
            Self::Flag => json!({"type": "boolean"}),
            Self::List(item, most) => json!({
                "type": "array",
                "items": item.json_schema(),
                "description": format!("at most {most}"),
            }),
            Self::Object(fields) => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
                let properties: Map<String, Value> = fields
                    .iter()
                    .map(|(name, shape)| ((*name).to_owned(), shape.json_schema()))
                    .collect();
                json!({
                    "type": "object",
                    "properties": properties,
                    "required": names,
                    "additionalProperties": false,
                })
            }
            Self::Maybe(shape) => json!({"anyOf": [shape.json_schema(), {"type": "null"}]}),
        }
    }

    /// Refuses a value of another shape.
    ///
    /// The error says where and what is wrong, and holds nothing of the value.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.check_at("the answer", value)
    }

    fn check_at(&self, place: &str, value: &Value) -> Result<(), String> {
        let fits = match (self, value) {
            (Self::Text(most), Value::String(text)) => {
                !text.trim().is_empty() && text.chars().nth(*most).is_none()
            }
            (Self::Word(words), Value::String(text)) => words.contains(&text.as_str()),
            (Self::Whole(least, most), Value::Number(number)) => {
                number.as_i64().is_some_and(|number| (*least..=*most).contains(&number))
            }
            (Self::Number(least, most), Value::Number(number)) => {
                number.as_f64().is_some_and(|number| (*least..=*most).contains(&number))
            }
            (Self::Flag, Value::Bool(_)) | (Self::Maybe(_), Value::Null) => true,
            (Self::Maybe(shape), value) => return shape.check_at(place, value),
            (Self::List(item, most), Value::Array(items)) if items.len() <= *most => {
                return (0..).zip(items).try_for_each(|(position, value): (usize, _)| {
                    item.check_at(&format!("{place}[{position}]"), value)
                });
            }
            (Self::Object(fields), Value::Object(values)) => {
                return check_fields(place, fields, values);
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(format!("{place} has to be {}", self.words())) }
    }

    fn words(&self) -> String {
        match self {
            Self::Text(most) => format!("a text of 1 to {most} characters"),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Flag => "true or false".to_owned(),
            Self::List(_, most) => format!("a list of at most {most}"),
            Self::Object(_) => "an object".to_owned(),
            Self::Maybe(shape) => format!("{}, or null", shape.words()),
        }
    }
}

fn check_fields(
    place: &str,
    fields: &[(&'static str, Shape)],
    values: &Map<String, Value>,
) -> Result<(), String> {
    for (name, shape) in fields {
        let value = values.get(*name).ok_or_else(|| format!("{place} has no field {name}"))?;
        shape.check_at(&format!("{place}.{name}"), value)?;
    }
    if values.len() > fields.len() {
        return Err(format!("{place} has a field that was not asked for"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape() -> Shape {
        let fact = Shape::Object(vec![
            ("text", Shape::Text(5)),
            ("kind", Shape::Word(&["plan", "taste"])),
            ("turn", Shape::maybe(Shape::Whole(1, 3))),
            ("sure", Shape::Number(0.0, 1.0)),
        ]);
        Shape::Object(vec![("facts", Shape::list(fact, 2)), ("done", Shape::Flag)])
    }

    fn check(fact: &Value, expected: Result<(), &str>) {
        let answer = json!({"facts": [fact], "done": true});
        assert_eq!(shape().check(&answer), expected.map_err(ToOwned::to_owned), "{fact}");
    }

    #[test]
    fn what_fits_is_taken() {
        check(&json!({"text": "größe", "kind": "plan", "turn": 3, "sure": 1}), Ok(()));
        check(&json!({"text": "a", "kind": "taste", "turn": null, "sure": 0.25}), Ok(()));
        assert_eq!(shape().check(&json!({"facts": [], "done": false})), Ok(()));
    }

    #[test]
    fn what_does_not_fit_is_named_without_its_content() {
        let with = |name: &str, value: Value| {
            let mut fact = json!({"text": "a", "kind": "plan", "turn": 1, "sure": 0});
            fact[name] = value;
            fact
        };
        let text = "the answer.facts[0].text has to be a text of 1 to 5 characters";
        for value in [json!("secret"), json!(" "), json!(""), json!(7), json!(null), json!(["a"])] {
            check(&with("text", value), Err(text));
        }
        let kind = "the answer.facts[0].kind has to be one of plan, taste";
        check(&with("kind", json!("secret")), Err(kind));
        let turn = "the answer.facts[0].turn has to be a whole number from 1 to 3";
        for value in [json!(0), json!(4), json!(1.5), json!("1"), json!(u64::MAX)] {
            check(&with("turn", value), Err(turn));
        }
        let sure = "the answer.facts[0].sure has to be a number from 0 to 1";
        for value in [json!(1.01), json!(-1), json!("0")] {
            check(&with("sure", value), Err(sure));
        }
        check(
            &with("secret", json!(1)),
            Err("the answer.facts[0] has a field that was not asked for"),
        );
        check(&json!({"text": "a"}), Err("the answer.facts[0] has no field kind"));
        check(&json!("secret"), Err("the answer.facts[0] has to be an object"));
        let many = json!({"facts": [1, 2, 3], "done": true});
        let expected = "the answer.facts has to be a list of at most 2";
        assert_eq!(shape().check(&many).unwrap_err(), expected);
        let unsure = json!({"facts": [], "done": "yes"});
        assert_eq!(shape().check(&unsure).unwrap_err(), "the answer.done has to be true or false");
    }

    #[test]
    fn a_schema_asks_for_every_field_and_forbids_others() {
        let expected = json!({
            "type": "object",
            "properties": {
                "done": {"type": "boolean"},
                "words": {
                    "type": "array",
                    "items": {"anyOf": [
                        {"type": "string", "description": "1 to 9 characters"},
                        {"type": "null"},
                    ]},
                    "description": "at most 2",
                },
            },
            "required": ["words", "done"],
            "additionalProperties": false,
        });
        let words = Shape::list(Shape::maybe(Shape::Text(9)), 2);
        let shape = Shape::Object(vec![("words", words), ("done", Shape::Flag)]);
        assert_eq!(shape.json_schema(), expected);
    }
}
