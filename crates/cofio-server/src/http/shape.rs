//! Where lists may stand in JSON: where the documentation of a type has them, and nowhere else.
//!
//! What has names can be read from a list of values as well, one after the other, in every type
//! that serde derives. Nobody is told of that, and whoever sends a list means something else.

use std::fmt;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The form of a type, as its documentation has it.
#[derive(Debug)]
pub(crate) struct Shape(Value);

impl Shape {
    /// Returns the form of what is sent as a type.
    pub(crate) fn of<T: JsonSchema>() -> Self {
        let settings = SchemaSettings::draft2020_12().for_deserialize();
        Self(settings.into_generator().into_root_schema_for::<T>().into())
    }

    /// Returns the form of what may be anything.
    pub(crate) fn any() -> Self {
        Self(Value::Bool(true))
    }

    /// Returns why some JSON does not fit, if it has a list where none may stand.
    pub(crate) fn check(&self, json: &[u8]) -> serde_json::Result<()> {
        // Most of what is sent has no list at all.
        if !json.contains(&b'[') {
            return Ok(());
        }
        let mut reader = serde_json::Deserializer::from_slice(json);
        Place::new(&self.0, [&self.0]).deserialize(&mut reader)
    }
}

/// A place in some JSON, with the forms of which what stands there has to have one.
struct Place<'a> {
    root: &'a Value,
    forms: Vec<&'a Value>,
}

impl<'a> Place<'a> {
    /// Takes schemas, of which each may refer to others.
    fn new(root: &'a Value, schemas: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut place = Self { root, forms: Vec::new() };
        schemas.into_iter().for_each(|schema| place.add(schema));
        place
    }

    fn add(&mut self, schema: &'a Value) {
        let choices = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|name| schema.get(name));
        let choices: Vec<&Value> = choices.filter_map(Value::as_array).flatten().collect();
        let target = schema.get("$ref").and_then(Value::as_str);
        let target = target.and_then(|target| self.root.pointer(target.trim_start_matches('#')));
        if choices.is_empty() && target.is_none() {
            self.forms.push(schema);
        }
        choices.into_iter().chain(target).for_each(|schema| self.add(schema));
    }

    /// Returns the place of an item of a list; nothing, if no list may stand here.
    fn item(&self) -> Option<Place<'a>> {
        let mut lists = self.that_may_be("array").peekable();
        lists.peek()?;
        let items = |form: &'a Value| form.get("items").unwrap_or(&Value::Bool(true));
        Some(Self::new(self.root, lists.map(items)))
    }

    /// Returns the place of a named value.
    fn named(&self, name: &str) -> Place<'a> {
        let value = |form: &'a Value| {
            let known = form.get("properties").and_then(|properties| properties.get(name));
            known.or_else(|| form.get("additionalProperties")).unwrap_or(&Value::Bool(true))
        };
        Self::new(self.root, self.that_may_be("object").map(value))
    }

    /// Returns the forms that something of a type may have.
    fn that_may_be(&self, name: &str) -> impl Iterator<Item = &'a Value> {
        self.forms.iter().copied().filter(move |form| match form.get("type") {
            Some(Value::String(only)) => only == name,
            Some(Value::Array(several)) => several.iter().any(|other| other == name),
            _ => {
                let is_named = form.get("enum").or_else(|| form.get("const")).is_some();
                !is_named && **form != Value::Bool(false)
            }
        })
    }
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let misplaced = || A::Error::custom("a list stands where none may");
        while items.next_element_seed(self.item().ok_or_else(misplaced)?)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(name) = fields.next_key::<String>()? {
            fields.next_value_seed(self.named(&name))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    /// Everything that a type may consist of.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its form is of interest")]
    struct Whole {
        part: Part,
        perhaps: Option<Part>,
        several: Option<Vec<Part>>,
        either: Either,
        by_name: BTreeMap<String, Part>,
        anything: Value,
        #[serde(flatten)]
        more: More,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its form is of interest")]
    struct Part {
        name: String,
        numbers: Vec<u32>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its form is of interest")]
    enum Either {
        Text(String),
        Other(Other),
        Part(Part),
        Many(Vec<String>),
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its form is of interest")]
    struct Other {
        id: String,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its form is of interest")]
    struct More {
        extra: Option<Part>,
    }

    fn check(json: &str, fits: bool) {
        assert_eq!(Shape::of::<Whole>().check(json.as_bytes()).is_ok(), fits, "{json}");
    }

    #[test]
    fn a_list_may_stand_only_where_there_is_one() {
        check(r#"{"part": {"name": "x", "numbers": [1]}}"#, true);
        check(r#"{"part": ["x", [1]]}"#, false);
        check(r#"[["x", [1]]]"#, false);
        check(r#"{"perhaps": null, "several": [{"numbers": []}]}"#, true);
        check(r#"{"perhaps": ["x", []]}"#, false);
        check(r#"{"several": [["x", []]]}"#, false);
        check(r#"{"either": ["x"]}"#, true);
        check(r#"{"either": {"name": "x", "numbers": [1]}}"#, true);
        check(r#"{"either": {"name": ["x"]}}"#, false);
        check(r#"{"by_name": {"x": {"numbers": [1]}}}"#, true);
        check(r#"{"by_name": {"x": ["x", [1]]}}"#, false);
        check(r#"{"anything": [[1], {"x": [2]}]}"#, true);
        check(r#"{"extra": {"numbers": [1]}}"#, true);
        check(r#"{"extra": ["x", [1]]}"#, false);
        check(r#"{"unknown": [1]}"#, true);
    }
}
